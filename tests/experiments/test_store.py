"""A results folder keeps what is finished and refuses what it was not made for."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from palacs.datasets import Dataset
from palacs.experiments import (
    Execution,
    Experiment,
    SettingsConflict,
    comparison_experiment,
    paper_experiment,
    run,
)
from palacs.experiments._store import Store, _difference

MakeDataset = Callable[..., Dataset]
ALONE = Execution(jobs=1)

STRATEGIES = ["pal-acs", "uniform", "random"]


@pytest.fixture
def experiment(make_dataset: MakeDataset) -> Experiment:
    return comparison_experiment(make_dataset(), STRATEGIES, budget=6, trials=8)


def play(experiment: Experiment, trials: range) -> dict[int, dict[str, object]]:
    return {trial: experiment.run("gauss", trial) for trial in trials}  # type: ignore[misc]


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def count_played(experiment: Experiment, folder: Path) -> list[int]:
    """Run to the end; return how many trials each report of the progress brought."""
    reports: list[int] = []
    run(experiment, execution=ALONE, out=folder, progress=lambda _, count: reports.append(count))
    return reports


def test_a_finished_trial_is_kept_and_not_played_again(
    experiment: Experiment, tmp_path: Path
) -> None:
    whole = run(experiment, execution=ALONE, out=tmp_path / "whole").trials
    store = Store(tmp_path / "cut", experiment)
    store.keep("gauss", play(experiment, range(2, 5)))  # type: ignore[arg-type]
    assert Store(tmp_path / "cut", experiment).missing("gauss") == [0, 1, 5, 6, 7]
    assert count_played(experiment, tmp_path / "cut") == [3, 1, 1, 1, 1, 1]
    finished = (tmp_path / "cut" / "trials.parquet").read_bytes()
    assert finished == (tmp_path / "whole" / "trials.parquet").read_bytes()
    pd.testing.assert_frame_equal(run(experiment, out=tmp_path / "cut").trials, whole)


def test_a_finished_folder_is_read_and_not_played_again(
    experiment: Experiment, tmp_path: Path
) -> None:
    first = run(experiment, execution=ALONE, out=tmp_path)
    before = contents(tmp_path)
    assert set(before) == {"settings.json", "trials.parquet"}
    assert count_played(experiment, tmp_path) == [8]
    assert contents(tmp_path) == before
    pd.testing.assert_frame_equal(run(experiment, out=tmp_path).table(), first.table())


def test_more_trials_are_added_to_those_a_folder_has(
    experiment: Experiment, tmp_path: Path
) -> None:
    more = replace(experiment, trials=11)
    run(more, execution=ALONE, out=tmp_path / "whole")
    run(experiment, execution=ALONE, out=tmp_path / "grown")
    cut = Store(tmp_path / "grown", more)
    cut.keep("gauss", play(more, range(8, 9)))  # type: ignore[arg-type]
    assert (tmp_path / "grown" / "trials.parquet").exists()
    assert count_played(more, tmp_path / "grown") == [9, 1, 1]
    assert contents(tmp_path / "grown") == contents(tmp_path / "whole")


def test_adding_trials_that_was_interrupted_can_be_given_up_and_taken_up_again(
    experiment: Experiment, tmp_path: Path
) -> None:
    whole = run(experiment, execution=ALONE, out=tmp_path).trials
    longer = replace(experiment, trials=20)
    Store(tmp_path, longer).keep("gauss", play(longer, range(8, 12)))  # type: ignore[arg-type]
    pd.testing.assert_frame_equal(run(experiment, execution=ALONE, out=tmp_path).trials, whole)
    with pytest.raises(SettingsConflict, match="holds 8 trials already, and 7 are wanted"):
        Store(tmp_path, replace(experiment, trials=7))
    ten = run(replace(experiment, trials=10), execution=ALONE, out=tmp_path).trials
    assert ten.groupby(["strategy", "acquired"], observed=True)["trial"].nunique().eq(10).all()
    assert len(ten) == len(whole) // 8 * 10
    assert Store(tmp_path, longer).missing("gauss") == list(range(12, 20))


def test_a_folder_whose_trials_were_drawn_by_the_files_name_is_refused_with_that_word(
    experiment: Experiment, tmp_path: Path
) -> None:
    settings = experiment.settings()
    del settings["datasets"][0]["drawn_by"]
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    with pytest.raises(SettingsConflict, match="drew the trials by the name of the file"):
        run(experiment, execution=ALONE, out=tmp_path)


def test_trials_are_one_row_per_strategy_trial_and_acquisition(
    experiment: Experiment, tmp_path: Path
) -> None:
    trials = run(experiment, execution=ALONE, out=tmp_path).trials
    columns = ["dataset", "strategy", "trial", "acquired", "class", "error"]
    assert trials.columns.tolist() == columns
    assert len(trials) == 3 * 8 * 6
    assert trials["strategy"].unique().tolist() == ["PAL-ACS", "Uniform", "Random"]
    played = experiment.run("gauss", 5)["Uniform"]
    rows = trials[(trials["trial"] == 5) & (trials["strategy"] == "Uniform")]
    assert rows["acquired"].tolist() == [1, 2, 3, 4, 5, 6]
    assert rows["class"].tolist() == ["abc"[code] for code in played.requested]
    assert rows["error"].tolist() == played.errors.tolist()


def test_a_folder_goes_on_after_a_class_moved_to_another_private_module(
    experiment: Experiment, tmp_path: Path
) -> None:
    Store(tmp_path, experiment).keep("gauss", play(experiment, range(2)))  # type: ignore[arg-type]
    settings = tmp_path / "settings.json"
    text = settings.read_text()
    assert "palacs.strategies.PALACS" in text
    old = text.replace("palacs.strategies.", "palacs.strategies._old_place.")
    settings.write_text(old)
    assert Store(tmp_path, experiment).missing("gauss") == list(range(2, 8))


def test_where_long_settings_differ_late_the_message_shows_that_part() -> None:
    there, now = (f"{'classifier, ' * 9}prior={prior}{', tail' * 9})" for prior in ("a", "b"))
    said = _difference({"model": there}, {"model": now})
    assert "prior=a" in said
    assert "prior=b" in said


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seed": 4}, "seed: 0 there, 4 now"),
        ({"budget": 7}, "datasets gauss budget: 6 there, 7 now"),
        ({"bandwidth": 0.1}, "classifier: .*bandwidth='auto'.* there, .*bandwidth=0.1.* now"),
        ({"strategies": ["inverse"]}, "strategies PAL-ACS: .* there, nothing now"),
        ({"strategies": ["uniform", "pal-acs", "random"]}, "in another order"),
    ],
    ids=lambda value: str(value),
)
def test_other_settings_are_refused_by_name_and_nothing_is_touched(
    change: dict[str, object],
    named: str,
    experiment: Experiment,
    make_dataset: MakeDataset,
    tmp_path: Path,
) -> None:
    store = Store(tmp_path, experiment)
    store.keep("gauss", play(experiment, range(2)))  # type: ignore[arg-type]
    before = contents(tmp_path)
    options: dict[str, object] = {"budget": 6, "trials": 8, **change}
    other = comparison_experiment(make_dataset(), **{"strategies": STRATEGIES, **options})  # type: ignore[arg-type]
    with pytest.raises(SettingsConflict, match=f"(?s){named}.*another folder"):
        run(other, execution=ALONE, out=tmp_path)
    assert contents(tmp_path) == before


def test_data_that_changed_are_refused_by_their_fingerprint(
    experiment: Experiment, make_dataset: MakeDataset, tmp_path: Path
) -> None:
    run(experiment, execution=ALONE, out=tmp_path)
    changed = comparison_experiment(make_dataset(seed=1), STRATEGIES, budget=6, trials=8)
    with pytest.raises(SettingsConflict, match="gauss sha256"):
        run(changed, execution=ALONE, out=tmp_path)


def test_other_data_sets_are_refused_by_name(tmp_path: Path) -> None:
    run(paper_experiment(["Yeast"], ["random"], trials=1), execution=ALONE, out=tmp_path)
    other = paper_experiment(["Bars"], ["random"], trials=1)
    named = "Yeast: listed there, nothing now; datasets Bars: nothing there, listed now"
    with pytest.raises(SettingsConflict, match=named):
        run(other, execution=ALONE, out=tmp_path)


def test_trials_of_unknown_origin_are_refused_and_kept(
    experiment: Experiment, tmp_path: Path
) -> None:
    (tmp_path / "trials.parquet").write_bytes(b"somebody else's")
    with pytest.raises(SettingsConflict, match=r"no settings\.json"):
        run(experiment, execution=ALONE, out=tmp_path)
    assert contents(tmp_path) == {"trials.parquet": b"somebody else's"}


@pytest.mark.parametrize("foreign", ["{", "[1, 2]", "5", '{"title": "mine"}', "\xff"])
def test_a_foreign_settings_file_is_refused_and_kept(
    foreign: str, experiment: Experiment, tmp_path: Path
) -> None:
    (tmp_path / "settings.json").write_bytes(foreign.encode("latin-1"))
    with pytest.raises(SettingsConflict, match="another folder"):
        run(experiment, execution=ALONE, out=tmp_path)
    assert contents(tmp_path) == {"settings.json": foreign.encode("latin-1")}


def test_a_file_where_the_folder_should_be_is_refused(
    experiment: Experiment, tmp_path: Path
) -> None:
    (tmp_path / "out").write_text("a letter")
    with pytest.raises(SettingsConflict, match="is a file; name a folder"):
        run(experiment, execution=ALONE, out=tmp_path / "out")


def test_other_files_in_the_folder_stay(experiment: Experiment, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    run(experiment, execution=ALONE, out=tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize(
    "damage",
    [lambda content: b"", lambda content: content[: len(content) // 2], lambda content: b"x" * 99],
    ids=["empty", "cut in half", "overwritten"],
)
def test_a_damaged_part_is_played_again(
    damage: Callable[[bytes], bytes], experiment: Experiment, tmp_path: Path
) -> None:
    run(experiment, execution=ALONE, out=tmp_path / "whole")
    store = Store(tmp_path / "cut", experiment)
    store.keep("gauss", play(experiment, range(3)))  # type: ignore[arg-type]
    store.keep("gauss", play(experiment, range(3, 5)))  # type: ignore[arg-type]
    part = sorted((tmp_path / "cut" / "unfinished").iterdir())[0]
    part.write_bytes(damage(part.read_bytes()))
    assert count_played(experiment, tmp_path / "cut")[0] == 2
    finished = (tmp_path / "cut" / "trials.parquet").read_bytes()
    assert finished == (tmp_path / "whole" / "trials.parquet").read_bytes()


def test_trials_that_vanish_before_the_end_are_noticed(
    experiment: Experiment, tmp_path: Path
) -> None:
    store = Store(tmp_path, experiment)
    store.keep("gauss", play(experiment, range(7)))  # type: ignore[arg-type]
    with pytest.raises(OSError, match="the same command plays them again"):
        store.finish()
    assert not (tmp_path / "trials.parquet").exists()


def test_the_folder_says_what_it_was_made_with(experiment: Experiment, tmp_path: Path) -> None:
    run(experiment, execution=ALONE, out=tmp_path)
    settings = json.loads((tmp_path / "settings.json").read_text())
    assert settings == experiment.settings()
    assert settings["trials"] == 8


def test_a_class_name_of_any_kind_is_kept(make_dataset: MakeDataset, tmp_path: Path) -> None:
    names = ("[left]", "a,b/c", "ü\n")
    plain = make_dataset()
    dataset = Dataset("data/with: a slash", plain.X, plain.y, names, ("x", "y"), "", "", "")
    experiment = comparison_experiment(dataset, STRATEGIES, budget=4, trials=2)
    run(experiment, execution=ALONE, out=tmp_path)
    again = run(experiment, execution=ALONE, out=tmp_path)
    assert set(again.proportions()["class"]) == set(names)
    assert np.isclose(again.proportions()["proportion"].sum(), 3)
