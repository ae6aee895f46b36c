"""The Parzen window classifier: decide by kernel frequencies (the paper's Eq. 1 and Eq. 5).

Class selection distorts how many instances each class has; ``class_prior`` divides that
distortion out. However far away all instances are, the nearest decide; nothing underflows.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from palacs.arrays import ByClass, by_class, check_tensor, is_tensor, like, on_host
from palacs.checks import (
    BANDWIDTH_OR_AUTO,
    Bandwidth,
    Codes,
    Features,
    StrOptions,
    check_label_items,
    stays_single,
)
from palacs.classifier._parzen_tensors import best_labels, check_same_place, proba_tensor
from palacs.kernel import (
    BLOCK,
    frequencies,
    frequencies_tensor,
    relative_frequencies,
    resolve_bandwidth,
    resolve_bandwidth_tensor,
)
from palacs.ties import best_of_rows

NothingNear = Literal["nearest", "prior"]
ClassPrior = Literal["uniform"] | npt.ArrayLike | None


class ParzenWindowClassifier(ClassifierMixin, BaseEstimator):
    """Classify by the similarity-weighted number of nearby instances of each class.

    Fitted on a torch tensor it computes and answers where that lies, as in scikit-learn: labels
    in the namespace of ``y``, everything else in that of ``X``.

    Parameters
    ----------
    bandwidth : float or "auto", default=0.05
        The Gaussian kernel's standard deviation σ, for features scaled to [0, 1]; "auto" fits it
        to the labelled set, see `palacs.kernel.auto_bandwidth`.
    classes : array-like of shape (n_classes,) or None, default=None
        All class labels, also those that no instance has yet; None takes those in ``y``. Sorted
        in ``classes_``.
    class_prior : "uniform", array-like of shape (n_classes,) or None, default=None
        How often each class occurs in use, in the order of ``classes_`` (sorted). None is the
        paper's: a class weighs as many instances as were acquired of it. Anything else divides
        the acquired class sizes out: the probabilities are ∝ prior_y · k_y / n_y.
    nothing_near : {"nearest", "prior"}, default="nearest"
        How to decide where all kernel frequencies underflow to zero. "nearest" takes them
        relative to that of the nearest instance, which changes nothing elsewhere. "prior", as
        the paper is reproduced, knows nothing there: the probabilities are the prior.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    bandwidth_ : float
        The bandwidth in use.
    class_count_ : ndarray of shape (n_classes,)
        Instances of each class.
    class_prior_ : ndarray of shape (n_classes,)
        The class prior as probabilities; uniform for ``class_prior=None``.
    n_features_in_ : int

    Examples
    --------
    >>> from palacs import ParzenWindowClassifier
    >>> model = ParzenWindowClassifier(bandwidth=0.1).fit([[0.0], [0.2], [1.0]], ["a", "a", "b"])
    >>> model.predict([[0.1], [0.9]]).tolist()
    ['a', 'b']
    >>> model.predict_proba([[1e6]]).tolist()  # nothing is near, "b" is nearest
    [[0.0, 1.0]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "bandwidth": BANDWIDTH_OR_AUTO,
        "classes": ["array-like", None],
        "class_prior": [StrOptions({"uniform"}), "array-like", None],
        "nothing_near": [StrOptions({"nearest", "prior"})],
    }

    def __init__(
        self,
        bandwidth: Bandwidth = 0.05,
        classes: npt.ArrayLike | None = None,
        class_prior: ClassPrior = None,
        nothing_near: NothingNear = "nearest",
    ) -> None:
        self.bandwidth = bandwidth
        self.classes = classes
        self.class_prior = class_prior
        self.nothing_near = nothing_near

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> ParzenWindowClassifier:
        """Remember the labelled set.

        Parameters
        ----------
        X : array-like of shape (n_instances, n_features)
        y : array-like of shape (n_instances,)
        sample_weight : array-like of shape (n_instances,) or None, default=None
            Each instance counts as so many at its place, none negative; None is one each. A
            bandwidth of "auto" knows no weights.

        Returns
        -------
        self : ParzenWindowClassifier
        """
        given, y, classes = y, on_host(y), on_host(self.classes)
        _check_labels(y, "y")
        _check_labels(classes, "classes")
        if is_tensor(X):
            X = validate_data(self, check_tensor(X), skip_check_array=True)
            y = column_or_1d(y, warn=True)
            check_consistent_length(X, y)
        else:
            single = isinstance(X, np.ndarray) and stays_single(X)
            kept = np.float32 if single else np.float64
            X, y = validate_data(self, X, y, dtype=kept, order="C")
        check_classification_targets(y)
        X, y, self._weights = _weighted(X, np.asarray(y), on_host(sample_weight))
        found, codes = _encoded(y, classes)
        self._codes: Codes = codes
        n_classes = len(found)
        count = np.bincount(self._codes, self._weights, minlength=n_classes)
        prior = check_class_prior(on_host(self.class_prior), n_classes)
        if is_tensor(X):
            self._X: Any = by_class(X, self._codes, n_classes)
            self.bandwidth_ = resolve_bandwidth_tensor(self.bandwidth, X, self._codes, n_classes)
            self.class_count_, self.class_prior_ = like(count, X), like(prior, X)
            # Labels stay in the namespace they came in, as in scikit-learn.
            self.classes_ = like(found, X, keep=True) if is_tensor(given) else found
            return self
        self._X = np.asarray(X)
        self.bandwidth_ = resolve_bandwidth(self.bandwidth, self._X, self._codes)
        self.class_count_, self.class_prior_, self.classes_ = count, prior, found
        return self

    def predict_freq(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Kernel frequencies of each class near each row of X.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)

        Returns
        -------
        k : ndarray of shape (n_query, n_classes)
        """
        return self._frequencies(X, relative=False)

    def predict_proba(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Class probabilities near each row of X.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)

        Returns
        -------
        p : ndarray of shape (n_query, n_classes)
            Rows sum to one. With ``nothing_near="prior"``, the prior where all kernel
            frequencies are zero.
        """
        scores = self._frequencies(X, relative=self.nothing_near == "nearest")
        if is_tensor(scores):
            if self.class_prior is not None:
                sizes = self.class_count_ + (self.class_count_ == 0)
                scores = scores * (self.class_prior_ / sizes)
            return cast("Features", proba_tensor(scores, self.class_prior_))
        if self.class_prior is not None:
            counts = np.where(self.class_count_ > 0, self.class_count_, 1.0)
            scores = scores * (self.class_prior_ / counts)
        # Dividing by the largest first keeps the sum of denormal scores from losing its digits.
        largest = scores.max(axis=1, keepdims=True)
        scores = np.divide(scores, largest, out=np.zeros_like(scores), where=largest > 0)
        scores[largest[:, 0] == 0] = self.class_prior_
        proba: npt.NDArray[np.float64] = scores / scores.sum(axis=1, keepdims=True)
        return proba

    def _frequencies(self, X: npt.ArrayLike, *, relative: bool) -> Features:
        """Return kernel frequencies (n_query, n_classes), or those relative to the nearest."""
        check_is_fitted(self)
        n_classes = len(self.classes_)
        find = relative_frequencies if relative else frequencies
        if isinstance(self._X, ByClass):
            check_same_place(X, self._X.X)
            near = validate_data(self, check_tensor(X), skip_check_array=True, reset=False)
            near, weights = near.to(self._X.X.dtype), self._weights
            weights = None if weights is None else like(weights, near)
            return cast(
                "Features",
                frequencies_tensor(
                    near, self._X, self.bandwidth_, relative=relative, weights=weights
                ),
            )
        check_same_place(X, self._X)
        queries: Features = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        if self._weights is None:
            return find(queries, self._X, self._codes, n_classes, self.bandwidth_)
        # Every instance as a class of its own; then each counts as its weight says.
        k = np.zeros((len(queries), n_classes))
        step = max(1, BLOCK // len(self._X))
        for first in range(0, len(queries), step):
            block = queries[first : first + step]
            own = np.arange(len(self._X))
            each = find(block, self._X, own, len(own), self.bandwidth_) * self._weights
            for code in range(n_classes):
                k[first : first + step, code] = each[:, self._codes == code].sum(axis=1)
        return k

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Most probable class of each row of X; the first of equals.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)

        Returns
        -------
        y : ndarray of shape (n_query,)
        """
        proba = self.predict_proba(X)
        if is_tensor(proba):
            return cast("npt.NDArray[Any]", best_labels(proba, self.classes_))
        winners = best_of_rows(proba).argmax(axis=1)
        labels: npt.NDArray[Any] = self.classes_[winners]
        return labels


def _encoded(y: npt.NDArray[Any], classes: npt.ArrayLike | None) -> tuple[npt.NDArray[Any], Codes]:
    """Return all labels, sorted, and the place of each of y among them."""
    if classes is None:
        found, codes = np.unique(y, return_inverse=True)
        return found, codes.astype(np.int64)
    found = unique_labels(np.asarray(classes))
    unknown = np.setdiff1d(y, found)
    if len(unknown):
        raise ValueError(
            f"y holds the label {unknown.tolist()[0]!r}, which is not among classes="
            f"{found.tolist()}; add it to classes or correct y."
        )
    return found, np.searchsorted(found, y).astype(np.int64)


def _weighted(
    X: Any, y: npt.NDArray[Any], sample_weight: npt.ArrayLike | None
) -> tuple[Any, npt.NDArray[Any], Features | None]:
    """Return instances, labels and weights of those that count."""
    if sample_weight is None:
        return X, y, None
    weights = _check_sample_weight(sample_weight, np.empty((len(y), 1)), ensure_non_negative=True)
    counts = weights > 0
    if not counts.any():
        raise ValueError("sample_weight is zero everywhere; some instance must count.")
    # An instance that counts nothing is not there.
    there = like(counts, X, keep=True) if is_tensor(X) else counts
    return X[there], y[counts], weights[counts]


def _check_labels(given: npt.ArrayLike | None, name: str) -> None:
    """Refuse missing labels, and text mixed with numbers, which NumPy would turn into text."""
    items = given if isinstance(given, (list, tuple)) else np.asarray(given)
    if given is not None and (not isinstance(items, np.ndarray) or items.dtype.kind == "O"):
        check_label_items(items, name)


def check_class_prior(class_prior: ClassPrior, n_classes: int) -> npt.NDArray[np.float64]:
    """Return ``class_prior`` as probabilities of shape (n_classes,); uniform for None."""
    if class_prior is None or isinstance(class_prior, str):
        return np.full(n_classes, 1.0 / n_classes)
    prior = np.asarray(class_prior, dtype=np.float64)
    if prior.shape != (n_classes,):
        raise ValueError(
            f"class_prior has shape {prior.shape}, but there are {n_classes} classes; give one "
            "number per class in sorted order."
        )
    if not np.isfinite(prior).all() or (prior < 0).any() or prior.sum() <= 0:
        raise ValueError(
            f"class_prior={prior.tolist()} must hold finite numbers, none negative and not all "
            "zero; they need not sum to one."
        )
    normalised: npt.NDArray[np.float64] = prior / prior.sum()
    return normalised


def prior_or_none(classifier: ParzenWindowClassifier, n_classes: int) -> Features:
    """Return the prior (n_classes,) as compiled code takes it: empty for the paper's None."""
    if classifier.class_prior is None:
        return np.zeros(0)
    return check_class_prior(classifier.class_prior, n_classes)
