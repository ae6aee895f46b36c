"""The base class of all strategies: from a labelled set to the classes to request next.

A strategy implements one method, `utilities`. Everything else (labels, candidates, cold start,
pending requests, batches, ties, seeds) is done once, here, and holds for all of them. Nothing is
remembered between two decisions: the answer is a function of the labelled set in acquisition
order, of what is pending, of the parameters and of the seed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, ClassVar, Literal, overload

import numpy as np
import numpy.typing as npt
from numba import njit
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import make_constraint

from palacs._random import PICK, Stream, uniform
from palacs._validation import check_count
from palacs.kernel import seed_of
from palacs.strategies._conditions import Conditions
from palacs.strategies._labelled import LabelledSet, Labels, check_labelled_set, encode
from palacs.strategies._terms import Terms, make_terms

Utilities = npt.NDArray[np.float64]


class Strategy(BaseEstimator, ABC):
    """Turns a labelled set into one utility per class, and picks.

    To write a strategy, subclass, assign parameters in ``__init__`` (and nothing else, as in
    scikit-learn), describe them in ``_parameter_constraints`` and implement `utilities`.

    Attributes
    ----------
    drawn : bool
        Class attribute. False: the class of highest utility is picked, ties at random. True:
        the class is drawn with probability proportional to its utility.
    weighs : frozenset of str
        Class attribute: which of "proportions" and "mistakes" `utilities` takes into account
        itself, from ``labelled.importance`` and ``labelled.mistakes``. For the others utilities
        are multiplied by what the conditions say about each class.

    Examples
    --------
    >>> from palacs.strategies import Strategy
    >>> class Fewest(Strategy):
    ...     def __init__(self, random_state=None):
    ...         self.random_state = random_state
    ...     def utilities(self, labelled, stream):
    ...         return -labelled.counts_with_pending.astype(float)
    >>> Fewest(random_state=0).query([[0.0], [1.0], [2.0]], ["a", "b", "a"]).tolist()
    ['b']
    """

    drawn: ClassVar[bool] = False
    weighs: ClassVar[frozenset[str]] = frozenset()
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}
    random_state: int | np.random.RandomState | None

    @abstractmethod
    def utilities(self, labelled: LabelledSet, stream: Stream) -> Utilities:
        """Return one utility per class.

        Called once for each class that is picked, when at least one instance is there and every
        candidate has an instance or a request under way.

        Parameters
        ----------
        labelled : LabelledSet
            Codes and features. A class may have no instance.
        stream : Stream
            This decision's random numbers; ``stream.generator()`` is a NumPy Generator.

        Returns
        -------
        utilities : ndarray of shape (n_classes,)
            Finite; where ``drawn``, not negative.
        """

    @overload
    def query(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        *,
        classes: npt.ArrayLike | None = ...,
        candidates: npt.ArrayLike | None = ...,
        pending: npt.ArrayLike | None = ...,
        batch_size: int = ...,
        conditions: Conditions | None = ...,
        return_utilities: Literal[False] = ...,
    ) -> Labels: ...

    @overload
    def query(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        *,
        classes: npt.ArrayLike | None = ...,
        candidates: npt.ArrayLike | None = ...,
        pending: npt.ArrayLike | None = ...,
        batch_size: int = ...,
        conditions: Conditions | None = ...,
        return_utilities: Literal[True],
    ) -> tuple[Labels, Utilities]: ...

    def query(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        *,
        classes: npt.ArrayLike | None = None,
        candidates: npt.ArrayLike | None = None,
        pending: npt.ArrayLike | None = None,
        batch_size: int = 1,
        conditions: Conditions | None = None,
        return_utilities: bool = False,
    ) -> Labels | tuple[Labels, Utilities]:
        """Say which classes to request next.

        Candidates without an instance and without a pending request come first, in random
        order.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            The instances acquired so far, in the order of acquisition; may be empty.
        y : array-like of shape (n,)
            Their classes.
        classes : array-like of shape (n_classes,), default=None
            All class labels; None takes those in ``y``, sorted.
        candidates : array-like or None, default=None
            The classes that may be requested now; None means all.
        pending : array-like or None, default=None
            Classes already requested whose instances have not arrived. They count as if they
            had.
        batch_size : int, default=1
            How many classes to request. Each pick counts as pending for the next.
        conditions : Conditions or None, default=None
            Costs, proportions in use, costs of mistakes, and limits. The order of requests that
            limits look at is that of ``y``, then that of ``pending``.
        return_utilities : bool, default=False
            Also return the utilities.

        Returns
        -------
        labels : ndarray of shape (batch_size,)
        utilities : ndarray of shape (n_classes,)
            Only with ``return_utilities``: the utility of every class before the first pick, per
            cost where costs are given, in the order of ``classes``; NaN for classes that are no
            candidates or not allowed by the limits now, infinite for those that have no instance
            yet and none pending.
        """
        self._validate_params()
        labelled = check_labelled_set(X, y, classes, pending)
        self._check_classes(labelled.classes)
        terms = make_terms(conditions, labelled.classes)
        if conditions is not None:
            labelled = replace(labelled, importance=terms.importance, mistakes=terms.mistakes)
        allowed = _check_candidates(candidates, labelled.classes)
        batch_size = check_count(batch_size, "batch_size")
        seed = seed_of(self.random_state)
        picks: list[int] = []
        first: Utilities | None = None
        while len(picks) < batch_size:
            if picks:
                labelled = labelled.with_pending(picks[-1])
            stream = Stream(seed, np.uint64(len(labelled) + len(labelled.pending)))
            utilities = self._decide(labelled, allowed, stream, terms)
            first = utilities if first is None else first
            picks.append(int(pick_class(utilities, self.drawn, stream)))
        labels: Labels = labelled.classes[picks]
        if return_utilities:
            assert first is not None
            return labels, first
        return labels

    def quotas(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        n: int,
        *,
        classes: npt.ArrayLike | None = None,
        candidates: npt.ArrayLike | None = None,
        pending: npt.ArrayLike | None = None,
        conditions: Conditions | None = None,
    ) -> dict[Any, int]:
        """Say how many instances of each class to acquire in a session of ``n``.

        Parameters
        ----------
        X, y, classes, candidates, pending, conditions
            As in `query`.
        n : int
            How many instances in all.

        Returns
        -------
        quotas : dict
            Label -> whole number, for every class; they sum to ``n``.

        Examples
        --------
        >>> from palacs import UniformSelection
        >>> UniformSelection(random_state=0).quotas([[0.0], [0.1], [1.0]], ["a", "a", "b"], 5)
        {'a': 2, 'b': 3}
        """
        known = check_labelled_set(X, y, classes, pending).classes
        picks = self.query(
            X,
            y,
            classes=known,
            candidates=candidates,
            pending=pending,
            batch_size=check_count(n, "n"),
            conditions=conditions,
        ).tolist()
        return {label: picks.count(label) for label in known.tolist()}

    def _validate_params(self) -> None:
        """Check the parameters as scikit-learn does, but at the pace of a decision."""
        params = vars(self)
        try:
            # The type belongs to the key: 1, 1.0 and True are equal and not all allowed.
            fine = _remembered(type(self), tuple((k, type(v), v) for k, v in params.items()))
        except TypeError:  # a value that cannot be hashed
            fine = _satisfied(type(self), params)
        if not fine:
            super()._validate_params()  # finds the same, and words the error

    def _check_classes(self, classes: Labels) -> None:
        """Check parameters that depend on the class labels; nothing by default."""

    def _decide(
        self,
        labelled: LabelledSet,
        allowed: npt.NDArray[np.bool_],
        stream: Stream,
        terms: Terms,
    ) -> Utilities:
        allowed = terms.limits.apply(labelled, allowed)
        unseen = allowed & (labelled.counts_with_pending == 0)
        if unseen.any():
            utilities = np.where(unseen, np.inf, 0.0)
        elif len(labelled) == 0:
            # All classes are under way and nothing is known: spread what is asked for.
            utilities = 1.0 / (1.0 + labelled.counts_with_pending)
        else:
            utilities = np.array(self.utilities(labelled, stream), dtype=np.float64)
            self._check_utilities(utilities, labelled.n_classes)
            utilities = terms.weigh(utilities, self.weighs)
        utilities[~allowed] = np.nan
        return utilities

    def _check_utilities(self, utilities: Utilities, n_classes: int) -> None:
        name = type(self).__name__
        if utilities.shape != (n_classes,):
            raise ValueError(
                f"{name}.utilities returned shape {utilities.shape}; return one utility for each "
                f"of the {n_classes} classes."
            )
        if not np.isfinite(utilities).all() or (self.drawn and (utilities < 0).any()):
            raise ValueError(
                f"{name}.utilities returned {utilities.tolist()}; utilities must be finite, and "
                "where a class is drawn by them, not negative."
            )


@lru_cache(maxsize=256)
def _remembered(strategy: type[Strategy], params: tuple[tuple[str, type[Any], Any], ...]) -> bool:
    return _satisfied(strategy, {name: value for name, _, value in params})


def _satisfied(strategy: type[Strategy], params: Mapping[str, Any]) -> bool:
    return all(
        any(constraint.is_satisfied_by(params[name]) for constraint in constraints)
        for name, constraints in _constraints(strategy).items()
        if name in params
    )


@cache
def _constraints(strategy: type[Strategy]) -> dict[str, list[Any]]:
    return {
        name: [make_constraint(constraint) for constraint in constraints]
        for name, constraints in strategy._parameter_constraints.items()
        if isinstance(constraints, list)  # else the text "no_validation"
    }


@njit(cache=True, nogil=True)
def pick_class(utilities: Utilities, drawn: bool, stream: Stream) -> int:
    """Pick a class code from utilities (n_classes,), NaN where none may be picked."""
    best = -np.inf
    total = 0.0
    ties = 0

    for c in range(utilities.shape[0]):
        if np.isnan(utilities[c]):
            continue

        total += utilities[c]
        if utilities[c] > best:
            best, ties = utilities[c], 1
        elif utilities[c] == best:
            ties += 1
    u = uniform(stream, PICK, 0)
    if drawn and 0.0 < total < np.inf:
        mark = u * total
        last = 0
        for c in range(utilities.shape[0]):
            if utilities[c] > 0.0:
                last = c
                mark -= utilities[c]
                if mark < 0.0:
                    break
        return last
    place = int(u * ties)
    for c in range(utilities.shape[0]):
        if utilities[c] == best:
            if place == 0:
                return c
            place -= 1
    return -1


def _check_candidates(candidates: npt.ArrayLike | None, classes: Labels) -> npt.NDArray[np.bool_]:
    allowed = np.zeros(len(classes), dtype=np.bool_)
    if candidates is None:
        allowed[:] = True
        return allowed
    codes = encode(candidates, classes, "candidates")
    if len(codes) == 0:
        raise ValueError(
            "candidates is empty; name at least one class, or leave it out to allow them all."
        )
    allowed[codes] = True
    return allowed
