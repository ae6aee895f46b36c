"""Following campaigns live: every new event reaches every page, whoever wrote it.

One poller per campaign asks the storage for what is new, as long as somebody listens; writers
in this process wake it up, so their changes appear at once. A listener that comes back says
what it saw last and gets what it missed from the record.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import anyio
from anyio import CapacityLimiter, to_thread

from palacs.storage import Event, Storage, StorageError
from palacs.studio._campaigns import StudioCampaign
from palacs.studio._roles import Visitor
from palacs.studio._visitors import Visitors

POLL_S = 0.25
HEARTBEAT_S = 10.0
RETRY_MS = 1000
_BACKLOG = 10_000

_Result = TypeVar("_Result")
_Item = tuple[str, Sequence[Event] | StorageError | dict[str, Any]] | None
_BEAT: _Item = ("", {})


@dataclass(frozen=True, slots=True)
class Ear:
    """What somebody may hear, and how long.

    Parameters
    ----------
    visitor : Visitor
        Whoever is kept to requests of their own hears that something changed, not what, and
        commands to their own pages.
    visitors : Visitors
        Says whether they may stay: a stream ends with the link it began with.
    """

    visitor: Visitor
    visitors: Visitors

    def stays(self) -> bool:
        """Whether this listener may go on."""
        return self.visitors.still(self.visitor)

    def change(self, name: str, event: Event) -> dict[str, Any]:
        """Return what is said of an event."""
        about = {"seq": event.seq, "campaign": name}
        if self.visitor.own_only:
            return about
        return {**about, "kind": event.kind, "id": event.entry, "label": event.label}

    def said(self, news: dict[str, Any]) -> bool:
        """Whether what is not in the record is for this listener."""
        return not self.visitor.own_only or str(news.get("to", "")).startswith(
            f"{self.visitor.link}"
        )


@dataclass(eq=False)
class _Channel:
    """One campaign's listeners and the poller that feeds them."""

    campaign: StudioCampaign
    after: int
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    queues: set[asyncio.Queue[_Item]] = field(default_factory=set)
    task: asyncio.Task[None] | None = None


