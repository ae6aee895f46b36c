"""What stopping early would have saved, worked out from trials that were played to the end.

A trial is a pure function of its seed, so what was known after each acquisition can be laid out
again from the classes requested; the rules of `palacs.evidence` look at it as they would have.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import clone

from palacs.checks import Codes, Features
from palacs.conditions import Conditions
from palacs.evidence import GainThreshold, Plateau, Rule, estimated_accuracy, expected_gain
from palacs.experiments._results import Results
from palacs.experiments._split import Split
from palacs.strategies import PALACS, Strategy

_TRIALS = 10
_RULES = {GainThreshold: "the expected gain stays small", Plateau: "the accuracy levels off"}


def what_stopping_saves(
    results: Results,
    strategy: str | None = None,
    *,
    rules: Sequence[Rule] = (GainThreshold(), Plateau()),
    trials: int = _TRIALS,
) -> pd.DataFrame:
    """Return what stopping by each rule would have saved, and what error it would have cost.

    Parameters
    ----------
    results : Results
        Of one data set.
    strategy : str or None, default=None
        A title; None takes the first.
    rules : sequence of GainThreshold and Plateau
    trials : int, default=10
        How many trials are looked at.

    Returns
    -------
    frame : DataFrame
        One row per rule. Columns strategy, rule, trials, stopped (in how many of them the rule
        ever said stop), acquired (mean number of acquisitions until then, or all), saved, error
        (mean, when stopped), final_error and given_up, their difference.
    """
    experiment = results.experiment
    title = experiment.titles[0] if strategy is None else strategy
    task = experiment.tasks[0]
    if title not in task.strategies:
        raise ValueError(f"{title!r} was not played; choose from {', '.join(experiment.titles)}.")
    number = min(trials, experiment.trials)
    played = results.trials[results.trials["strategy"] == title]
    ends: dict[Rule, list[tuple[int, float, bool]]] = {rule: [] for rule in rules}
    final = []
    for trial in range(number):
        rows = played[played["trial"] == trial].sort_values("acquired")
        errors = rows["error"].to_numpy()
        split, seed = experiment.deal(task.name, trial)
        names = {name: code for code, name in enumerate(task.dataset.class_names)}
        codes = np.array([names[str(name)] for name in rows["class"]], dtype=np.int64)
        X, y = _acquired(split, codes)
        known = None
        if experiment.conditions is not None:
            known = without_limits(experiment.conditions.relabelled(names))
        judge = _gain_judge(task.strategies[title], seed)
        gains, accuracies = _evidence(X, y, split.n_classes, judge, known, experiment.classifier)
        final.append(float(errors[-1]))
        for rule in rules:
            series = gains if isinstance(rule, GainThreshold) else accuracies
            at = _first_stop(rule, series)
            last = len(errors) if at is None else at
            ends[rule].append((last, float(errors[last - 1]), at is not None))
    return pd.DataFrame(
        [_row(title, rule, seen, float(np.mean(final)), task.budget) for rule, seen in ends.items()]
    )


def stopping_sentences(saved: pd.DataFrame) -> list[str]:
    """Say in words what stopping would have saved."""
    return [
        f"Stopping {row['strategy']} when {row['rule']} (advised in {row['stopped']} of "
        f"{row['trials']} trials looked at) would have saved {row['saved']:.0f} of "
        f"{row['acquired'] + row['saved']:.0f} acquisitions, for an error of {row['error']:.4f} "
        f"instead of {row['final_error']:.4f}."
        for row in saved.to_dict("records")
    ]


def without_limits(conditions: Conditions) -> Conditions:
    """Return the conditions without limits: they do not change what a class is worth."""
    return Conditions(conditions.costs, conditions.proportions, conditions.mistakes)


def _row(
    title: str, rule: Rule, seen: list[tuple[int, float, bool]], final: float, budget: int
) -> dict[str, object]:
    acquired = float(np.mean([last for last, _, _ in seen]))
    error = float(np.mean([error for _, error, _ in seen]))
    return {
        "strategy": title,
        "rule": _RULES[type(rule)],
        "trials": len(seen),
        "stopped": sum(stopped for _, _, stopped in seen),
        "acquired": acquired,
        "saved": budget - acquired,
        "error": error,
        "final_error": final,
        "given_up": error - final,
    }


def _acquired(split: Split, requested: Codes) -> tuple[Features, Codes]:
    """Lay out what a trial had acquired, in order: features (n, n_features), codes (n,)."""
    y = np.concatenate([split.start, requested])
    return split.X[split.rows_of(y)], y


def _gain_judge(strategy: Strategy, seed: int) -> Strategy:
    # Only PAL-ACS's utilities are gains; it judges the others' progress as well.
    judge = strategy if isinstance(strategy, PALACS) else PALACS(bandwidth="auto")
    seeded: Strategy = clone(judge).set_params(random_state=seed)
    return seeded


def _evidence(
    X: Features,
    y: Codes,
    n_classes: int,
    judge: Strategy,
    conditions: Conditions | None,
    classifier: object,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return expected gain and estimated accuracy after each acquisition, both (budget,)."""
    classes = np.arange(n_classes)
    gains, accuracies = [], []
    for n in range(n_classes + 1, len(y) + 1):
        _, utilities = judge.query(
            X[:n], y[:n], classes=classes, conditions=conditions, return_utilities=True
        )
        gains.append(expected_gain(utilities))
        accuracies.append(estimated_accuracy(X[:n], y[:n], classifier=classifier))
    return np.array(gains), np.array(accuracies)


def _first_stop(rule: Rule, series: npt.NDArray[np.float64]) -> int | None:
    for n in range(1, len(series) + 1):
        if rule.advise(series[:n]).stop:
            return n
    return None
