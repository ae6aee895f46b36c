"""Look inside: the paper's Fig. 2 for a running campaign with one or two features.

The same quantities as `palacs.plots.look_inside` draws, on a grid in raw feature units:
what is known, what a label would be worth there, and what each class would contribute. The sum
of a class's contributions is its utility.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from palacs.campaign import Snapshot
from palacs.kernel import resolve_bandwidth
from palacs.strategies import PALACS, Explanation
from palacs.studio._error_answers import Refused

POINTS_1D = 200
POINTS_2D = 48

Array = npt.NDArray[np.float64]


def look_inside(snapshot: Snapshot) -> dict[str, Any]:
    """Return the grid and everything on it as JSON-able values.

    Raises
    ------
    Refused
        There is nothing to show yet, or more than two features.
    """
    n, d = snapshot.scaled.shape
    if n == 0:
        raise Refused(
            "nothing was told yet; there is something to see after the first instance.",
            409,
            "nothing-to-show",
        )
    if d > 2:
        raise Refused(
            f"this campaign has {d} features; a look inside is possible for one or two.",
            409,
            "too-many-features",
        )
    seen = _explanation(snapshot, POINTS_1D if d == 1 else POINTS_2D)
    low, high = snapshot.limits
    grid = low + seen.pseudo_instances * np.where(high > low, high - low, 1.0)
    axes = [np.unique(grid[:, f]) for f in range(d)]
    return {
        "seq": snapshot.seq,
        "n_features": d,
        "strategy": str(snapshot.settings.strategy["name"]),
        "classes": snapshot.classes,
        "bandwidth": _fitted(snapshot),
        **_on_grid(seen, axes, _costs(snapshot)),
        "points": [
            {"id": id_, "x": x.tolist(), "label": snapshot.classes[code]}
            for id_, x, code in zip(snapshot.ids, snapshot.X, snapshot.codes, strict=True)
        ],
    }


def _explanation(snapshot: Snapshot, points: int) -> Explanation:
    strategy = snapshot.strategy()
    if not isinstance(strategy, PALACS):
        strategy = PALACS(bandwidth=snapshot.model().bandwidth, random_state=snapshot.seed)
    strategy.set_params(n_pseudo=points, sampling="grid")
    if hasattr(strategy.classifier, "steps"):
        # A pipeline decides in a space of its own; the picture is of the features.
        strategy.set_params(classifier=None)
    classes = np.array(snapshot.classes)
    return strategy.explain(
        snapshot.scaled,
        classes[snapshot.codes],
        classes=classes,
        pending=np.array(snapshot.under_way, dtype=classes.dtype),
        conditions=snapshot.conditions,
    )


def _fitted(snapshot: Snapshot) -> float:
    """Return the bandwidth in force as a number, also where it is fitted to what was acquired."""
    codes = np.unique(snapshot.codes, return_inverse=True)[1].astype(np.int64)
    return resolve_bandwidth(snapshot.model().bandwidth, snapshot.scaled, codes)


def _costs(snapshot: Snapshot) -> Array:
    """Return what one acquisition of each class costs, shape (n_classes,)."""
    return np.array([snapshot.spending.costs[label] for label in snapshot.classes])


def _on_grid(seen: Explanation, axes: list[Array], costs: Array) -> dict[str, Any]:
    d = len(axes)
    # Weights become densities per unit of the scaled feature, so that the picture does not
    # depend on how fine the grid is.
    steps = [float(np.ptp(seen.pseudo_instances[:, f])) for f in range(d)]
    counts = [len(axis) for axis in axes]
    cell = float(np.prod([s / max(c - 1, 1) for s, c in zip(steps, counts, strict=True)])) or 1.0
    density = seen.density_weights / cell
    by_class = (seen.class_weights / cell).T
    weighted = seen.gains * density
    labels = [str(label) for label in seen.classes]

    def shape(values: Array) -> Any:
        # explain() runs through the second feature fastest; rows of a picture are its second.
        return (values if d == 1 else values.reshape(counts).T).tolist()

    return {
        "xs": axes[0].tolist(),
        "ys": axes[1].tolist() if d == 2 else None,
        "densities": {label: shape(row) for label, row in zip(labels, by_class, strict=True)},
        "density": shape(density),
        "gain": shape(seen.gains),
        "weighted_gain": shape(weighted),
        "contributions": {
            label: shape(weighted * row / cost)
            for label, row, cost in zip(labels, by_class, costs, strict=True)
        },
        "sums": dict(zip(labels, seen.utilities.tolist(), strict=True)),
    }
