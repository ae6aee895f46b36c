"""How a source is run: what may be chosen, checked before anything is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from palacs.campaign._attrs import check_attrs
from palacs.campaign._elsewhere import check_workers
from palacs.campaign._records import Instance, Request
from palacs.campaign._until import check_until
from palacs.campaign._values import check_amount, check_count

MOST_PARALLEL = 1_000


class Options(TypedDict, total=False):
    """What can be chosen for a run; see `AskAndTell.run`."""

    until: Any
    parallel: int
    workers: Any
    retries: int
    backoff: float
    timeout: float | None
    give_up: int
    extractor: Any
    attrs: Mapping[str, Any] | None
    on_asked: Callable[[Request], object] | None
    on_told: Callable[[Instance], object] | None
    on_failed: Callable[[Request, str], object] | None
    progress: bool


@dataclass(frozen=True)
class Plan:
    """What was chosen for a run, checked."""

    until: Any = None
    parallel: int = 1
    workers: Any = "threads"
    retries: int = 2
    backoff: float = 1.0
    timeout: float | None = None
    give_up: int = 10
    extractor: Any = None
    attrs: Mapping[str, Any] | None = None
    on_asked: Callable[[Request], object] | None = None
    on_told: Callable[[Instance], object] | None = None
    on_failed: Callable[[Request, str], object] | None = None
    progress: bool = True

    def __post_init__(self) -> None:
        check_count(self.parallel, "parallel", maximum=MOST_PARALLEL)
        check_count(self.retries, "retries", minimum=0)
        check_count(self.give_up, "give_up")
        check_until(self.until)
        check_workers(self.workers)
        check_amount(self.backoff, "backoff")
        if self.timeout is not None and not check_amount(self.timeout, "timeout"):
            raise ValueError("timeout=0 leaves no time; give seconds, or None to wait for ever.")
        check_attrs(self.attrs)
        for name in ("on_asked", "on_told", "on_failed"):
            if not (getattr(self, name) is None or callable(getattr(self, name))):
                raise ValueError(f"{name}={getattr(self, name)!r} cannot be called.")
