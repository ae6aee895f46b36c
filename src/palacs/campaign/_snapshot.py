"""Where a campaign stands after one event: everything a decision or a page depends on.

A snapshot is gathered from the ledger once and never changes. Deciding, explaining and showing
are functions of it, so that all three mean the same state of the record; conditions are read and
costs are added up once for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from palacs.campaign._growing_set import Codes, Scaling, Selected, scale
from palacs.campaign._ledger import Ledger
from palacs.campaign._ledger_course import Phase
from palacs.campaign._records import Request
from palacs.campaign._row_store import Matrix
from palacs.campaign._settings import Settings
from palacs.campaign._values import Vector
from palacs.storage import Label

if TYPE_CHECKING:
    from palacs.campaign._why import Why
    from palacs.classifier import ParzenWindowClassifier
    from palacs.conditions import Conditions, Spending
    from palacs.evidence import Advice, LabelledSet
    from palacs.strategies import Strategy


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A campaign after one event.

    Attributes
    ----------
    seq, at : int, float
        The last event it takes into account, and the time at which leases were looked at.
    settings : Settings
        Those in force.
    classes, candidates : list of labels
        All classes, and those that may be requested and paid for.
    paused : frozenset
        Classes that are not requested for the time being.
    phase : str
        "open", or "closed" or "archived", where nothing may be asked for.
    selected : Selected
        Where the raw features of the labelled set are, see `X`.
    scaled : ndarray of shape (n, n_features)
        Features in acquisition order, scaled to [0, 1].
    scaling : Scaling
        The bounds that scale them, see `limits`.
    bounded : bool
        Whether these were declared.
    steady : bool
        False: many instances are scaled and looked at as in records from before that was kept.
    codes : ndarray of shape (n,)
        Their classes, as positions in `classes`.
    pending : tuple of Request
        Requests whose instances are still to come, oldest first.
    order : ndarray of shape (n_requests,) or None
        Codes of all classes in the order in which they were requested, whatever became of it;
        unsolicited instances at the place where they were recorded. None stands for the order
        of telling, by which records were decided before this one was kept.
    n_asked : int
        How many requests were made.
    remaining : int or None
        What the budget still allows; None is no limit.
    conditions : Conditions or None
        Those in force, with costs learned from durations as numbers.
    spending : Spending
        How the budget in money stands; without one only the costs are known.
    ids_of, groups_of : callable
        Return ids and groups of rows of the labelled set, see `ids` and `groups`.
    """

    seq: int
    at: float
    settings: Settings
    classes: list[Label]
    candidates: list[Label]
    paused: frozenset[Label]
    phase: Phase
    selected: Selected
    scaled: Matrix
    scaling: Scaling
    bounded: bool
    codes: Codes
    pending: tuple[Request, ...]
    order: Codes | None
    n_asked: int
    remaining: int | None
    conditions: Conditions | None
    spending: Spending
    ids_of: Callable[[Iterable[int]], tuple[str, ...]] = field(repr=False)
    groups_of: Callable[[Iterable[int]], list[str]] = field(repr=False)
    steady: bool = True

    @property
    def limits(self) -> tuple[Vector, Vector]:
        """The bounds that scale features, two arrays of shape (n_features,)."""
        return self.scaling.lower, self.scaling.upper

    def unsteady(self) -> Snapshot:
        """Return the same by the rules that many instances were decided by before."""
        X, scaling = self.X, self.scaling
        if not self.bounded:
            scaling = Scaling(X.min(axis=0), X.max(axis=0))
        scaled = scale(X, scaling.lower, scaling.upper)
        return replace(self, scaled=scaled, scaling=scaling, steady=False)

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the instances in the labelled set, in acquisition order."""
        return self.ids_of(self.selected.rows.tolist())

    @property
    def groups(self) -> list[str] | None:
        """What each instance belongs to, such as its subject; None where nobody named that."""
        if self.settings.groups is None:
            return None
        return self.groups_of(self.selected.rows.tolist())

    @property
    def X(self) -> Matrix:
        """Raw features of the labelled set in acquisition order, (n, n_features); a copy."""
        return self.selected.matrix()

    @property
    def seed(self) -> int:
        """The next request's own seed: none repeats a failed one."""
        return request_seed(self.settings.seed, self.n_asked)

    @property
    def under_way(self) -> list[Label]:
        """Classes of the pending requests, in the order of asking."""
        return [request.label for request in self.pending]

    def counts(self, *, pending: bool = False) -> list[int]:
        """Return the instances of each class, with or without those under way."""
        codes = self.codes
        if pending and self.pending:
            codes = np.concatenate([codes, self._codes_of(self.under_way)])
        counts: list[int] = np.bincount(codes, minlength=len(self.classes)).tolist()
        return counts

    def unusual_order(self) -> Codes | None:
        """Return `order` where it is not simply the labelled set, then what is pending.

        Without a difference strategies need not be told, which takes its time for many.
        """
        if self.order is None or len(self.order) != len(self.codes) + len(self.pending):
            return self.order
        usual = np.concatenate([self.codes, self._codes_of(self.under_way)])
        return None if np.array_equal(self.order, usual) else self.order

    def labelled(self) -> LabelledSet:
        """Return what a strategy decides from."""
        from palacs.evidence import LabelledSet, Origin

        return LabelledSet(
            self.scaled,
            self.codes.astype(np.int64, copy=False),
            np.array(self.classes),
            self._codes_of(self.under_way).astype(np.int64, copy=False),
            None if self.order is None else self.order.astype(np.int64, copy=False),
            Origin(self.scaling, self.selected.rows),
            self.steady,
        )

    def strategy(self) -> Strategy:
        """Return the strategy with the seed of the next request."""
        from palacs import strategies

        spec = self.settings.strategy
        params = {**spec.get("params", {}), "random_state": self.seed}
        return strategies.from_spec({**spec, "params": params})

    def model(self) -> ParzenWindowClassifier:
        """Return the campaign's model, unfitted; see ``Campaign.model``."""
        from palacs.campaign._campaign_model import model_of

        return model_of(self.settings, self.classes, self.conditions)

    def why(self) -> Why:
        """Say which class asking now would request, and why, or why none may be."""
        from palacs.campaign._why import why_next

        return why_next(self)

    def why_nothing(self) -> str:
        """Say why nothing can be asked for now, by budget, phase and pauses; empty where it can."""
        from palacs.campaign._campaign_errors import NothingToAsk
        from palacs.campaign._decide import allowance

        try:
            allowance(self, 1)
        except NothingToAsk as error:
            return str(error)
        return ""

    def stopping(self, *, tolerance: float = 0.1, good_enough: float = 0.0) -> Advice:
        """Say whether to stop asking, and why; see ``Campaign.stopping``."""
        from palacs.evidence import advise_stopping

        labels = np.array(self.classes)
        y, weights = labels[self.codes], None
        if self.conditions is not None and self.conditions.proportions is not None:
            in_order = np.sort(labels)
            # A paused class may have no instance: nothing is known of its error.
            weights = self.conditions.share_of(in_order)[np.isin(in_order, y)]
        return advise_stopping(
            self.scaled,
            y,
            model=self.model(),
            weights=weights,
            classes=[label for label in self.classes if label not in self.paused],
            groups=self.groups,
            tolerance=tolerance,
            good_enough=good_enough,
        )

    def _codes_of(self, labels: list[Label]) -> Codes:
        places = {label: code for code, label in enumerate(self.classes)}
        return np.array([places[label] for label in labels], dtype=np.intp)


