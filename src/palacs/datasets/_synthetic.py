"""The paper's two-dimensional problems, one on a line, and two on which strategies go wrong.

Each function draws a fresh sample from a `numpy.random.Generator` in a handful of vectorised
calls, so that an experiment can afford a new one per trial. The paper prints pictures but no
formulas; the definitions below are our readings, found by matching its reported errors.

All return ``X`` of shape (n_classes * n_per_class, n_features) and ``y`` of shape
(n_classes * n_per_class,) with the instances of class 0 first, then those of class 1 and so on.
"""

from __future__ import annotations

import numpy as np

from palacs.datasets._dataset import Array, Codes

N_BARS = 6
SPIRAL_ANGLES = (2.0, 14.0)


def sample_three_clusters(rng: np.random.Generator, n_per_class: int = 400) -> tuple[Array, Codes]:
    """Draw 3Clusters: one Gaussian far away, two that overlap.

    Means (0, 0), (15, 2) and (15, -2); covariances I, diag(2, 4) and diag(2, 4).

    Examples
    --------
    >>> X, y = sample_three_clusters(np.random.default_rng(0))
    >>> X.shape, np.bincount(y).tolist()
    ((1200, 2), [400, 400, 400])
    """
    means = np.array([[0.0, 0.0], [15.0, 2.0], [15.0, -2.0]])
    variances = np.array([[1.0, 1.0], [2.0, 4.0], [2.0, 4.0]])
    noise = rng.standard_normal((3, n_per_class, 2))
    X = means[:, None] + np.sqrt(variances)[:, None] * noise
    return X.reshape(-1, 2), _codes(n_per_class)


def sample_spirals(rng: np.random.Generator, n_per_class: int = 400) -> tuple[Array, Codes]:
    """Draw Spirals: a Gaussian beside two interleaved spiral arms.

    Class 0 has mean (-30, 0) and covariance 2.5 I. Class 1 is (θ cos θ, θ sin θ) with θ uniform
    in [2, 14]; class 2 is drawn likewise and reflected through the origin.

    Examples
    --------
    >>> X, y = sample_spirals(np.random.default_rng(0))
    >>> bool(np.linalg.norm(X[y > 0], axis=1).max() <= 14)
    True
    """
    blob = np.array([-30.0, 0.0]) + np.sqrt(2.5) * rng.standard_normal((n_per_class, 2))
    angle = rng.uniform(*SPIRAL_ANGLES, size=2 * n_per_class)
    arms = np.column_stack([angle * np.cos(angle), angle * np.sin(angle)])
    arms[n_per_class:] *= -1.0
    return np.concatenate([blob, arms]), _codes(n_per_class)


def sample_bars(rng: np.random.Generator, n_per_class: int = 400) -> tuple[Array, Codes]:
    """Draw Bars: two classes alternate in six vertical bars, the third lies above them.

    The bars divide x in [0, 1] evenly, from class 0 on the left to class 1 on the right, with y
    uniform in [0, 0.3]. Class 2 has x uniform in [0, 1] and y uniform in [0.6, 0.8]. Gaussian
    noise with standard deviation 0.03 blurs every edge.

    Examples
    --------
    >>> X, y = sample_bars(np.random.default_rng(0))
    >>> bool(X[y == 2, 1].min() > X[y < 2, 1].max())
    True
    """
    n = n_per_class
    bars_per_class = N_BARS // 2
    bar = 2 * rng.integers(bars_per_class, size=(2, n)) + np.array([[0], [1]])
    x = np.concatenate([((bar + rng.uniform(size=(2, n))) / N_BARS).ravel(), rng.uniform(size=n)])
    y = np.concatenate([rng.uniform(0.0, 0.3, size=2 * n), rng.uniform(0.6, 0.8, size=n)])
    X = np.column_stack([x, y]) + 0.03 * rng.standard_normal((3 * n, 2))
    return X, _codes(n)


def sample_line(rng: np.random.Generator, n_per_class: int = 100) -> tuple[Array, Codes]:
    """Draw a one-dimensional problem for looking inside a strategy, as in the paper's Fig. 2.

    Gaussians at 0, 5 and 6.5 with standard deviations 0.5, 0.8 and 0.8: the first class is well
    separated, the other two overlap.

    Examples
    --------
    >>> X, y = sample_line(np.random.default_rng(0))
    >>> X.shape, bool(X[y == 0].max() < X[y > 0].min())
    ((300, 1), True)
    """
    means = np.array([[0.0], [5.0], [6.5]])
    deviations = np.array([[0.5], [0.8], [0.8]])
    X = means + deviations * rng.standard_normal((3, n_per_class))
    return X.reshape(-1, 1), _codes(n_per_class)


def sample_rings(rng: np.random.Generator, n_per_class: int = 400) -> tuple[Array, Codes]:
    """Draw Rings, a stress case: classes of very unequal spread around one centre.

    Points at radius 0, 1, 2 and 8, the angle uniform, with Gaussian noise of standard deviation
    0.3. The outer ring is thin on instances everywhere and yet no harder than the others: a
    strategy that takes sparse for hard, or a bandwidth that follows its wide gaps, goes wrong.

    Examples
    --------
    >>> X, y = sample_rings(np.random.default_rng(0))
    >>> round(float(np.linalg.norm(X[y == 3], axis=1).mean()))
    8
    """
    radius = np.repeat([0.0, 1.0, 2.0, 8.0], n_per_class)
    angle = rng.uniform(0.0, 2.0 * np.pi, size=4 * n_per_class)
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return X + 0.3 * rng.standard_normal((4 * n_per_class, 2)), _codes(n_per_class, 4)


def sample_modes(rng: np.random.Generator, n_per_class: int = 400) -> tuple[Array, Codes]:
    """Draw Modes, a stress case: a class of twelve modes around two classes that overlap.

    Classes 0 and 1 are Gaussians at (-0.75, 0) and (0.75, 0) with covariance I. Class 2 has
    twelve Gaussian modes of standard deviation 0.5 on a circle of radius 5. Each mode has to be
    seen before it is known, although nothing there is ever confused for long: a strategy that
    takes an unlearned class for a settled one goes wrong.

    Examples
    --------
    >>> X, y = sample_modes(np.random.default_rng(0))
    >>> X.shape, np.bincount(y).tolist()
    ((1200, 2), [400, 400, 400])
    """
    pair = rng.standard_normal((2, n_per_class, 2)) + np.array([[[-0.75, 0.0]], [[0.75, 0.0]]])
    angle = 2.0 * np.pi / 12 * rng.integers(12, size=n_per_class)
    centres = 5.0 * np.column_stack([np.cos(angle), np.sin(angle)])
    around = centres + 0.5 * rng.standard_normal((n_per_class, 2))
    return np.concatenate([*pair, around]), _codes(n_per_class)


def _codes(n_per_class: int, n_classes: int = 3) -> Codes:
    return np.repeat(np.arange(n_classes, dtype=np.int64), n_per_class)
