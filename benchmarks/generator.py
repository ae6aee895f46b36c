"""Which class to generate next: class selection against equal generation, on pictures of digits.

A small generative model per class (the principal components of its pictures, and a Gaussian over
them) stands for whatever generator you have. Each repetition splits the real pictures in half: the
generators are fitted on one, what was generated is judged on the other. Both ways of asking begin
with the same generators, and the model is the campaign's own.

    python benchmarks/generator.py [--repetitions 30] [--budget 200] [--mixed]

With ``--mixed`` one generator is bad: the pictures of 8 come out blurred towards those of 3, as
generators do that have seen too few.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from palacs.campaign import Campaign, Request, Run, create_campaign
from palacs.strategies import SpareSettled, Strategy, UniformSelection

Array = npt.NDArray[np.float64]

COMPONENTS = 20
BLUR = 0.35  # how far a bad generator's pictures are on the way to another class
SIZES = (20, 40, 80, 120, 160, 200)


@dataclass(frozen=True)
class Generator:
    """Pictures of one class: a Gaussian over their principal components."""

    mean: Array
    axes: Array
    scales: Array

    @classmethod
    def fit(cls, X: Array) -> Generator:
        """Learn from pictures of shape (n, 64)."""
        mean = X.mean(axis=0)
        _, singular, axes = np.linalg.svd(X - mean, full_matrices=False)
        scales = singular[:COMPONENTS] / np.sqrt(len(X) - 1)
        return cls(mean, axes[:COMPONENTS], scales)

    def sample(self, random: np.random.Generator) -> Array:
        """Return one picture, shape (64,)."""
        picture = self.mean + (random.normal(size=self.scales.size) * self.scales) @ self.axes
        return np.clip(picture, 0.0, 16.0)


class Generators:
    """A source: one generator per class."""

    def __init__(self, X: Array, y: npt.NDArray[Any], seed: int, *, mixed: bool) -> None:
        self.random = np.random.default_rng(seed)
        self.by_class = {str(c): Generator.fit(X[y == c]) for c in np.unique(y)}
        self.mixed = mixed

    def acquire(self, request: Request) -> Array:
        """Generate one picture of the class asked for."""
        picture = self.by_class[str(request.label)].sample(self.random)
        if self.mixed and request.label == "8":
            picture = (1 - BLUR) * picture + BLUR * self.by_class["3"].sample(self.random)
        return picture


def curve(strategy: Strategy, split: list[Any], seed: int, args: argparse.Namespace) -> list[float]:
    """Return the error on real pictures at each of `SIZES`."""
    X, X_test, y, y_test = split
    source = Generators(X, y, seed, mixed=args.mixed)
    labels = [str(digit) for digit in range(10)]
    found: list[float] = []
    with create_campaign(
        "digits", labels, strategy=strategy, storage="memory", seed=seed, bounds=(0, 16)
    ) as campaign:
        for size in (size for size in SIZES if size <= args.budget):
            grow(campaign, source, size)
            found.append(float(np.mean(campaign.model().predict(X_test) != y_test.astype(str))))
    return found


def grow(campaign: Campaign, source: Generators, size: int) -> Run:
    """Generate until there are so many."""
    return campaign.run(source, until=size - campaign.status().instances, progress=False)


def interval(differences: Array) -> tuple[float, float]:
    """Return the mean of paired differences and half the width of its 95 % interval."""
    half = stats.t.ppf(0.975, len(differences) - 1) * stats.sem(differences)
    return float(differences.mean()), float(half)


def main() -> None:
    """Print the two curves, and their difference with its interval."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=30)
    parser.add_argument("--budget", type=int, default=200)
    parser.add_argument("--mixed", action="store_true", help="One generator is bad.")
    args = parser.parse_args()
    X, y = load_digits(return_X_y=True)
    errors = np.empty((2, args.repetitions, sum(size <= args.budget for size in SIZES)))
    for seed in range(args.repetitions):
        split = train_test_split(X, y, test_size=0.5, random_state=seed, stratify=y)
        for which, strategy in enumerate((UniformSelection(), SpareSettled())):
            errors[which, seed] = curve(strategy, split, seed, args)
    print("generated  equal   spare-settled  difference (95 % interval)")
    for at, size in enumerate(SIZES[: errors.shape[2]]):
        equal, chosen = errors[0, :, at], errors[1, :, at]
        mean, half = interval(chosen - equal)
        print(
            f"{size:>9}  {equal.mean():6.2%}  {chosen.mean():13.2%}  {mean:+.2%} ± {half:.2%}"
            f"{'' if abs(mean) > half else '  (none to be seen)'}"
        )


if __name__ == "__main__":
    main()
