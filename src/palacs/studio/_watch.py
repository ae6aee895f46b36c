"""Watch it work: one trial of a strategy on a problem in the plane, step by step for the page.

The same seed gives the same sample and the same first instances to every strategy, so that two
trials side by side differ only in what was asked for. A trial is a pure function of its address:
it is computed when somebody looks, one at a time, and kept.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from fastapi import APIRouter, Query
from pydantic import Field

from palacs.checks import Codes, Features
from palacs.datasets import load
from palacs.evidence import default_model, normalise
from palacs.storage import ForkSafeLock
from palacs.strategies import available, make
from palacs.studio._answers import Answer

router = APIRouter(prefix="/api/v1", tags=["watch"])

Problem = Literal["Spirals", "3Clusters", "Bars", "Rings", "Modes"]
Watched = Literal[
    "spare-settled",
    "pal-acs",
    "balanced-gain",
    "uniform",
    "random",
    "inverse",
    "improvement",
    "redistricting",
]
PROBLEMS: tuple[Problem, ...] = get_args(Problem)
WATCHED: tuple[Watched, ...] = get_args(Watched)

REQUESTS = 60
"""After the first instance of every class."""
_SIDE = 40
_MARGIN = 0.04
_TESTED = 100
_one_at_a_time = ForkSafeLock()


class TrialOut(Answer):
    """A trial, from the first instance of every class on."""

    problem: str
    about: str
    title: Annotated[str, Field(description="Of the strategy.")]
    seed: int
    classes: list[str]
    points: Annotated[list[list[float]], Field(description="All instances, scaled to [0, 1].")]
    labels: Annotated[list[int], Field(description="Their classes, as places in `classes`.")]
    errors: Annotated[list[float], Field(description="With the first instances, then after each.")]
    side: int
    low: float
    high: float
    regions: Annotated[
        list[str], Field(description="Class of each cell, row by row from the lowest, per step.")
    ]


@router.get("/watch", response_model=TrialOut)
def watch(
    problem: Annotated[Problem, Query()] = "Spirals",
    strategy: Annotated[Watched, Query()] = "spare-settled",
    seed: Annotated[int, Query(ge=0, le=999)] = 0,
) -> dict[str, Any]:
    """Return a trial of a strategy on a problem in the plane."""
    with _one_at_a_time:
        return trial(problem, strategy, seed)


@lru_cache(maxsize=200)
def trial(problem: Problem, strategy: Watched, seed: int) -> dict[str, Any]:
    """Play a trial.

    Examples
    --------
    >>> seen = trial("3Clusters", "uniform", 0)
    >>> len(seen["errors"]), len(seen["labels"]), len(seen["regions"][0])
    (61, 63, 1600)
    """
    dataset = load(problem, random_state=seed)
    queues, X_test, y_test = deal(normalise(dataset.X), dataset.y)
    asks, n_classes = make(strategy, random_state=seed), len(queues)
    codes = np.random.default_rng([seed, 5]).permutation(n_classes).tolist()
    X = np.array([queues[code][0] for code in codes])
    cells = grid()
    errors, regions = [], []
    for step in range(REQUESTS + 1):
        if step:
            code = int(asks.query(X, codes, classes=np.arange(n_classes))[0])
            X = np.vstack([X, queues[code][codes.count(code)]])
            codes.append(code)
        model = default_model(classes=np.arange(n_classes)).fit(X, codes)
        errors.append(float(np.mean(model.predict(X_test) != y_test)))
        regions.append("".join(map(str, model.predict(cells))))
    return {
        "problem": problem,
        "about": dataset.description.removesuffix(" A fresh sample for every seed."),
        "title": available()[strategy].title,
        "seed": seed,
        "classes": list(dataset.class_names),
        "points": X.round(4).tolist(),
        "labels": codes,
        "errors": errors,
        "side": _SIDE,
        "low": -_MARGIN,
        "high": 1.0 + _MARGIN,
        "regions": regions,
    }


def deal(X: Features, y: Codes) -> tuple[list[Features], Features, Codes]:
    """Return what each class yields, in its order, and the instances it is tested on."""
    rows = [np.flatnonzero(y == code) for code in np.unique(y)]
    tested = np.concatenate([of_class[-_TESTED:] for of_class in rows])
    return [X[of_class[:-_TESTED]] for of_class in rows], X[tested], y[tested]


def grid() -> npt.NDArray[np.float64]:
    """Return the middles of the cells, shape (1600, 2), row by row from the lowest."""
    width = (1.0 + 2.0 * _MARGIN) / _SIDE
    middles = -_MARGIN + width * (np.arange(_SIDE) + 0.5)
    across, up = np.meshgrid(middles, middles)
    return np.column_stack([across.ravel(), up.ravel()])
