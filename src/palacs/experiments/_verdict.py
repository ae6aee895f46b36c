"""What the numbers say, in words: whether the paper holds, whether class selection is worth it.

Every sentence is made from the numbers of the run it stands in.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from palacs.experiments import paper
from palacs.experiments._comparison import LEVEL, Comparison

MEAN_DIFFERENCE = 0.008
PAL_ACS_DIFFERENCE = 0.006
PROPORTION_POINTS = 4.0
_NOTABLE_ERROR = 0.01
_HARD = 1.15


@dataclass(frozen=True)
class Finding:
    """One thing the reproduction should show, and whether it does."""

    claim: str
    measured: str
    reached: bool


def paper_findings(table1: pd.DataFrame, table2: pd.DataFrame) -> list[Finding]:
    """Check what the paper's evaluation must show, as far as the run covers it."""
    findings = []
    known = table1.dropna(subset=["paper_error"])
    gap = (known["error"] - known["paper_error"]).abs()
    if len(known):
        findings.append(
            _at_most(
                f"Mean difference to the paper's errors over {len(known)} cells",
                float(gap.mean()),
                MEAN_DIFFERENCE,
            )
        )
    ours = gap[(known["strategy"] == "PAL-ACS") & (known["dataset"] != "Vertebral")]
    if len(ours):
        findings.append(
            _at_most(
                "Mean difference on PAL-ACS's rows without Vertebral",
                float(ours.mean()),
                PAL_ACS_DIFFERENCE,
            )
        )
    shares = table2[(table2["strategy"] == "PAL-ACS") & (table2["dataset"] != "Vertebral")]
    shares = shares.dropna(subset=["paper_proportion"])
    if len(shares):
        points = 100 * float((shares["proportion"] - shares["paper_proportion"]).abs().max())
        findings.append(
            Finding(
                "PAL-ACS's final proportions within 4 points of the paper's, without Vertebral",
                f"largest difference {points:.1f} points",
                points <= PROPORTION_POINTS,
            )
        )
    findings += _lowest(table1, "3Clusters", (2, 3, 4)) + _lowest(table1, "Spirals", (1, 2, 3, 4))
    return findings + _bars(table1)


def few_trials(trials: int) -> str | None:
    """Caution against reading much into fewer trials than the paper's, or None."""
    if trials >= paper.TRIALS:
        return None
    return (
        f"These are {trials} trials where the paper has {paper.TRIALS}: chance alone moves the "
        "errors, so the differences say little yet."
    )


def paper_differences(table1: pd.DataFrame, table2: pd.DataFrame) -> list[str]:
    """Say where a run differs notably from the paper."""
    sentences = []
    known = table1.dropna(subset=["paper_error"])
    gaps = known.assign(gap=known["error"] - known["paper_error"])
    for dataset, rows in gaps.groupby("dataset", observed=True):
        far = rows[rows["gap"].abs() > _NOTABLE_ERROR]
        if len(far):
            cells = ", ".join(
                f"{row['strategy']} phase {row['phase']} ({row['gap']:+.3f})"
                for row in far.to_dict("records")
            )
            sentences.append(
                f"{dataset}: {len(far)} of {len(rows)} errors differ by more than "
                f"{_NOTABLE_ERROR}: {cells}."
            )
        winners = _winner_changes(rows)
        if winners:
            sentences.append(f"{dataset}: another strategy is best than in the paper in {winners}.")
    for key, shares in table2.dropna(subset=["paper_proportion"]).groupby(
        ["dataset", "strategy"], observed=True, sort=False
    ):
        dataset, strategy = map(str, key)
        points = 100 * (shares["proportion"] - shares["paper_proportion"])
        if points.abs().max() > PROPORTION_POINTS:
            pairs = zip(shares["class"], points, strict=True)
            cells = ", ".join(f"{name} {point:+.0f}" for name, point in pairs)
            sentences.append(
                f"{dataset}: {strategy}'s final proportions differ from the paper's, in percent "
                f"points: {cells}."
            )
    return sentences or ["Nowhere by more than 0.01 in error or 4 points in proportions."]


