"""Two runs on one folder: the second is told, and nothing is mixed."""

from __future__ import annotations

from pathlib import Path

import pytest

from palacs.experiments import Execution, paper_experiment, run
from palacs.experiments._held_folder import held


def test_a_folder_is_held_by_one_run_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "results"
    experiment = paper_experiment(["3Clusters"], ["uniform", "random"], trials=2)
    with held(folder):
        with pytest.raises(BlockingIOError, match=r"another run is writing into .*--out"):
            run(experiment, execution=Execution(1), out=folder)
        assert not list(folder.iterdir())
    run(experiment, execution=Execution(1), out=folder)
    assert (folder / "trials.parquet").exists()


def test_a_file_is_not_held_but_refused_by_whoever_uses_it(tmp_path: Path) -> None:
    path = tmp_path / "results"
    path.write_text("mine")
    with held(path):
        assert path.read_text() == "mine"
