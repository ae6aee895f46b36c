"""Look inside: the paper's Fig. 2 for a running campaign, over one or two features.

The same quantities as `palacs.plots.look_inside` draws, on a grid in raw feature units:
what is known, what a label would be worth there, and what each class would contribute. The sum
of a class's contributions is its utility. More features are seen two at a time or along their
principal components, as if there were no others: that shows how, not what is decided.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from palacs.campaign import Snapshot
from palacs.kernel import resolve_bandwidth
from palacs.strategies import PALACS, Explanation
from palacs.studio._error_answers import Refused
from palacs.studio._maps import MOST_POINTS, pca

POINTS_1D = 200
POINTS_2D = 48
MOST_CLASSES = 10
_DIGITS = 7  # that count; a picture needs no more

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _View:
    """What is looked at: all features, two of them, or two directions through all.

    Attributes
    ----------
    X, scaled : ndarray of shape (n, 1 or 2)
        Raw values and values in [0, 1].
    limits : pair of ndarray of shape (1 or 2,)
        What 0 and 1 stand for.
    names : list of str
    projected : str
        "" for all features, else "pair" or "pca".
    """

    X: Array
    scaled: Array
    limits: tuple[Array, Array]
    names: list[str]
    projected: str = ""


def look_inside(snapshot: Snapshot, pair: tuple[int, int] | None = None) -> dict[str, Any]:
    """Return the grid and everything on it as JSON-able values.

    Parameters
    ----------
    snapshot : Snapshot
    pair : pair of int or None
        The places of two features to look at; None looks at all, where there are more than two
        along their first principal components.

    Raises
    ------
    Refused
        There is nothing to show yet, or no such pair.
    """
    if not len(snapshot.codes):
        raise Refused(
            "nothing was told yet; there is something to see after the first instance.",
            409,
            "nothing-to-show",
        )
    view = _view(snapshot, pair)
    d = view.scaled.shape[1]
    seen = _explanation(snapshot, view, POINTS_1D if d == 1 else POINTS_2D)
    low, high = view.limits
    grid = low + seen.pseudo_instances * np.where(high > low, high - low, 1.0)
    axes = [np.unique(grid[:, f]) for f in range(d)]
    kept = _highest(seen)
    first = max(0, len(snapshot.codes) - MOST_POINTS)
    rows = snapshot.selected.rows[first:].tolist()
    points = zip(snapshot.ids_of(rows), view.X[first:], snapshot.codes[first:], strict=True)
    return {
        "seq": snapshot.seq,
        "n_features": d,
        "of_features": snapshot.scaled.shape[1],
        "projected": view.projected,
        "names": view.names,
        "strategy": str(snapshot.settings.strategy["name"]),
        "classes": [snapshot.classes[code] for code in kept],
        "n_classes": len(snapshot.classes),
        "bandwidth": _fitted(snapshot, view),
        **_on_grid(seen, axes, _costs(snapshot), kept),
        "points": [
            {"id": id_, "x": x.tolist(), "label": snapshot.classes[code]} for id_, x, code in points
        ],
    }


def _view(snapshot: Snapshot, pair: tuple[int, int] | None) -> _View:
    d = snapshot.scaled.shape[1]
    declared = snapshot.settings.names or []
    names = [str(declared[i]) if i < len(declared) else f"feature {i + 1}" for i in range(d)]
    if pair is not None:
        if not (min(pair) >= 0 and max(pair) < d) or pair[0] == pair[1]:
            raise Refused(
                f"across={pair[0]} and up={pair[1]} are no two of {d} features; count from 0."
            )
        low, high = snapshot.limits
        chosen = list(pair)
        limits = low[chosen], high[chosen]
        kind = "pair" if d > 2 else ""
        picked = [names[place] for place in pair]
        return _View(snapshot.X[:, chosen], snapshot.scaled[:, chosen], limits, picked, kind)
    if d <= 2:
        return _View(snapshot.X, snapshot.scaled, snapshot.limits, names)
    X = pca(snapshot.scaled)
    low, high = X.min(axis=0), X.max(axis=0)
    scaled = (X - low) / np.where(high > low, high - low, 1.0)
    return _View(X, scaled, (low, high), ["component 1", "component 2"], "pca")


def _explanation(snapshot: Snapshot, view: _View, points: int) -> Explanation:
    strategy = snapshot.strategy()
    if view.projected:
        # A bandwidth in many features says nothing about two of them.
        strategy = PALACS(random_state=snapshot.seed)
    elif not isinstance(strategy, PALACS):
        strategy = PALACS(bandwidth=snapshot.model().bandwidth, random_state=snapshot.seed)
    strategy.set_params(n_pseudo=points, sampling="grid")
    if hasattr(strategy.classifier, "steps"):
        # A pipeline decides in a space of its own; the picture is of the features.
        strategy.set_params(classifier=None)
    classes = np.array(snapshot.classes)
    return strategy.explain(
        np.ascontiguousarray(view.scaled),
        classes[snapshot.codes],
        classes=classes,
        pending=np.array(snapshot.under_way, dtype=classes.dtype),
        conditions=snapshot.conditions,
    )


def _fitted(snapshot: Snapshot, view: _View) -> float:
    """Return the bandwidth in force as a number, also where it is fitted to what was acquired."""
    codes = np.unique(snapshot.codes, return_inverse=True)[1].astype(np.int64)
    bandwidth = "auto" if view.projected else snapshot.model().bandwidth
    return resolve_bandwidth(bandwidth, np.ascontiguousarray(view.scaled), codes)


def _highest(seen: Explanation) -> list[int]:
    """Return the classes to show: all of a few, of many those of the highest utility."""
    codes = list(range(len(seen.classes)))
    if len(codes) <= MOST_CLASSES:
        return codes
    return sorted(codes, key=lambda code: -np.nan_to_num(seen.utilities[code]))[:MOST_CLASSES]


def _costs(snapshot: Snapshot) -> Array:
    """Return what one acquisition of each class costs, shape (n_classes,)."""
    return np.array([snapshot.spending.costs[label] for label in snapshot.classes])


def _on_grid(seen: Explanation, axes: list[Array], costs: Array, kept: list[int]) -> dict[str, Any]:
    d = len(axes)
    # Weights become densities per unit of the scaled feature, so that the picture does not
    # depend on how fine the grid is.
    steps = [float(np.ptp(seen.pseudo_instances[:, f])) for f in range(d)]
    counts = [len(axis) for axis in axes]
    cell = float(np.prod([s / max(c - 1, 1) for s, c in zip(steps, counts, strict=True)])) or 1.0
    density = seen.density_weights / cell
    by_class = (seen.class_weights / cell).T
    weighted = seen.gains * density
    labels = {str(seen.classes[code]): code for code in kept}

    def shape(values: Array) -> Any:
        # explain() runs through the second feature fastest; rows of a picture are its second.
        return _short(values if d == 1 else values.reshape(counts).T)

    return {
        "xs": axes[0].tolist(),
        "ys": axes[1].tolist() if d == 2 else None,
        "densities": {label: shape(by_class[code]) for label, code in labels.items()},
        "density": shape(density),
        "gain": shape(seen.gains),
        "weighted_gain": shape(weighted),
        "contributions": {
            label: shape(weighted * by_class[code] / costs[code]) for label, code in labels.items()
        },
        "sums": {label: float(seen.utilities[code]) for label, code in labels.items()},
    }


def _short(values: Array) -> list[Any]:
    """Return values with a few digits that count, which halves the bytes."""
    if values.ndim > 1:
        return [_short(row) for row in values]
    return [float(f"{value:.{_DIGITS}g}") for value in values]
