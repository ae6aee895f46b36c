"""What a fork must not take along: locks that nobody will release, handles that two would use.

Before a process forks, turns under way are waited for, guarded state is brought to rest and
database handles are closed; the child begins with locks and connections of its own. Waiting is
bounded: what does not come to rest in time is given up in the child alone, and the parent never
notices.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Protocol
from weakref import WeakSet

PATIENCE_S = 5.0
"""How long a fork waits for other threads' turns to end."""


class Forkable(Protocol):
    """Something that holds what a child must not use."""

    def before_fork(self) -> None:
        """Let go of what a child must not inherit; called in the parent."""

    def after_fork(self) -> None:
        """Start anew; called in the child."""


class ForkSafeLock:
    """A reentrant lock that is free in a forked child, whoever held it in the parent.

    Parameters
    ----------
    lost : callable or None
        Called in the child where another thread held the lock for too long, so that what it
        guards may be half changed: starts it anew. With it, a fork waits for the lock for a
        while; without it nothing is guarded but an order, and a fork does not wait.

    Examples
    --------
    >>> from palacs.storage import ForkSafeLock
    >>> with ForkSafeLock() as held:
    ...     held
    True
    """

    def __init__(self, lost: Callable[[], None] | None = None) -> None:
        self._lock = threading.RLock()
        self._lost = lost
        self._kept = False
        _house.add_lock(self)

    def __enter__(self) -> bool:
        return self._lock.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lock.release()

    def before_fork(self, deadline: float) -> None:
        """Take the lock, so that what it guards is whole in the child."""
        wait = max(0.0, deadline - time.monotonic()) if self._lost is not None else 0.0
        self._kept = self._lock.acquire(timeout=wait)

    def after_fork_in_parent(self) -> None:
        """Give it back."""
        if self._kept:
            self._lock.release()

    def after_fork_in_child(self) -> None:
        """Give it back, or put a new one in the place of one that nobody will give back."""
        if self._kept:
            self._lock.release()
            return
        self._lock = threading.RLock()
        if self._lost is not None:
            self._lost()


class _House:
    """Everything of this process that a fork concerns, and who is using it right now."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._inside: list[int] = []  # threads, once for each block they are in
        self._forking: int | None = None
        self._locks: WeakSet[ForkSafeLock] = WeakSet()
        self._things: WeakSet[Forkable] = WeakSet()
        self._taken: list[ForkSafeLock] = []

    def add_lock(self, lock: ForkSafeLock) -> None:
        with self._condition:
            self._locks.add(lock)

    def add(self, thing: Forkable) -> None:
        with self._condition:
            self._things.add(thing)

    def enter(self) -> int:
        me = threading.get_ident()
        with self._condition:
            # Who is inside already must be able to finish, or the fork waits in vain.
            self._condition.wait_for(
                lambda: self._forking in (None, me) or me in self._inside,
            )
            self._inside.append(me)
        return me

    def leave(self, thread: int) -> None:
        with self._condition:
            self._inside.remove(thread)
            self._condition.notify_all()

    def before(self) -> None:
        me = threading.get_ident()
        deadline = time.monotonic() + PATIENCE_S
        with self._condition:
            self._condition.wait_for(lambda: self._forking is None)
            self._forking = me
            self._condition.wait_for(
                lambda: all(thread == me for thread in self._inside), PATIENCE_S
            )
            self._taken, things = list(self._locks), list(self._things)
        for lock in self._taken:
            lock.before_fork(deadline)
        for thing in things:
            thing.before_fork()

    def after_in_parent(self) -> None:
        for lock in self._taken:
            lock.after_fork_in_parent()
        with self._condition:
            self._taken, self._forking = [], None
            self._condition.notify_all()

    def after_in_child(self) -> None:
        me = threading.get_ident()
        self._condition = threading.Condition()
        self._inside = [thread for thread in self._inside if thread == me]
        self._forking = None
        taken, self._taken = self._taken, []
        for lock in taken:
            lock.after_fork_in_child()
        for thing in list(self._things):
            thing.after_fork()


_house = _House()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_house.before,
        after_in_parent=_house.after_in_parent,
        after_in_child=_house.after_in_child,
    )


def watch(thing: Forkable) -> None:
    """Tell something before and after each fork, as long as it is there."""
    _house.add(thing)


@contextmanager
def in_use() -> Iterator[None]:
    """Keep this process from forking meanwhile, within bounds."""
    thread = _house.enter()
    try:
        yield
    finally:
        _house.leave(thread)
