"""Balanced gain: equal counts, bent towards the classes of which one more is worth more.

What an instance of a class is worth follows from the rates of `_rates`; how the requests should
be shared follows from it by Neyman's rule, n_y ∝ sqrt(a_y) where the error falls like Σ a_y/n_y.
The shares are pulled back to equal ones as far as chance could explain them, and most between
classes that compete for the same places.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from palacs.checks import BANDWIDTH_OR_AUTO, Bandwidth, Codes, Features, Whole
from palacs.compiled import compiled
from palacs.evidence import LabelledSet
from palacs.kernel import (
    LOOP_FEATURES,
    effective_counts,
    effective_counts_at,
    squared_loop,
)
from palacs.strategies._base import Strategy
from palacs.strategies._compiled_form import AUTO, Acquired, as_number, decides_for
from palacs.strategies._counts import fewest
from palacs.strategies._pick import Pick, Utilities
from palacs.strategies._points import draw_acquired, draw_points, noise_for
from palacs.strategies._rates import (
    fill_rates,
    fit_background,
    two_best,
    values_of_doubling,
)
from palacs.strategies._words import listing
from palacs.stream import Stream

# Instances left out in turn: all, or the latest so many in all and per class.
_LEFT_OUT, _LEFT_OUT_PER_CLASS = 100, 8
# Where nothing is worth anything, equal counts still have to be preferred to chance.
_LEAST_VALUE = 1e-12


class BalancedGain(Strategy):
    """Keep the counts equal, unless more instances of some classes are worth more.

    The value of a class is how much a few more of its instances are expected to raise accuracy:
    its instances arrive near a point at a rate of which only so much is known. Where the values
    differ by no more than chance explains, this is `UniformSelection`.

    Parameters
    ----------
    n_pseudo : int, default=25
        Pseudo-instances per class, at which the values are taken.
    bandwidth : float or "auto", default="auto"
        The kernel's standard deviation σ. "auto" fits it to the labelled set, so that it reaches
        from an instance to the next of its class, and draws pseudo-instances along the instances.
    random_state : int, RandomState or None, default=None

    Examples
    --------
    Two classes overlap on the right, one is alone on the left: equal counts would waste requests
    on it.

    >>> from palacs import BalancedGain
    >>> X = [[0.1], [0.12], [0.14], [0.70], [0.76], [0.82], [0.72], [0.78], [0.80]]
    >>> y = ["rest"] * 3 + ["left"] * 3 + ["right"] * 3
    >>> BalancedGain(random_state=0).query(X, y, batch_size=10).tolist().count("rest") < 3
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_pseudo": [Whole(1)],
        "bandwidth": BANDWIDTH_OR_AUTO,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_pseudo: int = 25,
        bandwidth: Bandwidth = "auto",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_pseudo = n_pseudo
        self.bandwidth = bandwidth
        self.random_state = random_state

    def utilities(self, labelled: LabelledSet, stream: Stream) -> Utilities:
        """Return the balanced value of one more instance of each class, shape (n_classes,)."""
        X, y, n_classes = labelled.X, labelled.y, labelled.n_classes
        noise = noise_for(self.bandwidth, labelled)
        bandwidth = float(self.bandwidth) if noise is None else noise.bandwidth
        points, _ = draw_points((X, y, n_classes), int(self.n_pseudo), bandwidth, noise, stream)
        nobody = np.full(len(points), -1)
        k = effective_counts_at(points, X, (y, n_classes), bandwidth, nobody)
        own = np.arange(first_left_out(len(y), n_classes), len(y))
        k_latest = effective_counts_at(X[own], X, (y, n_classes), bandwidth, own)
        values: Utilities = balanced_values(
            k, k_latest, y, (labelled.counts, labelled.counts_with_pending)
        )
        return values

    def reason(self, pick: Pick) -> str | None:
        """Say that it has the fewest, or than which classes it is harder."""
        if pick.conditions.weighing:
            return None
        counts = pick.labelled.counts_with_pending
        fewer = [code for code in pick.open if counts[code] < counts[pick.code]]
        if not fewer:
            return fewest(pick)
        labels = [pick.labelled.classes[code].item() for code in fewer]
        return (
            f"because it is harder to tell from others than {listing(labels)}: one more instance "
            "of it is worth more, although it has more of them"
        )

    def compiled_form(self, n_features: int) -> Any | None:
        """Return the form for compiled loops."""
        if n_features > LOOP_FEATURES:
            return None
        bandwidth = as_number(self.bandwidth)
        return BalancedForm(bandwidth == AUTO, bandwidth, int(self.n_pseudo))


class BalancedForm(NamedTuple):
    """Balanced gain for compiled loops."""

    compares: bool
    bandwidth: float
    n_pseudo: int


@decides_for(BalancedForm)
@compiled
def _balanced_utilities(
    form: BalancedForm, acquired: Acquired, n: int, stream: Stream
) -> Utilities:
    X, y, n_classes = acquired.X[:n], acquired.y[:n], acquired.counts.shape[0]
    points, _, bandwidth = draw_acquired(acquired, n, form.n_pseudo, form.bandwidth, stream)
    nobody = np.full(points.shape[0], -1)
    k = effective_counts(squared_loop(points, X), y, n_classes, bandwidth, nobody)
    own = np.arange(first_left_out(n, n_classes), n)
    k_latest = effective_counts(squared_loop(X[own[0] :], X), y, n_classes, bandwidth, own)
    balanced: Utilities = balanced_values(k, k_latest, y, (acquired.counts, acquired.counts))
    return balanced


