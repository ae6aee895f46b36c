"""PAL-ACS, the paper's strategy (Fig. 3): ask where one more instance raises accuracy most.

Pseudo-instances stand for the instances a class would yield. At each, the kernel frequencies say
what is known nearby and `perf_gain` what one more label there is worth; the utility of a class
is the gain averaged over places, weighing by how densely all classes fall there and how densely
it does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from palacs.arrays import is_tensor, on_host
from palacs.checks import (
    BANDWIDTH_OR_AUTO,
    Bandwidth,
    ClassifierWith,
    Codes,
    Features,
    StrOptions,
    Whole,
)
from palacs.compiled import compiled
from palacs.conditions import ClassConditions, Conditions, class_conditions
from palacs.evidence import LabelledSet, Labels, check_labelled_set
from palacs.gain import (
    MOST_LABELS,
    check_work,
    cost_gain_rows,
    gain_rows,
    gain_rows_up_to_three,
    gain_tensor,
)
from palacs.kernel import (
    LOOP_FEATURES,
    effective_counts,
    effective_counts_at,
    frequencies,
    frequency_loop,
    squared_loop,
    warn_if_vanished,
)
from palacs.objects import seeded
from palacs.strategies._base import Strategy
from palacs.strategies._beliefs import Model, believed_frequencies, embed, prior_under
from palacs.strategies._compiled_form import AUTO, Acquired, as_number, decides_for
from palacs.strategies._palacs_weights import draw_weights, grid, grid_weights, weighted_sums
from palacs.strategies._pick import Pick, Utilities
from palacs.strategies._points import (
    draw_acquired,
    draw_points,
    impute_pending,
    known_pending,
    noise_for,
)
from palacs.strategies._tensor_points import look_at_tensor, weighted_sums_tensor
from palacs.strategies._words import listing
from palacs.stream import Stream, seed_of

# Below this many nearby instances (weighted by similarity) a region counts as little known.
_FEW_NEARBY = 3.0
# From this part of the nearby instances on, another class counts as overlapping.
_OVERLAP = 0.15


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
        Kernel frequencies (Eq. 1); effective counts with ``bandwidth="auto"``, but on a grid.
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
    bandwidth : float or "auto", default="auto"
        "auto" fits the kernel to the labelled set, whatever the unit and the number of features:
        it reaches from an instance to the next of its class, pseudo-instances lie along the
        instances, and frequencies are effective counts, relative to the nearest instance; on a
        grid they are those of Eq. 1. A number is the kernel's standard deviation σ by the paper's
        rules (0.05 there, for features scaled to [0, 1]): kernel frequencies are Eq. 1, and
        pseudo-instances are drawn from the kernel in all directions. Where it is so narrow that
        no instance counts anywhere but at its own place, there is a `VanishingKernelWarning`.
    sampling : {"monte-carlo", "grid"}, default="monte-carlo"
        "monte-carlo" draws the pseudo-instances from each class's kernel density. "grid" spreads
        them evenly over the labelled set and three bandwidths around it and weights them
        explicitly (Eq. 6): nothing is random, for up to three features.
    classifier : scikit-learn classifier or None, default=None
        None is the paper's: the kernel frequencies are also the model. Any classifier with
        ``predict_proba`` instead says how probable each class is, and the kernel frequencies
        only how much is known nearby: k = n(x) · p̂(y|x), as in McPAL. The transformers of a
        Pipeline come before the kernel too: distances, bandwidth and pseudo-instances are those
        of the transformed space, to which a bandwidth given as a number has to fit.
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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_pseudo": [Whole(1)],
        "max_labels": [Whole(1, MOST_LABELS)],
        "bandwidth": BANDWIDTH_OR_AUTO,
        "sampling": [StrOptions({"monte-carlo", "grid"})],
        "classifier": [ClassifierWith("fit", "predict_proba"), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_pseudo: int = 25,
        max_labels: int = 3,
        bandwidth: Bandwidth = "auto",
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
        if self.sampling == "grid":
            return self._explain(labelled, stream, ClassConditions()).utilities
        if is_tensor(labelled.X) and self.max_labels <= 3:
            _, origins, seen = look_at_tensor(labelled, self.n_pseudo, self.bandwidth, stream)
            gained = gain_tensor(seen, int(self.max_labels), 1.0)
            return weighted_sums_tensor(seen, gained, origins)
        _, origins, k, gains = self._look(labelled, stream, None, None)
        sampled: Utilities = weighted_sums(k, gains, origins)
        return sampled

    def utilities_in_use(
        self, labelled: LabelledSet, stream: Stream, conditions: ClassConditions
    ) -> Utilities:
        """Return the expected gain in use and per cost of each class, shape (n_classes,)."""
        return self._explain(labelled, stream, conditions).utilities

    def explain(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        *,
        classes: npt.ArrayLike | None = None,
        pending: npt.ArrayLike | None = None,
        conditions: Conditions | None = None,
        scale: bool = False,
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
        scale : bool, default=False
            As in `query`; the pseudo-instances are then those of the scaled features.

        Returns
        -------
        explanation : Explanation
            Its utilities are those of `query` with the same seed.
        """
        self._validate_params()
        tensors = self.takes_tensors()
        labelled = check_labelled_set(X, y, classes, pending, scale=scale, tensors=tensors)
        if len(labelled) == 0:
            raise ValueError("the labelled set is empty; there is nothing to explain yet.")
        step = len(labelled) + len(labelled.pending)
        stream = Stream(seed_of(self.random_state), np.uint64(step))
        return self._explain(labelled, stream, class_conditions(conditions, labelled.classes))

    def reason(self, pick: Pick) -> str | None:
        """Say what is known where instances of the class that was picked fall."""
        seen = self._explain(pick.labelled, pick.stream, pick.conditions)
        worth = seen.gains * seen.density_weights * seen.class_weights[:, pick.code]
        if worth.sum() <= 0:
            return "by chance: no class promises a gain any more"
        worth = worth / worth.sum()
        nearby = seen.frequencies.sum(axis=1)
        shares = worth @ (seen.frequencies / np.maximum(nearby, 1e-300)[:, None])
        rivals = [
            pick.labelled.classes[d].item()
            for d in np.argsort(-shares)[:3].tolist()
            if d != pick.code and shares[d] >= _OVERLAP
        ]
        few = float(worth @ nearby) < _FEW_NEARBY
        if rivals and few:
            return f"because its region overlaps {listing(rivals)} and few instances are nearby"
        if rivals:
            return f"because its region overlaps {listing(rivals)} and decisions there are close"
        if few:
            return "because few instances are nearby where its own fall"
        return "because one more instance of it promises the largest gain in accuracy"

    def takes_tensors(self) -> bool:
        """Whether tensors are looked at where they lie: not on a grid, nor by another model."""
        return self.sampling == "monte-carlo" and self.classifier is None

    def compiled_form(self, n_features: int) -> Any | None:
        """Return the form for compiled loops: the paper's Monte Carlo, few labels and features."""
        paper = self.sampling == "monte-carlo" and self.classifier is None
        if not paper or self.max_labels > 3 or n_features > LOOP_FEATURES:
            return None
        bandwidth = as_number(self.bandwidth)
        return PALACSForm(bandwidth == AUTO, bandwidth, int(self.n_pseudo), int(self.max_labels))

    def _check_conditions(self, conditions: ClassConditions, n_classes: int) -> None:
        _, mistakes = conditions.in_use()
        if mistakes is not None:
            n_points = int(self.n_pseudo) * n_classes
            check_work(n_classes, int(self.max_labels), mistakes, n_points)

    def _explain(
        self, labelled: LabelledSet, stream: Stream, conditions: ClassConditions
    ) -> Explanation:
        importance, mistakes = conditions.in_use()
        points, origins, k, gains = self._look(labelled, stream, importance, mistakes)
        y = np.concatenate([labelled.y, labelled.pending])
        if self.sampling == "grid":
            density, weights = grid_weights(k, y, importance)
        else:
            density, weights = draw_weights(k, origins, y, importance)
        utilities = conditions.per_cost((gains * density) @ weights)
        return Explanation(labelled.classes, points, origins, k, gains, density, weights, utilities)

    def _look(
        self,
        labelled: LabelledSet,
        stream: Stream,
        importance: Features | None,
        mistakes: Features | None,
    ) -> tuple[Features, Codes, Features, Features]:
        """Return pseudo-instances, their origins, kernel frequencies and gains."""
        model: Model = None
        if self.classifier is not None:
            labelled, model = embed(seeded(self.classifier, int(stream.seed)), labelled)
        points, origins, k, acquired = self._places(labelled, stream)
        believed = believed_frequencies(k, points, acquired, model, importance)
        if mistakes is None:
            return points, origins, k, gain_rows(believed, int(self.max_labels), 1.0)
        gains = cost_gain_rows(believed, int(self.max_labels), prior_under(mistakes), mistakes)
        return points, origins, k, gains

    def _places(
        self, labelled: LabelledSet, stream: Stream
    ) -> tuple[Features, Codes, Features, tuple[Features, Codes, Labels]]:
        """Return pseudo-instances, their origins, kernel frequencies and what these count."""
        if is_tensor(labelled.X):
            points, origins, k = look_at_tensor(labelled, self.n_pseudo, self.bandwidth, stream)
            points, k = (np.asarray(on_host(each), dtype=np.float64) for each in (points, k))
            y = np.concatenate([labelled.y, known_pending(labelled)])
            return points, origins, k, (labelled.X, y, labelled.classes)
        noise = noise_for(self.bandwidth, labelled)
        bandwidth = float(self.bandwidth) if noise is None else noise.bandwidth
        n_classes, n_pseudo = labelled.n_classes, int(self.n_pseudo)
        X, y = impute_pending(labelled, bandwidth, noise, stream)
        if self.sampling == "grid":
            points = grid(X, n_pseudo, bandwidth)
            origins = np.full(len(points), -1, dtype=np.int64)
        else:
            points, origins = draw_points((X, y, n_classes), n_pseudo, bandwidth, noise, stream)
        if noise is None or self.sampling == "grid":
            k = frequencies(points, X, y, n_classes, bandwidth)
            warn_if_vanished(k, X, bandwidth)
        else:
            nobody = np.full(len(points), -1)
            k = effective_counts_at(points, X, (y, n_classes), bandwidth, nobody)
        return points, origins, k, (X, y, labelled.classes)


class PALACSForm(NamedTuple):
    """PAL-ACS for compiled loops."""

    compares: bool
    bandwidth: float
    n_pseudo: int
    max_labels: int


@decides_for(PALACSForm)
@compiled
def _palacs_utilities(form: PALACSForm, acquired: Acquired, n: int, stream: Stream) -> Utilities:
    X, y, n_classes = acquired.X[:n], acquired.y[:n], acquired.counts.shape[0]
    points, origins, bandwidth = draw_acquired(acquired, n, form.n_pseudo, form.bandwidth, stream)
    if form.bandwidth == AUTO:
        nobody = np.full(points.shape[0], -1)
        k = effective_counts(squared_loop(points, X), y, n_classes, bandwidth, nobody)
    else:
        k = frequency_loop(points, X, y, n_classes, bandwidth)
    gains = gain_rows_up_to_three(k, form.max_labels, 1.0)
    summed: Utilities = weighted_sums(k, gains, origins)
    return summed
