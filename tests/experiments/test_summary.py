"""Phases, win ratios, proportions and curves, against frames small enough to reckon by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from palacs.experiments._summary import curves, phase_errors, table1, table2


def frame(errors: dict[str, list[list[float]]], dataset: str = "mine") -> pd.DataFrame:
    """Return trials from errors by strategy, trial and acquisition."""
    rows = [
        (dataset, strategy, trial, acquired, "ab"[acquired % 2], error)
        for strategy, trials in errors.items()
        for trial, series in enumerate(trials)
        for acquired, error in enumerate(series, start=1)
    ]
    columns = ["dataset", "strategy", "trial", "acquired", "class", "error"]
    table = pd.DataFrame(rows, columns=columns)
    table["strategy"] = pd.Categorical(table["strategy"], categories=list(errors))
    return table


@pytest.mark.parametrize(
    ("budget", "phases"),
    [
        (4, [1, 2, 3, 4]),
        (8, [1, 1, 2, 2, 3, 3, 4, 4]),
        (5, [1, 2, 3, 4, 4]),
        (6, [1, 2, 2, 3, 4, 4]),
        (7, [1, 2, 2, 3, 3, 4, 4]),
        (10, [1, 1, 2, 2, 2, 3, 3, 4, 4, 4]),
    ],
)
def test_a_phase_is_a_quarter_of_the_budget(budget: int, phases: list[int]) -> None:
    errors = np.arange(budget, dtype=float)
    table = phase_errors(frame({"Random": [errors.tolist()]}))
    expected = [errors[np.array(phases) == phase].mean() for phase in (1, 2, 3, 4)]
    assert table["phase"].tolist() == [1, 2, 3, 4]
    assert table["error"].tolist() == expected


@pytest.mark.parametrize("budget", [60, 80, 120])
def test_the_papers_budgets_have_phases_of_equal_length(budget: int) -> None:
    trials = frame({"Random": [[float(i // (budget // 4)) for i in range(budget)]]})
    assert phase_errors(trials)["error"].tolist() == [0.0, 1.0, 2.0, 3.0]


def test_each_data_set_has_phases_of_its_own_budget() -> None:
    both = pd.concat(
        [
            frame({"Random": [[0.1, 0.2, 0.3, 0.4]]}, "short"),
            frame({"Random": [[0.5] * 4 + [0.7] * 4]}, "long"),
        ]
    )
    errors = table1(both).set_index(["dataset", "phase"])["error"]
    assert errors["short"].tolist() == [0.1, 0.2, 0.3, 0.4]
    assert errors["long"].tolist() == [0.5, 0.5, 0.7, 0.7]


def test_all_strategies_with_the_lowest_error_of_a_trial_win_it() -> None:
    trials = frame(
        {
            "A": [[0.1, 0.5, 0.5, 0.5], [0.2, 0.1, 0.1, 0.1]],
            "B": [[0.1, 0.4, 0.5, 0.5], [0.1, 0.1, 0.2, 0.2]],
            "C": [[0.3, 0.3, 0.5, 0.4], [0.3, 0.1, 0.3, 0.3]],
        }
    )
    wins = table1(trials).pivot_table(
        index="strategy", columns="phase", values="win_ratio", observed=True
    )
    assert [*wins.loc["A"]] == [0.5, 0.5, 1.0, 0.5]
    assert [*wins.loc["B"]] == [0.5 + 0.5, 0.5, 0.5, 0.0]
    assert [*wins.loc["C"]] == [0.0, 1.0, 0.5, 0.5]


def test_errors_that_differ_by_rounding_only_tie() -> None:
    trials = frame({"A": [[0.1, 0.2, 0.3, 0.1 + 0.2]], "B": [[0.1, 0.2, 0.3, 0.3]]})
    assert (table1(trials)["win_ratio"] == 1).all()


def test_errors_are_averaged_over_the_trials() -> None:
    table = table1(frame({"A": [[0.1] * 4, [0.3] * 4]}))
    np.testing.assert_allclose(table["error"], 0.2)


def test_the_papers_numbers_stand_beside_those_of_its_data_sets_only() -> None:
    known = table1(frame({"PAL-ACS": [[0.1] * 4], "Uniform": [[0.1] * 4]}, "Spirals"))
    paper = known.set_index(["strategy", "phase"])
    assert paper.loc[("PAL-ACS", 2), "paper_error"] == 0.1927
    assert paper.loc[("PAL-ACS", 2), "paper_win_ratio"] == pytest.approx(0.5807)
    assert paper.loc["Uniform", ["paper_error", "paper_win_ratio"]].isna().to_numpy().all()
    assert table1(frame({"PAL-ACS": [[0.1] * 4]}))["paper_error"].isna().all()


def test_proportions_count_the_requests_of_all_trials() -> None:
    trials = frame({"A": [[0.0] * 5, [0.0] * 5], "B": [[0.0] * 4, [0.0] * 4]})
    table = table2(trials, {"mine": ("b", "a", "never")})
    assert table.columns.tolist() == [
        "dataset",
        "strategy",
        "class",
        "proportion",
        "paper_proportion",
    ]
    assert table["class"].tolist() == ["b", "a", "never"] * 2
    np.testing.assert_allclose(table["proportion"], [0.6, 0.4, 0, 0.5, 0.5, 0])


def test_the_papers_proportions_go_by_the_order_of_the_classes() -> None:
    trials = frame({"PAL-ACS": [[0.0] * 4]}, "Spirals")
    table = table2(trials, {"Spirals": ("a", "b", "c")})
    assert table["paper_proportion"].tolist() == [0.05, 0.49, 0.46]


def test_curves_are_mean_and_standard_deviation_over_trials() -> None:
    table = curves(frame({"A": [[0.1, 0.0], [0.5, 0.0]], "B": [[0.2, 0.4]]}))
    assert table.columns.tolist() == [
        "dataset",
        "strategy",
        "acquired",
        "mean_error",
        "std_error",
    ]
    np.testing.assert_allclose(table["mean_error"], [0.3, 0.0, 0.2, 0.4])
    np.testing.assert_allclose(table["std_error"], [0.2, 0.0, 0.0, 0.0])
    assert table["acquired"].tolist() == [1, 2, 1, 2]
