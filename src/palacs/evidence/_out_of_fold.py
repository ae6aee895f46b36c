"""What a refitted model's decisions say about each class: out of fold, thinned by refits.

The same evidence as of the Parzen window in `_settled`, of any scikit-learn classifier.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from palacs.checks import Codes, Features, InvalidParameterError
from palacs.evidence._labelled_set import LabelledSet, encode
from palacs.evidence._settled import TAKEN, ClassEvidence, no_evidence
from palacs.objects import seeded
from palacs.stream import FOLDS, Stream, permutation

# With so many instances of every class it is worth saying that a model refuses them.
_PLENTY = 20
# A model's odds count with this power: nearer to its decisions, which are what will be judged.
_ODDS_POWER = 2.0


def out_of_fold_evidence(
    labelled: LabelledSet, model: Any, folds: int, stream: Stream
) -> ClassEvidence:
    """Return the evidence by any scikit-learn classifier: out of fold, thinned by refits.

    Each fold's model is fitted once with all others, and twice for each class: without one random
    half of what is left of it, and without the other. Decisions are soft where the model has
    ``predict_proba``. A model that refuses so few instances knows nothing yet; of a class without
    half of which it refuses, an average loss is supposed. Nor is it asked while no class has more
    instances than there are folds. Where by the odds nothing is lost without half of a class, whole
    decisions have a say: odds may rise while the class itself is given up. Only what both say is
    won, is won. Chance of a model without a seed is that of the stream.
    """
    y, n_classes = labelled.y, labelled.n_classes
    evidence = no_evidence(n_classes)
    np.add.at(evidence.left_out, y, 1.0)
    if labelled.counts.max() <= folds:
        evidence.mistaken[:] = 0.5 * evidence.left_out
        return evidence
    seeded_model = seeded(model, int(stream.seed))
    fold = _folds_of_each(y, folds, stream)
    rng = stream.generator()
    weight = 1.0 / np.maximum(labelled.counts, 1)[y]
    lost, lost_whole = np.zeros(n_classes), np.zeros(n_classes)
    decided, undecided = np.zeros(n_classes), np.zeros(n_classes)
    refusals = 0
    for f in range(folds):
        test, train = fold == f, fold != f
        scores = _scores(labelled, seeded_model, train, test)
        if scores is None:
            refusals += 1
            np.add.at(evidence.mistaken, y[test], 0.5)
            continue
        right, rival = _soft_rows(scores, y[test])
        np.add.at(evidence.mistaken, y[test], 1.0 - right)
        told = scores.any(axis=1)
        taken = told & (right < TAKEN)
        np.add.at(evidence.confused, (y[test][taken], rival[taken]), (1.0 - right)[taken])
        if not told.any():
            # Who knows nothing loses nothing; with one class left it would know the only answer.
            continue
        for c in np.unique(y[train]):
            taught = rng.permutation(np.flatnonzero(train & (y == c)))
            if len(taught) < 2:
                # Whether it would be missed cannot be seen; nor is so small a class ever spared.
                continue
            for missing in (taught[: len(taught) // 2], taught[(len(taught) + 1) // 2 :]):
                thinned = train.copy()
                thinned[missing] = False
                scores = _scores(labelled, seeded_model, thinned, test)
                if scores is None:
                    undecided[c] += 1.0
                    continue
                decided[c] += 1.0
                after, _ = _soft_rows(scores, y[test])
                lost[c] += 0.5 * weight[test] @ (right - after)
                # One for right, none for wrong, a half for as good as each other.
                lost_whole[c] += 0.25 * weight[test] @ (np.sign(right - 0.5) - np.sign(after - 0.5))
    if refusals == folds and labelled.counts.min() >= _PLENTY:
        warnings.warn(
            f"{model!r} refuses what there is of each class, {_PLENTY} instances and more; until "
            "it can be fitted, no class is known to need fewer than another. Fit it to see why.",
            stacklevel=2,
        )
    lost = np.where(lost > 0.0, lost, np.maximum(lost, lost_whole))
    evidence.lost[:] = _supposed(lost, decided, undecided)[:, None]
    return evidence


def _supposed(lost: Features, decided: Features, undecided: Features) -> Features:
    """Return what is lost without half of each class (n_classes,), where a model often refused.

    Fits that were ``decided`` and ``undecided`` are counted; these might have lost as much as the
    others of their class, and where there are none, as those of the other classes.
    """
    told, refused = decided > 0.0, undecided > 0.0
    lost = lost / np.divide(decided, decided + undecided, out=np.ones(len(lost)), where=told)
    average = float(lost[told].mean()) if told.any() else 0.0
    supposed: Features = np.where(refused & ~told, average, lost)
    return supposed


def _folds_of_each(y: Codes, folds: int, stream: Stream) -> Codes:
    """Return the fold of each instance, shape (n,): at random, each class spread evenly.

    A class of seven that lost three of them to one fold would look as if it needed them all.
    """
    order = permutation(stream, FOLDS, len(y))
    order = order[np.argsort(y[order], kind="stable")]
    fold = np.empty(len(y), dtype=np.int64)
    fold[order] = np.arange(len(y)) % folds
    return fold


def _scores(
    labelled: LabelledSet,
    model: Any,
    train: npt.NDArray[np.bool_],
    test: npt.NDArray[np.bool_],
) -> Features | None:
    """Return what the model makes of each class (n_tested, n_classes), fitted without them.

    None if it refuses.
    """
    scores = np.zeros((int(test.sum()), labelled.n_classes))
    seen = np.unique(labelled.y[train])
    if len(seen) <= 1:
        # Many classifiers refuse to fit a single class; there is only one answer.
        scores[:, seen] = 1.0
        return scores
    fresh = clone(model)
    try:
        _fill_scores(scores, labelled, fresh, train, test)
    except InvalidParameterError:
        # More instances will not mend that.
        raise
    except (ValueError, IndexError):
        # Five neighbours of three instances, folds within folds, covariances of one instance;
        # linear discriminant analysis of rows that are all the same.
        return None
    return scores


def _fill_scores(
    scores: Features,
    labelled: LabelledSet,
    model: Any,
    train: npt.NDArray[np.bool_],
    test: npt.NDArray[np.bool_],
) -> None:
    # The model sees the labels themselves: its parameters may name them.
    fitted = model.fit(labelled.X[train], labelled.classes[labelled.y[train]])
    if hasattr(fitted, "predict_proba"):
        columns = encode(fitted.classes_, labelled.classes, "the model")
        # Some models divide by a variance of zero; then they know nothing.
        scores[:, columns] = np.nan_to_num(fitted.predict_proba(labelled.X[test]))
    else:
        answers = fitted.predict(labelled.X[test])
        scores[:] = labelled.classes[None, :] == answers[:, None]


def _soft_rows(scores: Features, y: Codes) -> tuple[Features, Codes]:
    """Return how surely each row is right, shape (n,), and its best rival, shape (n,)."""
    rows = np.arange(len(y))
    own = scores[rows, y] ** _ODDS_POWER
    others = scores.copy()
    others[rows, y] = -1.0
    rival = others.argmax(axis=1)
    best = np.maximum(others[rows, rival], 0.0) ** _ODDS_POWER
    together = own + best
    right: Features = np.divide(own, together, out=np.full(len(y), 0.5), where=together > 0.0)
    return right, rival
