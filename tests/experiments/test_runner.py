"""The same trials, bit for bit, however many processes play them and whatever backend."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from palacs.datasets import Dataset
from palacs.experiments import (
    Execution,
    Experiment,
    _runner,
    comparison_experiment,
    paper_experiment,
    run,
)

MakeDataset = Callable[..., Dataset]
STRATEGIES = ["pal-acs", "redistricting", "sensitivity"]


def experiment() -> Experiment:
    return paper_experiment(["3Clusters", "Yeast"], STRATEGIES, trials=20)


def parquet(folder: Path) -> bytes:
    return (folder / "trials.parquet").read_bytes()


@pytest.fixture(scope="module")
def one_by_one(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file that a single process writes."""
    folder = tmp_path_factory.mktemp("one")
    run(experiment(), execution=Execution(jobs=1), out=folder)
    return parquet(folder)


@pytest.mark.parametrize(
    "execution",
    [Execution(), Execution(jobs=2), Execution(jobs=2, backend="dask")],
    ids=["processes after a while", "two processes", "a local Dask cluster"],
)
def test_processes_and_backend_do_not_change_a_byte(
    execution: Execution, one_by_one: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_runner, "_ALONE_S", 0.05)
    run(experiment(), execution=execution, out=tmp_path)
    assert parquet(tmp_path) == one_by_one


def test_another_seed_changes_the_file(one_by_one: bytes, tmp_path: Path) -> None:
    other = paper_experiment(["3Clusters", "Yeast"], STRATEGIES, trials=20, seed=1)
    run(other, execution=Execution(jobs=1), out=tmp_path)
    assert parquet(tmp_path) != one_by_one


def test_what_takes_no_time_starts_no_processes() -> None:
    before = {child.pid for child in active_children()}
    run(paper_experiment(["Bars"], ["random"], trials=3))
    assert {child.pid for child in active_children()} <= before


def test_without_a_folder_the_trials_are_the_same_and_nothing_is_left(
    one_by_one: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    trials = run(experiment(), execution=Execution(jobs=2)).trials
    trials.to_parquet(tmp_path / "again.parquet", index=False)
    assert (tmp_path / "again.parquet").read_bytes() == one_by_one
    assert [path.name for path in tmp_path.iterdir()] == ["again.parquet"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_progress_counts_every_trial_once(jobs: int, make_dataset: MakeDataset) -> None:
    done: Counter[str] = Counter()
    few = paper_experiment(["3Clusters", "Vehicle"], ["random", "uniform"], trials=83)
    run(
        few,
        execution=Execution(jobs=jobs),
        progress=lambda dataset, count: done.update({dataset: count}),
    )
    assert done == {"3Clusters": 83, "Vehicle": 83}


@pytest.mark.parametrize(
    ("execution", "message"),
    [
        ({"backend": "threads"}, "no backend 'threads'; use 'loky' or 'dask'"),
        ({"jobs": 0}, "jobs must be .* at least 1, or -1 .* got 0"),
        ({"jobs": -2}, "jobs must be .* got -2"),
        ({"address": "tcp://127.0.0.1:1"}, "add the backend 'dask'"),
    ],
    ids=str,
)
def test_a_wrong_execution_is_refused_before_anything_is_written(
    execution: dict[str, Any], message: str, make_dataset: MakeDataset, tmp_path: Path
) -> None:
    small = comparison_experiment(make_dataset(), budget=3, trials=1)
    with pytest.raises(ValueError, match=message):
        run(small, execution=Execution(**execution), out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_error_in_a_trial_reaches_the_caller(make_dataset: MakeDataset) -> None:
    from palacs import RandomSelection

    class Broken(RandomSelection):
        def utilities(self, labelled, stream):
            raise ZeroDivisionError("broken on purpose")

    broken = comparison_experiment(make_dataset(), [Broken()], budget=3, trials=2)
    for jobs in (1, 2):
        with pytest.raises(ZeroDivisionError, match="broken on purpose"):
            run(broken, execution=Execution(jobs=jobs))


def test_dask_that_is_not_installed_is_asked_for(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['distributed'] = None\n"
        "from palacs.experiments import *\n"
        "run(paper_experiment(['Bars'], ['random'], trials=1), execution=Execution(1, 'dask'))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert "pip install 'palacs[dask]'" in ran.stderr.splitlines()[-1]
