"""Whether class selection is worth it on somebody's data, in words that the trials bear out.

"Yes" is said only where a strategy beats both Random and Uniform, each with certainty: who beats
chance but not equal counts needs no strategy. Every sentence is made from the run's own numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from palacs.experiments._ceiling import Ceiling
from palacs.experiments._comparison import BASELINES, LEVEL, Comparison, holm
from palacs.experiments.report._savings import saving_sentence

RANDOM, UNIFORM = BASELINES
_OFTEN = 1.15

Answer = Literal["yes", "equal counts", "no", "not shown"]


@dataclass(frozen=True)
class Verdict:
    """The answer to "is class selection worth it?".

    Attributes
    ----------
    answer : {"yes", "equal counts", "no", "not shown"}
    sentence : str
        The answer in words.
    winner : str or None
        Who beats both Random and Uniform with certainty.
    p_value : float
        Of that, or of the strategy that comes nearest to it: the larger of the two p-values,
        corrected after Holm for the number of strategies.
    ceiling : Ceiling or None
        How much class selection could help at all; None where that is not known.
    """

    answer: Answer
    sentence: str
    winner: str | None
    p_value: float
    ceiling: Ceiling | None = None


@dataclass(frozen=True)
class DataFacts:
    """What the certainty rests on.

    Attributes
    ----------
    trials : int
    instances : int or None
        How many instances every trial re-splits; None where each draws data of its own.
    budget : int
    """

    trials: int
    instances: int | None
    budget: int


def give_verdict(comparisons: Sequence[Comparison], instances: int | None = None) -> Verdict:
    """Say whether class selection is worth it.

    Parameters
    ----------
    comparisons : sequence of Comparison
        Against Random and against Uniform.
    instances : int or None, default=None
        How many instances every trial re-splits; None where each draws data of its own.
    """
    chances = beats_all(comparisons)
    if len(chances) and chances.iloc[0] < LEVEL:
        winner, p = str(chances.index[0]), float(chances.iloc[0])
        among = f" after Holm's correction for {len(chances)} strategies"
        return Verdict(
            "yes",
            f"Worth it? Yes: {winner} beats both {RANDOM} and {UNIFORM} with certainty "
            f"(p = {p:.2g}{among if len(chances) > 1 else ''}).",
            winner,
            p,
        )
    answer, sentence = _without_winner(comparisons, chances)
    if answer == "not shown":
        sentence += " More trials may tell." if instances is None else " More data may tell."
    hint = _only_here(beats_all(comparisons, "p_here"), instances)
    p = float(chances.iloc[0]) if len(chances) else 1.0
    return Verdict(answer, f"{sentence}{hint}", None, p)


def beats_all(comparisons: Sequence[Comparison], column: str = "p_value") -> pd.Series[float]:
    """Return, the surest first, how sure it is that a strategy beats every baseline.

    To beat all, each must be beaten, so the largest p-value counts, and it is 1 where a mean is
    not lower. The p-values are corrected after Holm for the number of strategies.
    """
    baselines = [comparison.baseline for comparison in comparisons]
    against = [c.frame.set_index("strategy") for c in comparisons if len(c.frame)]
    names = [name for name in against[0].index if name not in baselines] if against else []
    largest = [
        max(
            float(frame.loc[name, column]) if frame.loc[name, "mean_difference"] < 0 else 1.0
            for frame in against
        )
        for name in names
    ]
    corrected = holm(np.array(largest)) if names else np.zeros(0)
    # Of equally sure ones the one of lowest error, as which they are listed.
    return pd.Series(corrected, index=names, dtype=float).sort_values(kind="stable")


def comparison_sentences(
    comparisons: Sequence[Comparison],
    verdict: Verdict,
    proportions: pd.DataFrame,
    facts: DataFacts,
) -> list[str]:
    """Answer in words: is it worth it, who wins, by how much, how surely, what is saved."""
    rows = {c.baseline: c.frame.set_index("strategy", drop=False) for c in comparisons}
    others = [name for name in rows[RANDOM].index if name != UNIFORM]
    if not others:
        return [verdict.sentence, f"Only {RANDOM} and {UNIFORM} were played."]
    subject = verdict.winner or others[0]
    against = [rows[baseline].loc[subject].to_dict() for baseline in (RANDOM, UNIFORM)]
    return [
        verdict.sentence,
        _means(rows[RANDOM], subject),
        *_savings(verdict.winner, against, facts.budget),
        *_most_requested(subject, proportions),
        *_differences(subject, against, facts),
    ]


def _without_winner(
    comparisons: Sequence[Comparison], chances: pd.Series[float]
) -> tuple[Answer, str]:
    if len(chances) and all((c.frame["mean_error"] == 0.0).all() for c in comparisons):
        return "no", "Worth it? No: with every strategy compared the error is 0 all along."
    nobody = f"no other strategy compared beats both {RANDOM} and {UNIFORM} with certainty"
    equal = next((c.frame for c in comparisons if c.baseline == RANDOM), pd.DataFrame())
    equal = equal[equal["strategy"] == UNIFORM] if len(equal) else equal
    # One question, asked beforehand: no correction for the strategies beside it.
    if len(equal) and equal["mean_difference"].item() < 0 and equal["p_value"].item() < LEVEL:
        p = equal["p_value"].item()
        rest = f"; {nobody}" if len(chances) else ""
        return (
            "equal counts",
            f"Worth it? Equal counts are: {UNIFORM} beats {RANDOM} with certainty "
            f"(p = {p:.2g}){rest}.",
        )
    if len(chances) and all(_is_worse(comparisons, str(name)) for name in chances.index):
        return (
            "no",
            f"Worth it? No: every other strategy compared is worse than {RANDOM} or {UNIFORM} "
            "with certainty.",
        )
    nobody = (
        nobody.replace("no other", "no")
        if len(chances)
        else f"{UNIFORM} does not beat {RANDOM} with certainty"
    )
    return "not shown", f"Worth it? Not shown: {nobody}."


def _is_worse(comparisons: Sequence[Comparison], strategy: str) -> bool:
    rows = [c.frame[c.frame["strategy"] == strategy].iloc[0] for c in comparisons]
    return any(row["mean_difference"] > 0 and row["p_holm"] < LEVEL for row in rows)


def _only_here(chances: pd.Series[float], instances: int | None) -> str:
    """Tell what holds for these instances only, which is less than anybody asks."""
    if instances is None or not len(chances) or chances.iloc[0] >= LEVEL:
        return ""
    return (
        f" More trials on these {instances} instances would very likely put {chances.index[0]} "
        "ahead of both again, but that does not show that it is ahead on other data of the kind."
    )


def _means(frame: pd.DataFrame, subject: str) -> str:
    errors = {str(row["strategy"]): row["mean_error"] for row in frame.to_dict("records")}
    row = frame.loc[subject]
    errors[RANDOM] = row["mean_error"] - row["mean_difference"]
    lowest = min(errors.values())
    best = [name for name, error in errors.items() if error <= lowest + 1e-12]
    listed = [name for name in (subject, RANDOM, UNIFORM) if name in errors and name not in best]
    rest = ", ".join(f"{name} {errors[name]:.4f}" for name in listed)
    who = " and ".join(best)
    has = "has" if len(best) == 1 else "have"
    return f"{who} {has} the lowest mean error over the budget, {lowest:.4f}" + (
        f"; {rest}." if rest else "."
    )


def _differences(subject: str, against: Sequence[dict[Any, Any]], facts: DataFacts) -> list[str]:
    if facts.trials == 1:
        return ["One trial says nothing about certainty."]
    parts = [
        f"to {row['versus']} {row['mean_difference']:+.4f} (95 % interval {row['low']:+.4f} to "
        f"{row['high']:+.4f}, p = {row['p_value']:.2g})"
        for row in against
    ]
    if facts.instances is None:
        about = (
            "Every trial drew data of its own: intervals and p-values (paired t-tests) are about "
            "data of this kind."
        )
    else:
        about = (
            f"All trials re-split the same {facts.instances} instances. Intervals and p-values "
            "allow for that (Nadeau and Bengio's corrected t-test), to be about other data of "
            "this kind and not about these instances alone."
        )
    return [f"{subject}'s mean difference {' and '.join(parts)}.", about]


def _savings(winner: str | None, against: Sequence[dict[Any, Any]], budget: int) -> list[str]:
    """Say what is saved; where nothing is certain, that is news only of a winner."""
    if not any(row["p_holm"] < LEVEL and row["saved_low"] > 0 for row in against):
        return [f"It is not certain that {winner} saves any acquisitions."] if winner else []
    return [saving_sentence(row, f"{budget} acquisitions") for row in against]


def _most_requested(strategy: str, proportions: pd.DataFrame) -> list[str]:
    """Say what is asked for more often than with equal counts, as far as the data allow these."""
    shares, allowed = (
        proportions[proportions["strategy"] == name].set_index("class")["proportion"]
        for name in (strategy, UNIFORM)
    )
    equal = 1 / len(shares)
    scarce = bool((allowed < equal / _OFTEN).any())
    often = shares[shares > _OFTEN * (allowed if scarce else equal)].sort_values(ascending=False)
    if often.empty:
        return []
    beside = {name: f", {UNIFORM} {100 * share:.0f} %" for name, share in allowed.items() if scarce}
    listing = ", ".join(
        f"{name} ({100 * share:.0f} %{beside.get(name, '')})"
        for name, share in often.head(5).items()
    )
    tail = "" if scarce else f"; an equal share would be {100 * equal:.0f} %"
    return [f"{strategy} asks most often for {listing}{tail}."]
