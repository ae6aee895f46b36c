"""Runs an experiment's trials: on this machine's cores or on a Dask cluster, with one result.

Every trial carries its own seed, so neither the number of workers nor the order in which they
finish matters, and a worker that dies costs time only.
"""

from __future__ import annotations

import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from multiprocessing import current_process
from pathlib import Path
from typing import Literal, NamedTuple

import pandas as pd
from joblib import Parallel, delayed

from palacs.experiments._experiment import Experiment
from palacs.experiments._held_folder import held
from palacs.experiments._replay import compile_once
from palacs.experiments._store import Batch, Store
from palacs.extras import need

Backend = Literal["loky", "dask"]
Progress = Callable[[str, int], None]

# Files written per data set; finer means less to repeat after a crash.
_BATCHES = 40
# Processes take about as long to start; what is done by then never needed them.
_ALONE_S = 3.0


class Execution(NamedTuple):
    """Where trials run; no result depends on it.

    Parameters
    ----------
    jobs : int, default=-1
        Processes on this machine; -1 means one per core, for what takes more than a few seconds.
    backend : {"loky", "dask"}, default="loky"
    address : str or None, default=None
        Of the Dask scheduler, such as ``tcp://127.0.0.1:8786``; None starts a cluster of
        ``jobs`` processes on this machine.
    """

    jobs: int = -1
    backend: Backend = "loky"
    address: str | None = None


class _Job(NamedTuple):
    dataset: str
    trials: tuple[int, ...]


def run_trials(
    experiment: Experiment,
    *,
    execution: Execution | None = None,
    out: Path | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Play all trials of an experiment that are not yet in its results folder.

    Parameters
    ----------
    experiment : Experiment
    execution : Execution, optional
        By default all cores of this machine.
    out : Path or None
        The results folder; None keeps nothing.
    progress : callable, optional
        Called with a data set's name and how many of its trials just became available.

    Returns
    -------
    trials : DataFrame
        Columns dataset, strategy, trial, acquired, class, error.
    """
    if out is None:
        with tempfile.TemporaryDirectory() as folder:
            return run_trials(experiment, execution=execution, out=Path(folder), progress=progress)
    execution = _checked(execution or Execution())
    with held(out):
        return _into(Store(out, experiment), execution, progress or (lambda dataset, count: None))


def _into(store: Store, execution: Execution, report: Progress) -> pd.DataFrame:
    """Play what a results folder misses."""
    experiment = store.experiment
    jobs: list[_Job] = []
    for task in experiment.tasks:
        missing = store.missing(task.name)
        report(task.name, experiment.trials - len(missing))
        size = max(1, experiment.trials // _BATCHES)
        jobs += [
            _Job(task.name, tuple(missing[i : i + size])) for i in range(0, len(missing), size)
        ]
    if jobs:
        # Once here, or every worker would compile for itself.
        compile_once()
    for job, batch in _run(experiment, jobs, execution):
        store.keep(job.dataset, batch)
        report(job.dataset, len(batch))
    return store.finish()


def _checked(execution: Execution) -> Execution:
    if execution.backend not in ("loky", "dask"):
        raise ValueError(f"there is no backend {execution.backend!r}; use 'loky' or 'dask'.")
    if execution.backend == "dask":
        need("dask", "the dask backend")
    if execution.backend != "dask" and execution.address is not None:
        raise ValueError(
            f"the address {execution.address!r} is a Dask scheduler's; add the backend 'dask', or "
            "leave the address out."
        )
    if not isinstance(execution.jobs, int) or (execution.jobs < 1 and execution.jobs != -1):
        raise ValueError(
            f"jobs must be a number of processes of at least 1, or -1 for one per core, got "
            f"{execution.jobs!r}."
        )
    return execution


def _run(
    experiment: Experiment, jobs: list[_Job], execution: Execution
) -> Iterator[tuple[_Job, Batch]]:
    if not jobs:
        return iter(())
    if execution.backend == "dask":
        return _run_dask(experiment, jobs, execution)
    return _run_loky(experiment, jobs, execution.jobs)


def _run_loky(
    experiment: Experiment, jobs: list[_Job], processes: int
) -> Iterator[tuple[_Job, Batch]]:
    if processes == -1:
        # One by one, so that no long trial makes the others wait with it.
        jobs = [*(_Job(jobs[0].dataset, (trial,)) for trial in jobs[0].trials), *jobs[1:]]
        until = time.monotonic() + _ALONE_S
        while jobs and time.monotonic() < until:
            yield _play(experiment.only(jobs[0].dataset), jobs.pop(0))
    if jobs:
        parallel = Parallel(n_jobs=processes, return_as="generator_unordered")
        yield from parallel(delayed(_play)(experiment.only(job.dataset), job) for job in jobs)


def _run_dask(
    experiment: Experiment, jobs: list[_Job], execution: Execution
) -> Iterator[tuple[_Job, Batch]]:
    from distributed import Client, LocalCluster, as_completed

    with ExitStack() as stack:
        where = execution.address or stack.enter_context(
            LocalCluster(
                n_workers=execution.jobs if execution.jobs > 0 else None,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address=None,
            )
        )
        client = stack.enter_context(Client(where, timeout=30))
        # A data set is sent once, not with every job; as a task, so that a lost worker's copy is
        # made again. The scheduler itself gives its trials to another; only its time is gone.
        held = {
            name: client.submit(_itself, experiment.only(name), pure=False)
            for name in dict.fromkeys(job.dataset for job in jobs)
        }
        futures = [client.submit(_play, held[job.dataset], job, pure=False) for job in jobs]
        for future in as_completed(futures):
            yield future.result()


def _itself(experiment: Experiment) -> Experiment:
    return experiment


def _play(experiment: Experiment, job: _Job) -> tuple[_Job, Batch]:
    if current_process().name.startswith("Loky"):
        # Ctrl-C reaches the whole group; the process that was started by hand answers for all.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return job, {trial: experiment.run(job.dataset, trial) for trial in job.trials}
