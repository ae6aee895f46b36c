"""The campaigns a studio has open: one object each, shared by all requests.

The record is the truth and other processes write it too, so nothing here is kept that cannot
be read again. Within this process the writers of a campaign queue up here rather than at the
database: waiting for a lock is fair and cheap, polling a busy file is neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from palacs.campaign import Campaign
from palacs.storage import CampaignNotFound, ForkSafeLock, Storage, StoredCampaign
from palacs.studio._roles import Visitor

Watcher = Callable[[str], None]


class StudioCampaign(Campaign):
    """A campaign whose writers take turns and whose watchers are told at once."""

    def __init__(self, storage: Storage, stored: StoredCampaign, watcher: Watcher) -> None:
        self._turn = ForkSafeLock()
        self._decider = ForkSafeLock()
        self._watcher = watcher
        super().__init__(storage, stored)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Wait for this process's other writers, and tell the watcher afterwards."""
        with self._turn:
            yield
        self._watcher(self.name)

    @contextmanager
    def deciding(self) -> Iterator[None]:
        """Wait for this process's other decisions, which would overtake each other."""
        with self._decider:
            yield


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
        self._mutex = ForkSafeLock()

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

    def seen_by(self, visitor: Visitor) -> CampaignBook:
        """Return the book as somebody may see it."""
        return self if visitor.campaign is None else _OnePage(self, visitor)


class _OnePage(CampaignBook):
    """The book of somebody for whom one campaign is there, and no other."""

    def __init__(self, whole: CampaignBook, visitor: Visitor) -> None:
        super().__init__(whole.storage, whole._watcher)
        self._whole = whole
        self._visitor = visitor

    def get(self, name: str) -> StudioCampaign:
        """Return the campaign, or say of every other one that it is not there."""
        if not self._visitor.sees(name):
            raise CampaignNotFound(f"there is no campaign {name!r:.80} for this link.")
        return self._whole.get(name)
