"""What a run was made with, and what to type to get its report again."""

from __future__ import annotations

import platform
import shlex
from importlib.metadata import version
from typing import Any

from palacs.experiments._experiment import Experiment
from palacs.strategies import available

_PACKAGES = ("palacs", "numpy", "scipy", "scikit-learn", "numba", "pandas", "matplotlib")


def subtitle(experiment: Experiment) -> str:
    """Return trials, data sets and seed in one line."""
    names = ", ".join(task.name for task in experiment.tasks)
    return f"{experiment.trials} trials on {names}; seed {experiment.seed}"


def settings(experiment: Experiment) -> dict[str, Any]:
    """Return what the results depend on, for people."""
    described = experiment.settings()
    return {
        "trials": described["trials"],
        "seed": described["seed"],
        "classifier": described["classifier"],
        "a class that runs out begins again": "yes" if described["refill"] else "no",
        **{
            f"{entry['name']}: budget, test instances per class": (
                f"{entry['budget']}, {entry['test_per_class']}"
            )
            for entry in described["datasets"]
        },
        **described["datasets"][0]["strategies"],
    }


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that results depend on."""
    return {"python": platform.python_version(), **{name: version(name) for name in _PACKAGES}}


def reproduce_commands(experiment: Experiment) -> list[str]:
    """Return what to type to get the report again; nothing if only Python code can.

    Examples
    --------
    >>> from palacs.experiments import paper_experiment
    >>> reproduce_commands(paper_experiment(["Bars"], ["uniform"], trials=3, bandwidth=0.1))[0]
    'palacs reproduce --trials 3 --datasets Bars --strategies uniform --bandwidth 0.1 --seed 0'
    """
    names = {info.title: name for name, info in available().items()}
    if not set(experiment.titles) <= set(names):
        return []
    options = {
        "trials": experiment.trials,
        "datasets": ",".join(task.name for task in experiment.tasks),
        "strategies": ",".join(names[title] for title in experiment.titles),
        "bandwidth": experiment.classifier.bandwidth,
        "seed": experiment.seed,
    }
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    return [shlex.join(["palacs", "reproduce", *words])]