@compiled
def first_left_out(n: int, n_classes: int) -> int:
    """Return from which of n instances on each is left out in turn."""
    return max(n - max(_LEFT_OUT, _LEFT_OUT_PER_CLASS * n_classes), 0)


@compiled
def balanced_values(
    k: Features, k_latest: Features, y: Codes, counts: tuple[Codes, Codes]
) -> Utilities:
    """Return the balanced value of one more instance of each class, shape (n_classes,).

    ``k`` (n_points, n_classes) and ``k_latest`` (n_latest, n_classes) are the effective counts at
    the pseudo-instances and at the latest instances, each left out in turn; ``counts`` is
    (instances, instances with the pending ones), each (n_classes,).
    """
    known, coming = counts
    n_classes, n = known.shape[0], y.shape[0]
    latest = np.arange(n - k_latest.shape[0], n)
    background = fit_background(k_latest, y[latest], known)
    exposures: Features = known.astype(np.float64) + 1.0
    values = values_of_doubling(k, background, exposures)
    means = column_means(values)
    wanted = np.zeros(n_classes)
    total = 0.0
    if means.max() > 0.0:
        # One point's worth of the average keeps the logarithm finite.
        means += means.mean() / k.shape[0]
        # The error Σ a_y/n_y falls by a_y/2n_y as n_y doubles; Neyman's shares are ∝ sqrt(a_y).
        roots = np.sqrt(2.0 * exposures * means)
        total = roots.sum()
        wanted = np.log(roots)
        wanted -= wanted.mean()
        wanted *= trust(wanted, values, means, exposures)
        confusion = confusions(k_latest, y[latest], known)
        # How dear a deviation will be when there are twice as many instances.
        wanted = hold_together(wanted, confusion, roots * total / n)
    shares = np.exp(wanted)
    shares /= shares.sum()
    balanced: Utilities = max(total * total, _LEAST_VALUE) * (shares / (coming + 0.5)) ** 2
    return balanced


@compiled
def column_means(values: Features) -> Features:
    """Return the means of the columns; NumPy's compile more slowly."""
    means = np.zeros(values.shape[1])
    for i in range(values.shape[0]):
        for c in range(values.shape[1]):
            means[c] += values[i, c] / values.shape[0]
    return means


@compiled
def trust(wanted: Features, values: Features, means: Features, exposures: Features) -> float:
    """Return how much of the differences between log shares is not chance, 0 to 1.

    One minus noise over spread, as James and Stein shrink. The noise of a log share is that of
    the average over points, with contrasts between classes taken point by point, and that of any
    spread estimated from n instances, 1 / 2n. ``values`` is (n_points, n_classes), the others
    (n_classes,).
    """
    n_points, n_classes = values.shape
    spread = (wanted * wanted).sum() / (n_classes - 1)
    if spread == 0.0:
        return 0.0
    squares = 0.0
    effect = np.empty(n_classes)
    for i in range(n_points):
        middle = 0.0
        for c in range(n_classes):
            effect[c] = 0.5 * (values[i, c] - means[c]) / means[c]
            middle += effect[c] / n_classes
        for c in range(n_classes):
            squares += (effect[c] - middle) ** 2
    # Pseudo-instances know no more than the instances they were drawn from.
    independent = min(float(n_points), exposures.sum() - n_classes)
    noise = squares / n_points / independent / (n_classes - 1) + (0.5 / exposures).mean()
    return float(max(0.0, 1.0 - noise / spread))


@compiled
def confusions(k: Features, y: Codes, counts: Codes) -> Features:
    """Return how much two classes compete for the same places, shape (n_classes, n_classes).

    The curvature of the error in the log ratio of the two classes' weights: where the best two
    at an instance left out have probabilities p and q, it is half of pq / (p + q). A classifier
    knows no background, so that these are k_y / n_y alone; ``k`` is (n_rows, n_classes).
    """
    n_rows, n_classes = k.shape
    rows = np.zeros(n_classes)
    for i in range(n_rows):
        rows[y[i]] += 1.0
    present = 0
    for c in range(n_classes):
        present += 1 if rows[c] else 0
    h = np.zeros((n_classes, n_classes))
    rates = np.empty(n_classes)
    known = np.maximum(counts, 1.0)
    for i in range(n_rows):
        all_of_it = known[y[i]]
        known[y[i]] = max(all_of_it - 1.0, 1.0)
        total = fill_rates(rates, k[i], 0.0, known)
        known[y[i]] = all_of_it
        a, b = two_best(rates)
        if rates[b] > 0.0:
            p, q = rates[a] / total, rates[b] / total
            weight = 0.5 * p * q / (p + q) / (rows[y[i]] * present)
            h[a, b] += weight
            h[b, a] += weight
    return h


@compiled
def hold_together(wanted: Features, confusion: Features, stiffness: Features) -> Features:
    """Return the log shares that cost least: away from the wanted ones, or from each other.

    Minimises Σ_y stiffness_y (z_y - wanted_y)² + Σ_{y<c} confusion_yc (z_y - z_c)², all
    (n_classes,) or (n_classes, n_classes), by elimination: the system is diagonally dominant.
    """
    n = wanted.shape[0]
    matrix = -confusion
    z = stiffness * wanted
    for c in range(n):
        matrix[c, c] = stiffness[c] + confusion[c].sum()
    for c in range(n):
        for r in range(c + 1, n):
            if matrix[r, c] != 0.0:
                factor = matrix[r, c] / matrix[c, c]
                for k in range(c, n):
                    matrix[r, k] -= factor * matrix[c, k]
                z[r] -= factor * z[c]
    for c in range(n - 1, -1, -1):
        for r in range(c + 1, n):
            z[c] -= matrix[c, r] * z[r]
        z[c] /= matrix[c, c]
    return z
