"""Instances on the workers of a Dask cluster, in the order in which they were acquired.

All that is made of them is a task with what it needs, so that Dask makes it again where a worker
dies; no instance passes through the process that asks, but a few that all are compared with.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from distributed import Client, Future, KilledWorker, futures_of, wait

from palacs.checks import Codes, Features, check_features
from palacs.compiled import without_compiling
from palacs.evidence import SPLITS
from palacs.kernel import BLOCK

# Without any worker for so long nobody will come to carry on.
_PATIENCE_S = 30.0
_LOOK_S = 2.0
# So many blocks for each worker are under way at a time; each holds about 32 MB.
_UNDER_WAY = 2


class Part(NamedTuple):
    """What lies on one worker: instances (n, n_features), classes (n,), halves (n, SPLITS)."""

    X: Features
    y: Codes
    half: npt.NDArray[np.bool_]


class Shards:
    """Parts of a labelled set, in order.

    Parameters
    ----------
    client : distributed.Client
    parts : list of Future
        Of arrays (n_part, n_features), or of `Part` once classes are known.
    sizes : list of int
    n_features : int
    """

    def __init__(
        self, client: Client, parts: list[Future], sizes: list[int], n_features: int
    ) -> None:
        self.client = client
        self.parts = parts
        self.starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        self.n_features = n_features

    def __len__(self) -> int:
        return int(self.starts[-1])

    def submit(self, function: Any, *args: Any) -> Future:
        """Have a function called on a worker; futures among the arguments become their results."""
        return self.client.submit(_call, function, len(self), *args, pure=False)

    def each(self, function: Any, *args: Any) -> list[Future]:
        """Have a function called on each part."""
        return [self.submit(function, part, *args) for part in self.parts]

    def places(self, rows: Codes) -> list[tuple[Codes, Codes]]:
        """Return which of the rows are in each part, as places among the rows and in the part."""
        part = np.searchsorted(self.starts, rows, side="right") - 1
        found = [np.flatnonzero(part == p) for p in range(len(self.parts))]
        return [(among, rows[among] - self.starts[p]) for p, among in enumerate(found)]

    def labelled(self, rows: Codes, y: Codes) -> Shards:
        """Return the parts with classes, of the rows alone, which are in order."""
        bounds = np.searchsorted(rows, self.starts)
        parts, sizes = [], []
        for p, chunk in enumerate(self.parts):
            here = slice(int(bounds[p]), int(bounds[p + 1]))
            if here.start == here.stop:
                continue
            whole = here.stop - here.start == self.starts[p + 1] - self.starts[p]
            chosen = None if whole else rows[here] - self.starts[p]
            codes = y[here].astype(np.min_scalar_type(int(y.max())))
            parts.append(self.submit(_part, chunk, chosen, codes))
            sizes.append(here.stop - here.start)
        return Shards(self.client, parts, sizes, self.n_features)

    def with_halves(self, half: npt.NDArray[np.bool_]) -> Shards:
        """Return the parts with who is in which half (n, SPLITS)."""
        parts = [
            self.submit(_with_half, part, half[self.starts[p] : self.starts[p + 1]])
            for p, part in enumerate(self.parts)
        ]
        return Shards(self.client, parts, np.diff(self.starts).tolist(), self.n_features)

    def and_part(self, part: Future, size: int) -> Shards:
        """Return the parts with one more behind them."""
        sizes = [*np.diff(self.starts).tolist(), size]
        return Shards(self.client, [*self.parts, part], sizes, self.n_features)

    def take(self, rows: Codes) -> Future:
        """Have some rows (n_rows, n_features) brought together on a worker."""
        places = self.places(rows)
        pieces = [
            self.submit(_rows_of, part, local)
            for part, (_, local) in zip(self.parts, places, strict=True)
            if len(local)
        ]
        return self.submit(_together, pieces, [among for among, _ in places if len(among)])

    def blocks(self, n_rows: int, n_classes: int) -> Iterator[slice]:
        """Yield which rows are looked at at a time, so that neither distances nor sums are many."""
        width = max(int(np.diff(self.starts).max()), (1 + SPLITS) * n_classes)
        step = max(1, BLOCK // width)
        for first in range(0, n_rows, step):
            yield slice(first, min(first + step, n_rows))

    def in_turn(self, futures: Iterable[Future]) -> Iterator[Any]:
        """Yield results in order; what is submitted on the way is submitted a few at a time."""
        most = _UNDER_WAY * max(1, len(self.client.nthreads()))
        waiting: deque[Future] = deque()
        for future in futures:
            waiting.append(future)
            if len(waiting) >= most:
                yield self.result(waiting.popleft())
        while waiting:
            yield self.result(waiting.popleft())

    def result(self, future: Future) -> Any:
        """Return the result of one task."""
        return self.results([future])[0]

    def results(self, futures: list[Future]) -> list[Any]:
        """Return the results of tasks, or say what became of the workers."""
        self._wait(futures)
        try:
            found: list[Any] = self.client.gather(futures)
        except (KilledWorker, CancelledError, OSError) as error:
            raise RuntimeError(
                "the cluster lost instances or connections in the middle of a decision "
                f"({type(error).__name__}: {error}); ask again with an array that Dask can load "
                "again by itself, such as one read from files, not one made of scattered arrays."
            ) from error
        return found

    def _wait(self, futures: list[Future]) -> None:
        alone_since: float | None = None
        while True:
            try:
                wait(futures, timeout=_LOOK_S)
                return
            except TimeoutError:
                if self.client.nthreads():
                    alone_since = None
                    continue
            except CancelledError:
                return
            alone_since = time.monotonic() if alone_since is None else alone_since
            if time.monotonic() - alone_since > _PATIENCE_S:
                raise RuntimeError(
                    "no worker is left on the cluster, so that nobody carries on with the "
                    "decision; start workers and ask again."
                ) from None


def shards_of(client: Client, X: Any, *, scale: bool) -> Shards:
    """Return the rows of a Dask array (n, n_features), checked where they lie.

    With ``scale`` each feature is scaled to [0, 1] by its range, as `Strategy.query` does.
    """
    if not all(hasattr(X, name) for name in ("chunks", "dask", "rechunk")):
        raise TypeError(
            f"X is a {type(X).__name__}; on a cluster it is a Dask array, such as "
            "dask.array.from_array(X, chunks=(10_000, -1)) or one read from files."
        )
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimensions; rows are instances, columns are features.")
    if any(np.isnan(size) for sizes in X.chunks for size in sizes):
        raise ValueError("X has chunks of unknown size; call X.compute_chunk_sizes() first.")
    if len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    held = client.persist(X)
    by_key = {future.key: future for future in futures_of(held)}
    chunks = [by_key[row[0]] for row in held.__dask_keys__()]
    sizes = [int(size) for size in X.chunks[0]]
    there = [p for p, size in enumerate(sizes) if size]
    raw = Shards(client, [chunks[p] for p in there], [sizes[p] for p in there], X.shape[1])
    parts = [
        raw.submit(_checked, chunk, first)
        for chunk, first in zip(raw.parts, raw.starts, strict=False)
    ]
    checked = Shards(client, parts, [sizes[p] for p in there], X.shape[1])
    if scale and parts:
        ranges = checked.results(checked.each(_range))
        low = np.min([low for low, _ in ranges], axis=0)
        extent = np.max([high for _, high in ranges], axis=0) - low
        parts = checked.each(_scaled, low, np.where(extent > 0, extent, 1.0))
        checked = Shards(client, parts, [sizes[p] for p in there], X.shape[1])
    return checked


def _call(function: Any, n_instances: int, *args: Any) -> Any:
    """Call a function as `Strategy.query` would: over few instances nobody waits for a compiler."""
    with without_compiling(n_instances):
        return function(*args)


def _checked(chunk: Any, first: int) -> Features:
    try:
        check_features(np.asarray(chunk))
    except ValueError as error:
        raise ValueError(f"in the rows from {first} to {first + len(chunk) - 1}: {error}") from None
    return np.asarray(chunk)


def _range(X: Features) -> tuple[Features, Features]:
    return X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)


def _scaled(X: Features, low: Features, extent: Features) -> Features:
    scaled: Features = (X.astype(np.float64) - low) / extent
    return scaled


def _part(X: Features, chosen: Codes | None, codes: npt.NDArray[np.integer[Any]]) -> Part:
    # Only what is looked at is held in double precision.
    X = np.ascontiguousarray(X if chosen is None else X[chosen], dtype=np.float64)
    y: Codes = codes.astype(np.int64)
    return Part(X, y, np.zeros((len(y), SPLITS), dtype=np.bool_))


def _with_half(part: Part, half: npt.NDArray[np.bool_]) -> Part:
    return part._replace(half=np.ascontiguousarray(half))


def _rows_of(part: Part, local: Codes) -> Features:
    return part.X[local]


def _together(pieces: list[Features], places: list[Codes]) -> Features:
    rows = np.empty((sum(len(piece) for piece in pieces), pieces[0].shape[1]))
    for piece, among in zip(pieces, places, strict=True):
        rows[among] = piece
    return rows
