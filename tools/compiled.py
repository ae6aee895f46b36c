"""Compile what decisions and trials need, so that no test waits for it and none does it twice.

Every strategy plays two small trials; what a single test needs besides is left to it.
"""

from __future__ import annotations

from palacs.datasets import load
from palacs.experiments import Execution, comparison_experiment, run_comparison
from palacs.strategies import available, compile_ahead


def main() -> None:
    """Compile, and keep it where palacs does."""
    compile_ahead()
    # Proportional needs proportions, and brings nothing of its own to compile.
    names = [name for name in available() if name != "proportional"]
    experiment = comparison_experiment(load("iris"), names, budget=8, trials=2)
    run_comparison(experiment, execution=Execution(jobs=1))


if __name__ == "__main__":
    main()
