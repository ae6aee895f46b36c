"""Whether a run shows what the paper shows, in words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from palacs.experiments import paper_differences, paper_findings
from palacs.experiments.paper import DATASETS, STRATEGIES, error, proportion, win_ratio
from palacs.strategies import available

TITLES = [available()[name].title for name in STRATEGIES]


@pytest.fixture
def paper_tables() -> tuple[pd.DataFrame, pd.DataFrame]:
    """The paper's own numbers as if a run had found them."""
    table1 = pd.DataFrame(
        [
            (d, s, p, error(d, s, p), win_ratio(d, s, p), error(d, s, p), win_ratio(d, s, p))
            for d in DATASETS
            for s in TITLES
            for p in (1, 2, 3, 4)
        ],
        columns=[
            "dataset",
            "strategy",
            "phase",
            "error",
            "win_ratio",
            "paper_error",
            "paper_win_ratio",
        ],
    )
    table2 = pd.DataFrame(
        [
            (d, s, f"class {c}", proportion(d, s, c), proportion(d, s, c))
            for d in DATASETS
            for s in TITLES
            for c in range(4 if d in ("Vehicle", "Yeast") else 3)
        ],
        columns=["dataset", "strategy", "class", "proportion", "paper_proportion"],
    )
    return table1, table2


Tables = tuple[pd.DataFrame, pd.DataFrame]


def test_the_paper_itself_shows_all_that_a_reproduction_must(paper_tables: Tables) -> None:
    findings = paper_findings(*paper_tables)
    assert len(findings) == 6
    assert all(finding.reached for finding in findings)
    assert paper_differences(*paper_tables) == [
        "Nowhere by more than 0.01 in error or 4 points in proportions."
    ]


def spoil(table: pd.DataFrame, column: str, by: float, **where: object) -> pd.DataFrame:
    rows = np.logical_and.reduce([table[key] == value for key, value in where.items()])
    return table.assign(**{column: table[column] + by * rows})


@pytest.mark.parametrize(
    ("where", "by", "failed"),
    [
        ({"strategy": "Random"}, 0.04, "over 96 cells"),
        ({"strategy": "PAL-ACS"}, -0.0061, "without Vertebral: at most 0.006"),
        ({"dataset": "3Clusters", "strategy": "PAL-ACS", "phase": 3}, 0.0057, "3Clusters"),
        ({"dataset": "Spirals", "strategy": "PAL-ACS", "phase": 1}, 0.0016, "Spirals"),
        ({"dataset": "Bars", "strategy": "PAL-ACS", "phase": 4}, 0.003, "On Bars"),
        ({"dataset": "Bars", "strategy": "PAL-ACS", "phase": 1}, -0.017, "On Bars"),
    ],
)
def test_a_run_that_misses_a_finding_is_told_so(
    where: dict[str, object], by: float, failed: str, paper_tables: Tables
) -> None:
    table1, table2 = paper_tables
    findings = paper_findings(spoil(table1, "error", by, **where), table2)
    missed = [finding.claim for finding in findings if not finding.reached]
    assert any(failed in claim for claim in missed)


def test_proportions_off_by_more_than_four_points_are_told(paper_tables: Tables) -> None:
    table1, table2 = paper_tables
    where = {"dataset": "Yeast", "strategy": "PAL-ACS", "class": "class 1"}
    off = spoil(table2, "proportion", 0.05, **where)
    missed = [finding for finding in paper_findings(table1, off) if not finding.reached]
    assert [finding.measured for finding in missed] == ["largest difference 5.0 points"]
    assert paper_differences(table1, off) == [
        "Yeast: PAL-ACS's final proportions differ from the paper's, in percent points: "
        "class 0 +0, class 1 +5, class 2 +0, class 3 +0."
    ]


def test_proportions_of_vertebral_do_not_count_but_are_told(paper_tables: Tables) -> None:
    table1, table2 = paper_tables
    off = spoil(table2, "proportion", 0.15, dataset="Vertebral", strategy="PAL-ACS")
    assert all(finding.reached for finding in paper_findings(table1, off))
    assert paper_differences(table1, off)[0].startswith("Vertebral: PAL-ACS's final proportions")


def test_errors_and_winners_that_differ_are_told(paper_tables: Tables) -> None:
    table1, table2 = paper_tables
    where = {"dataset": "Vehicle", "strategy": "Inverse", "phase": 2}
    sentences = paper_differences(spoil(table1, "error", -0.02, **where), table2)
    assert sentences == [
        "Vehicle: 1 of 16 errors differ by more than 0.01: Inverse phase 2 (-0.020).",
        "Vehicle: another strategy is best than in the paper in phase 2 (Inverse, there Random).",
    ]


def test_a_part_of_the_paper_is_checked_for_that_part_only(paper_tables: Tables) -> None:
    table1, table2 = paper_tables
    part1, part2 = (t[t["dataset"] == "Yeast"] for t in (table1, table2))
    claims = [finding.claim for finding in paper_findings(part1, part2)]
    assert len(claims) == 3
    assert "over 16 cells" in claims[0]
    assert paper_findings(part1.iloc[:0], part2.iloc[:0]) == []
