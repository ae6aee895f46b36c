"""Decisions over instances on real workers are those of one machine, also when one dies."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pytest
from dask.delayed import delayed
from distributed import Client

from palacs import PALACS, Conditions, ParzenWindowClassifier, SpareSettled, UniformSelection
from palacs.cluster import query

Arrays = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "nothing happened for a minute"
        time.sleep(0.01)


class Cluster:
    """A Dask scheduler and workers, each a process of its own, without a nanny to start it anew."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        self.processes = [self._start("scheduler", "--port", str(port))]
        self.client = Client(self.address, timeout=60)

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        code = "from dask.__main__ import main; main()"
        return subprocess.Popen(
            [sys.executable, "-c", code, *arguments, "--host", "127.0.0.1", "--no-dashboard"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def with_workers(self, n: int) -> Client:
        """Return the client once there are so many workers."""
        for _ in range(n - len(self.client.nthreads())):
            options = ("--nthreads", "1", "--no-nanny")
            self.processes.append(self._start("worker", self.address, *options))
        self.client.wait_for_workers(n, timeout=60)
        return self.client

    def stop(self) -> None:
        self.client.close()
        for process in reversed(self.processes):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    started = Cluster()
    yield started
    started.stop()


def made(n: int, n_classes: int, n_features: int, seed: int = 0) -> Arrays:
    """Return instances of classes that overlap, one of them apart."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    centres = rng.normal(size=(n_classes, n_features))
    centres[0] += 5.0
    return rng.normal(size=(n, n_features)) + centres[y], y


def in_chunks(X: np.ndarray[Any, Any], rows: int = 23) -> Any:
    return da.from_array(X, chunks=(rows, -1))


@pytest.mark.parametrize("n_features", [1, 3, 40])
@pytest.mark.parametrize(
    "strategy",
    [SpareSettled(), PALACS(n_pseudo=5), PALACS(n_pseudo=5, bandwidth=1.5)],
    ids=["spare-settled", "palacs", "palacs-paper"],
)
def test_a_sharded_labelled_set_leads_to_the_decision_of_one_machine(
    cluster: Cluster, strategy: Any, n_features: int
) -> None:
    client = cluster.with_workers(2)
    X, y = made(90, 4, n_features)
    strategy.set_params(random_state=3)
    both: list[dict[str, Any]] = [
        {},
        {"pending": [1, 1, 3], "classes": range(5), "candidates": [0, 1, 3]},
    ]
    for asked in both:
        label, utilities = strategy.query(X, y, return_utilities=True, **asked)
        there = query(strategy, in_chunks(X), y, client=client, return_utilities=True, **asked)
        assert there[0] == label
        np.testing.assert_allclose(there[1], utilities, rtol=1e-10, atol=1e-14)


def test_so_do_many_instances_in_uneven_chunks_of_float32_with_scaled_features(
    cluster: Cluster,
) -> None:
    client = cluster.with_workers(2)
    X, y = made(5_000, 12, 30)
    X = (X * np.geomspace(1e-3, 1e3, 30)).astype(np.float32)
    rows = ((1, 2_999, 0, 1_500, 500), (17, 13))
    for strategy in (SpareSettled(random_state=0), PALACS(n_pseudo=3, random_state=0)):
        # Workers look at float32 in double precision; one machine may not where there are many.
        double = X.astype(np.float64)
        _, utilities = strategy.query(double, y, return_utilities=True, scale=True)
        sharded = da.from_array(X, chunks=rows)
        there = query(strategy, sharded, y, client=client, return_utilities=True, scale=True)
        np.testing.assert_allclose(there[1], utilities, rtol=1e-10)


def test_so_do_many_instances_of_classes_that_hardly_touch_or_lie_at_one_place_each(
    cluster: Cluster,
) -> None:
    client = cluster.with_workers(2)
    X, y = made(4_200, 6, 3)
    apart = X + 10.0 * np.eye(6)[y][:, :3] + 40.0 * (y[:, None] > 2)
    for there in (apart, np.eye(6)[y]):
        strategy = SpareSettled(random_state=0)
        _, utilities = strategy.query(there, y, return_utilities=True)
        found = query(strategy, in_chunks(there, 2_000), y, client=client, return_utilities=True)
        np.testing.assert_allclose(found[1], utilities, rtol=1e-10)


def test_so_do_copies_batches_costs_and_a_bandwidth_of_the_models(cluster: Cluster) -> None:
    client = cluster.with_workers(2)
    X, y = made(60, 3, 2)
    X[30:36] = X[0]
    model = ParzenWindowClassifier(bandwidth=0.7, class_prior=[0.2, 0.3, 0.5])
    asked: dict[str, Any] = {
        "batch_size": 3,
        "conditions": Conditions(costs={0: 1.0, 1: 2.0, 2: 5.0}),
    }
    for strategy in (SpareSettled(random_state=1), SpareSettled(model, random_state=1)):
        there = query(strategy, in_chunks(X), y, client=client, **asked)
        assert there.tolist() == strategy.query(X, y, **asked).tolist()


def test_classes_without_instances_are_asked_for_first(cluster: Cluster) -> None:
    client = cluster.with_workers(2)
    nothing = da.zeros((0, 2))
    assert query(PALACS(random_state=0), nothing, [], classes=["a", "b"], client=client)[0] in "ab"
    X, y = made(8, 2, 2)
    assert query(SpareSettled(), in_chunks(X, 3), y, classes=range(3), client=client)[0] == 2


@pytest.mark.parametrize(
    ("strategy", "change", "said"),
    [
        (UniformSelection(), lambda X: X, "does not decide on a cluster; use SpareSettled"),
        (PALACS(sampling="grid"), lambda X: X, "does not decide on a cluster"),
        (SpareSettled(), lambda X: X[:, 0], "has 1 dimensions"),
        (SpareSettled(), lambda X: X[X[:, 0] > -99], "compute_chunk_sizes"),
        (SpareSettled(), lambda X: X.rechunk((6, -1)) * np.nan, "in the rows from .*: X holds nan"),
        (SpareSettled(), lambda X: X[:-1], "y has shape"),
    ],
)
def test_what_cannot_be_decided_is_refused(
    cluster: Cluster, strategy: Any, change: Any, said: str
) -> None:
    client = cluster.with_workers(2)
    X, y = made(12, 2, 2)
    with pytest.raises(ValueError, match=said):
        query(strategy, change(in_chunks(X)), y, client=client)


def test_arrays_of_numpy_and_costs_for_palacs_are_refused_with_the_remedy(cluster: Cluster) -> None:
    client = cluster.with_workers(2)
    X, y = made(12, 2, 2)
    with pytest.raises(TypeError, match=r"dask\.array\.from_array"):
        query(SpareSettled(), X, y, client=client)
    costly = Conditions(costs={0: 1.0, 1: 2.0})
    with pytest.raises(ValueError, match="use SpareSettled"):
        query(PALACS(), in_chunks(X), y, client=client, conditions=costly)


def test_what_a_worker_had_that_dies_in_the_middle_is_made_again(
    cluster: Cluster, tmp_path: Path
) -> None:
    client = cluster.with_workers(2)
    X, y = made(60, 3, 30)
    met = tmp_path / "met"

    def load(rows: Any) -> Any:
        with suppress(FileExistsError):  # of two at once only one is first, and ends here
            met.touch(exist_ok=False)
            os.kill(os.getpid(), signal.SIGKILL)
        return rows

    strategy = SpareSettled(random_state=0)
    _, utilities = strategy.query(X, y, return_utilities=True)
    sharded = in_chunks(X, 20).map_blocks(load, meta=np.zeros((0, 30)))
    there = query(strategy, sharded, y, client=client, return_utilities=True)
    np.testing.assert_allclose(there[1], utilities, rtol=1e-10)
    assert met.exists()
    assert len(client.nthreads()) == 1


def test_what_cannot_be_made_again_is_an_error_that_says_so(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = cluster.with_workers(2)
    X, y = made(60, 3, 2)
    held = client.scatter([X[:30], X[30:]])
    pieces = [da.from_delayed(delayed(one), (30, 2), float) for one in held]
    sharded = da.concatenate(pieces)
    strategy = SpareSettled(random_state=0)
    assert query(strategy, sharded, y, client=client) == strategy.query(X, y)
    for process in cluster.processes[1:]:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    wait_until(lambda: not client.nthreads())
    monkeypatch.setattr("palacs.cluster._shards._PATIENCE_S", 0.1)
    monkeypatch.setattr("palacs.cluster._shards._LOOK_S", 0.1)
    with pytest.raises(RuntimeError, match=r"lost instances|no worker is left"):
        query(strategy, sharded, y, client=client)
    with pytest.raises(RuntimeError, match="no worker is left on the cluster"):
        query(strategy, in_chunks(X), y, client=client)
