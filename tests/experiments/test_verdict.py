"""What the numbers say in words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from palacs.experiments._comparison import Comparison
from palacs.experiments.paper import DATASETS, STRATEGIES, error, proportion, win_ratio
from palacs.experiments.report._verdict import (
    comparison_sentences,
    paper_differences,
    paper_findings,
)
from palacs.strategies import available


def comparison(*rows: tuple[str, float, float, float]) -> Comparison:
    """Return a comparison from (strategy, mean difference, corrected p, saved), best first."""
    return Comparison(
        "Random",
        pd.DataFrame(
            [
                {
                    "strategy": strategy,
                    "versus": "Random",
                    "mean_error": 0.2 + difference,
                    "mean_difference": difference,
                    "low": difference - 0.01,
                    "high": difference + 0.01,
                    "p_value": p / 2,
                    "p_holm": p,
                    "reached": 100 - saved,
                    "saved": saved,
                }
                for strategy, difference, p, saved in rows
            ]
        ),
    )


def shares(**by_strategy: tuple[float, ...]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"dataset": "mine", "strategy": name, "class": f"class {i}", "proportion": share}
            for name, row in by_strategy.items()
            for i, share in enumerate(row)
        ]
    )


EVEN = shares(**{"PAL-ACS": (0.33, 0.33, 0.34), "Uniform": (0.33, 0.33, 0.34)})
HARD = shares(**{"PAL-ACS": (0.05, 0.45, 0.5)})


def test_a_clear_win_says_who_how_much_how_surely_and_what_is_saved() -> None:
    rows = (("PAL-ACS", -0.05, 0.001, 40), ("Uniform", 0.0, 0.8, 0))
    text = " ".join(comparison_sentences(comparison(*rows), HARD))
    assert "PAL-ACS has the lowest mean error over the budget: 0.1500 against 0.2000" in text
    assert "25.0 % less" in text
    assert "between -0.0600 and -0.0400" in text
    assert "p = 0.001 after Holm's correction." in text
    assert "after 60 acquisitions: 40 are saved" in text
    assert "hard, by their share of the requests: class 2 (50 %), class 1 (45 %)" in text
    assert "equal share would be 33 %" in text
    assert text.endswith("Worth it? Yes: on this data PAL-ACS beats Random with certainty.")


def test_no_certain_difference_is_called_that() -> None:
    text = " ".join(comparison_sentences(comparison(("PAL-ACS", -0.001, 0.4, 2)), EVEN))
    assert "p = 0.4 after Holm's correction, which is no certain difference" in text
    assert "asks for all classes about equally often" in text
    assert "Worth it? Not on this evidence: no strategy beats Random with certainty" in text


def test_where_the_baseline_is_best_it_is_not_worth_it() -> None:
    rows = (("PAL-ACS", 0.02, 0.001, np.nan), ("Uniform", 0.03, 0.001, np.nan))
    text = " ".join(comparison_sentences(comparison(*rows), EVEN))
    assert "Random has the lowest mean error over the budget, 0.2000; the next is PAL-ACS" in text
    assert "PAL-ACS does not reach Random's final error within the budget" in text
    assert "Worth it? No: on this data every strategy compared is worse than Random." in text


def test_a_baseline_that_is_not_certainly_best_is_no_certain_no() -> None:
    rows = (("PAL-ACS", 0.001, 0.7, 0), ("Uniform", 0.03, 0.001, np.nan))
    text = " ".join(comparison_sentences(comparison(*rows), EVEN))
    assert "PAL-ACS needs the whole budget to be as good as Random at the end." in text
    assert "Not on this evidence: no strategy beats Random" in text


def test_where_equal_counts_are_best_that_is_the_advice() -> None:
    rows = (("Uniform", -0.02, 0.001, 30), ("PAL-ACS", -0.01, 0.01, 10))
    text = " ".join(comparison_sentences(comparison(*rows), EVEN))
    assert "Uniform has the lowest mean error" in text
    assert "Worth it? Keep the class counts equal" in text


def test_a_certain_win_counts_even_where_an_uncertain_mean_is_lower() -> None:
    rows = (("Risk", -0.03, 0.3, 30), ("PAL-ACS", -0.02, 0.001, 10))
    text = " ".join(comparison_sentences(comparison(*rows), shares(Risk=(0.5, 0.5))))
    assert "Risk has the lowest mean error" in text
    assert "Worth it? Yes: on this data PAL-ACS beats Random with certainty." in text


def test_a_baseline_alone_says_so() -> None:
    assert comparison_sentences(Comparison("Random", pd.DataFrame()), EVEN) == [
        "Only Random was played; there is nothing to compare it with."
    ]


def test_only_the_five_hardest_classes_are_listed() -> None:
    many = shares(**{"PAL-ACS": (0.12,) * 8 + (0.002,) * 20})
    text = " ".join(comparison_sentences(comparison(("PAL-ACS", -0.05, 0.001, 40)), many))
    assert text.count("(12 %)") == 5


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