def request_seed(seed: int, ordinal: int) -> int:
    """Return the seed of a request: every one has its own.

    Examples
    --------
    >>> request_seed(0, 0) == request_seed(0, 0)
    True
    >>> request_seed(0, 0) == request_seed(0, 1)
    False
    """
    return int(np.random.SeedSequence([seed, ordinal]).generate_state(1)[0])


def snapshot_of(ledger: Ledger, at: float) -> Snapshot:
    """Gather where a campaign stands, as of the time `at`."""
    from palacs.campaign._in_force import conditions_of, spending_of

    conditions = conditions_of(ledger)
    open_requests = ledger.pending(at)
    spending = spending_of(ledger, conditions, open_requests)
    labelled = ledger.labelled
    return Snapshot(
        seq=ledger.seq,
        at=at,
        settings=ledger.settings,
        classes=list(ledger.classes),
        candidates=spending.affordable(ledger.candidates()),
        paused=frozenset(ledger.paused),
        phase=ledger.phase,
        selected=labelled.selected,
        scaled=labelled.scaled(),
        scaling=labelled.scaling,
        bounded=labelled.bounded,
        codes=labelled.codes,
        pending=tuple(ledger.request(entry) for entry in open_requests),
        order=np.array(ledger.order, dtype=np.intp),
        n_asked=ledger.n_asked,
        remaining=ledger.remaining(at),
        conditions=conditions,
        spending=spending,
        ids_of=ledger.ids,
        groups_of=ledger.groups,
    )
