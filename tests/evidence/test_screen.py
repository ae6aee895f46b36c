"""Of very many classes a quick look finds those that deserve a close one."""

from __future__ import annotations

import numpy as np

from palacs.classifier import ParzenWindowClassifier
from palacs.evidence import LabelledSet, check_labelled_set, screen
from palacs.strategies import SpareSettled, open_classes
from palacs.stream import Stream


def apart_and_in_pairs(n_classes: int, each: int, n_features: int = 8) -> LabelledSet:
    """Return classes of which the first ten lie in confused pairs, the others far apart."""
    rng = np.random.default_rng(0)
    centres = 6.0 * rng.standard_normal((n_classes, n_features))
    centres[1:10:2] = centres[0:10:2] + 0.2
    y = np.tile(np.arange(n_classes), each)
    X = centres[y] + rng.standard_normal((len(y), n_features))
    return check_labelled_set(X, y, None, None)


def test_confused_classes_are_found_with_their_rivals() -> None:
    seen = screen(apart_and_in_pairs(300, 6))
    assert seen.mistaken[:10].min() > 0.2
    assert np.median(seen.mistaken[10:]) < 0.01
    assert np.array_equal(seen.rivals[:10, 0], np.arange(10) ^ 1)


def test_many_features_are_looked_at_in_a_few_dimensions() -> None:
    seen = screen(apart_and_in_pairs(200, 6, n_features=200))
    assert np.array_equal(seen.rivals[:10, 0], np.arange(10) ^ 1)
    assert seen.mistaken[:10].mean() > 5 * seen.mistaken[10:].mean()


def test_a_look_that_is_close_to_a_few_takes_a_class_the_full_decision_would_take() -> None:
    labelled, strategy = apart_and_in_pairs(300, 6), SpareSettled(random_state=0)
    stream = Stream(np.uint64(0), np.uint64(len(labelled)))
    full = strategy.utilities(labelled, stream)
    _, codes = open_classes(labelled, stream, most=20)
    assert len(codes) <= 80
    assert set(range(10)) <= set(codes.tolist())
    taken = codes[strategy.utilities(labelled.of_classes(codes), stream).argmax()]
    assert full[taken] == full.max()


def test_over_very_many_classes_one_that_was_looked_at_is_asked_for_and_why() -> None:
    labelled = apart_and_in_pairs(2_100, 2)
    strategy = SpareSettled(random_state=0)
    picks, utilities = strategy.query_labelled(labelled)
    stream = Stream(np.uint64(0), np.uint64(len(labelled)))
    _, codes = open_classes(labelled, stream)
    assert picks[0] in codes
    assert np.isfinite(utilities).all()
    others = np.setdiff1d(np.arange(2_100), codes)
    assert utilities[others].max() < utilities[codes].min()
    only = strategy.query_labelled(labelled, candidates=others[:3])[0]
    assert only[0] in others[:3]


def test_of_very_many_classes_most_may_be_without_instances() -> None:
    labelled = apart_and_in_pairs(300, 14)
    some = LabelledSet(labelled.X, labelled.y, np.arange(2_100), np.arange(300, 2_100))
    strategy = SpareSettled(random_state=0)
    _, codes = open_classes(some, Stream(np.uint64(0), np.uint64(len(some))))
    assert 0 < len(codes) <= 300
    assert codes.max() < 300
    assert set(strategy.query_labelled(some, batch_size=3)[0]) <= set(codes)
    paused = LabelledSet(labelled.X, labelled.y, np.arange(2_100), np.arange(0))
    only = strategy.query_labelled(paused, candidates=np.arange(10))[0]
    assert only[0] in range(10)


def test_a_prior_over_all_classes_is_that_of_those_looked_at() -> None:
    labelled, picked = apart_and_in_pairs(2_100, 2), []
    for prior in (np.full(2_100, 3.0), "uniform"):
        strategy = SpareSettled(ParzenWindowClassifier(class_prior=prior), random_state=0)
        picked.append(strategy.query_labelled(labelled)[0].tolist())
    assert picked[0] == picked[1]
