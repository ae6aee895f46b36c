"""What a strategy decides from: the labelled set in acquisition order, as plain codes.

Here labels become codes and bad input becomes an error; behind this door a strategy deals with
clean arrays only.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from reprlib import repr as short_repr
from typing import Any

import numpy as np
import numpy.typing as npt

from palacs.arrays import check_tensor, is_tensor, like, on_host, scaled_tensor
from palacs.checks import Codes, Features, check_features, check_label_items

Labels = npt.NDArray[Any]

MANY = 4_000
"""Of more instances a selection says which classes are settled or confused."""
# At least so many of each class.
_OF_EACH = 50

_NOTHING: Codes = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Origin:
    """Where instances come from: rows of a store under whose numbers nothing ever changes.

    Attributes
    ----------
    store : object
        Stands for it, and for the form in which its rows are read; what is held from one decision
        to the next goes with it.
    rows : ndarray of shape (n,)
    """

    store: object
    rows: Codes


@dataclass(frozen=True)
class LabelledSet:
    """Instances in the order in which they were acquired, and what is still pending.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
        A tensor where one was given and the strategy takes it, see `Strategy.takes_tensors`.
    y : ndarray of shape (n,)
        Class codes: positions in ``classes``.
    classes : ndarray of shape (n_classes,)
        The class labels.
    pending : ndarray of shape (n_pending,)
        Codes of the classes requested but not yet delivered, in order of request.
    order : ndarray of shape (n_requests,) or None
        Codes of all classes in the order in which they were requested, where instances did not
        arrive in that order; None is ``y``, then ``pending``.
    origin : Origin or None
        Where the instances come from, so that the next decision need not begin anew.
    steady : bool
        False: many instances are looked at by the rules of records before these were kept.
    chosen_from : ndarray or None
        All class labels, where ``classes`` are some of these, see `of_classes`.

    Attributes
    ----------
    counts : ndarray of shape (n_classes,)
        Instances of each class.
    counts_with_pending : ndarray of shape (n_classes,)
        Instances of each class as if the pending ones were in.
    requested : ndarray of shape (n_requests,)
        Classes in the order in which they were requested.
    """

    X: Features
    y: Codes
    classes: Labels
    pending: Codes
    order: Codes | None = None
    origin: Origin | None = None
    steady: bool = True
    chosen_from: Labels | None = None
    # Counted at once: a property that is computed once is behind a lock of its class in Python
    # 3.11, and a child that was forked while a thread held it would wait for ever.
    counts: Codes = field(init=False)
    counts_with_pending: Codes = field(init=False)
    requested: Codes = field(init=False)

    def __post_init__(self) -> None:
        counts = np.bincount(self.y, minlength=self.n_classes)
        coming = np.bincount(self.pending, minlength=self.n_classes)
        order = np.concatenate([self.y, self.pending]) if self.order is None else self.order
        object.__setattr__(self, "counts", counts)
        object.__setattr__(self, "counts_with_pending", counts + coming)
        object.__setattr__(self, "requested", order)

    @property
    def n_classes(self) -> int:
        """How many classes there are, with and without instances."""
        return len(self.classes)

    def __len__(self) -> int:
        return len(self.y)

    @property
    def last_requested(self) -> int | None:
        """Code of the class that was requested last, if any."""
        return int(self.requested[-1]) if len(self.requested) else None

    def thinned(self, most: int | None = None) -> LabelledSet:
        """Return an even selection where there are more instances than evidence needs.

        Large classes give up instances first; of each class as many are kept, evenly over the
        time they arrived in and always with the latest. What was requested stays as it was.
        Arrays are float64 then.

        Parameters
        ----------
        most : int or None
            How many instances are kept altogether, at least one of each class; by default 4,000,
            or 50 per class where that is more.

        Examples
        --------
        >>> import numpy as np
        >>> from palacs.evidence import check_labelled_set
        >>> many = check_labelled_set(np.zeros((9, 1)), list("aaaaaaabb"), None, None)
        >>> many.thinned(6).counts.tolist()
        [4, 2]
        """
        most = max(MANY, _OF_EACH * self.n_classes) if most is None else most
        if len(self) <= most:
            return self if is_tensor(self.X) or self.X.dtype == np.float64 else self._doubled()
        each = _level(self.counts, most)
        rows = _evenly(self.y, self.counts, each)
        # A tensor wants its places beside it.
        X = self.X[like(rows, self.X, keep=True) if is_tensor(self.X) else rows]
        some = replace(self, X=X, y=self.y[rows], order=self.requested, origin=None)
        return some if is_tensor(X) or X.dtype == np.float64 else some._doubled()

    def of_classes(self, codes: Codes) -> LabelledSet:
        """Return what is known of some classes (n_some,), ascending, with codes of their own."""
        rows = np.flatnonzero(np.isin(self.y, codes))
        X = self.X[like(rows, self.X, keep=True) if is_tensor(self.X) else rows]
        y = np.searchsorted(codes, self.y[rows])
        coming = np.searchsorted(codes, self.pending[np.isin(self.pending, codes)])
        everyone = self.classes if self.chosen_from is None else self.chosen_from
        some = LabelledSet(X, y, self.classes[codes], coming, chosen_from=everyone)
        return some if is_tensor(X) or len(some) > MANY else some._doubled()

    def _doubled(self) -> LabelledSet:
        return replace(self, X=self.X.astype(np.float64))

    def with_pending(self, code: int) -> LabelledSet:
        """Return the same set with one request more under way."""
        order = None if self.order is None else np.append(self.order, np.int64(code))
        return replace(self, pending=np.append(self.pending, np.int64(code)), order=order)


def _level(counts: Codes, most: int) -> int:
    """Return how many of each class fit, where smaller classes keep all of theirs."""
    left, each = most, 1
    ascending = np.sort(counts[counts > 0])
    for place, count in enumerate(ascending):
        each = max(1, left // (len(ascending) - place))
        if count > each:
            break
        left -= int(count)
    return each


def _evenly(y: Codes, counts: Codes, each: int) -> npt.NDArray[np.intp]:
    """Return the places of at most ``each`` instances of each class, evenly and with the last."""
    # Small codes are sorted by their digits, many times as fast.
    by_class = np.argsort(y.astype(np.min_scalar_type(len(counts))), kind="stable")
    ends = np.cumsum(counts)
    kept = (counts <= each)[y[by_class]]
    large = np.flatnonzero(counts > each)
    if len(large):
        within = np.linspace(counts[large] - 1, 0, each).round().astype(np.intp)
        kept[(ends - counts)[large] + within] = True
    return np.sort(by_class[kept])


def normalise(X: Features) -> Features:
    """Scale each feature to [0, 1]; a constant feature becomes 0.

    Examples
    --------
    >>> normalise(np.array([[1.0, 5.0], [3.0, 5.0]])).tolist()
    [[0.0, 0.0], [1.0, 0.0]]
    """
    low = X.min(axis=0)
    extent = X.max(axis=0) - low
    scaled: Features = (X - low) / np.where(extent > 0, extent, 1.0)
    return scaled


def check_classes(classes: npt.ArrayLike | None, y: Labels) -> Labels:
    """Return all class labels, shape (n_classes,): as given, or those found in y, sorted."""
    if classes is None:
        if len(y) == 0:
            raise ValueError(
                "the labelled set is empty, so the classes cannot be read from it; "
                "name them: query(X, y, classes=[...])."
            )
        small = _small(y)
        found: Labels = np.flatnonzero(np.bincount(y)).astype(y.dtype) if small else np.unique(y)
    else:
        found = as_labels(classes, "classes")
        values, counts = np.unique(found, return_counts=True)
        if (counts > 1).any():
            raise ValueError(
                f"classes names {values[counts > 1].tolist()[0]!r} more than once; list each "
                "class once."
            )
    if len(found) < 2:
        raise ValueError(
            f"class selection needs at least two classes, got {found.tolist()}; name them all: "
            "query(X, y, classes=[...])."
        )
    return found


def as_labels(values: npt.ArrayLike, name: str) -> Labels:
    """Return labels as a flat array of text or of numbers, none missing."""
    values = on_host(values)
    labels = np.asarray(values)
    if labels.ndim != 1:
        raise ValueError(f"{name} must be a flat list of labels, got {short_repr(values)}.")
    # NumPy would write the missing label of a list of text as the text 'nan', and 1 as '1'.
    items = values if isinstance(values, (list, tuple)) else labels
    # An array of text or whole numbers cannot hold a missing one; looking would take its time.
    surely_whole = labels.dtype.kind in "iub" or (items is labels and labels.dtype.kind in "US")
    if not surely_whole:
        check_label_items(items, name)
    # Tables hold text as objects; as text it compares with text from anywhere else.
    if labels.dtype.kind == "O":
        labels = np.asarray(labels.tolist())
    if labels.dtype.kind not in "iubfUS":
        raise ValueError(f"{name} holds {labels[0]!r}; labels must be text or numbers.")
    return labels


def encode(labels: npt.ArrayLike, classes: Labels, name: str) -> Codes:
    """Translate labels into positions in ``classes``."""
    labels = as_labels(labels, name)
    if len(labels) == 0:
        return np.zeros(0, dtype=np.int64)
    # Numbers and text do not sort together: a mix cannot match anyway.
    if (labels.dtype.kind in "US") != (classes.dtype.kind in "US"):
        raise ValueError(
            f"{name} holds {labels[0].item()!r}, which is not one of the classes "
            f"{_listing(classes)}; labels and classes must be of one type."
        )
    codes = _positions(labels, classes)
    wrong = classes[codes] != labels
    if wrong.any():
        raise ValueError(
            f"{name} holds {labels[wrong][0].item()!r}, which is not one of the classes "
            f"{_listing(classes)}; correct it or add the class to classes."
        )
    return codes


def _positions(labels: Labels, classes: Labels) -> Codes:
    """Return where each label stands in ``classes``; anywhere, where it does not."""
    if _small(labels) and _small(classes, len(labels)):
        places = np.zeros(max(int(labels.max()), int(classes.max())) + 1, dtype=np.int64)
        places[classes] = np.arange(len(classes))
        return places[labels]
    order = np.argsort(classes)
    position = np.minimum(np.searchsorted(classes, labels, sorter=order), len(classes) - 1)
    return order[position].astype(np.int64)


def _small(labels: Labels, n: int = 0) -> bool:
    """Whether labels are whole numbers that can be counted, which is faster than sorting them."""
    if labels.dtype.kind != "i" or len(labels) == 0:
        return False
    return bool(labels.min() >= 0 and labels.max() < 4 * max(len(labels), n) + 1_000)


def check_labelled_set(
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    classes: npt.ArrayLike | None,
    pending: npt.ArrayLike | None,
    requested: npt.ArrayLike | None = None,
    *,
    scale: bool = False,
    tensors: bool = False,
) -> LabelledSet:
    """Check a labelled set and translate its labels into codes; ``scale`` as `normalise` does.

    With ``tensors`` a torch tensor stays what and where it is; else it becomes an array.
    """
    if tensors and is_tensor(X):
        features = check_tensor(X, allow_empty=True)
        # As for arrays: few instances cost nothing, and float32 would decide some otherwise.
        features = features.double() if len(features) <= MANY else features
    else:
        features = check_features(on_host(X), allow_empty=True, single=True)
    if scale and len(features):
        features = scaled_tensor(features) if is_tensor(features) else normalise(features)
    labels = as_labels(y, "y")
    if len(labels) != len(features):
        raise ValueError(
            f"y has shape {labels.shape}, but X has {len(features)} rows; give one label per "
            "instance."
        )
    known = check_classes(classes, labels)
    codes = encode(labels, known, "y")
    waiting = _NOTHING if pending is None else encode(pending, known, "pending")
    order = None if requested is None else encode(requested, known, "requested")
    return LabelledSet(features, codes, known, waiting, order)


def _listing(classes: Labels, most: int = 8) -> str:
    shown = ", ".join(repr(label.item()) for label in classes[:most])
    return f"[{shown}{', …' if len(classes) > most else ''}]"