def comparison_sentences(comparison: Comparison, proportions: pd.DataFrame) -> list[str]:
    """Answer in words: who wins, by how much, how surely, what is saved, what is hard."""
    frame, baseline = comparison.frame, comparison.baseline
    if frame.empty:
        return [f"Only {baseline} was played; there is nothing to compare it with."]
    best = frame.iloc[0]
    base_error = best["mean_error"] - best["mean_difference"]
    certain = best["p_holm"] < LEVEL
    if best["mean_difference"] >= 0:
        first = (
            f"{baseline} has the lowest mean error over the budget, {base_error:.4f}; the next is "
            f"{best['strategy']} with {best['mean_error']:.4f}."
        )
    else:
        relative = -100 * best["mean_difference"] / base_error
        first = (
            f"{best['strategy']} has the lowest mean error over the budget: "
            f"{best['mean_error']:.4f} against {base_error:.4f} for {baseline}, "
            f"{relative:.1f} % less."
        )
    sentences = [
        first,
        f"The mean difference is {best['mean_difference']:+.4f}, with 95 % confidence between "
        f"{best['low']:+.4f} and {best['high']:+.4f}; the paired Wilcoxon test gives "
        f"p = {best['p_holm']:.2g} after Holm's correction"
        f"{'' if certain else ', which is no certain difference'}.",
        _savings(best, baseline),
        _hard_classes(str(best["strategy"]), proportions),
        _worth_it(frame, baseline),
    ]
    return [sentence for sentence in sentences if sentence]


def _at_most(claim: str, value: float, limit: float) -> Finding:
    return Finding(f"{claim}: at most {limit}", f"{value:.4f}", value <= limit)


def _pivot(table1: pd.DataFrame, dataset: str) -> pd.DataFrame:
    rows = table1[table1["dataset"] == dataset]
    return rows.pivot_table(index="strategy", columns="phase", values="error", observed=True)


def _lowest(table1: pd.DataFrame, dataset: str, phases: tuple[int, ...]) -> list[Finding]:
    errors = _pivot(table1, dataset)
    if "PAL-ACS" not in errors.index or len(errors) < 2:
        return []
    rivals = errors.drop(index="PAL-ACS").min()
    reached = [phase for phase in phases if errors.loc["PAL-ACS", phase] < rivals[phase]]
    words = "every phase" if len(phases) == 4 else f"phases {phases[0]} to {phases[-1]}"
    return [
        Finding(
            f"PAL-ACS has the lowest error in {words} of {dataset}",
            f"lowest in {len(reached)} of {len(phases)}",
            len(reached) == len(phases),
        )
    ]


def _bars(table1: pd.DataFrame) -> list[Finding]:
    errors = _pivot(table1, "Bars")
    if not {"PAL-ACS", "Random"} <= set(errors.index):
        return []
    first, *_, last = (errors.loc["PAL-ACS"] - errors.loc["Random"]).to_numpy(dtype=float)
    return [
        Finding(
            "On Bars PAL-ACS is behind Random in the first phase and ahead in the last",
            f"{first:+.4f} in the first, {last:+.4f} in the last",
            bool(first > 0 > last),
        )
    ]


def _winner_changes(rows: pd.DataFrame) -> str:
    changes = []
    for phase, cells in rows.groupby("phase"):
        ours = cells["strategy"].iloc[cells["error"].argmin()]
        theirs = cells["strategy"].iloc[cells["paper_error"].argmin()]
        if len(cells) > 1 and ours != theirs:
            changes.append(f"phase {phase} ({ours}, there {theirs})")
    return ", ".join(changes)


def _savings(best: pd.Series, baseline: str) -> str:
    if np.isnan(best["saved"]):
        return f"{best['strategy']} does not reach {baseline}'s final error within the budget."
    if best["saved"] > 0:
        return (
            f"{best['strategy']} is as good as {baseline} at the end after {best['reached']:.0f} "
            f"acquisitions: {best['saved']:.0f} are saved."
        )
    return f"{best['strategy']} needs the whole budget to be as good as {baseline} at the end."


def _hard_classes(strategy: str, proportions: pd.DataFrame) -> str:
    shares = proportions[proportions["strategy"] == strategy].set_index("class")["proportion"]
    hard = shares[shares > _HARD / len(shares)].sort_values(ascending=False)
    if hard.empty:
        return f"{strategy} asks for all classes about equally often."
    listing = ", ".join(f"{name} ({100 * share:.0f} %)" for name, share in hard.head(5).items())
    return (
        f"{strategy} finds these classes hard, by their share of the requests: {listing}; an "
        f"equal share would be {100 / len(shares):.0f} %."
    )


def _worth_it(frame: pd.DataFrame, baseline: str) -> str:
    # The lowest mean need not be the certain one: ask every strategy, not only the best.
    certain = frame["p_holm"] < LEVEL
    better = frame[certain & (frame["mean_difference"] < 0)]
    if len(better):
        winner = better["strategy"].iloc[0]
        if winner == "Uniform":
            return (
                f"Worth it? Keep the class counts equal: that beats {baseline}, and no cleverer "
                "strategy among those compared does better with certainty."
            )
        return f"Worth it? Yes: on this data {winner} beats {baseline} with certainty."
    if (certain & (frame["mean_difference"] > 0)).all():
        return f"Worth it? No: on this data every strategy compared is worse than {baseline}."
    return (
        f"Worth it? Not on this evidence: no strategy beats {baseline} with certainty; more trials "
        "may tell."
    )
