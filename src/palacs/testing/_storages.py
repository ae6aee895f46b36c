"""The contract of a storage, as checks that any implementation can run.

Each check states one guarantee of `palacs.storage.Storage` and needs nothing but the storage
itself. Run them all with `check_storage`, or parametrise a test over ``STORAGE_CHECKS``.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from dataclasses import replace
from itertools import product

from palacs.storage import (
    ERASED,
    ONCE,
    CampaignExists,
    CampaignNotFound,
    Draft,
    Event,
    EventKind,
    Storage,
    StorageConflict,
    StoredCampaign,
)

_CREATED = Draft("created", payload={"classes": ["a", "b"]})


def _new(storage: Storage) -> StoredCampaign:
    return storage.create(f"check-{uuid.uuid4()}", [_CREATED])


def _append(storage: Storage, key: int, *drafts: Draft) -> list[Event]:
    with storage.write(key) as turn:
        return turn.append(drafts)


def _expect(error: type[Exception], action: Callable[[], object]) -> None:
    try:
        action()
    except error:
        return
    raise AssertionError(f"{error.__name__} was not raised")


def check_events_keep_their_values(storage: Storage) -> None:
    """Every field comes back as it went in."""
    campaign = _new(storage)
    drafts = [
        Draft("told", "r1", "τ 'quoted' \\", bytes(range(256)), 0.1, 1e-300, {"a": [1, None]}),
        Draft("told", "r2", -3, b"", 0.0, 2.5, {"text": "\u0000 \ud800 \N{SNOWMAN}"}, at=12.25),
        Draft("paused"),
        Draft("erased", op="o-1", author={"person": "\u00e4 \ud800"}, attrs={"units": [1, None]}),
        Draft("changed", op="o-2", author={}, attrs={}),
    ]
    written = _append(storage, campaign.key, *drafts)
    found = storage.events(campaign.key)[1:]
    assert found == written
    for draft, event in zip(drafts, found, strict=True):
        assert (event.kind, event.entry, event.label) == (draft.kind, draft.entry, draft.label)
        assert (event.x, event.cost, event.duration) == (draft.x, draft.cost, draft.duration)
        assert event.payload == draft.payload
        assert (event.op, event.author, event.attrs) == (draft.op, draft.author, draft.attrs)
    assert found[1].at == 12.25
    with storage.write(campaign.key) as turn:
        assert turn.operation("o-1") == [found[3]]
        assert turn.operation("o-3") == []


def check_numbers_have_no_gaps(storage: Storage) -> None:
    """Events are numbered 1, 2, 3, ... per campaign, and a cursor sees what is new."""
    one, other = _new(storage), _new(storage)
    for campaign in (one, other, one):
        _append(storage, campaign.key, Draft("paused"), Draft("resumed"))
    assert [event.seq for event in storage.events(one.key)] == [1, 2, 3, 4, 5]
    assert [event.seq for event in storage.events(other.key)] == [1, 2, 3]
    assert [event.seq for event in storage.events(one.key, after=3)] == [4, 5]
    assert [event.seq for event in storage.events(one.key, after=1, limit=2)] == [2, 3]
    assert storage.events(one.key, after=5) == []
    assert storage.find(one.name).head == 5


def check_a_failed_block_leaves_nothing(storage: Storage) -> None:
    """Whatever is raised inside a write block, nothing of the block is kept."""
    campaign = _new(storage)

    def fail_half_way() -> None:
        with storage.write(campaign.key) as turn:
            turn.append([Draft("paused")])
            raise KeyError("half-way")

    _expect(KeyError, fail_half_way)
    assert len(storage.events(campaign.key)) == 1
    assert _append(storage, campaign.key, Draft("paused"))[0].seq == 2


def check_names_are_unique(storage: Storage) -> None:
    """Refuse a second campaign of the same name; do not find an unknown one."""
    campaign = _new(storage)
    _expect(CampaignExists, lambda: storage.create(campaign.name, [_CREATED]))
    assert storage.find(campaign.name).key == campaign.key
    assert [c.name for c in storage.campaigns()].count(campaign.name) == 1
    _expect(CampaignNotFound, lambda: storage.find(f"no-{uuid.uuid4()}"))
    _expect(CampaignNotFound, lambda: _append(storage, -1, Draft("paused")))


def check_what_happens_once_happens_once(storage: Storage) -> None:
    """Refuse, in the database, to ask, close, enter or retract the same entry twice."""
    for first, second in sorted({pair for kinds in ONCE for pair in product(kinds, repeat=2)}):
        campaign = _new(storage)
        _append(storage, campaign.key, Draft(first, "r1"))
        again = Draft(second, "r1")
        # Bound as defaults, because the loop moves on; mypy cannot infer such a lambda.
        _expect(StorageConflict, lambda c=campaign, d=again: _append(storage, c.key, d))  # type: ignore[misc]
        assert [event.kind for event in storage.events(campaign.key)] == ["created", first]
        # The same id in another campaign is another entry.
        _append(storage, _new(storage).key, again)


def check_one_writer_at_a_time(storage: Storage) -> None:
    """While one thread has its turn, another waits; afterwards it sees what was written."""
    campaign = _new(storage)
    heads: list[int] = []

    def second() -> None:
        with storage.write(campaign.key) as turn:
            heads.append(turn.head)

    waiting = threading.Thread(target=second)
    with storage.write(campaign.key) as turn:
        waiting.start()
        waiting.join(timeout=0.1)
        assert waiting.is_alive()
        turn.append([Draft("paused")])
    waiting.join(timeout=30)
    assert heads == [2]


def check_threads_lose_nothing(storage: Storage) -> None:
    """Many threads append at once; every event is there, numbered without gaps."""
    campaign = _new(storage)

    def append(thread: int) -> None:
        for i in range(10):
            _append(storage, campaign.key, Draft("told", f"r{thread}-{i}", "a", b"x"))

    threads = [threading.Thread(target=append, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    events = storage.events(campaign.key)
    assert [event.seq for event in events] == list(range(1, 82))
    assert len({event.entry for event in events[1:]}) == 80


def check_erased_numbers_are_gone(storage: Storage) -> None:
    """Erase an event: it keeps its place and time, the others keep everything."""
    campaign = _new(storage)
    told = Draft("told", "r1", "a", b"12345678", 1.0, 2.0, {"n": 1}, 9.5, "o", {"p": 1}, {"s": 7})
    kept, gone = _append(storage, campaign.key, replace(told, entry="r0"), told)
    with storage.write(campaign.key) as turn:
        tombstone = turn.erase([gone.seq], Draft("erased", payload={"entries": 1}))
    bare = Event("told", "r1", "a", payload=ERASED, op="o", seq=gone.seq, at=gone.at)
    assert storage.events(campaign.key)[1:] == [kept, bare, tombstone]
    assert storage.events(campaign.key)[2].erased
    storage.purge()
    assert storage.events(campaign.key)[1:] == [kept, bare, tombstone]


def check_erasing_is_all_or_nothing(storage: Storage) -> None:
    """Refuse a tombstone of another kind and events that are not there; then nothing is gone."""
    campaign = _new(storage)
    _append(storage, campaign.key, Draft("told", "r1", "a", b"12345678"))
    before = storage.events(campaign.key)

    def erase(seqs: list[int], kind: EventKind) -> None:
        with storage.write(campaign.key) as turn:
            turn.erase(seqs, Draft(kind))

    _expect(ValueError, lambda: erase([2], "paused"))
    _expect(ValueError, lambda: erase([2, 3], "erased"))
    assert storage.events(campaign.key) == before


def check_a_snapshot_fits_the_record_or_is_not_there(storage: Storage) -> None:
    """Hand out what was put away as long as the record goes on from there; erasing empties it."""
    campaign = _new(storage)
    kept = storage.save_snapshot(campaign.key, 1, "form", {"part": b"1", "other": b"2"})
    found = storage.load_snapshot(campaign.key, "part")
    assert (found is not None) == kept == bool(storage.snapshot_parts(campaign.key))
    if found is None:
        return  # a storage may do without
    told = _append(storage, campaign.key, Draft("told", "r1", "a", b"12345678"))[0]
    assert storage.load_snapshot(campaign.key, "part") == found
    assert (found.seq, found.format, found.data) == (1, "form", b"1")
    assert storage.load_snapshot(campaign.key, "part", b"another checksum") is None
    assert not storage.save_snapshot(campaign.key, 1, "form", {"part": b"of the past"})
    assert storage.save_snapshot(campaign.key, told.seq, "form", {"part": b"3"}, keep=["part"])
    assert set(storage.snapshot_parts(campaign.key)) == {"part"}
    with storage.write(campaign.key) as turn:
        turn.erase([told.seq], Draft("erased", payload={"entries": 1}))
    assert storage.load_snapshot(campaign.key, "part") is None


def check_the_clock_goes_forward(storage: Storage) -> None:
    """Events are dated between two looks at the storage's clock."""
    before = storage.now()
    event = _append(storage, _new(storage).key, Draft("paused"))[0]
    assert before <= event.at <= storage.now()


