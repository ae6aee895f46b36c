"""Pseudo-instances: what a class would probably yield, drawn from its kernel density.

They stand for the instances that nobody has acquired yet (the paper's Fig. 3). All numbers come
from a `Stream`, so that the same seed and labelled set give the same draws anywhere.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from palacs.arrays import on_host
from palacs.checks import Codes, Features, check_bandwidth, check_codes, check_count, check_features
from palacs.compiled import compiled
from palacs.stream import PENDING, PSEUDO, Stream, fill_normal, seed_of, uniform


def sample_pseudo_instances(
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    n_classes: int,
    n_per_class: int = 25,
    bandwidth: float = 0.05,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Draw pseudo-instances from the kernel density of each class.

    Parameters
    ----------
    X : array-like of shape (n_instances, n_features)
    y : array-like of shape (n_instances,)
        Class codes 0, ..., n_classes - 1.
    n_classes : int
    n_per_class : int, default=25
        The paper's n_p.
    bandwidth : float, default=0.05
        The kernel's standard deviation σ.
    random_state : int, RandomState or None

    Returns
    -------
    X_pseudo : ndarray of shape (n_drawn, n_features)
        ``n_per_class`` rows for every class that has an instance.
    y_pseudo : ndarray of shape (n_drawn,)
        The class each was drawn from.

    Examples
    --------
    >>> from palacs.kernel import sample_pseudo_instances
    >>> X_pseudo, y_pseudo = sample_pseudo_instances(
    ...     [[0.0], [1.0]], [0, 1], n_classes=2, n_per_class=3, random_state=0)
    >>> X_pseudo.shape, y_pseudo.tolist()
    ((6, 1), [0, 0, 0, 1, 1, 1])
    """
    instances = check_features(on_host(X))
    n_classes = check_count(n_classes, "n_classes")
    codes = check_codes(on_host(y), len(instances), n_classes)
    n_per_class = check_count(n_per_class, "n_per_class")
    stream = Stream(seed_of(random_state), np.uint64(len(instances)))
    X_pseudo, y_pseudo = draw_pseudo_instances(
        instances, codes, n_classes, n_per_class, check_bandwidth(bandwidth), stream
    )
    return X_pseudo, y_pseudo


@compiled
def members_by_class(y: Codes, n_classes: int) -> tuple[Codes, Codes]:
    """Return how many instances each class has, and all instances ordered by class.

    Counted by hand: NumPy's argsort takes seconds to compile.
    """
    counts = np.zeros(n_classes, dtype=np.int64)
    for i in range(y.shape[0]):
        counts[y[i]] += 1
    place = np.zeros(n_classes, dtype=np.int64)
    for c in range(1, n_classes):
        place[c] = place[c - 1] + counts[c - 1]
    members = np.empty(y.shape[0], dtype=np.int64)
    for i in range(y.shape[0]):
        members[place[y[i]]] = i
        place[y[i]] += 1
    return counts, members


@compiled
def pick_parents(
    y: Codes, n_classes: int, n_per_class: int, n_blocks: int, stream: Stream
) -> tuple[Codes, Codes, Codes]:
    """Return instances to draw around, their classes, and the Philox block each goes on with.

    All (n_drawn,); ``n_blocks`` is how many one takes, with that which picks the parent. Each
    pseudo-instance has blocks of its own: what one class draws does not depend on how many
    instances another has.
    """
    counts, members = members_by_class(y, n_classes)
    n_present = 0
    for c in range(n_classes):
        n_present += 1 if counts[c] else 0
    parents = np.empty(n_present * n_per_class, dtype=np.int64)
    origins = np.empty(n_present * n_per_class, dtype=np.int64)
    blocks = np.empty(n_present * n_per_class, dtype=np.int64)
    first, row = 0, 0
    for c in range(n_classes):
        for j in range(n_per_class if counts[c] else 0):
            block = (c * n_per_class + j) * n_blocks
            parents[row] = members[first + int(uniform(stream, PSEUDO, block) * counts[c])]
            origins[row] = c
            blocks[row] = block + 1
            row += 1
        first += counts[c]
    return parents, origins, blocks


@compiled
def pick_pending_parents(
    y: Codes, pending: Codes, n_blocks: int, stream: Stream
) -> tuple[Codes, Codes]:
    """Return an instance of each pending class, and the Philox block it goes on with."""
    parents = np.empty(pending.shape[0], dtype=np.int64)
    blocks = np.empty(pending.shape[0], dtype=np.int64)
    for i in range(pending.shape[0]):
        members = np.flatnonzero(y == pending[i])
        parents[i] = members[int(uniform(stream, PENDING, i * n_blocks) * members.shape[0])]
        blocks[i] = i * n_blocks + 1
    return parents, blocks


@compiled
def add_in_all_directions(
    x: Features, bandwidth: float, drawn_from: tuple[Stream, np.uint64], block: int
) -> None:
    """Take one step of the paper's noise from x (n_features,), in place."""
    stream, purpose = drawn_from
    noise = np.empty(x.shape[0])
    fill_normal(stream, purpose, block, noise)
    for f in range(x.shape[0]):
        x[f] += bandwidth * noise[f]


@compiled
def draw_pseudo_instances(
    X: Features, y: Codes, n_classes: int, n_per_class: int, bandwidth: float, stream: Stream
) -> tuple[Features, Codes]:
    """Return pseudo-instances (n_drawn, n_features) and the classes (n_drawn,) they come from."""
    n_blocks = 1 + (X.shape[1] + 3) // 4
    parents, y_pseudo, blocks = pick_parents(y, n_classes, n_per_class, n_blocks, stream)
    X_pseudo = X[parents]
    for row in range(parents.shape[0]):
        add_in_all_directions(X_pseudo[row], bandwidth, (stream, PSEUDO), blocks[row])
    return X_pseudo, y_pseudo


@compiled
def draw_pending(
    X: Features, y: Codes, pending: Codes, bandwidth: float, stream: Stream
) -> Features:
    """Draw one pseudo-instance for each pending class, shape (n_pending, n_features)."""
    n_blocks = 1 + (X.shape[1] + 3) // 4
    parents, blocks = pick_pending_parents(y, pending, n_blocks, stream)
    drawn = X[parents]
    for i in range(pending.shape[0]):
        add_in_all_directions(drawn[i], bandwidth, (stream, PENDING), blocks[i])
    return drawn
