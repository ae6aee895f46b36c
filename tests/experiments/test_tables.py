"""The tables as files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from palacs.experiments import Execution, Results, paper_experiment, run
from palacs.experiments.report._table_files import to_latex, to_markdown, write_tables

STRATEGIES = ["pal-acs", "redistricting", "uniform"]


@pytest.fixture(scope="module")
def results() -> Results:
    experiment = paper_experiment(["Spirals", "Yeast"], STRATEGIES, trials=2)
    return run(experiment, execution=Execution(jobs=1))


def test_the_csv_files_hold_what_the_results_do(results: Results, tmp_path: Path) -> None:
    write_tables(results, tmp_path)
    for name, frame in (
        ("table1", results.table()),
        ("table2", results.proportions()),
        ("curves", results.curves()),
    ):
        written = pd.read_csv(tmp_path / f"{name}.csv")
        assert written.columns.tolist() == frame.columns.tolist()
        pd.testing.assert_frame_equal(written, frame, check_dtype=False, check_categorical=False)


def test_names_are_spelled_and_ordered_as_in_the_paper(results: Results) -> None:
    table = results.table()
    assert table["dataset"].unique().tolist() == ["Spirals", "Yeast"]
    assert table["strategy"].unique().tolist() == ["PAL-ACS", "Redistricting", "Uniform"]
    assert (
        results.proportions()["strategy"].unique().tolist() == table["strategy"].unique().tolist()
    )


def test_the_first_table_for_people_has_the_papers_numbers_in_brackets(
    results: Results, tmp_path: Path
) -> None:
    write_tables(results, tmp_path)
    head, rule, *rows = (tmp_path / "table1.md").read_text().splitlines()
    assert head.startswith("| Dataset | Method | phase 1 error | phase 1 win ratio | phase 2")
    assert set(rule) == {"|", "-"}
    assert len(rows) == 6
    assert rows[0].startswith("| Spirals | PAL-ACS | 0.")
    assert "(0.2816)" in rows[0]
    assert "(38.82 %)" in rows[0]
    assert "(" not in rows[2]
    latex = (tmp_path / "table1.tex").read_text()
    assert r"(38.82 \%)" in latex
    assert latex.count(r"\\") == 7


def test_the_second_table_for_people_lists_shares_like_the_paper(
    results: Results, tmp_path: Path
) -> None:
    write_tables(results, tmp_path)
    head, _, first, *_ = (tmp_path / "table2.md").read_text().splitlines()
    assert head == "| Method | Spirals | Yeast |"
    assert "(05,49,46)" in first
    assert "(23,27,27,23)" in first


def test_signs_with_a_meaning_are_escaped() -> None:
    frame = pd.DataFrame({"a": ["50 % | _x_"]})
    assert r"50 % \| _x_" in to_markdown(frame)
    assert r"50 \% | \_x\_" in to_latex(frame)
