"""The paper's Fig. 5: learning curves on the six data sets, from the stored 500 trials."""

from __future__ import annotations

import _stored

from palacs import plots

plots.save(plots.learning_curves(_stored.read("curves")), "learning-curves")
print(f"Drawn from the stored results of `{_stored.COMMAND}`, 500 trials with seed 0.")
