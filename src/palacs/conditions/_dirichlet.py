"""How often classes will occur in use, where that is only a guess."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from palacs.checks import check_number, check_numbers


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
        prior = check_number(prior, "prior")
        seen = check_numbers(counts, "counts", or_zero=True)
        return cls({label: count + prior for label, count in seen.items()})

    @property
    def mean(self) -> dict[Any, float]:
        """The expected proportions."""
        total = sum(self.concentration.values())
        return {label: value / total for label, value in self.concentration.items()}
