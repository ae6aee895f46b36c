"""How far a run of a source is, or how it ended."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Run:
    """How far a run is, or how it ended.

    Attributes
    ----------
    campaign : str
        Its name.
    told : int
        Instances that requests brought.
    failed : int
        Requests that brought nothing.
    added : int
        Instances that the source brought although nobody had asked for them.
    open : int
        Requests under way.
    seconds : float
        Since it began.
    ended : str
        Why it ended; empty while it goes on.
    exhausted : bool
        Whether it ended since nothing may be asked for any more.

    Examples
    --------
    >>> print(Run("demo", 12, 1, 0, 0, 30.0, "12 were wanted"))
    demo: 12 acquired, 1 failed in 30 s; 12 were wanted
    """

    campaign: str
    told: int
    failed: int
    added: int
    open: int
    seconds: float
    ended: str = ""
    exhausted: bool = False

    def __str__(self) -> str:
        ended = f"; {self.ended}" if self.ended else ""
        return f"{self.campaign}: {self.counts()} in {self.seconds:.3g} s{ended}"

    def counts(self) -> str:
        """Say in a few words what became of the requests."""
        more = (
            f"{self.failed} failed" * bool(self.failed),
            f"{self.added} unasked" * bool(self.added),
        )
        return ", ".join(filter(None, (f"{self.told} acquired", *more)))

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-able form."""
        return asdict(self)
