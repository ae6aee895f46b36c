"""The base class of all strategies: from a labelled set to the classes to request next.

A strategy implements one method, `utilities`. Everything else (labels, candidates, cold start,
pending requests, batches, ties, seeds) is done once, here, and holds for all of them. Nothing is
remembered between two decisions: the answer is a function of the labelled set in acquisition
order, of what is pending, of the parameters and of the seed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, ClassVar, Literal, overload

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from palacs.arrays import is_tensor, like
from palacs.checks import check_count, parameters_allowed
from palacs.compiled import without_compiling
from palacs.conditions import (
    ClassConditions,
    Conditions,
    Requests,
    apply_limits,
    class_conditions,
)
from palacs.evidence import LabelledSet, Labels, Origin, check_labelled_set
from palacs.strategies._pick import Pick, Utilities, check_candidates, pick_class
from palacs.stream import Stream, seed_of


class _Once:
    """Stands for instances that are known for one query."""


class Strategy(BaseEstimator, ABC):
    """Turns a labelled set into one utility per class, and picks.

    To write a strategy, subclass, assign parameters in ``__init__`` (and nothing else, as in
    scikit-learn), describe them in ``_parameter_constraints`` and implement `utilities`.

    Attributes
    ----------
    drawn : bool
        Class attribute. False: the class of highest utility is picked, ties at random. True:
        the class is drawn with probability proportional to its utility.

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

    def utilities_in_use(
        self, labelled: LabelledSet, stream: Stream, conditions: ClassConditions
    ) -> Utilities:
        """Return one utility per class and cost, where classes weigh differently in use.

        Called instead of `utilities` where conditions weigh. By default utilities are multiplied
        by what the conditions say about each class; override it to take them into account where
        the utilities are made.

        Parameters
        ----------
        labelled : LabelledSet
        stream : Stream
        conditions : ClassConditions

        Returns
        -------
        utilities : ndarray of shape (n_classes,)
        """
        return conditions.weigh(self._checked(self.utilities(labelled, stream), labelled))

    def reason(self, pick: Pick) -> str | None:
        """Say why a class was picked, as the rest of a sentence such as "left is asked for".

        Called when utilities decided, never where a class had no instance yet. Whether chance had
        a part in it is added by whoever asks.

        Returns
        -------
        reason : str or None
            "because ..."; None leaves it to the strategy's line in the table.
        """
        return None

    def compiled_form(self, n_features: int) -> Any | None:
        """Return this strategy for compiled loops, see `palacs.strategies.decides_for`.

        Returns
        -------
        form : NamedTuple or None
            None: it must be asked step by step. A subclass does not inherit a form: it may
            decide differently.
        """
        return None

    def takes_tensors(self) -> bool:
        """Whether `utilities` takes a labelled set whose ``X`` is a torch tensor, where it lies.

        Returns
        -------
        takes : bool
            False, the default: a tensor is brought to the CPU as an array first.
        """
        return False

    @overload
    def query(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        *,
        classes: npt.ArrayLike | None = ...,
        candidates: npt.ArrayLike | None = ...,
        pending: npt.ArrayLike | None = ...,
        requested: npt.ArrayLike | None = ...,
        batch_size: int = ...,
        conditions: Conditions | None = ...,
        scale: bool = ...,
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
        requested: npt.ArrayLike | None = ...,
        batch_size: int = ...,
        conditions: Conditions | None = ...,
        scale: bool = ...,
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
        requested: npt.ArrayLike | None = None,
        batch_size: int = 1,
        conditions: Conditions | None = None,
        scale: bool = False,
        return_utilities: bool = False,
    ) -> Labels | tuple[Labels, Utilities]:
        """Say which classes to request next.

        Candidates without an instance and without a pending request come first, in random
        order.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            The instances acquired so far, in the order of acquisition; may be empty. A torch
            tensor is computed where it lies by strategies that can, else on the CPU.
        y : array-like of shape (n,)
            Their classes.
        classes : array-like of shape (n_classes,), default=None
            All class labels; None takes those in ``y``, sorted.
        candidates : array-like or None, default=None
            The classes that may be requested now; None means all.
        pending : array-like or None, default=None
            Classes already requested whose instances have not arrived. They count as if they
            had.
        requested : array-like or None, default=None
            All classes in the order in which they were requested, those that failed included;
            limits look at it. None takes the order of ``y``, then of ``pending``: right where
            nobody works in parallel.
        batch_size : int, default=1
            How many classes to request. Each pick counts as pending for the next.
        conditions : Conditions or None, default=None
            Costs, proportions in use, costs of mistakes, and limits.
        scale : bool, default=False
            Whether to scale each feature to [0, 1] by its range in ``X`` first, as campaigns and
            comparisons do: strategies that compare distances otherwise take the units of the
            features as they are, and one of large numbers decides alone.
        return_utilities : bool, default=False
            Also return the utilities.

        Returns
        -------
        labels : ndarray of shape (batch_size,)
        utilities : ndarray of shape (n_classes,)
            Only with ``return_utilities``: the utility of every class before the first pick, per
            cost where costs are given, in the order of ``classes``; NaN for classes that are no
            candidates or not allowed by the limits now, infinite for those that have no instance
            yet and none pending. A tensor beside ``X`` where that is one.
        """
        self._validate_params()
        tensors = self.takes_tensors()
        labelled = check_labelled_set(
            X, y, classes, pending, requested, scale=scale, tensors=tensors
        )
        labels, utilities = self.query_labelled(
            labelled, candidates=candidates, batch_size=batch_size, conditions=conditions
        )
        if not return_utilities:
            return labels
        return labels, like(utilities, X) if is_tensor(X) else utilities

    def query_labelled(
        self,
        labelled: LabelledSet,
        *,
        candidates: npt.ArrayLike | None = None,
        batch_size: int = 1,
        conditions: Conditions | None = None,
    ) -> tuple[Labels, Utilities]:
        """Say which classes to request next, for code that has checked what it knows.

        Parameters
        ----------
        labelled : LabelledSet
            With its ``origin``, where one decision follows the other: what did not change is then
            not worked out again.
        candidates, batch_size, conditions
            As in `query`.

        Returns
        -------
        labels : ndarray of shape (batch_size,)
        utilities : ndarray of shape (n_classes,)
            As in `query`.
        """
        self._validate_params()
        self._check_classes(labelled.classes)
        in_force = class_conditions(conditions, labelled.classes)
        self._check_conditions(in_force, labelled.n_classes)
        allowed = check_candidates(candidates, labelled.classes)
        batch_size = check_count(batch_size, "batch_size")
        if batch_size > 1 and labelled.origin is None:
            # What one pick has found out serves the next.
            rows = np.arange(len(labelled))
            labelled = replace(labelled, origin=Origin(_Once(), rows))
        seed = seed_of(self.random_state)
        picks: list[int] = []
        first: Utilities | None = None
        # Costs of mistakes may take long; the compiler shortens that most.
        with without_compiling(np.inf if in_force.weighing else len(labelled)):
            while len(picks) < batch_size:
                if picks:
                    labelled = labelled.with_pending(picks[-1])
                stream = Stream(seed, np.uint64(len(labelled) + len(labelled.pending)))
                utilities = self._decide(labelled, allowed, stream, in_force)
                first = utilities if first is None else first
                picks.append(int(pick_class(utilities, self.drawn, stream)))
        labels: Labels = labelled.classes[picks]
        assert first is not None
        return labels, first

    def quotas(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        n: int,
        *,
        classes: npt.ArrayLike | None = None,
        candidates: npt.ArrayLike | None = None,
        pending: npt.ArrayLike | None = None,
        requested: npt.ArrayLike | None = None,
        conditions: Conditions | None = None,
        scale: bool = False,
    ) -> dict[Any, int]:
        """Say how many instances of each class to acquire in a session of ``n``.

        Parameters
        ----------
        X, y, classes, candidates, pending, requested, conditions, scale
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
        known = check_labelled_set(X, y, classes, pending, tensors=True).classes
        picks = self.query(
            X,
            y,
            classes=known,
            candidates=candidates,
            pending=pending,
            requested=requested,
            batch_size=check_count(n, "n"),
            conditions=conditions,
            scale=scale,
        ).tolist()
        return {label: picks.count(label) for label in known.tolist()}

    def _validate_params(self) -> None:
        """Check the parameters as scikit-learn does, but at the pace of a decision."""
        if not parameters_allowed(type(self), vars(self)):
            super()._validate_params()  # finds the same, and words the error

    def _check_classes(self, classes: Labels) -> None:
        """Check parameters that depend on the class labels; nothing by default."""

    def _check_conditions(self, conditions: ClassConditions, n_classes: int) -> None:
        """Refuse conditions the strategy cannot work under; nothing by default."""

    def _decide(
        self,
        labelled: LabelledSet,
        allowed: npt.NDArray[np.bool_],
        stream: Stream,
        conditions: ClassConditions,
    ) -> Utilities:
        if conditions.limits:
            counts = labelled.counts_with_pending
            requests = Requests(labelled.requested, counts, labelled.classes)
            allowed = apply_limits(conditions.limits, requests, allowed)
        unseen = allowed & (labelled.counts_with_pending == 0)
        if unseen.any():
            utilities = np.where(unseen, np.inf, 0.0)
        elif len(labelled) == 0:
            # All classes are under way and nothing is known: spread what is asked for.
            utilities = 1.0 / (1.0 + labelled.counts_with_pending)
        elif conditions.weighing:
            found = self.utilities_in_use(labelled, stream, conditions)
            utilities = self._checked(found, labelled)
        else:
            utilities = self._checked(self.utilities(labelled, stream), labelled)
        utilities[~allowed] = np.nan
        return utilities

    def _checked(self, found: Utilities, labelled: LabelledSet) -> Utilities:
        """Return what a strategy returned as a new array, or say what is wrong with it."""
        utilities = np.array(found, dtype=np.float64)
        name, n_classes = type(self).__name__, labelled.n_classes
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
        return utilities