def check_verifying_finds_nothing_wrong(storage: Storage) -> None:
    """Look at everything, also after writing and erasing: it is as it was written."""
    campaign = _new(storage)
    _append(
        storage, campaign.key, Draft("told", "r1", "a", b"12345678", -0.0, 1.0), Draft("paused")
    )
    with storage.write(campaign.key) as turn:
        turn.erase([2], Draft("erased", payload={"entries": 1}))
        turn.append([Draft("resumed")])
    assert storage.verify() == []


def check_closing_is_not_the_end(storage: Storage) -> None:
    """After closing, the storage opens its connections again and everything is there."""
    campaign = _new(storage)
    storage.close()
    assert storage.find(campaign.name).key == campaign.key


STORAGE_CHECKS: tuple[Callable[[Storage], None], ...] = (
    check_events_keep_their_values,
    check_numbers_have_no_gaps,
    check_a_failed_block_leaves_nothing,
    check_names_are_unique,
    check_what_happens_once_happens_once,
    check_one_writer_at_a_time,
    check_threads_lose_nothing,
    check_erased_numbers_are_gone,
    check_erasing_is_all_or_nothing,
    check_verifying_finds_nothing_wrong,
    check_a_snapshot_fits_the_record_or_is_not_there,
    check_the_clock_goes_forward,
    check_closing_is_not_the_end,
)
"""Every guarantee, as a function that takes a storage and raises if it is broken."""


def check_storage(storage: Storage) -> None:
    """Run every check on a storage; it may hold other campaigns.

    Examples
    --------
    >>> from palacs.storage import MemoryStorage
    >>> check_storage(MemoryStorage())
    """
    for check in STORAGE_CHECKS:
        check(storage)
