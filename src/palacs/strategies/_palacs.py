"""PAL-ACS, the paper's strategy (Fig. 3): ask where one more instance raises accuracy most.

Pseudo-instances stand for the instances a class would yield. At each, the kernel frequencies say
what is known nearby and `perf_gain` what one more label there is worth; the utility of a class
is the gain averaged over where its instances fall.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from numba import njit
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from palacs._bandwidth import resolve_bandwidth
from palacs._random import PENDING, Stream, fill_normal, uniform
from palacs._validation import BANDWIDTH_OR_AUTO, Bandwidth, Codes, Features
from palacs.gain import MOST_LABELS, cost_gain_rows, gain_rows
from palacs.kernel import draw_pseudo_instances, frequencies, seed_of
from palacs.strategies._base import Strategy, Utilities
from palacs.strategies._conditions import Conditions
from palacs.strategies._labelled import LabelledSet, Labels, check_labelled_set
from palacs.strategies._model import (
    Model,
    as_importance,
    believed_frequencies,
    embed,
    prior_under,
    worth_of_classes,
)
from palacs.strategies._terms import make_terms

_GRID_FEATURES = 3
_GRID_MARGIN = 3.0


@dataclass(frozen=True)
class Explanation:
    """What PAL-ACS saw when it decided: the material of the paper's Fig. 2.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Class labels, the order of the columns below.
    pseudo_instances : ndarray of shape (n_points, n_features)
    drawn_from : ndarray of shape (n_points,)
        Code of the class each pseudo-instance was drawn from; -1 on a grid.
    frequencies : ndarray of shape (n_points, n_classes)
        Kernel frequencies (Eq. 1).
    gains : ndarray of shape (n_points,)
        Performance gain at each pseudo-instance (Eq. 3).
    density_weights : ndarray of shape (n_points,)
        The first weight of Eq. 6: how much each pseudo-instance matters overall.
    class_weights : ndarray of shape (n_points, n_classes)
        The second: how likely an instance of each class falls there. Columns sum to one.
    utilities : ndarray of shape (n_classes,)
        Σ gain · density weight · class weight.
    """

    classes: Labels
    pseudo_instances: Features
    drawn_from: Codes
    frequencies: npt.NDArray[np.float64]
    gains: npt.NDArray[np.float64]
    density_weights: npt.NDArray[np.float64]
    class_weights: npt.NDArray[np.float64]
    utilities: Utilities


class PALACS(Strategy):
    """Probabilistic active learning for active class selection.

    Parameters
    ----------
    n_pseudo : int, default=25
        Pseudo-instances per class; on a grid, points per feature.
    max_labels : int, default=3
        The paper's M, see `perf_gain`.
    bandwidth : float or "auto", default=0.05
        The kernel's standard deviation σ, for features scaled to [0, 1]; "auto" fits it to the
        labelled set, see `palacs.kernel.auto_bandwidth`.
    sampling : {"monte-carlo", "grid"}, default="monte-carlo"
        "monte-carlo" draws the pseudo-instances from each class's kernel density. "grid" spreads
        them evenly over the labelled set and three bandwidths around it and weights them
        explicitly (Eq. 6): nothing is random, for up to three features.
    classifier : scikit-learn classifier or None, default=None
        None is the paper's: the kernel frequencies are also the model. Any classifier with
        ``predict_proba`` instead says how probable each class is, and the kernel frequencies
        only how much is known nearby: k = n(x) · p̂(y|x), as in McPAL. The transformers of a
        Pipeline come before the kernel too: distances, bandwidth and pseudo-instances are those
        of the transformed space, where ``bandwidth="auto"`` is advisable.
    random_state : int, RandomState or None, default=None

    Examples
    --------
    Two classes overlap on the right, one is alone on the left: PAL-ACS asks for more of the
    overlapping ones.

    >>> from palacs import PALACS
    >>> X = [[0.1], [0.12], [0.14], [0.70], [0.76], [0.82], [0.72], [0.78], [0.80]]
    >>> y = ["rest"] * 3 + ["left"] * 3 + ["right"] * 3
    >>> labels, utilities = PALACS(random_state=0).query(X, y, return_utilities=True)
    >>> labels.item() in ("left", "right")
    True
    """

    weighs = frozenset({"proportions", "mistakes"})
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_pseudo": [Interval(Integral, 1, None, closed="left")],
        "max_labels": [Interval(Integral, 1, MOST_LABELS, closed="both")],
        "bandwidth": BANDWIDTH_OR_AUTO,
        "sampling": [StrOptions({"monte-carlo", "grid"})],
        "classifier": [HasMethods(["fit", "predict_proba"]), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_pseudo: int = 25,
        max_labels: int = 3,
        bandwidth: Bandwidth = 0.05,
        sampling: Literal["monte-carlo", "grid"] = "monte-carlo",
        classifier: Any | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_pseudo = n_pseudo
        self.max_labels = max_labels
        self.bandwidth = bandwidth
        self.sampling = sampling
        self.classifier = classifier
        self.random_state = random_state

    def utilities(self, labelled: LabelledSet, stream: Stream) -> Utilities:
        """Return the expected gain of one more instance of each class, shape (n_classes,)."""
        labelled = as_importance(labelled)
        _, origins, k, gains = self._look(labelled, stream)
        if self.sampling == "grid":
            density, weights = _grid_weights(k, labelled)
            summed: Utilities = (gains * density) @ weights
            return summed
        if labelled.importance is not None:
            density, weights = _weights_in_use(k, origins, labelled)
            weighted: Utilities = (gains * density) @ weights
            return weighted
        sampled: Utilities = weighted_sums(k, gains, origins)
        return sampled

    def explain(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        *,
        classes: npt.ArrayLike | None = None,
        pending: npt.ArrayLike | None = None,
        conditions: Conditions | None = None,
    ) -> Explanation:
        """Show how the utilities of `query` come about.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        y : array-like of shape (n,)
        classes, pending : array-like or None
            As in `query`.
        conditions : Conditions or None
            As in `query`; limits have no part in an explanation.

        Returns
        -------
        explanation : Explanation
            Its utilities are those of `query` with the same seed.
        """
        self._validate_params()
        labelled = check_labelled_set(X, y, classes, pending)
        terms = make_terms(conditions, labelled.classes)
        labelled = replace(labelled, importance=terms.importance, mistakes=terms.mistakes)
        labelled = as_importance(labelled)
        if len(labelled) == 0:
            raise ValueError("the labelled set is empty; there is nothing to explain yet.")
        step = len(labelled) + len(labelled.pending)
        stream = Stream(seed_of(self.random_state), np.uint64(step))
        points, origins, k, gains = self._look(labelled, stream)
        if self.sampling == "grid":
            density, weights = _grid_weights(k, labelled)
        elif labelled.importance is not None:
            density, weights = _weights_in_use(k, origins, labelled)
        else:
            density, weights = np.full(len(points), 1.0 / len(points)), class_weights(k, origins)
        utilities = terms.weigh((gains * density) @ weights, self.weighs)
        return Explanation(labelled.classes, points, origins, k, gains, density, weights, utilities)

    def _look(
        self, labelled: LabelledSet, stream: Stream
    ) -> tuple[Features, Codes, Features, Features]:
        """Return pseudo-instances, their origins, kernel frequencies and gains."""
        model: Model = None
        if self.classifier is not None:
            labelled, model = embed(self.classifier, labelled)
        bandwidth = resolve_bandwidth(self.bandwidth, labelled.X, labelled.y)
        n_classes = labelled.n_classes
        X, y = impute_pending(labelled, bandwidth, stream)
        if self.sampling == "grid":
            points = _grid(X, int(self.n_pseudo), bandwidth)
            origins = np.full(len(points), -1, dtype=np.int64)
        else:
            points, origins = draw_pseudo_instances(
                X, y, n_classes, int(self.n_pseudo), bandwidth, stream
            )
        k = frequencies(points, X, y, n_classes, bandwidth)
        believed = believed_frequencies(k, points, (X, y), model, labelled.importance)
        if labelled.mistakes is None:
            return points, origins, k, gain_rows(believed, int(self.max_labels), 1.0)
        prior = prior_under(labelled.mistakes)
        gains = cost_gain_rows(believed, int(self.max_labels), prior, labelled.mistakes)
        return points, origins, k, gains


def impute_pending(
    labelled: LabelledSet, bandwidth: float, stream: Stream
) -> tuple[Features, Codes]:
    """Return the labelled set with a pseudo-instance for everything that is pending.

    A pending class without any instance has no density to draw from and is left out.
    """
    if len(labelled.pending) == 0:
        return labelled.X, labelled.y
    known = labelled.pending[labelled.counts[labelled.pending] > 0]
    if len(known) == 0:
        return labelled.X, labelled.y
    drawn = _draw_pending(labelled.X, labelled.y, known, bandwidth, stream)
    return np.concatenate([labelled.X, drawn]), np.concatenate([labelled.y, known])


@njit(cache=True, nogil=True)
def _draw_pending(
    X: Features, y: Codes, pending: Codes, bandwidth: float, stream: Stream
) -> Features:
    """Draw one pseudo-instance for each pending class, shape (n_pending, n_features)."""
    drawn = np.empty((pending.shape[0], X.shape[1]))
    blocks = 1 + (X.shape[1] + 3) // 4
    for i in range(pending.shape[0]):
        members = np.flatnonzero(y == pending[i])
        parent = members[int(uniform(stream, PENDING, i * blocks) * members.shape[0])]
        fill_normal(stream, PENDING, i * blocks + 1, drawn[i])
        for f in range(X.shape[1]):
            drawn[i, f] = X[parent, f] + bandwidth * drawn[i, f]
    return drawn


@njit(cache=True, nogil=True)
def class_weights(k: Features, origins: Codes) -> Features:
    """Return how the draws share each class's density: k over its column sum (Fig. 3, line 10).

    In thousands of dimensions even a class's own pseudo-instances are too far from it for
    floating point; they then share equally.
    """
    n_points, n_classes = k.shape
    totals, draws = np.zeros(n_classes), np.zeros(n_classes)
    for i in range(n_points):
        if origins[i] >= 0:
            draws[origins[i]] += 1.0
        for c in range(n_classes):
            totals[c] += k[i, c]
    weights = np.zeros((n_points, n_classes))
    for i in range(n_points):
        for c in range(n_classes):
            if totals[c] > 0.0:
                weights[i, c] = k[i, c] / totals[c]
            elif origins[i] == c:
                weights[i, c] = 1.0 / draws[c]
    return weights


@njit(cache=True, nogil=True)
def weighted_sums(k: Features, gains: Features, origins: Codes) -> Utilities:
    """Sum the gains for each class, weighted (Fig. 3, lines 5-10), shape (n_classes,)."""
    weights = class_weights(k, origins)
    utilities = np.zeros(k.shape[1])
    for i in range(k.shape[0]):
        for c in range(k.shape[1]):
            utilities[c] += gains[i] / k.shape[0] * weights[i, c]
    return utilities


def _grid(X: Features, n_points: int, bandwidth: float) -> Features:
    """Spread points evenly over the labelled set, shape (n_points ** n_features, n_features)."""
    if X.shape[1] > _GRID_FEATURES:
        raise ValueError(
            f'sampling="grid" is for up to {_GRID_FEATURES} features and X has {X.shape[1]}; '
            'use sampling="monte-carlo".'
        )
    margin = _GRID_MARGIN * bandwidth
    axes = [
        np.linspace(low - margin, high + margin, n_points)
        for low, high in zip(X.min(axis=0), X.max(axis=0), strict=True)
    ]
    mesh = np.meshgrid(*axes, indexing="ij")
    return np.ascontiguousarray(np.stack([axis.ravel() for axis in mesh], axis=1))


def _grid_weights(k: Features, labelled: LabelledSet) -> tuple[Features, Features]:
    """Return the density weight (n_points,) and the class weights (n_points, n_classes).

    All classes weigh the same in the density, as they do when the same number of
    pseudo-instances is drawn from each, or by how often they occur in use.
    """
    totals = k.sum(axis=0)
    weights = np.divide(k, totals, out=np.zeros_like(k), where=totals > 0)
    n_present = max(int((totals > 0).sum()), 1)
    if labelled.importance is None:
        return weights.sum(axis=1) / n_present, weights
    density: Features = (weights * labelled.importance).sum(axis=1) / n_present
    return density, weights * worth_of_classes(k, _with_pending(labelled), labelled.importance)


def _weights_in_use(
    k: Features, origins: Codes, labelled: LabelledSet
) -> tuple[Features, Features]:
    """Return both weights of Eq. 6 where classes weigh differently in use."""
    assert labelled.importance is not None
    density: Features = labelled.importance[origins] / len(k)
    worth = worth_of_classes(k, _with_pending(labelled), labelled.importance)
    return density, class_weights(k, origins) * worth


def _with_pending(labelled: LabelledSet) -> Codes:
    return np.concatenate([labelled.y, labelled.pending])
