"""Who acquires: a thread of its own for every attempt.

Threads are daemons: one that hangs holds up neither the loop nor the end of the program. It
cannot be ended from outside, so that it may go on with what it does; a source that can stop it
has ``cancel(request)``.
"""

from __future__ import annotations

import threading
from contextvars import copy_context
from dataclasses import dataclass, replace
from queue import SimpleQueue
from typing import Any

import numpy as np

from palacs.campaign._acquired import Acquired, NoMore, NotAcquired, Source
from palacs.campaign._records import Request


@dataclass(frozen=True, slots=True)
class Failure:
    """An attempt that brought nothing.

    Attributes
    ----------
    reason : str
    final : bool
        Whether trying again would not help.
    exhausted : bool
        Whether the source will never bring this class again.
    """

    reason: str
    final: bool = False
    exhausted: bool = False


BEGUN = "begun"
"""What is answered first: from here on the source takes its time."""


def _nothing(request: Request) -> None:
    pass


def attempt(source: Source, request: Request) -> Any:
    """Return what a source brought, or a `Failure`."""
    try:
        return _as_of_now(source.acquire(request))
    except NotAcquired as error:
        return Failure(str(error) or "not acquired", True, isinstance(error, NoMore))
    except OSError as error:
        return Failure(str(error) or type(error).__name__)  # it speaks for itself
    except BaseException as error:  # sys.exit() too: nobody else would hear of it in a thread
        return Failure(f"{type(error).__name__}: {error}")


def _as_of_now(answer: Any) -> Any:
    """Return an answer that stays what it is where a source fills the same array again."""
    if isinstance(answer, np.ndarray):
        return answer.copy()
    if isinstance(answer, Acquired) and isinstance(answer.x, np.ndarray):
        return replace(answer, x=answer.x.copy())
    return answer


class ThreadWorkers:
    """Acquires in threads.

    Attributes
    ----------
    answers : SimpleQueue
        Pairs of a ticket and what came back.
    """

    def __init__(self, source: Source) -> None:
        self.answers: SimpleQueue[tuple[int, Any]] = SimpleQueue()
        self._source = source

    def start(self, ticket: int, request: Request) -> None:
        """Begin an attempt."""
        context = copy_context()

        def work() -> None:
            try:
                getattr(self._source, "prepare", _nothing)(request)
            except Exception as error:
                self.answers.put((ticket, Failure(f"{type(error).__name__}: {error}")))
                return
            self.answers.put((ticket, BEGUN))
            self.answers.put((ticket, context.run(attempt, self._source, request)))

        threading.Thread(target=work, name=f"acquire {request.id}", daemon=True).start()

    def close(self) -> None:
        """End; threads that hang are left behind."""
