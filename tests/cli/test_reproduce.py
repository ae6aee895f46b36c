"""``palacs reproduce``: the files it leaves, what it prints, and what it refuses."""

from __future__ import annotations

import html
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console
from typer.testing import CliRunner

from palacs.cli._app import build_app
from palacs.cli._terminal_tables import errors_table
from palacs.experiments import Execution, paper_experiment, run

app = build_app()

MAIN = "from palacs.cli import main; main()"
SMALL = ("reproduce", "--datasets", "spirals,Vertebral", "--trials", "2")


def palacs(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", MAIN, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1"},
    )


@pytest.fixture(scope="module")
def reproduced(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("reproduce")
    ran = palacs(*SMALL, cwd=folder)
    assert ran.returncode == 0, ran.stderr
    return folder / "results", ran


Reproduced = tuple[Path, subprocess.CompletedProcess[str]]


def test_every_file_is_written_into_the_results_folder(reproduced: Reproduced) -> None:
    out, _ = reproduced
    files = {path.name for path in out.iterdir() if path.is_file()}
    assert files == {
        "curves.csv",
        "report.html",
        "settings.json",
        "table1.csv",
        "table1.md",
        "table1.tex",
        "table2.csv",
        "table2.md",
        "table2.tex",
        "trials.parquet",
    }
    figures = {path.stem for path in (out / "figures").glob("*.png")}
    assert figures >= {"learning-curves", "learning-stages", "look-inside", "proportions", "data"}
    assert figures == {path.stem for path in (out / "figures").glob("*.svg")}


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("table1", "dataset,strategy,phase,error,win_ratio,paper_error,paper_win_ratio"),
        ("table2", "dataset,strategy,class,proportion,paper_proportion"),
        ("curves", "dataset,strategy,acquired,mean_error,std_error"),
    ],
)
def test_columns_stand_in_their_order_and_names_are_the_papers(
    name: str, columns: str, reproduced: Reproduced
) -> None:
    out, _ = reproduced
    assert (out / f"{name}.csv").read_text().splitlines()[0] == columns
    frame = pd.read_csv(out / f"{name}.csv")
    assert frame["dataset"].unique().tolist() == ["Spirals", "Vertebral"]
    titles = ["PAL-ACS", "Inverse", "Redistricting", "Random"]
    assert frame["strategy"].unique().tolist() == titles
    assert not frame.isna().any(axis=None)


def test_trials_have_a_row_for_every_acquisition(reproduced: Reproduced) -> None:
    trials = pd.read_parquet(reproduced[0] / "trials.parquet")
    assert len(trials) == 2 * 4 * (120 + 60)
    assert not trials.duplicated(["dataset", "strategy", "trial", "acquired"]).any()
    assert trials["error"].between(0, 1).all()


def test_the_terminal_shows_both_tables_within_80_columns(reproduced: Reproduced) -> None:
    out, ran = reproduced
    lines = ran.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "…" not in ran.stdout
    assert "Error by phase" in ran.stdout
    assert "Final share of each class" in ran.stdout
    errors = pd.read_csv(out / "table1.csv").set_index(["dataset", "strategy", "phase"])
    spirals = next(line for line in lines if line.startswith(" PAL-ACS"))
    for phase in (1, 2, 3, 4):
        error = errors["error"][("Spirals", "PAL-ACS", phase)]
        assert f"{error:.3f}"[1:] in spirals
    assert "Report: results/report.html" in ran.stdout


def test_progress_is_shown_for_every_data_set(reproduced: Reproduced) -> None:
    lines = [line for line in reproduced[1].stdout.splitlines() if "2/2" in line]
    assert [line.split()[0] for line in lines] == ["Spirals", "Vertebral"]


def test_findings_are_printed_with_whether_they_hold(reproduced: Reproduced) -> None:
    lines = reproduced[1].stdout.splitlines()
    claims = [line for line in lines if line.startswith(("yes ", "no "))]
    assert any("in every phase of Spirals" in claim for claim in claims)


def test_other_settings_are_refused_in_one_line_and_nothing_is_changed(
    reproduced: Reproduced,
) -> None:
    out, _ = reproduced
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    ran = palacs(*SMALL, "--seed", "1", cwd=out.parent)
    assert ran.returncode == 1
    assert ran.stdout.strip() == ""
    assert ran.stderr.startswith("palacs: results holds results made with other settings (seed: 0")
    assert ran.stderr.count("\n") == 1
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before


def test_strategies_that_the_paper_has_not_stand_beside_those_it_has() -> None:
    names = ["inverse-no-repeat", "risk", "pal-acs"]
    results = run(paper_experiment(["3Clusters"], names, trials=1), execution=Execution(jobs=1))
    table = results.table()
    assert table["strategy"].unique().tolist() == ["Inverse (no repeat)", "Risk", "PAL-ACS"]
    assert table[table["strategy"] != "PAL-ACS"]["paper_error"].isna().all()
    said = io.StringIO()
    Console(file=said, width=80).print(errors_table(table))
    # The longest name may break, the numbers beside it may not.
    assert "…" not in said.getvalue()
    assert max(map(len, said.getvalue().splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--datasets", "Spiral"], "There is no data set 'Spiral'. Did you mean 'Spirals'?"),
        (["--datasets", "digits"], "the paper has no data set 'digits'"),
        (["--datasets", ","], "no data set is listed"),
        (["--datasets", "Bars,bars"], "the data set 'Bars' is listed twice"),
        (["--strategies", "random,best"], "there is no strategy 'best'"),
        (["--strategies", ""], "no strategy is listed"),
        (["--trials", "0"], "trials must be a whole number of at least 1, got 0"),
        (["--bandwidth", "-1"], "bandwidth must be positive"),
        (["--jobs", "0"], "jobs must be"),
        (["--address", "tcp://127.0.0.1:1"], "the address 'tcp://127.0.0.1:1'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_one_line_and_exit_code_1_and_no_folder(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    ran = CliRunner().invoke(app, ["reproduce", *arguments, "--out", str(out)])
    assert ran.exit_code == 1
    assert ran.stdout.strip() == ""
    assert ran.stderr.startswith(f"palacs: {message}")
    assert ran.stderr.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize(
    "arguments", [["--seed", "-1"], ["--trials", "many"], ["--backend", "threads"], ["--what"]]
)
def test_options_that_cannot_be_read_are_exit_code_2(arguments: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    ran = CliRunner().invoke(app, ["reproduce", *arguments, "--out", str(out)])
    assert ran.exit_code == 2
    assert arguments[0] in ran.output
    assert not out.exists()


def test_what_the_report_says_to_type_gives_the_same_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["--datasets", "bars", "--trials", "2", "--seed", "3", "--bandwidth", "0.11"]
    strategies = ["--strategies", "uniform,pal-acs", "--jobs", "1"]
    first = CliRunner().invoke(app, ["reproduce", *options, *strategies])
    assert first.exit_code == 0, first.stderr
    page = (tmp_path / "results" / "report.html").read_text()
    found = re.search(r"<code>(palacs .*?)</code>", page)
    assert found is not None
    typed = shlex.split(html.unescape(found[1]))
    again = CliRunner().invoke(app, [*typed[1:], "--jobs", "1", "--out", "again"])
    assert again.exit_code == 0, again.stderr
    for name in ("settings.json", "table1.csv", "table2.csv", "curves.csv"):
        assert (tmp_path / "again" / name).read_text() == (
            tmp_path / "results" / name
        ).read_text(), name
