"""The paper's Fig. 1: what a trial had acquired at four stages, on a t-SNE map."""

from __future__ import annotations

import numpy as np

from palacs import plots
from palacs.experiments import paper_experiment

STAGES = (0.0, 0.1, 0.3, 1.0)

experiment = paper_experiment(datasets=["Vehicle"], strategies=["pal-acs"], trials=1)
task = experiment.tasks[0]
split, _ = experiment.deal(task.name, 0)
requested = np.concatenate([split.start, experiment.run(task.name, 0)["PAL-ACS"].requested])
codes = np.repeat(np.arange(split.n_classes), split.queue_sizes)
sizes = [split.n_classes + round(task.budget * share) for share in STAGES]
names = task.dataset.class_names
figure = plots.learning_stages(split.X, codes, split.rows_of(requested), sizes, class_names=names)
plots.save(figure, "stages")

counts = np.bincount(requested, minlength=split.n_classes)
print(
    f"Vehicle, trial 0: after {len(requested)} instances PAL-ACS had acquired "
    + ", ".join(f"{count} of {name}" for name, count in zip(names, counts, strict=True))
    + "."
)