class EventHub:
    """Hands new events of campaigns to whoever listens.

    Parameters
    ----------
    storage : Storage
        Where the campaigns are.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._channels: dict[str, _Channel] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    def open(self) -> None:
        """Start; called inside the event loop."""
        self._loop = asyncio.get_running_loop()
        self._closed = False
        # Threads of its own: streams go on while requests queue for the others.
        self._limiter = CapacityLimiter(4)

    def close(self) -> None:
        """End all streams, so that the server can stop; from any thread."""
        self._closed = True
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._hang_up)

    def _hang_up(self) -> None:
        for channel in self._channels.values():
            self._broadcast(channel, None)
            if channel.task is not None:
                channel.task.cancel()

    def nudge(self, name: str) -> None:
        """Look for news of a campaign now; from any thread."""
        loop = self._loop
        if loop is not None and not loop.is_closed() and name in self._channels:
            loop.call_soon_threadsafe(self._wake, name)

    def _wake(self, name: str) -> None:
        channel = self._channels.get(name)
        if channel is not None:
            channel.wake.set()

    def announce(self, name: str, said: dict[str, Any]) -> None:
        """Pass on what is not in the record to those who follow a campaign; from any thread."""
        loop, channel = self._loop, self._channels.get(name)
        if loop is not None and not loop.is_closed() and channel is not None:
            loop.call_soon_threadsafe(self._broadcast, channel, (name, said))

    async def stream(
        self, campaigns: Sequence[StudioCampaign], ear: Ear, after: int | None = None
    ) -> AsyncIterator[str]:
        """Yield one event stream of some campaigns, as text in the format of ``EventSource``.

        Parameters
        ----------
        campaigns : sequence of StudioCampaign
            Which.
        ear : Ear
            Who listens.
        after : int or None
            The last event number the listener has seen; ``None`` starts with the next one.
        """
        queue: asyncio.Queue[_Item] = asyncio.Queue(_BACKLOG)
        joined: list[_Channel] = []
        seen: dict[str, int] = {}
        try:
            yield f"retry: {RETRY_MS}\n\n"
            for campaign in campaigns:
                channel = await self._join(campaign, queue)
                joined.append(channel)
                seen[campaign.name] = channel.after if after is None else after
                yield _message("hello", {"seq": channel.after, "campaign": campaign.name})
                # What the poller handed out before this listener joined comes from the record.
                if seen[campaign.name] < channel.after:
                    missed = await self._in_thread(partial(campaign.events, seen[campaign.name]))
                    yield _changed(campaign.name, missed, seen, ear)
            async for text in self._follow(queue, seen, ear):
                yield text
        except StorageError as error:
            # The answer has begun, so it is too late for a status; the listener comes back.
            yield _message("trouble", {"message": str(error)})
        finally:
            for channel in joined:
                self._leave(channel, queue)

    async def _follow(
        self, queue: asyncio.Queue[_Item], seen: dict[str, int], ear: Ear
    ) -> AsyncIterator[str]:
        while not self._closed:
            try:
                item = await asyncio.wait_for(queue.get(), HEARTBEAT_S)
            except TimeoutError:
                item = _BEAT
            if item is None or not ear.stays():
                return
            if item is _BEAT:
                yield _message("beat", {})
                continue
            name, news = item
            if isinstance(news, StorageError):
                yield _message("trouble", {"message": str(news)})
            elif not isinstance(news, dict):
                yield _changed(name, news, seen, ear)
            elif ear.said(news):
                yield _message("session", {**news, "campaign": name})

    # -- the poller --------------------------------------------------------------------

    async def _join(self, campaign: StudioCampaign, queue: asyncio.Queue[_Item]) -> _Channel:
        head = (await self._in_thread(partial(self._storage.find, campaign.name))).head
        channel = self._channels.get(campaign.name)
        if channel is None:
            channel = self._channels[campaign.name] = _Channel(campaign, head)
            channel.task = asyncio.create_task(self._poll(channel))
        channel.queues.add(queue)
        return channel

    def _leave(self, channel: _Channel, queue: asyncio.Queue[_Item]) -> None:
        channel.queues.discard(queue)
        if not channel.queues:
            self._channels.pop(channel.campaign.name, None)
            if channel.task is not None:
                channel.task.cancel()

    async def _poll(self, channel: _Channel) -> None:
        while True:
            try:
                news = await self._in_thread(partial(channel.campaign.events, channel.after))
            except StorageError as error:
                self._broadcast(channel, (channel.campaign.name, error))
                await asyncio.sleep(1.0)
                continue
            if news:
                channel.after = news[-1].seq
                self._broadcast(channel, (channel.campaign.name, news))
            with anyio.move_on_after(POLL_S):
                await channel.wake.wait()
            channel.wake.clear()

    def _broadcast(self, channel: _Channel, item: _Item) -> None:
        for queue in channel.queues:
            if queue.full():
                # A listener this far behind has gone; if it returns, the record has it all.
                queue.get_nowait()
                queue.put_nowait(None)
            else:
                queue.put_nowait(item)

    async def _in_thread(self, call: partial[_Result]) -> _Result:
        return await to_thread.run_sync(call, limiter=self._limiter)


def _changed(name: str, news: Sequence[Event], seen: dict[str, int], ear: Ear) -> str:
    """Return the events that are new to a listener, which has seen them then."""
    fresh = [event for event in news if event.seq > seen[name]]
    if fresh:
        seen[name] = fresh[-1].seq
    return "".join(_message("changed", ear.change(name, event), event.seq) for event in fresh)


def _message(kind: str, data: dict[str, Any], seq: int | None = None) -> str:
    number = "" if seq is None else f"id: {seq}\n"
    return f"{number}event: {kind}\ndata: {json.dumps(data)}\n\n"
