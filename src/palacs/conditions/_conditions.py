"""The conditions of real acquisition: one value, understood by every strategy and campaign.

`Conditions` says what an acquisition costs, how often each class will occur in use, what
mistakes cost and which requests are out of the question. It is checked when it is made and can
be written as JSON. `Strategy.query` takes it, so no strategy needs parameters of its own for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from palacs.checks import Features, check_count, check_mapping, check_numbers
from palacs.conditions._by_label import (
    check_some,
    mistakes_of_labels,
    places_of,
    plain_labels,
    plain_mistakes,
    spread,
)
from palacs.conditions._class_conditions import ClassConditions
from palacs.conditions._dirichlet import DirichletGuess
from palacs.conditions._limits import AtLeastEvery, Caps, Limit, MaxRepeat
from palacs.conditions._written import BY_LABEL, by_label, read_conditions, write_conditions
from palacs.views import html_view

DURATIONS = "durations"
Mistakes = Mapping[Any, Mapping[Any, float]] | Sequence[Sequence[float]]


@dataclass(frozen=True)
class Conditions:
    """Under which conditions instances are acquired and the model will be used.

    All fields are optional and combine. A mapping may leave classes out (a class that appears
    later): they count as the average of those named. A label that is no class is an error.

    A subclass may add fields of its own and turn them into limits (`limits_of`); one that maps
    labels says ``"by_label": True`` in its metadata. Written to a record, it is found again by the
    entry point group ``palacs.conditions``.

    Parameters
    ----------
    costs : mapping, "durations" or None
        Label -> cost of one acquisition, positive; "durations" lets a campaign learn them from
        the durations it has recorded, see `learn_costs`. Utilities are divided by it: the most gain
        per cost is picked, or a class drawn in proportion to utility per cost.
    proportions : mapping, DirichletGuess or None
        How often each class will occur in use; they need not sum to one. They weight the gains;
        the model takes them as ``ParzenWindowClassifier(class_prior=...)``.
    mistakes : array-like of shape (n_classes, n_classes), mapping or None
        Cost of each decision (column) for each true class (row), in the order of ``classes``;
        or true label -> decided label -> cost, where pairs not named cost 1.
    caps : mapping or None
        Label -> most instances, those under way included. Classes not named have no cap.
    max_repeat : int or None
        Never request a class more than so many times in a row.
    at_least_every : int or None
        Request each candidate at least once in every so many requests.

    Examples
    --------
    >>> from palacs import Conditions, PALACS
    >>> X, y = [[0.1], [0.7], [0.8]], ["rest", "left", "right"]
    >>> conditions = Conditions(costs={"rest": 1, "left": 1, "right": 5}, max_repeat=2)
    >>> PALACS(random_state=0).query(X, y, batch_size=3, conditions=conditions).shape
    (3,)
    >>> Conditions.from_dict(conditions.to_dict()) == conditions
    True
    """

    costs: Mapping[Any, float] | Literal["durations"] | None = field(
        default=None,
        metadata={"help": 'what one acquisition of each class costs, or "durations"', **BY_LABEL},
    )
    proportions: Mapping[Any, float] | DirichletGuess | None = field(
        default=None, metadata={"help": "how often each class will occur in use", **BY_LABEL}
    )
    mistakes: Mistakes | None = field(
        default=None, metadata={"help": "what each wrong decision costs, for each true class"}
    )
    caps: Mapping[Any, int] | None = field(
        default=None, metadata={"help": "most instances of a class", **BY_LABEL}
    )
    max_repeat: int | None = field(
        default=None, metadata={"help": "never the same class more often in a row"}
    )
    at_least_every: int | None = field(
        default=None, metadata={"help": "each class at least once in so many requests"}
    )

    def __post_init__(self) -> None:
        checked: dict[str, Any] = {}
        if isinstance(self.costs, str):
            if self.costs != DURATIONS:
                raise ValueError(
                    f'costs must map labels to numbers or be "durations", got {self.costs!r}.'
                )
        elif self.costs is not None:
            checked["costs"] = check_numbers(self.costs, "costs")
        if self.proportions is not None and not isinstance(self.proportions, DirichletGuess):
            checked["proportions"] = check_numbers(self.proportions, "proportions", or_zero=True)
            check_some(checked["proportions"], "proportions")
        if self.mistakes is not None:
            checked["mistakes"] = plain_mistakes(self.mistakes)
        if self.caps is not None:
            checked["caps"] = {
                label: check_count(cap, f"caps[{label!r}]", minimum=0)
                for label, cap in check_mapping(self.caps, "caps").items()
            }
        if self.max_repeat is not None:
            checked["max_repeat"] = check_count(self.max_repeat, "max_repeat")
        if self.at_least_every is not None:
            every = check_count(self.at_least_every, "at_least_every", minimum=2)
            checked["at_least_every"] = every
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @classmethod
    def help_texts(cls) -> dict[str, str]:
        """Return one line about each field, for help texts and forms."""
        return {each.name: str(each.metadata.get("help", "")) for each in fields(cls)}

    @property
    def weighing(self) -> bool:
        """Whether classes weigh differently: by costs, proportions or mistakes."""
        return not (self.costs is None and self.proportions is None and self.mistakes is None)

    def limits_only(self) -> Conditions:
        """Return the same limits without costs, proportions and mistakes."""
        return replace(self, costs=None, proportions=None, mistakes=None)

    def of(self, classes: npt.ArrayLike) -> ClassConditions:
        """Lay the conditions out in the order of the classes (n_classes,)."""
        return ClassConditions(
            None if self.costs is None else self.cost_of(classes),
            self.share_of(classes) * len(plain_labels(classes)) if self.weighing else None,
            None if self.mistakes is None else self.mistakes_of(classes),
            self.limits_of(classes),
        )

    def limits_of(self, classes: npt.ArrayLike) -> tuple[Limit, ...]:
        """Return the limits in the order of the classes; a subclass adds its own to them."""
        limits: list[Limit] = []
        if self.caps:
            places = places_of(self.caps, plain_labels(classes), "caps")
            limits.append(Caps({places[label]: cap for label, cap in self.caps.items()}))
        if self.max_repeat is not None:
            limits.append(MaxRepeat(self.max_repeat))
        if self.at_least_every is not None:
            limits.append(AtLeastEvery(self.at_least_every))
        return tuple(limits)

    def cost_of(self, classes: npt.ArrayLike) -> Features:
        """Return the cost of one acquisition of each class, shape (n_classes,); 1 without costs."""
        labels = plain_labels(classes)
        if isinstance(self.costs, str):
            raise ValueError(
                'costs="durations" are learned by a campaign from what it has recorded; elsewhere '
                "give numbers, learn_costs finds them."
            )
        return np.ones(len(labels)) if self.costs is None else spread(self.costs, labels, "costs")

    def share_of(self, classes: npt.ArrayLike) -> Features:
        """Return the expected share of each class in use, shape (n_classes,); sums to one."""
        labels = plain_labels(classes)
        given = self.proportions
        if given is None:
            return np.full(len(labels), 1.0 / len(labels))
        known = given.concentration if isinstance(given, DirichletGuess) else given
        shares = spread(known, labels, "proportions")
        if not shares.any():
            raise ValueError(f"proportions leave no share to {labels}; some class must occur.")
        normalised: Features = shares / shares.sum()
        return normalised

    def mistakes_of(self, classes: npt.ArrayLike) -> Features:
        """Return the cost of mistakes (n_classes, n_classes): row true, column decided."""
        return mistakes_of_labels(self.mistakes, plain_labels(classes))

    def decide(self, proba: npt.ArrayLike, classes: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the decisions of least expected cost of mistakes, shape (n,).

        Parameters
        ----------
        proba : array-like of shape (n, n_classes)
            Class probabilities, in the order of ``classes``.
        classes : array-like of shape (n_classes,)
        """
        labels = np.asarray(classes)
        expected = np.asarray(proba, dtype=np.float64) @ self.mistakes_of(labels)
        decided: npt.NDArray[Any] = labels[expected.argmin(axis=1)]
        return decided

    def relabelled(self, names: Mapping[Any, Any]) -> Conditions:
        """Return the same conditions with every label replaced, as codes for names."""

        def new(label: Any) -> Any:
            places_of([label], list(names), "conditions")
            return names[label]

        def renamed(given: Mapping[Any, Any]) -> dict[Any, Any]:
            return {new(label): value for label, value in given.items()}

        changed: dict[str, Any] = {}
        for name in by_label(type(self)):
            given = getattr(self, name)
            if isinstance(given, DirichletGuess):
                changed[name] = DirichletGuess(renamed(given.concentration))
            elif isinstance(given, Mapping):
                changed[name] = renamed(given)
        if isinstance(self.mistakes, Mapping):
            changed["mistakes"] = {new(y): renamed(row) for y, row in self.mistakes.items()}
        return replace(self, **changed)

    def _repr_html_(self) -> str:
        rows = [(name, _in_words(value)) for name, value in self.to_dict().items()]
        return html_view("Conditions", rows or [("none", "all classes alike, no limits")])

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values; fields that are not set are left out."""
        return write_conditions(self, Conditions)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Conditions:
        """Rebuild conditions from what `to_dict` wrote, or from a hand-written JSON object."""
        conditions: Conditions = read_conditions(plain, cls)
        return conditions


def _in_words(value: Any) -> str:
    """Return a written value for a reader: pairs as "label: value"."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_in_words(item)}" for key, item in value.items())
    if isinstance(value, list) and all(isinstance(item, list) and len(item) == 2 for item in value):
        return ", ".join(f"{key}: {_in_words(item)}" for key, item in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def class_conditions(conditions: Conditions | None, classes: npt.ArrayLike) -> ClassConditions:
    """Lay conditions, or none, out in the order of the classes (n_classes,)."""
    if conditions is None:
        return ClassConditions()
    if not isinstance(conditions, Conditions):
        raise ValueError(
            f"conditions={conditions!r} are no palacs.Conditions; Conditions.from_dict reads a "
            "dictionary."
        )
    return conditions.of(classes)
