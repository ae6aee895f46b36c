"""Compile what decisions and trials need, so that no test waits for it and none does it twice.

Every strategy plays two small trials, and what a campaign's bench says is worked out once; what a
single test needs besides is left to it.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from palacs.campaign import create_campaign
from palacs.datasets import load
from palacs.evidence import check_labelled_set, default_model, left_out_decisions
from palacs.experiments import Execution, comparison_experiment, run_comparison
from palacs.strategies import available, compile_ahead


def play(*names: str) -> None:
    """Play two small trials of each strategy."""
    experiment = comparison_experiment(load("iris"), names, budget=8, trials=2)
    run_comparison(experiment, execution=Execution(jobs=1))


def main() -> None:
    """Compile, and keep it where palacs does."""
    compile_ahead()
    play("uniform", "random")  # first what all share, which is then found
    # Proportional needs proportions, and brings nothing of its own to compile.
    names = [name for name in available() if name != "proportional"]
    with ProcessPoolExecutor(2, get_context("spawn")) as processes:
        list(processes.map(play, names))
    X, y = np.arange(80.0).reshape(40, 2) % 7, np.arange(40) % 2
    left_out_decisions(check_labelled_set(X, y, None, None), default_model(), 0)
    with create_campaign("compiled", [0, 1], storage="memory") as campaign:
        for x, label in zip(X.tolist(), y.tolist(), strict=True):
            campaign.add(x, label)
        campaign.stopping()


if __name__ == "__main__":
    main()
