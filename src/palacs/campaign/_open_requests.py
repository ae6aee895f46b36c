"""The requests that were neither told nor failed, and which of them still count.

A request counts as pending until its lease ends. Those that ended are set aside, so that
looking does not get slower with every request that nobody answered; they can still be
answered, and count again should the clock be set back: who is pending is a function of the
record and the time alone.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from palacs.campaign._entries import Entry

_Ending = tuple[float, int, str]  # when, its place in the history, and its id


class OpenRequests:
    """Requests whose instances may still come, by id."""

    def __init__(self) -> None:
        self._open: dict[str, Entry] = {}
        self._counting: dict[str, Entry] = {}
        # Nearest end first; what was closed or renewed meanwhile is passed over.
        self._ending: list[_Ending] = []
        # Latest end first, hence negative.
        self._ended: list[_Ending] = []

    def __len__(self) -> int:
        return len(self._open)

    def __getitem__(self, id_: str) -> Entry:
        return self._open[id_]

    def values(self) -> list[Entry]:
        """Return all of them, oldest first."""
        return sorted(self._open.values(), key=lambda entry: entry.number)

    def open(self, entry: Entry) -> None:
        """Let a request count from now on, until it ends; also one that was renewed."""
        self._open[entry.id] = self._counting[entry.id] = entry
        if entry.expires_at is not None:
            heappush(self._ending, (entry.expires_at, entry.number, entry.id))
            if len(self._ending) > 64 + 2 * len(self._counting):
                self._ending = [
                    (entry.expires_at, entry.number, entry.id)
                    for entry in self._counting.values()
                    if entry.expires_at is not None
                ]
                heapify(self._ending)

    def close(self, id_: str) -> Entry:
        """Take a request out for good."""
        entry = self._open.pop(id_)
        self._counting.pop(id_, None)
        return entry

    def pending(self, at: float) -> list[Entry]:
        """Return the requests that count at the time `at`, oldest first."""
        while self._ending and self._ending[0][0] <= at:
            end, number, id_ = heappop(self._ending)
            if self._ends(self._counting.get(id_), end):
                del self._counting[id_]
                heappush(self._ended, (-end, number, id_))
        while self._ended and -self._ended[0][0] > at:
            end, _, id_ = heappop(self._ended)
            entry = self._open.get(id_)
            if entry is not None and self._ends(entry, -end):
                self.open(entry)
        return sorted(self._counting.values(), key=lambda entry: entry.number)

    @staticmethod
    def _ends(entry: Entry | None, end: float) -> bool:
        return entry is not None and entry.expires_at == end
