"""A decision, and checking it again later.

What a decision depends on is gathered in a :class:`Situation`; deciding is a pure function
of it. Each request is written with what was known when it was made, so that `replay` can
rebuild every situation from the record and compare the answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from palacs._version import __version__
from palacs.campaign import _conditions
from palacs.campaign._errors import BudgetExhausted, NothingToAsk
from palacs.campaign._labelled import Matrix
from palacs.campaign._ledger import Ledger
from palacs.campaign._settings import Settings
from palacs.campaign._values import utilities_to_json
from palacs.storage import Draft, Event, Label


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything a decision depends on.

    Attributes
    ----------
    X : ndarray of shape (n, n_features)
        Scaled features of the labelled set, in acquisition order.
    y : ndarray of shape (n,)
        Their classes.
    classes, candidates, pending : list of labels
        All classes, those that may be requested, those already under way.
    spec : dict
        The strategy.
    seed : int
        This decision's own seed.
    known, at : int, float
        The last event known, and the time at which leases were looked at.
    ordinal : int
        How many requests came before.
    conditions : dict or None
        The conditions in force.
    """

    X: Matrix
    y: npt.NDArray[Any]
    classes: list[Label]
    candidates: list[Label]
    pending: list[Label]
    spec: dict[str, Any]
    seed: int
    known: int
    at: float
    ordinal: int
    conditions: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """The classes to request, and the utility of every class, shape (n_classes,)."""

    labels: list[Label]
    utilities: npt.NDArray[np.float64]


def request_seed(seed: int, ordinal: int) -> int:
    """Return the seed of a request: every one has its own, so none repeats a failed one.

    Examples
    --------
    >>> request_seed(0, 0) == request_seed(0, 0)
    True
    >>> request_seed(0, 0) == request_seed(0, 1)
    False
    """
    return int(np.random.SeedSequence([seed, ordinal]).generate_state(1)[0])


def situation_of(ledger: Ledger, at: float) -> Situation:
    """Gather what a decision depends on, as of the time `at`."""
    classes = list(ledger.classes)
    return Situation(
        X=ledger.labelled.scaled(),
        y=np.array(classes)[ledger.labelled.codes],
        classes=classes,
        candidates=_conditions.affordable(ledger, at),
        pending=[entry.asked for entry in ledger.pending(at) if entry.asked is not None],
        spec=ledger.settings.strategy,
        seed=request_seed(ledger.settings.seed, ledger.n_asked),
        known=ledger.seq,
        at=at,
        ordinal=ledger.n_asked,
        conditions=_conditions.in_force(ledger),
    )


def rehearse(settings: Settings, classes: Sequence[Label]) -> None:
    """Let the strategy decide once, so that what it cannot work with is refused now."""
    labels = list(classes)
    empty, y = np.empty((0, 0)), np.array(labels)[:0]
    conditions = _conditions.before_any(settings.conditions)
    spec = settings.strategy
    decide(Situation(empty, y, labels, labels, [], spec, 0, 0, 0.0, 0, conditions), 1)


def allowance(ledger: Ledger, at: float, n: int) -> int:
    """Return how many of `n` requests may be made now, or say why none may."""
    if not ledger.candidates():
        raise NothingToAsk("every class is paused; resume one first.")
    remaining = ledger.remaining(at)
    if remaining == 0:
        raise BudgetExhausted(
            f"the budget of {ledger.settings.budget} instances is delivered or under way; "
            "wait for pending requests to be told or failed, or end the campaign here."
        )
    n = n if remaining is None else min(n, remaining)
    return min(n, _conditions.room(ledger, at, n))


def decide(situation: Situation, n: int) -> Decision:
    """Ask the strategy for `n` classes."""
    from palacs import strategies

    spec = situation.spec
    params = {**spec.get("params", {}), "random_state": situation.seed}
    strategy = strategies.from_spec({**spec, "params": params})
    conditions = None
    if situation.conditions is not None:
        conditions = strategies.Conditions.from_dict(situation.conditions)
    try:
        labels, utilities = strategy.query(
            situation.X,
            situation.y,
            classes=np.array(situation.classes),
            candidates=np.array(situation.candidates),
            pending=np.array(situation.pending, dtype=np.array(situation.classes).dtype),
            batch_size=n,
            conditions=conditions,
            return_utilities=True,
        )
    except strategies.LimitReached as error:
        raise NothingToAsk(str(error)) from error
    return Decision(labels.tolist(), utilities)


def asked_drafts(
    decision: Decision, situation: Situation, ids: list[str], lease: float | None
) -> list[Draft]:
    """Return the events that record a decision."""
    payload = {
        "known": situation.known,
        "decided_at": situation.at,
        "ordinal": situation.ordinal,
        "batch": len(ids),
        "lease": lease,
        "utilities": utilities_to_json(decision.utilities.tolist()),
        "palacs": __version__,
    }
    return [
        Draft("asked", entry=id_, label=label, payload={**payload, "place": place})
        for place, (id_, label) in enumerate(zip(ids, decision.labels, strict=True))
    ]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A request that does not follow from the record: what was asked, what should have been."""

    request_id: str
    asked: Label
    recomputed: Label
    palacs: str


@dataclass(frozen=True, slots=True)
class Replay:
    """Outcome of recomputing a campaign's requests.

    Attributes
    ----------
    checked : int
        Number of requests recomputed.
    mismatches : tuple of Mismatch
        Those whose class came out differently.
    largest_difference : float
        Between recorded and recomputed utilities; 0 means equal to the last bit.
    """

    checked: int
    mismatches: tuple[Mismatch, ...]
    largest_difference: float

    @property
    def ok(self) -> bool:
        """Whether every request follows from what was known when it was made."""
        return not self.mismatches


def replay(events: Iterable[Event]) -> Replay:
    """Recompute every request from the events before it."""
    ledger = Ledger()
    waiting: list[Event] = []  # read, but not known yet to the next decision
    checked, difference = 0, 0.0
    mismatches: list[Mismatch] = []
    decision = Decision([], np.empty(0))
    for event in events:
        waiting.append(event)
        if event.kind != "asked":
            continue
        if event.payload["place"] == 0:
            while waiting[0].seq <= event.payload["known"]:
                ledger.apply(waiting.pop(0))
            situation = situation_of(ledger, event.payload["decided_at"])
            decision = decide(situation, event.payload["batch"])
            recorded = event.payload["utilities"]
            difference = max(difference, _difference(recorded, decision.utilities.tolist()))
        checked += 1
        recomputed = decision.labels[event.payload["place"]]
        if recomputed != event.label:
            assert event.entry is not None
            assert event.label is not None
            version = str(event.payload.get("palacs", ""))
            mismatches.append(Mismatch(event.entry, event.label, recomputed, version))
    return Replay(checked, tuple(mismatches), difference)


def _difference(recorded: list[Any], recomputed: list[float]) -> float:
    fresh = utilities_to_json(recomputed)
    if recorded == fresh:
        return 0.0
    pairs = [(a, b) for a, b in zip(recorded, fresh, strict=False) if isinstance(a, (int, float))]
    gaps = [abs(a - b) if isinstance(b, (int, float)) else np.inf for a, b in pairs]
    return max(gaps, default=float("inf"))
