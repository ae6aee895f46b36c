"""What `palacs compare` leaves in its folder, asked of a small comparison that is run for it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from docsite.markdown import code, table
from palacs.datasets import load
from palacs.experiments import Execution, comparison_experiment, run_comparison

_MEANINGS = {
    "class_errors": "error of each class at the end",
    "comparison": "each strategy against Random and Uniform; what the columns mean is said at "
    "{py:class}`~palacs.experiments.Comparison`",
    "curves": "mean error and standard deviation after each acquisition",
    "figures": "every figure of the report, as SVG and PNG",
    "report": "everything on one page that needs nothing else",
    "settings": "what was played: release, data with their SHA-256, strategies, model, seed",
    "stopping": "what following the advice to stop would have done, in the trials looked at",
    "table1": "error and win ratio by phase, with the paper's where it has them",
    "table2": "share of the requests of each class",
    "trials": "every acquisition of every trial: which class, and the error after it",
    "verdict": "the answer, its sentence and the ceiling, for programs",
}


def results() -> str:
    """Return the files of a comparison's folder, with the columns of its tables."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        experiment = comparison_experiment(
            load("3clusters", random_state=0), ["uniform", "random"], budget=8, trials=2
        )
        run_comparison(experiment, execution=Execution(jobs=1), out=folder).report(folder)
        by_stem: dict[str, list[Path]] = {}
        for path in sorted(folder.iterdir()):
            by_stem.setdefault(path.stem, []).append(path)
        rows = [_row(stem, paths) for stem, paths in by_stem.items()]
    return table(["file", "holds", "columns"], rows)


def _row(stem: str, paths: list[Path]) -> tuple[str, str, str]:
    names = ", ".join(code(path.name + "/" * path.is_dir()) for path in paths)
    return names, _MEANINGS[stem], ", ".join(code(each) for each in _columns(paths))


def _columns(paths: list[Path]) -> list[str]:
    for path in paths:
        if path.suffix in (".csv", ".parquet"):
            read = pd.read_csv if path.suffix == ".csv" else pd.read_parquet
            return [str(column) for column in read(path).columns]
    return []
