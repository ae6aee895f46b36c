"""Halve and double each constant of Spare settled, and see what of its results depends on it.

Plays the sets of ``strategies.py`` with the default model, or with ``--classifier`` one that is
fitted anew and has a rule of its own, every variant on the same trials, and prints for each how
much of the ceiling it reaches over the last eighth of the budget, where 3 % or more are possible,
and how far above Uniform it is in the worst phase of any set.

Run with ``python benchmarks/constants.py``, or quicker with ``--trials 40``.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import track
from rich.table import Table

from _sets import FURTHER, PAPER, STRESS, find
from palacs.checks import Features
from palacs.evidence import ClassEvidence, out_of_fold_evidence
from palacs.experiments import Experiment, ceiling_of, comparison_experiment
from palacs.strategies import LabelledSet, SpareSettled
from palacs.strategies._weights import (
    REFITTED,
    RULE,
    RefittedRule,
    Rule,
    needs_of,
    needs_of_refitted,
)
from palacs.stream import Stream
from strategies import CLASSIFIERS, PARZEN

_WORTH_IT = 0.03
_PHASES, _LAST = 4, 8


class Varied(SpareSettled):
    """Spare settled with other constants."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SpareSettled._parameter_constraints,
        "rule": [tuple],
    }

    def __init__(
        self, classifier: Any = None, random_state: Any = None, rule: Rule | RefittedRule = RULE
    ) -> None:
        super().__init__(classifier, random_state)
        self.rule = rule

    def _evidence(self, labelled: LabelledSet, stream: Stream) -> ClassEvidence:
        if isinstance(self.rule, Rule):
            return super()._evidence(labelled, stream)
        return out_of_fold_evidence(labelled.thinned(), self.classifier, self.rule.folds, stream)

    def _weights(self, evidence: ClassEvidence, labelled: LabelledSet) -> tuple[Features, Features]:
        if isinstance(self.rule, Rule):
            weights, lost = needs_of(evidence, labelled.counts, self.rule)
        else:
            weights, lost = needs_of_refitted(evidence, labelled.counts, self.rule)
        return weights, lost

    def compiled_form(self, n_features: int) -> Any | None:
        """Return the form for compiled loops."""
        form = super().compiled_form(n_features)
        return None if form is None else form._replace(rule=self.rule)


class Outcome(NamedTuple):
    """Errors of one variant relative to Uniform on one set: in the phases, and at last."""

    phases: Features
    last: float


def variants(classifier: str) -> dict[str, Rule | RefittedRule]:
    """Return a classifier's rule as it is, and with each of its constants halved and doubled."""
    rule = RULE if classifier in PARZEN else REFITTED
    found: dict[str, Rule | RefittedRule] = {"as it is": rule}
    for name, value in rule._asdict().items():
        for word, factor in (("halved", 0.5), ("doubled", 2.0)):
            # Instances are in whole folds.
            changed = math.ceil(factor * value) if isinstance(value, int) else factor * value
            found[f"{name} {word} to {changed:g}"] = rule._replace(**{name: changed})
    return found


def experiment(name: str, classifier: str, trials: int, seed: int) -> Experiment:
    """Return Uniform and every variant on one set, with its budget, judged by a classifier."""
    played, model = find(name, seed), CLASSIFIERS[classifier]
    compared = comparison_experiment(
        played.dataset,
        ["uniform"],
        budget=played.budget,
        trials=trials,
        classifier=model,
        seed=seed,
    )
    (task,) = compared.tasks
    varied = {title: Varied(model, rule=rule) for title, rule in variants(classifier).items()}
    strategies = {**task.strategies, **varied}
    return replace(compared, tasks=(replace(task, strategies=strategies),), refill=played.refill)


def outcomes(played: list[dict[str, Features]]) -> dict[str, Outcome]:
    """Return by variant what trials, each errors (budget,) by title, make of it."""
    errors = {title: np.mean([trial[title] for trial in played], axis=0) for title in played[0]}
    uniform = errors.pop("Uniform")
    found = {}
    for title, mine in errors.items():
        parts = zip(np.array_split(mine, _PHASES), np.array_split(uniform, _PHASES), strict=True)
        phases = np.array([own.mean() / other.mean() - 1.0 for own, other in parts])
        last = -max(len(mine) // _LAST, 1)
        found[title] = Outcome(phases, float(mine[last:].mean() / uniform[last:].mean()) - 1.0)
    return found


def play(compared: Experiment, trial: int) -> dict[str, Features]:
    """Return the errors (budget,) of one trial by title."""
    found = compared.run(compared.tasks[0].name, trial)
    return {title: one.errors for title, one in found.items()}


def main() -> int:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--classifier", choices=CLASSIFIERS, default="default")
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--datasets", default=",".join((*PAPER, *FURTHER, *STRESS)))
    parser.add_argument("--jobs", type=int, default=-1)
    arguments = parser.parse_args()
    console = Console(width=None if Console().is_terminal else 120, highlight=False)
    ceilings, found = {}, {}
    for name in track(arguments.datasets.split(","), "Playing", console=console):
        compared = experiment(name, arguments.classifier, arguments.trials, arguments.seed)
        ceilings[name] = ceiling_of(compared).gain
        parallel = Parallel(n_jobs=arguments.jobs)
        found[name] = outcomes(
            parallel(delayed(play)(compared, trial) for trial in range(arguments.trials))
        )
    show(ceilings, found, arguments.classifier, console)
    return 0


def show(
    ceilings: dict[str, float],
    found: dict[str, dict[str, Outcome]],
    classifier: str,
    console: Console,
) -> None:
    """Print a row for each variant."""
    worth_it = [name for name, ceiling in ceilings.items() if ceiling >= _WORTH_IT]
    table = Table()
    table.add_column("constant")
    table.add_column(f"ceiling reached, {len(worth_it)} sets", justify="right")
    table.add_column("worst phase", justify="right")
    table.add_column("of")
    for title in variants(classifier):
        shares = [-found[name][title].last / ceilings[name] for name in worth_it]
        worst = max(found, key=lambda name: float(found[name][title].phases.max()))
        table.add_row(
            title,
            f"{np.mean(shares):.0%}" if shares else "–",
            f"{100 * found[worst][title].phases.max():+.1f} %",
            worst,
        )
    console.print(table)


if __name__ == "__main__":
    raise SystemExit(main())
