"""What stopping on advice would have saved, worked out from trials that were played to the end.

A trial is a pure function of its seed, so what was known after each acquisition can be laid out
again from the classes requested; `palacs.evidence.advise_stopping` looks at it as it would have.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from palacs.checks import Codes, Features
from palacs.evidence import LEAST_PER_CLASS, advise_stopping
from palacs.experiments._results import Results

_TRIALS = 10
# Advice is asked for whenever the labelled set has grown by a seventh: not at every step, for
# asking takes time, and chance would be given more occasions to say stop.
_GROWTH = 8 / 7


def what_stopping_saves(
    results: Results,
    strategy: str | None = None,
    *,
    tolerance: float = 0.1,
    good_enough: float = 0.0,
    trials: int = _TRIALS,
) -> pd.DataFrame:
    """Return what stopping on advice would have saved, and what error it would have cost.

    Parameters
    ----------
    results : Results
        Of one data set, without refilling: an instance that came twice would be judged by itself.
    strategy : str or None, default=None
        A title; None takes the first.
    tolerance, good_enough : float
        As for `palacs.evidence.advise_stopping`.
    trials : int, default=10
        How many trials are looked at.

    Returns
    -------
    frame : DataFrame
        One row. Columns strategy, trials, stopped (in how many of them stop was advised before
        the end), short (in how many a class had fewer than 30 instances all along, so that no
        advice was possible), tolerance and budget. Then means over the trials in which stop was
        advised, missing where there are none: acquired (until then), saved, error (then),
        final_error (of the same trials) and given_up, their difference.
    """
    experiment = results.experiment
    title = experiment.titles[0] if strategy is None else strategy
    task = experiment.tasks[0]
    if title not in task.strategies:
        raise ValueError(f"{title!r} was not played; choose from {', '.join(experiment.titles)}.")
    if experiment.refill:
        raise ValueError("classes were refilled; play without refill to see what stopping saves.")
    options: dict[str, Any] = {"tolerance": tolerance, "good_enough": good_enough}
    options["model"] = experiment.classifier
    if experiment.conditions is not None and experiment.conditions.proportions is not None:
        options["weights"] = experiment.conditions.share_of(task.dataset.class_names)
    seen = list(_laid_out(results, title, min(trials, experiment.trials)))
    ends = [_end(trial, options) for trial in seen]
    return pd.DataFrame(
        [
            {
                "strategy": title,
                "trials": len(seen),
                "stopped": sum(end is not None for end in ends),
                "short": sum(not trial.sizes for trial in seen),
                "tolerance": tolerance,
                **_means([end for end in ends if end is not None], task.budget),
            }
        ]
    )


def stopping_sentences(saved: pd.DataFrame) -> list[str]:
    """Say in words in how many trials stop was advised, and what came of it."""
    return [_sentence(row) for row in saved.to_dict("records")]


@dataclass(frozen=True)
class _LaidOut:
    """A trial's labelled set in the order of acquisition, and its test errors (budget,)."""

    X: Features
    y: Codes
    groups: npt.NDArray[Any] | None
    errors: Features

    @property
    def sizes(self) -> list[int]:
        """Sizes at which advice is asked for: before the end, and where it may come at all."""
        sizes, n = [], LEAST_PER_CLASS * int(self.y.max() + 1)
        while n < len(self.y):
            # With fewer the answer is no; the curve need not be worked out.
            if np.bincount(self.y[:n]).min() >= LEAST_PER_CLASS:
                sizes.append(n)
            n = math.ceil(n * _GROWTH)
        return sizes


def _laid_out(results: Results, title: str, number: int) -> Iterator[_LaidOut]:
    experiment = results.experiment
    task = experiment.tasks[0]
    names = {name: code for code, name in enumerate(task.dataset.class_names)}
    played = results.trials[results.trials["strategy"] == title]
    for trial in range(number):
        rows = played[played["trial"] == trial].sort_values("acquired")
        requested = np.array([names[str(name)] for name in rows["class"]], dtype=np.int64)
        split, _ = experiment.deal(task.name, trial)
        y = np.concatenate([split.start, requested])
        taken = split.rows_of(y)
        # Advice must be what a campaign that knows the groups gets.
        groups = None if split.groups is None else split.groups[taken]
        yield _LaidOut(split.X[taken], y, groups, rows["error"].to_numpy())


def _end(trial: _LaidOut, options: Mapping[str, Any]) -> tuple[int, float, float] | None:
    """Return after how many acquisitions stop is first advised, the error then and at the end."""
    start = len(trial.y) - len(trial.errors)
    for n in trial.sizes:
        groups = None if trial.groups is None else trial.groups[:n]
        if advise_stopping(trial.X[:n], trial.y[:n], groups=groups, **options).stop:
            return n - start, float(trial.errors[n - start - 1]), float(trial.errors[-1])
    return None


def _means(ends: Sequence[tuple[int, float, float]], budget: int) -> dict[str, float]:
    acquired, error, final = np.mean(ends, axis=0).tolist() if ends else [np.nan] * 3
    return {
        "budget": budget,
        "acquired": acquired,
        "saved": budget - acquired,
        "error": error,
        "final_error": final,
        "given_up": error - final,
    }


def _sentence(row: Mapping[Any, Any]) -> str:
    looked_at = f"{row['trials']} trials looked at"
    if row["stopped"]:
        return (
            f"Stop was advised in {row['stopped']} of {looked_at}, for {row['strategy']} after "
            f"{row['acquired']:.0f} of {row['budget']} acquisitions on average; the error of these "
            f"trials was {row['error']:.4f} then and {row['final_error']:.4f} at the end."
        )
    close = (
        f"that the error is at most {100 * row['tolerance']:.0f} % above that at three times as "
        "many was never certain enough"
    )
    few = f"a class had fewer than {LEAST_PER_CLASS} instances nearly to the end"
    if row["short"] == row["trials"]:
        why = few
    elif row["short"]:
        why = f"in {row['short']} {few}; in the others {close}"
    else:
        why = close
    return f"No advice to stop was given in {looked_at}: {why}."
