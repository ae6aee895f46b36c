"""A map of what was collected: two coordinates for each instance.

One or two features are shown as they are; more are projected by PCA, or on demand by t-SNE,
which takes seconds where PCA takes none.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from palacs.campaign import Snapshot

MapMethod = Literal["auto", "pca", "tsne"]
MOST_POINTS = 2000
MOST_TSNE = 500
_FEWEST_TSNE = 5

Points = npt.NDArray[np.float64]


def map_of(snapshot: Snapshot, method: MapMethod = "auto") -> dict[str, Any]:
    """Return the map as JSON-able values.

    Parameters
    ----------
    snapshot : Snapshot
        Where the campaign stands. Of more instances than fit, the latest are shown.
    method : {"auto", "pca", "tsne"}
        How to project three and more features; "auto" is PCA.
    """
    ids = snapshot.ids
    n, d = snapshot.scaled.shape
    most = MOST_TSNE if method == "tsne" else MOST_POINTS
    first = max(0, n - most)
    if d <= 2:
        used, points = "identity", _as_it_is(snapshot.X[first:], d)
    elif method == "tsne" and n - first >= _FEWEST_TSNE:
        used, points = "tsne", _tsne(snapshot.scaled[first:])
    else:
        used, points = "pca", pca(snapshot.scaled[first:])
    classes = snapshot.classes
    rows = [
        {
            "id": ids[first + i],
            "x": float(x),
            "y": float(y),
            "label": classes[snapshot.codes[first + i]],
            "latest": first + i == n - 1,
        }
        for i, (x, y) in enumerate(points)
    ]
    return {"method": used, "points": rows, "left_out": first}


def _as_it_is(X: Points, d: int) -> Points:
    points = np.zeros((len(X), 2))
    points[:, :d] = X
    return points


def pca(X: Points) -> Points:
    """Project X (n, n_features) onto its first two principal components, shape (n, 2).

    The sign of a component is arbitrary; it is fixed by its largest loading, so that the map
    does not flip over when an instance is added.
    """
    points = np.zeros((len(X), 2))
    if len(X) < 2:
        return points
    centred = X - X.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes[:2]
    largest = np.abs(axes).argmax(axis=1)
    signs = np.where(axes[np.arange(len(axes)), largest] < 0, -1.0, 1.0)
    points[:, : len(axes)] = centred @ (axes * signs[:, None]).T
    return points


def _tsne(X: Points) -> Points:
    from sklearn.manifold import TSNE

    projection = TSNE(perplexity=min(30.0, (len(X) - 1) / 3), init="random", random_state=0)
    points: Points = projection.fit_transform(X).astype(np.float64)
    return points
