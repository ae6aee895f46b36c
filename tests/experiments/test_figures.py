"""A figure in a report is a function and one line, and every table is computed once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from matplotlib.figure import Figure

from palacs.datasets import load
from palacs.experiments import (
    Execution,
    Results,
    comparison_experiment,
    run,
    summarise,
    write_comparison_report,
)
from palacs.experiments import _summary as summary_module
from palacs.experiments.report import _figures
from palacs.experiments.report._figures import ReportFigure, Shown


@pytest.fixture(scope="module")
def results() -> Results:
    experiment = comparison_experiment(load("iris"), ["pal-acs"], budget=8, trials=2)
    return run(experiment, execution=Execution(jobs=1))


def draw_final(shown: Shown) -> Figure:
    """Draw the final errors: what somebody might add."""
    errors = shown.results.curves().groupby("strategy", observed=True)["mean_error"].last()
    figure = Figure()
    figure.subplots().bar(errors.index.astype(str), errors)
    return figure


@pytest.mark.parametrize("section", ["Learning curves", "My own section"])
def test_one_line_puts_a_figure_into_the_report(
    section: str, results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = ReportFigure("final-errors", section, draw_final, "Errors at the end.")
    with_mine = (*_figures.FIGURES, line)
    monkeypatch.setattr(_figures.illustrate, "__defaults__", (with_mine,))
    page = write_comparison_report(results, tmp_path).read_text()
    assert "Errors at the end." in page
    assert page.count(f">{section}</h2>") == 1
    assert (tmp_path / "figures" / "final-errors.png").exists()
    assert (tmp_path / "figures" / "final-errors.svg").exists()


def test_tables_are_computed_once_in_a_run(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    for name in ("table1", "table2", "curves"):
        compute = getattr(summary_module, name)

        def counted(*args: Any, _compute: Any = compute, _name: str = name) -> pd.DataFrame:
            calls.append(_name)
            computed: pd.DataFrame = _compute(*args)
            return computed

        monkeypatch.setattr(summary_module, name, counted)
    fresh = Results(results.experiment, results.trials)
    write_comparison_report(fresh, tmp_path, summarise(fresh))
    fresh.table(), fresh.proportions(), fresh.curves()
    assert sorted(calls) == ["curves", "table1", "table2"]


def test_who_changes_a_table_changes_only_a_copy(results: Results) -> None:
    table = results.table()
    table["error"] = 0.0
    assert (results.table()["error"] > 0).any()
