"""The paper's Fig. 4: the three synthetic data sets, as palacs draws them."""

from __future__ import annotations

from palacs import plots
from palacs.datasets import load

sets = [load(name, random_state=0) for name in ("3Clusters", "Spirals", "Bars")]
plots.save(plots.scatter(sets), "data")
