"""The campaigns a studio has open: one object each, shared by all requests.

The record is the truth and other processes write it too, so nothing here is kept that cannot
be read again. Within this process the writers of a campaign queue up here rather than at the
database: waiting for a lock is fair and cheap, polling a busy file is neither.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from palacs.campaign import Campaign, NothingToAsk, Request
from palacs.campaign._decide import Situation, allowance, situation_of
from palacs.campaign._labelled import Matrix
from palacs.campaign._ledger import Entry, Ledger
from palacs.storage import Draft, Event, Label, Storage, StoredCampaign

Watcher = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A campaign at one moment, for the pages.

    Attributes
    ----------
    seq : int
        The last event it takes into account.
    situation : Situation
        What the next decision would depend on.
    codes : ndarray of shape (n,)
        Class codes of the labelled set, in acquisition order.
    ids : tuple of str
        Ids of its instances.
    X : ndarray of shape (n, n_features)
        Their raw features.
    limits : pair of ndarray of shape (n_features,)
        The bounds that scale them to [0, 1].
    pending : tuple of Entry
        Requests whose instances are still to come, oldest first.
    paused : frozenset
        Classes that are not requested.
    remaining : int or None
        What the budget still allows; ``None`` is no limit.
    obstacle : str
        Why asking now would be refused; empty where it would not.
    """

    seq: int
    situation: Situation
    codes: npt.NDArray[np.intp]
    ids: tuple[str, ...]
    X: Matrix
    limits: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]
    pending: tuple[Entry, ...]
    paused: frozenset[Label]
    remaining: int | None
    obstacle: str


class StudioCampaign(Campaign):
    """A campaign whose writers take turns and whose watchers are told at once."""

    def __init__(self, storage: Storage, stored: StoredCampaign, watcher: Watcher) -> None:
        self._turn = threading.Lock()
        self._watcher = watcher
        super().__init__(storage, stored)

    @property
    def key(self) -> int:
        """The campaign's key in its storage."""
        return self._stored.key

    @property
    def created_at(self) -> float:
        """When it was created, in seconds since the epoch."""
        return self._stored.created_at

    def snapshot(self) -> Snapshot:
        """Return where the campaign stands now."""
        self._refresh()
        at = self._storage.now()
        with self._mutex:
            ledger = self._ledger
            return Snapshot(
                seq=ledger.seq,
                situation=situation_of(ledger, at),
                codes=ledger.labelled.codes,
                ids=tuple(ledger.labelled.ids),
                X=ledger.labelled.X,
                limits=ledger.labelled.limits(),
                pending=tuple(ledger.pending(at)),
                paused=frozenset(ledger.paused),
                remaining=ledger.remaining(at),
                obstacle=_obstacle(ledger, at),
            )

    def ask_many(self, n: int) -> list[Request]:
        """Request up to `n` instances at once; see :meth:`Campaign.ask_many`."""
        with self._turn:
            requests = super().ask_many(n)
        self._watcher(self.name)
        return requests

    def _record(self, plan: Callable[[Ledger], list[Draft]]) -> list[Event]:
        with self._turn:
            written = super()._record(plan)
        if written:
            self._watcher(self.name)
        return written


def _obstacle(ledger: Ledger, at: float) -> str:
    try:
        allowance(ledger, at, 1)
    except NothingToAsk as refusal:
        return str(refusal)
    return ""


class CampaignBook:
    """Opens each campaign once and hands it out to every request.

    Parameters
    ----------
    storage : Storage
        Where the campaigns are.
    watcher : callable
        Called with a campaign's name, from any thread, whenever this process wrote to it.
    """

    def __init__(self, storage: Storage, watcher: Watcher) -> None:
        self.storage = storage
        self._watcher = watcher
        self._open: dict[str, StudioCampaign] = {}
        self._mutex = threading.Lock()

    def get(self, name: str) -> StudioCampaign:
        """Return the campaign called `name`, or raise ``CampaignNotFound``."""
        with self._mutex:
            known = self._open.get(name)
        if known is not None:
            return known
        # Reading a long record takes a while; other campaigns need not wait for it.
        opened = StudioCampaign(self.storage, self.storage.find(name), self._watcher)
        with self._mutex:
            return self._open.setdefault(name, opened)
