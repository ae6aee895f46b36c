"""``palacs compare``: an answer in words, and every bad input told before anything runs."""

from __future__ import annotations

import html
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from palacs.cli._app import build_app

app = build_app()

MAIN = "from palacs.cli import main; main()"


def table(n: int = 40) -> pd.DataFrame:
    """One class apart, two that overlap; brackets in the names would be markup to a terminal."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, s, (n, 2)) for c, s in ((0, 0.1), (3, 0.8), (3.5, 0.8))])
    labels = np.repeat(["[rest]", "left[/]", "right"], n)
    return pd.DataFrame(X, columns=["u", "v"]).assign(label=labels)


def write(folder: Path, frame: pd.DataFrame) -> str:
    frame.to_csv(folder / "my.csv", index=False)
    return str(folder / "my.csv")


Compared = tuple[Path, subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Compared:
    folder = tmp_path_factory.mktemp("compare")
    write(folder, table())
    arguments = ["compare", "my.csv", "--target", "label", "--budget", "40", "--trials", "12"]
    arguments += ["--strategies", "pal-acs, uniform,inverse-no-repeat"]
    ran = subprocess.run(
        [sys.executable, "-c", MAIN, *arguments, "--jobs", "1"],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1"},
    )
    assert ran.returncode == 0, ran.stderr
    return folder / "comparison" / "my", ran


def test_the_same_files_are_written_and_the_comparison_besides(compared: Compared) -> None:
    out, _ = compared
    files = {path.name for path in out.iterdir() if path.is_file()}
    assert files >= {
        "class_errors.csv",
        "comparison.csv",
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
        "verdict.json",
    }
    assert {"class-errors", "learning-curves", "proportions"} <= {
        p.stem for p in (out / "figures").iterdir()
    }
    table1 = pd.read_csv(out / "table1.csv")
    assert table1["strategy"].unique().tolist() == [
        "PAL-ACS",
        "Uniform",
        "Inverse (no repeat)",
        "Random",
    ]
    assert table1["paper_error"].isna().all()


def test_the_terminal_answers_in_plain_words_within_80_columns(compared: Compared) -> None:
    said = compared[1].stdout
    assert max(map(len, said.splitlines())) <= 80
    assert "the paper" not in said
    assert "Against Random" in said
    assert "Against Uniform" in said
    flowing = " ".join(said.split())
    assert "lowest mean error over the budget" in flowing
    assert "95 % interval" in flowing
    assert "All trials re-split the same 120 instances." in flowing
    assert "Worth it?" in flowing
    assert "PAL-ACS asks most often for" in flowing


def test_columns_are_told_before_anything_runs_and_the_answer_comes_before_the_tables(
    compared: Compared,
) -> None:
    out, ran = compared
    told = ["Columns", "label class 3 classes", "12/12 trials", "Worth it?", "in hindsight"]
    told += ["lowest mean error", "Against Random", "Error by phase"]
    told += ["Error of each class at the end", "Final share", "Report:"]
    flowing = " ".join(ran.stdout.split())
    places = [flowing.index(word) for word in told]
    assert places == sorted(places)
    page = html.unescape((out / "report.html").read_text())
    order = ["At a glance", "Worth it?", ">Against Random", ">Errors by class", ">The data"]
    places = [page.rindex(word) if word[0] == ">" else page.index(word) for word in order]
    assert places == sorted(places)
    assert "What became of each column." in page


def test_more_trials_extend_the_folder_and_json_stands_alone(
    compared: Compared, tmp_path: Path
) -> None:
    data = str(compared[0].parent.parent / "my.csv")
    out = shutil.copytree(compared[0], tmp_path / "out")
    before = pd.read_parquet(out / "trials.parquet")
    arguments = ["compare", data, "--target", "label", "--json"]
    arguments += ["--strategies", "pal-acs, uniform,inverse-no-repeat", "--budget", "40"]
    more = [*arguments, "--trials", "14", "--jobs", "1", "--out", str(out)]
    ran = CliRunner().invoke(app, more)
    assert ran.exit_code == 0, ran.output
    record = json.loads(ran.stdout)
    assert record["trials"] == 14
    assert record["verdict"]["answer"] in ("yes", "equal counts", "no", "not shown")
    assert record["sentences"][0] == record["verdict"]["sentence"]
    assert record["ceiling"]["sentence"] == record["sentences"][1]
    assert {row["class"] for row in record["class_errors"]} == {"[rest]", "left[/]", "right"}
    assert record["data"]["columns"][2]["use"] == "class"
    assert "14/14 trials" in ran.stderr
    after = pd.read_parquet(out / "trials.parquet")
    pd.testing.assert_frame_equal(
        after[after["trial"] < 12].reset_index(drop=True), before, check_dtype=False
    )
    fewer = CliRunner().invoke(app, [*arguments, "--trials", "5", "--out", str(out)])
    assert fewer.exit_code == 1
    assert "holds 14 trials already, and 5 are wanted" in fewer.stderr
    assert fewer.stdout == ""


def test_files_of_one_name_have_results_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ["--target", "label", "--budget", "6", "--trials", "2", "--strategies", "uniform"]
    reports = []
    for folder, rows in (("a", 20), ("b", 21), ("a", 20), ("b", 21)):
        (tmp_path / folder).mkdir(exist_ok=True)
        data = write(tmp_path / folder, table(rows))
        ran = CliRunner().invoke(app, ["compare", data, *arguments, "--jobs", "1", "--json"])
        assert ran.exit_code == 0, ran.output
        reports.append(json.loads(ran.stdout)["report"])
        assert ("holds results on other data" in ran.stderr) == (folder == "b")
    assert reports[0] == "comparison/my/report.html"
    assert reports[1].startswith("comparison/my-")
    assert reports[2:] == reports[:2]


def test_an_untidy_table_is_compared_and_an_id_changes_nothing(tmp_path: Path) -> None:
    frame = table(20).sample(frac=1.0, random_state=0, ignore_index=True)
    errors = []
    for name, columns in (("plain", {}), ("with an id", {"id": range(60), "day": "1.2.2024"})):
        path = tmp_path / f"{name}.csv"
        untidy = pd.concat([pd.DataFrame(columns, index=frame.index), frame], axis=1)
        untidy.to_csv(path, sep=";", decimal=",", index=False, encoding="utf-8-sig")
        arguments = ["compare", str(path), "--target", "label", "--budget", "6", "--trials", "3"]
        arguments += ["--strategies", "uniform", "--jobs", "1", "--out", str(tmp_path / name)]
        refused = CliRunner().invoke(app, arguments)
        assert refused.exit_code == 1
        assert "(--decimal ,)" in refused.output
        ran = CliRunner().invoke(app, [*arguments, "--decimal", ","])
        assert ran.exit_code == 0, ran.output
        errors.append(pd.read_csv(tmp_path / name / "curves.csv")["mean_error"].tolist())
    assert "a counter" in " ".join(ran.output.split())
    assert "--decimal ," in (tmp_path / name / "report.html").read_text()
    assert errors[0] == errors[1]


def test_it_says_how_much_class_selection_could_help_at_all(compared: Compared) -> None:
    out, ran = compared
    ceiling = json.loads((out / "verdict.json").read_text())["ceiling"]
    assert ceiling["low"] <= ceiling["gain"] <= ceiling["high"]
    assert set(ceiling["shares"]) == {"[rest]", "left[/]", "right"}
    assert ceiling["sentence"] in " ".join(ran.stdout.split())
    assert ceiling["sentence"] in html.unescape((out / "report.html").read_text())


def test_few_trials_are_told_to_be_too_few_for_the_ceiling(tmp_path: Path) -> None:
    arguments = ["compare", "iris", "--budget", "4", "--trials", "2", "--jobs", "1"]
    ran = CliRunner().invoke(app, [*arguments, "--strategies", "uniform", "--out", str(tmp_path)])
    assert ran.exit_code == 0, ran.output
    said = " ".join(ran.output.split())
    assert "could help at all is left out: it takes at least 10 trials, and there are 2." in said


def test_class_names_are_printed_letter_by_letter(compared: Compared) -> None:
    assert "left[/] (" in " ".join(compared[1].stdout.split())
    assert "[rest]" in (compared[0] / "table2.csv").read_text()


def test_any_scikit_learn_classifier_can_be_judged_on_a_built_in_set(tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ["compare", "iris", "--budget", "8", "--trials", "2", "--jobs", "1"]
    arguments += ["--classifier", "sklearn.naive_bayes.GaussianNB"]
    ran = CliRunner().invoke(app, [*arguments, "--strategies", "uniform", "--out", str(out)])
    assert ran.exit_code == 0, ran.output
    assert "GaussianNB" in (out / "settings.json").read_text()


def refuse(*arguments: str, out: Path) -> str:
    """Run a comparison that must be refused; return its only line."""
    ran = CliRunner().invoke(app, ["compare", *arguments, "--out", str(out)])
    assert ran.exit_code == 1, ran.output
    assert ran.output.startswith("palacs: ")
    assert ran.output.count("\n") == 1
    assert not out.exists()
    return ran.output


@pytest.mark.parametrize(
    ("change", "arguments", "words"),
    [
        ({}, [], ["label", "target"]),
        ({}, ["--target", "lable"], ["'lable'", "label"]),
        ({"v": ["high", "low"] * 60}, ["--target", "label"], ["'v'", "high", "--encode"]),
        ({"v": [np.nan, 1.0, 2.0] * 40}, ["--target", "label"], ["'v'", "--impute"]),
        ({"label": "same"}, ["--target", "label"], ["same"]),
    ],
    ids=["no target", "missing target column", "non-numeric", "missing values", "one class"],
)
def test_data_that_cannot_be_used_are_named(
    change: dict[str, Any], arguments: list[str], words: list[str], tmp_path: Path
) -> None:
    path = write(tmp_path, table().assign(**change))
    said = refuse(path, "--budget", "5", *arguments, out=tmp_path / "out")
    for word in words:
        assert word in said


def test_a_class_that_is_too_small_is_named(tmp_path: Path) -> None:
    frame = table()
    path = write(tmp_path, frame[(frame["label"] != "right") | (frame.index % 20 == 0)])
    said = refuse(path, "--budget", "5", "--target", "label", out=tmp_path / "out")
    assert "too few instances of 'right' (2)" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--budget", "58"], "a budget of 58 is more than the data holds: 120 instances"),
        (["--budget", "0"], "budget must be a whole number of at least 1, got 0"),
        (["--trials", "0"], "trials must be"),
        (["--strategies", "clever"], "there is no strategy 'clever'"),
        (["--strategies", "uniform,uniform"], "'Uniform' is listed twice"),
        (["--classifier", "LogisticRegression"], "cannot make a classifier"),
        (["--classifier", "sklearn.linear_model.LinearRegression"], "is not a classifier"),
        (["--classifier", "sklearn.neighbors.KNeighborsClassifier"], "cannot learn from one"),
        (["--bandwidth", "0"], "bandwidth must be positive"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_request_that_cannot_be_met_is_told(
    arguments: list[str], words: str, tmp_path: Path
) -> None:
    path = write(tmp_path, table())
    common = [path, "--target", "label"]
    if "--budget" not in arguments:
        common += ["--budget", "5"]
    assert words in refuse(*common, *arguments, out=tmp_path / "out")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("nothing.csv", "nothing.csv"),
        ("vehicel", "Did you mean 'Vehicle'?"),
        ("openml:one", "openml:54"),
    ],
)
def test_data_that_are_not_there_are_told(data: str, words: str, tmp_path: Path) -> None:
    said = refuse(data, "--budget", "5", "--target", "label", out=tmp_path / "out")
    assert words in said


def test_the_budget_must_be_given(tmp_path: Path) -> None:
    ran = CliRunner().invoke(app, ["compare", "iris", "--out", str(tmp_path / "out")])
    assert ran.exit_code == 2
    assert "--budget" in ran.output


def test_a_negative_seed_is_refused_even_for_a_set_that_is_drawn(tmp_path: Path) -> None:
    ran = CliRunner().invoke(app, ["compare", "spirals", "--budget", "5", "--seed", "-1"])
    assert ran.exit_code == 2
    assert "--seed" in ran.output


def test_own_data_that_changed_are_refused_in_a_folder_of_the_old(
    compared: Compared, tmp_path: Path
) -> None:
    changed = table()
    changed["u"] += np.where(changed.index == 3, 0.5, 0.0)
    path = write(tmp_path, changed)
    arguments = ["compare", path, "--target", "label", "--budget", "40", "--trials", "12"]
    arguments += ["--strategies", "pal-acs,uniform,inverse-no-repeat"]
    ran = CliRunner().invoke(app, [*arguments, "--out", str(compared[0])])
    assert ran.exit_code == 1
    assert "datasets my sha256" in ran.output


def test_what_the_report_says_to_type_gives_the_same_numbers(tmp_path: Path) -> None:
    (tmp_path / "my data").mkdir()
    data = write(tmp_path / "my data", table(20))
    arguments = ["compare", data, "--target", "label", "--trials", "2", "--budget", "6"]
    arguments += ["--strategies", "inverse,pal-acs", "--bandwidth", "0.2", "--batch-size", "2"]
    first, second = tmp_path / "first", tmp_path / "second"
    ran = CliRunner().invoke(app, [*arguments, "--jobs", "1", "--out", str(first)])
    assert ran.exit_code == 0, ran.output
    typed = re.search(r"<code>palacs (.*?)</code>", (first / "report.html").read_text())
    assert typed is not None
    again = [*shlex.split(html.unescape(typed[1])), "--jobs", "1", "--out", str(second)]
    ran = CliRunner().invoke(app, again)
    assert ran.exit_code == 0, ran.output
    for name in ("settings.json", "table1.csv", "comparison.csv"):
        assert (first / name).read_text() == (second / name).read_text(), name


def test_conditions_come_from_a_file_and_money_is_a_budget(tmp_path: Path) -> None:
    data = write(tmp_path, table(20))
    conditions = tmp_path / "conditions.json"
    conditions.write_text('{"costs": {"[rest]": 1, "left[/]": 1, "right": 4}, "max_repeat": 2}')
    arguments = ["compare", data, "--target", "label", "--trials", "3", "--jobs", "1"]
    arguments += ["--strategies", "pal-acs", "--out", str(tmp_path / "out")]
    options = ["--conditions", str(conditions), "--budget-cost", "12"]
    ran = CliRunner().invoke(app, [*arguments, *options])
    assert ran.exit_code == 0, ran.output
    words = " ".join(ran.output.split())
    assert "Mean error at equal spending, up to 12:" in words
    assert "PAL-ACS (blind)" in words
    assert "No advice to stop" not in words
    page = html.unescape((tmp_path / "out" / "report.html").read_text())
    assert "No advice to stop was given in 3 trials looked at: a class had fewer than 30" in page
    spending = pd.read_csv(tmp_path / "out" / "spending.csv")
    assert spending["spent"].max() == 12
    assert "given_up" in pd.read_csv(tmp_path / "out" / "stopping.csv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is no JSON file"),
        ('{"costs": {"nobody": 1}}', "name 'nobody', which is not one of the classes"),
        ('{"prices": {}}', "name 'prices', which is no field"),
    ],
)
def test_bad_conditions_are_told_before_anything_runs(
    tmp_path: Path, text: str, message: str
) -> None:
    data = write(tmp_path, table(20))
    (tmp_path / "conditions.json").write_text(text)
    arguments = ["compare", data, "--target", "label", "--budget", "5"]
    arguments += ["--conditions", str(tmp_path / "conditions.json")]
    ran = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "out")])
    assert ran.exit_code == 1
    assert message in " ".join(ran.output.split())
    assert not (tmp_path / "out").exists()


def test_subjects_are_kept_together_and_are_no_feature(tmp_path: Path) -> None:
    who = np.tile([f"s{i}" for i in range(8)], 15)
    path = write(tmp_path, table().assign(subject=who))
    arguments = ["compare", path, "--target", "label", "--budget", "6", "--trials", "2"]
    arguments += ["--strategies", "uniform", "--jobs", "1", "--out", str(tmp_path / "out")]
    told = CliRunner().invoke(app, [*arguments, "--groups", "subject"])
    assert told.exit_code == 0, told.output
    assert "--groups subject" in (tmp_path / "out" / "report.html").read_text()
    unknown = CliRunner().invoke(app, [*arguments, "--groups", "person"])
    assert unknown.exit_code == 1
    assert "has no column 'person' for the groups" in unknown.output
