"""Weights of a Pólya urn's draws as polynomials, and the tree in which they are multiplied.

For more than three labels the gain walks over the levels at which a class may overtake the leader;
at each one class changes, and only the products above its leaf in the tree are made again.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from palacs.compiled import compiled

Array = npt.NDArray[np.float64]


@compiled
def levels_of(
    behind: Array, max_labels: int
) -> tuple[Array, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """List where the picture changes: (level, class or -1 for the leader, labels allowed)."""
    n = behind.shape[0]
    levels = np.empty(n * max_labels + max_labels)
    who = np.empty(levels.shape[0], dtype=np.int64)
    labels = np.empty(levels.shape[0], dtype=np.int64)
    used = 0
    for c in range(n):
        for j in range(int(np.floor(behind[c])) + 1, max_labels + 1):
            levels[used], who[used], labels[used] = j - behind[c], c, j
            used += 1
    for r in range(1, max_labels):
        levels[used], who[used], labels[used] = r, -1, r
        used += 1
    return levels[:used], who[:used], labels[:used]


@compiled
def urn_scale(total: float, max_labels: int) -> float:
    """Return the scale at which the whole urn's weight for ``max_labels`` labels is one.

    The weights of an urn are log-concave, so that those for fewer labels neither vanish nor
    overflow; unscaled they would do both, from about 170 labels on.
    """
    log_weight = 0.0
    for i in range(max_labels):
        log_weight += np.log((total + i) / (i + 1.0))
    return float(np.exp(log_weight / max_labels))


@compiled
def urn_weights(alpha: float, scale: float, out: Array) -> None:
    """Fill out[l] = Π_{i<l} (α + i) / ((i + 1) scale)."""
    out[0] = 1.0
    for i in range(out.shape[0] - 1):
        out[i + 1] = out[i] * ((alpha + i) / ((i + 1.0) * scale))


@compiled
def set_leaf(calm: Array, ahead: Array, node: int, weights: Array, allowed: int) -> None:
    """Split one class's weights: up to ``allowed`` labels it is not ahead, above it is."""
    for j in range(weights.shape[0]):
        calm[node, j] = weights[j] if j <= allowed else 0.0
        ahead[node, j] = 0.0 if j <= allowed else weights[j]


@compiled
def join(calm: Array, ahead: Array, node: int) -> None:
    """Multiply the polynomials of a node's two children, truncated."""
    left, right = 2 * node, 2 * node + 1
    for m in range(calm.shape[1]):
        both_calm = some_ahead = 0.0
        for j in range(m + 1):
            both_calm += calm[left, j] * calm[right, m - j]
            some_ahead += ahead[left, j] * (calm[right, m - j] + ahead[right, m - j])
            some_ahead += calm[left, j] * ahead[right, m - j]
        calm[node, m] = both_calm
        ahead[node, m] = some_ahead
