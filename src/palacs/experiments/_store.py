"""A results folder: finished trials are kept as they finish, and a run can go on after a crash.

Each batch of finished trials becomes one small file, written aside, synced and renamed, so that
a file that exists is whole. When all trials are in, they become ``trials.parquet``; more
trials are added to it. The folder remembers the settings it was made with and refuses any others.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from palacs.experiments._described import public_names
from palacs.experiments._experiment import DRAWN_BY, Experiment
from palacs.experiments._trial import Trial

_SETTINGS = "settings.json"
_TRIALS = "trials.parquet"
_PARTS = "unfinished"
# Differences named when a folder is refused.
_SHOWN = 4
# Characters of a value that are shown in such a message.
_LONGEST = 60

Batch = dict[int, dict[str, Trial]]


class SettingsConflict(ValueError):
    """A results folder was made with other settings."""


class Store:
    """Keeps an experiment's trials in a folder.

    Parameters
    ----------
    folder : Path
        Made if it does not exist.
    experiment : Experiment

    Raises
    ------
    SettingsConflict
        If the folder holds the results of another experiment; nothing in it is touched.
    """

    def __init__(self, folder: Path, experiment: Experiment) -> None:
        self.folder = folder
        self.experiment = experiment
        self._parts = folder / _PARTS
        self._claim()

    def _claim(self) -> None:
        if self.folder.exists() and not self.folder.is_dir():
            raise SettingsConflict(f"{self.folder} is a file; name a folder for the results.")
        path, more = self.folder / _SETTINGS, True
        wanted = json.loads(json.dumps(self.experiment.settings()))
        if path.exists():
            more = _check_settings(self.folder, _read_settings(path), wanted, self._kept())
        elif self.folder.exists() and (self.folder / _TRIALS).exists():
            raise SettingsConflict(
                f"{self.folder} holds {_TRIALS} but no {_SETTINGS}, so it cannot be continued; "
                "use another folder with --out."
            )
        self._parts.mkdir(parents=True, exist_ok=True)
        if more:
            _write_whole(path, (json.dumps(wanted, indent=2) + "\n").encode())

    @property
    def finished(self) -> bool:
        """Whether all trials are in ``trials.parquet``."""
        return self._kept() == self.experiment.trials

    def _kept(self) -> int:
        """Return how many trials are in ``trials.parquet``: always the first ones."""
        path = self.folder / _TRIALS
        if not path.exists():
            return 0
        return int(pd.read_parquet(path, columns=["trial"])["trial"].max()) + 1

    def missing(self, dataset: str) -> list[int]:
        """Return the numbers of the trials still to be played."""
        kept = self._kept()
        have = {trial for part in self._read(dataset) for trial in part["trials"].tolist()}
        return [trial for trial in range(kept, self.experiment.trials) if trial not in have]

    def keep(self, dataset: str, batch: Batch) -> None:
        """Write finished trials, durably."""
        titles = self.experiment.titles
        trials = sorted(batch)
        buffer = io.BytesIO()
        np.savez(
            buffer,
            trials=np.array(trials),
            requested=np.array([[batch[t][s].requested for s in titles] for t in trials]),
            errors=np.array([[batch[t][s].errors for s in titles] for t in trials]),
        )
        number = _index(self.experiment, dataset)
        name = f"{number}-{trials[0]:06d}-{trials[-1]:06d}-{len(trials)}.npz"
        _write_whole(self._parts / name, buffer.getvalue())

    def load(self) -> pd.DataFrame:
        """Return all trials, one row per data set, strategy, trial and acquisition."""
        if self.finished:
            return pd.read_parquet(self.folder / _TRIALS)
        frames = [self._frame(task.name) for task in self.experiment.tasks]
        if self._kept():
            frames.insert(0, pd.read_parquet(self.folder / _TRIALS))
        trials = pd.concat(frames, ignore_index=True)
        for column, values in (
            ("dataset", [task.name for task in self.experiment.tasks]),
            ("strategy", self.experiment.titles),
        ):
            trials[column] = pd.Categorical(trials[column].astype(str), categories=values)
        keys = ["dataset", "strategy", "trial", "acquired"]
        return trials.sort_values(keys, kind="stable", ignore_index=True)

    def finish(self) -> pd.DataFrame:
        """Turn the kept batches into ``trials.parquet`` and return its rows."""
        if not self.finished:
            if any(self.missing(task.name) for task in self.experiment.tasks):
                raise OSError(
                    f"finished trials have vanished from {self._parts} during the run; the same "
                    "command plays them again."
                )
            temporary = self.folder / f"{_TRIALS}.tmp"
            self.load().to_parquet(temporary, index=False)
            with temporary.open("rb") as file:
                os.fsync(file.fileno())
            temporary.replace(self.folder / _TRIALS)
        if not self._surplus():
            shutil.rmtree(self._parts, ignore_errors=True)
        return self.load()

    def _surplus(self) -> bool:
        """Whether there are trials beyond those wanted, of a longer run that was interrupted."""
        parts = (part for task in self.experiment.tasks for part in self._read(task.name))
        return any((part["trials"] >= self.experiment.trials).any() for part in parts)

    def _read(self, dataset: str) -> Iterator[dict[str, npt.NDArray[Any]]]:
        for path in sorted(self._parts.glob(f"{_index(self.experiment, dataset)}-*.npz")):
            try:
                with np.load(path) as arrays:
                    yield dict(arrays)
            except (OSError, EOFError, ValueError, zipfile.BadZipFile):
                # Damaged behind our back: play these trials again.
                path.unlink()

    def _frame(self, dataset: str) -> pd.DataFrame:
        task = self.experiment.task(dataset)
        wanted = range(self._kept(), self.experiment.trials)
        requested: dict[int, Any] = {}
        errors: dict[int, Any] = {}
        for part in self._read(dataset):
            for i, trial in enumerate(part["trials"].tolist()):
                if trial in wanted:
                    requested[trial], errors[trial] = part["requested"][i], part["errors"][i]
        return trial_frame(
            dataset, task.dataset.class_names, self.experiment.titles, requested, errors
        )


def folder_of_own(folder: Path, experiment: Experiment) -> Path:
    """Return a folder for the results on one data set, or one beside it if it holds other data.

    Files of the same name, and one file read in two ways, are told apart by their content.
    """
    path = folder / _SETTINGS
    try:
        there = _read_settings(path)["datasets"][0]["sha256"]
    except (OSError, SettingsConflict, LookupError, TypeError):
        return folder  # free, or refused when it is used
    now = experiment.settings()["datasets"][0]["sha256"]
    return folder if there == now else folder.with_name(f"{folder.name}-{(now or 'drawn')[:8]}")


def trial_frame(
    dataset: str,
    class_names: tuple[str, ...],
    titles: list[str],
    requested: Mapping[int, Any],
    errors: Mapping[int, Any],
) -> pd.DataFrame:
    """Lay trials out as rows, strategy after strategy, trial after trial."""
    numbers = sorted(requested)
    # (n_trials, n_strategies, budget) -> (n_strategies, n_trials, budget)
    codes = np.array([requested[t] for t in numbers]).swapaxes(0, 1)
    rates = np.array([errors[t] for t in numbers]).swapaxes(0, 1)
    n_strategies, n_trials, budget = codes.shape
    return pd.DataFrame(
        {
            "dataset": dataset,
            "strategy": np.repeat(titles, n_trials * budget),
            "trial": np.tile(np.repeat(np.array(numbers, dtype=np.int32), budget), n_strategies),
            "acquired": np.tile(np.arange(1, budget + 1, dtype=np.int32), n_strategies * n_trials),
            "class": np.asarray(class_names, dtype=object)[codes.ravel()],
            "error": rates.ravel(),
        }
    )


def _index(experiment: Experiment, dataset: str) -> int:
    """Return the data set's number; its name may not be fit for a file name."""
    return [task.name for task in experiment.tasks].index(dataset)


