"""Trials of the paper's evaluation, for a page on which the reader asks beside them.

The page knows instances, test instances and what each strategy asked for; it computes decisions and
errors itself, by the paper's Parzen window. Here the same is computed from what the page is given
and held against the trial, so that the page cannot show another error than palacs measured.
"""

import json
from pathlib import Path

import numpy as np

from palacs.experiments import Split, Trial, paper_experiment
from palacs.plots import class_color

HERE = Path(__file__).parent
SAMPLES = 3
STRATEGIES = ["spare-settled", "pal-acs", "uniform", "random"]
experiment = paper_experiment(["Spirals", "3Clusters"], STRATEGIES, trials=SAMPLES)
width = experiment.classifier.bandwidth


def final_error(split: Split, asked: list[int]) -> float:
    """Return the error of the Parzen window after all that was asked for, as the page does."""
    order = np.array([*split.start, *asked])
    X = split.X[split.rows_of(order)].round(5)
    squared = ((split.X_test.round(5)[:, None] - X[None]) ** 2).sum(axis=2)
    near = np.exp(-squared / (2 * width**2)) @ (order[:, None] == np.arange(split.n_classes))
    return float((near.argmax(axis=1) != split.y_test).mean())


def sample(name: str, number: int) -> dict[str, object]:
    """Return one trial as the page takes it."""
    split, _ = experiment.deal(name, number)
    trials: dict[str, Trial] = experiment.run(name, number)
    budget = experiment.task(name).budget
    for title, trial in trials.items():
        found = final_error(split, trial.requested.tolist())
        assert abs(found - trial.errors[-1]) < 1e-12, (name, number, title)
    queues = np.split(split.X, split.first[1:-1])
    return {
        "queues": [queue[: budget + 1].round(5).tolist() for queue in queues],
        "start": split.start.tolist(),
        "test": split.X_test.round(5).tolist(),
        "truth": split.y_test.tolist(),
        "asked": {title: trial.requested.tolist() for title, trial in trials.items()},
    }


data = {
    "width": width,
    "colours": [class_color(code) for code in range(3)],
    "problems": {
        task.name: {
            "budget": task.budget,
            "classes": list(task.dataset.class_names),
            "samples": [sample(task.name, number) for number in range(SAMPLES)],
        }
        for task in experiment.tasks
    },
}
print((HERE / "asking.html").read_text(encoding="utf-8"))
print(f'<script type="application/json" id="asking-data">{json.dumps(data)}</script>')
print(f"<script>\n{(HERE / 'asking.js').read_text(encoding='utf-8')}</script>")
