"""Whether a run shows what the paper shows, in words, and where it differs.

Every sentence is made from the numbers of the run it stands in.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from palacs.experiments import paper

MEAN_DIFFERENCE = 0.008
PAL_ACS_DIFFERENCE = 0.006
PROPORTION_POINTS = 4.0
_NOTABLE_ERROR = 0.01


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
