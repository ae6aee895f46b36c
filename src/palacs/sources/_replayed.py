"""A data set replayed: what was collected once is asked for again, class by class."""

from __future__ import annotations

import threading
from collections import Counter, deque
from hashlib import sha256

import numpy as np

from palacs.campaign import Acquired, AskAndTell, NoMore, Request
from palacs.datasets import Dataset, load_any


class Replayed:
    """Brings the instances of a data set, each once.

    Every class is a queue in an order that `random_state` says. Which instances a campaign has
    already is in its record (the attribute ``replayed``: the data set, the row and a digest of
    what stands there), so that a run goes on where the last one ended, also where the file was
    sorted or extended meanwhile. A class without instances left is paused.

    Parameters
    ----------
    data : Dataset or str
        A data set, or what `palacs.datasets.load_any` finds under this name.
    random_state : int, Generator or None
        The order; None is that of the data set.

    Examples
    --------
    >>> import palacs
    >>> from palacs.sources import Replayed
    >>> source = Replayed("vehicle", random_state=0)
    >>> c = palacs.create_campaign("demo", source.data.class_names, storage="memory")
    >>> c.run(source, until=8).told
    8
    """

    def __init__(
        self, data: Dataset | str, random_state: int | np.random.Generator | None = None
    ) -> None:
        self.data = load_any(data) if isinstance(data, str) else data
        order = np.arange(len(self.data))
        if random_state is not None:
            order = np.random.default_rng(random_state).permutation(order)
        self._order: list[int] = order.tolist()
        self._lock = threading.Lock()
        self._queues = self._fill(set())

    def __repr__(self) -> str:
        return f"Replayed({self.data!r})"

    def _fill(self, used: set[int]) -> dict[str, deque[int]]:
        queues: dict[str, deque[int]] = {name: deque() for name in self.data.class_names}
        names = self.data.labels
        for row in self._order:
            if row not in used:
                queues[str(names[row])].append(row)
        return queues

    def open(self, campaign: AskAndTell) -> None:
        """Leave out what the campaign has, and refuse classes that the data do not know."""
        unknown = [label for label in campaign.classes if str(label) not in self._queues]
        if unknown:
            raise ValueError(
                f"{self.data.name} has no class {unknown[0]!r}; it has "
                f"{', '.join(list(self._queues)[:10])}."
            )
        # By what a row holds: another file may have the same name, and rows may have moved.
        had = Counter(_without_row(str(text)) for text in campaign.noted_values("replayed"))
        used = set()
        for row in range(len(self.data)):
            known = _without_row(self._noted(row))
            if had[known]:
                had[known] -= 1
                used.add(row)
        self._queues = self._fill(used)

    def _noted(self, row: int) -> str:
        """Return what the record says of a row: data set, place, and a digest of its content."""
        content = f"{self.data.labels[row]}\n".encode() + self.data.X[row].astype("<f8").tobytes()
        return f"{self.data.name} {row} {sha256(content).hexdigest()[:16]}"

    def acquire(self, request: Request) -> Acquired:
        """Take the next of the class."""
        with self._lock:
            queue = self._queues[str(request.label)]
            if not queue:
                raise NoMore(f"{self.data.name} has no more instances of {request.label!r}")
            row = queue.popleft()
        return Acquired(self.data.X[row], attrs={"replayed": self._noted(row)})


def _without_row(noted: str) -> tuple[str, str]:
    parts = noted.rsplit(" ", 2)
    return parts[0], parts[-1]
