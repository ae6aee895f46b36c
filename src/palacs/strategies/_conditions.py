"""The conditions of real acquisition: one value, understood by every strategy and campaign.

`Conditions` says what an acquisition costs, how often each class will occur in use, what
mistakes cost and which requests are out of the question. It is checked when it is made and can
be written as JSON. `Strategy.query` takes it, so no strategy needs parameters of its own for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from numbers import Real
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from palacs._mistakes import check_mistakes
from palacs._validation import Features, check_count
from palacs.strategies._condition_values import (
    check_mapping,
    check_number,
    check_numbers,
    from_pairs,
    mistakes_from_pairs,
    places_of,
    plain_labels,
    plain_mistakes,
    spread,
    to_pairs,
)
from palacs.strategies._labelled import Labels

DURATIONS = "durations"
Mistakes = Mapping[Any, Mapping[Any, float]] | Sequence[Sequence[float]]


@dataclass(frozen=True)
class DirichletGuess:
    """An uncertain guess of how often each class will occur in use.

    The expected error of a model in use is linear in the proportions, so its expectation under
    a Dirichlet distribution is exactly the error at the distribution's mean: a guess weights
    gains and decisions as its mean does. What its strength changes is how near to equal that
    mean is, and how much a few counts from the field move it.

    Parameters
    ----------
    concentration : mapping
        Label -> positive concentration parameter.

    Examples
    --------
    Eight of ten instances seen in the field were of one class; a weak belief in equal
    proportions keeps that from being taken at its word.

    >>> from palacs import DirichletGuess
    >>> guess = DirichletGuess.from_counts({"rest": 8, "left": 1, "right": 1})
    >>> {label: round(share, 2) for label, share in guess.mean.items()}
    {'rest': 0.69, 'left': 0.15, 'right': 0.15}
    """

    concentration: Mapping[Any, float]

    def __post_init__(self) -> None:
        checked = check_numbers(self.concentration, "concentration")
        object.__setattr__(self, "concentration", checked)

    @classmethod
    def from_counts(cls, counts: Mapping[Any, float], prior: float = 1.0) -> DirichletGuess:
        """Return the guess after seeing so many of each class in use, starting from equal."""
        if isinstance(prior, bool) or not isinstance(prior, Real) or not 0 < prior < np.inf:
            raise ValueError(f"prior must be a positive number, got {prior!r}; 1 is usual.")
        seen = check_numbers(counts, "counts", or_zero=True)
        return cls({label: count + float(prior) for label, count in seen.items()})

    @property
    def mean(self) -> dict[Any, float]:
        """The expected proportions."""
        total = sum(self.concentration.values())
        return {label: value / total for label, value in self.concentration.items()}


@dataclass(frozen=True)
class Conditions:
    """Under which conditions instances are acquired and the model will be used.

    All fields are optional and combine. A mapping may leave classes out (a class that appears
    later): they count as the average of those named. A label that is no class is an error.

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

    costs: Mapping[Any, float] | Literal["durations"] | None = None
    proportions: Mapping[Any, float] | DirichletGuess | None = None
    mistakes: Mistakes | None = None
    caps: Mapping[Any, int] | None = None
    max_repeat: int | None = None
    at_least_every: int | None = None

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
            shares = check_numbers(self.proportions, "proportions", or_zero=True)
            if not any(shares.values()):
                raise ValueError(f"proportions={shares} are all zero; some class must occur.")
            checked["proportions"] = shares
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
            checked["at_least_every"] = check_count(
                self.at_least_every, "at_least_every", minimum=2
            )
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def weighing(self) -> bool:
        """Whether classes weigh differently: by costs, proportions or mistakes."""
        return not (self.costs is None and self.proportions is None and self.mistakes is None)

    def limits_only(self) -> Conditions:
        """Return the same limits without costs, proportions and mistakes."""
        return replace(self, costs=None, proportions=None, mistakes=None)

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
        labels = plain_labels(classes)
        if not isinstance(self.mistakes, Mapping):
            given = 1.0 - np.eye(len(labels)) if self.mistakes is None else self.mistakes
            return check_mistakes(given, len(labels))
        matrix = 1.0 - np.eye(len(labels))
        named = [*self.mistakes, *(label for row in self.mistakes.values() for label in row)]
        places = places_of(named, labels, "mistakes")
        for truth, row in self.mistakes.items():
            for decided, cost in row.items():
                matrix[places[truth], places[decided]] = cost
        return check_mistakes(matrix, len(labels))

    def decide(self, proba: npt.ArrayLike, classes: npt.ArrayLike) -> Labels:
        """Return the decisions of least expected cost of mistakes, shape (n,).

        Parameters
        ----------
        proba : array-like of shape (n, n_classes)
            Class probabilities, in the order of ``classes``.
        classes : array-like of shape (n_classes,)
        """
        labels = np.asarray(classes)
        expected = np.asarray(proba, dtype=np.float64) @ self.mistakes_of(labels)
        decided: Labels = labels[expected.argmin(axis=1)]
        return decided

    def relabelled(self, names: Mapping[Any, Any]) -> Conditions:
        """Return the same conditions with every label replaced, as codes for names."""

        def new(label: Any) -> Any:
            places_of([label], list(names), "conditions")
            return names[label]

        def renamed(given: Mapping[Any, Any]) -> dict[Any, Any]:
            return {new(label): value for label, value in given.items()}

        changed: dict[str, Any] = {}
        for name in ("costs", "proportions", "caps"):
            given = getattr(self, name)
            if isinstance(given, DirichletGuess):
                changed[name] = DirichletGuess(renamed(given.concentration))
            elif isinstance(given, Mapping):
                changed[name] = renamed(given)
        if isinstance(self.mistakes, Mapping):
            changed["mistakes"] = {new(y): renamed(row) for y, row in self.mistakes.items()}
        return replace(self, **changed)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values; fields that are not set are left out."""
        plain: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None:
                continue
            if isinstance(value, DirichletGuess):
                plain["dirichlet"] = to_pairs(value.concentration)
            elif field.name == "mistakes" and isinstance(value, Mapping):
                plain["mistakes"] = to_pairs({label: to_pairs(row) for label, row in value.items()})
            elif isinstance(value, Mapping):
                plain[field.name] = to_pairs(value)
            else:
                plain[field.name] = (
                    [list(row) for row in value] if field.name == "mistakes" else value
                )
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Conditions:
        """Rebuild conditions from what `to_dict` wrote, or from a hand-written JSON object."""
        if not isinstance(plain, Mapping):
            raise ValueError(f"conditions must be an object of fields, got {plain!r}.")
        known = [field.name for field in fields(cls)]
        unknown = set(plain) - {*known, "dirichlet"}
        if unknown:
            raise ValueError(
                f"conditions name {sorted(map(str, unknown))[0]!r}, which is no field; the fields "
                f"are {', '.join(known)}, and dirichlet for uncertain proportions."
            )
        values = {name: plain[name] for name in known if plain.get(name) is not None}
        for name in ("costs", "proportions", "caps"):
            if name in values:
                values[name] = from_pairs(values[name])
        if "mistakes" in values:
            values["mistakes"] = mistakes_from_pairs(values["mistakes"])
        if plain.get("dirichlet") is not None:
            if "proportions" in values:
                raise ValueError(
                    "conditions give both proportions and dirichlet; give known numbers or an "
                    "uncertain guess, not both."
                )
            values["proportions"] = DirichletGuess(from_pairs(plain["dirichlet"]))
        return cls(**values)


def learn_costs(
    durations: Mapping[Any, Iterable[float]], *, strength: float = 1.0
) -> dict[Any, float]:
    """Estimate the cost of one acquisition of each class from recorded durations or prices.

    The mean of a class is drawn towards the mean of all recordings as if ``strength`` recordings
    of that length had been made: one slow recording is not yet a slow class.

    Parameters
    ----------
    durations : mapping
        Label -> recorded values, positive; a class may have none.
    strength : float, default=1.0

    Returns
    -------
    costs : dict
        For ``Conditions(costs=...)``.

    Examples
    --------
    >>> from palacs import learn_costs
    >>> learn_costs({"rest": [2.0, 2.0, 2.0], "left": [6.0], "right": []})
    {'rest': 2.25, 'left': 4.5, 'right': 3.0}
    """
    if isinstance(strength, bool) or not isinstance(strength, Real) or not 0 < strength < np.inf:
        raise ValueError(f"strength must be a positive number, got {strength!r}; 1 is usual.")
    recorded = {
        label: list(values) for label, values in check_mapping(durations, "durations").items()
    }
    for label, values in recorded.items():
        for value in values:
            check_number(value, f"durations[{label!r}]")
    everything = [float(value) for values in recorded.values() for value in values]
    if not everything:
        raise ValueError(
            "durations holds no recording at all; record one before costs are learned."
        )
    overall = sum(everything) / len(everything)
    return {
        label: (sum(map(float, values)) + strength * overall) / (len(values) + strength)
        for label, values in recorded.items()
    }