def _write_whole(path: Path, content: bytes) -> None:
    temporary = path.with_suffix(".tmp")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def _read_settings(path: Path) -> dict[str, Any]:
    try:
        settings = json.loads(public_names(path.read_text(encoding="utf-8")))
        if not isinstance(settings, dict):
            raise ValueError("not a JSON object")
    except ValueError as error:
        raise SettingsConflict(
            f"{path} cannot be read ({error}); use another folder with --out, or remove that one."
        ) from error
    return settings


def _check_settings(
    folder: Path, made_with: dict[str, Any], wanted: dict[str, Any], kept: int
) -> bool:
    """Refuse another experiment's folder; return whether other trials are wanted than it names."""
    there, now = ({**s, "trials": None} for s in (made_with, wanted))
    # As text, for the order of the strategies is that of the arrays kept.
    if json.dumps(there) == json.dumps(now):
        # It may name more than it has, where adding them was interrupted.
        if kept <= (more := wanted["trials"]):
            return bool(made_with.get("trials") != more)
        raise SettingsConflict(
            f"{folder} holds {kept} trials already, and {more} are wanted; ask for as many or "
            "more, which are added to them, or use another folder with --out."
        )
    if _drawn_by_name(made_with) and not _drawn_by_name(wanted):
        raise SettingsConflict(
            f"{folder} holds results of an earlier version, which drew the trials by the name of "
            "the file; they can be read, but not continued. Use another folder with --out."
        )
    raise SettingsConflict(
        f"{folder} holds results made with other settings ({_difference(there, now)}); "
        "use another folder with --out, or remove that one."
    )


def _drawn_by_name(settings: Mapping[str, Any]) -> bool:
    entries = settings.get("datasets")
    return isinstance(entries, list) and not any(
        isinstance(entry, dict) and DRAWN_BY in entry for entry in entries
    )


def _difference(made_with: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    found = list(_differences(made_with, wanted, ""))
    if not found:
        return "the same data sets and strategies in another order"
    more = len(found) - _SHOWN
    return "; ".join(found[:_SHOWN]) + (f"; and {more} more" if more > 0 else "")


def _differences(there: Any, now: Any, path: str) -> Iterator[str]:
    """Name the innermost settings that differ; data sets go by their names."""
    there, now = _by_name(there), _by_name(now)
    if not (isinstance(there, dict) and isinstance(now, dict)):
        if there != now:
            yield f"{path}: {_short(there, now)} there, {_short(now, there)} now"
        return
    for key in {**there, **now}:
        yield from _differences(there.get(key), now.get(key), f"{path} {key}".strip())


def _by_name(value: Any) -> Any:
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return {item.get("name", i): item for i, item in enumerate(value)}
    return value


def _short(value: Any, other: Any) -> str:
    """Return a value for a message; of a long one, the part from where it differs from another."""
    if isinstance(value, dict):
        return "listed"
    text = "nothing" if value is None else str(value)
    if len(text) <= _LONGEST:
        return text
    pairs = enumerate(zip(text, str(other), strict=False))
    same = next((place for place, (a, b) in pairs if a != b), min(len(text), len(str(other))))
    # A few characters before it say what it is.
    begin = min(max(same - _LONGEST // 2, 0), len(text) - _LONGEST)
    shown = text[begin : begin + _LONGEST]
    return f"{'...' if begin else ''}{shown}{'...' if begin + _LONGEST < len(text) else ''}"
