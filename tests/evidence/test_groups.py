"""Whole groups are left out: what instances of one subject share is no merit of a model."""

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict
from sklearn.naive_bayes import GaussianNB

from palacs import ParzenWindowClassifier
from palacs.evidence import (
    advise_stopping,
    check_labelled_set,
    cross_validator,
    default_model,
    learning_curve,
    left_out_decisions,
)


class SameParzen(ParzenWindowClassifier):
    """Predicts the same, but is no longer the very class that the fast path knows."""


def subjects(n_subjects, per_class=12, seed=0, apart=20.0):
    """Classes that say nothing; every subject has its own place for each of them."""
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], n_subjects * per_class)
    who = np.repeat([f"s{i:02}" for i in range(n_subjects)], 2 * per_class)
    places = rng.normal(0, apart, (n_subjects, 2, 2))
    X = places[np.repeat(np.arange(n_subjects), 2 * per_class), y]
    return X + rng.normal(0, 0.1, X.shape), y, who


def labelled(X, y):
    return check_labelled_set(X, y, None, None)


@pytest.mark.parametrize("model", [None, GaussianNB()])
def test_a_model_that_only_knows_its_subjects_is_found_out(model):
    X, y, who = subjects(8)
    model = default_model() if model is None else model
    own = left_out_decisions(labelled(X, y), model, 0).curve[-1].accuracy
    others = left_out_decisions(labelled(X, y), model, 0, groups=who).curve[-1].accuracy
    assert others < 0.75
    if type(model) is not GaussianNB:
        assert own > 0.99
        assert learning_curve(X, y, model=model).errors[-1] < 0.01
    assert learning_curve(X, y, model=model, groups=who).errors[-1] > 0.25


def test_each_group_is_a_fold_of_its_own_as_in_scikit_learn():
    X, y, who = subjects(6)
    expected = cross_val_predict(GaussianNB(), X, y, groups=who, cv=LeaveOneGroupOut())
    found = cross_validator(labelled(X, y), GaussianNB(), 10, np.uint64(0), who).predict(len(y))
    assert found.tolist() == expected.tolist()


def test_the_fast_and_the_general_validator_agree_on_groups():
    X, y, who = subjects(5, apart=1.0)
    fast = cross_validator(labelled(X, y), default_model(bandwidth=0.5), 10, np.uint64(0), who)
    same = SameParzen(0.5, classes=[0, 1], class_prior="uniform")
    general = cross_validator(labelled(X, y), same, 10, np.uint64(0), who)
    assert type(fast) is not type(general)
    for n in (len(y), 50, 30):
        assert fast.predict(n).tolist() == general.predict(n).tolist()


def test_groups_of_one_instance_each_are_as_good_as_none():
    X, y, _ = subjects(4, apart=1.0)
    each = learning_curve(X, y, groups=np.arange(len(y)))
    none = learning_curve(X, y)
    assert each.errors == pytest.approx(none.errors)
    assert each.standard_errors == pytest.approx(none.standard_errors, rel=0.1)


def test_the_curve_begins_when_there_is_a_second_group():
    X, y, who = subjects(2)
    curve = left_out_decisions(labelled(X, y), default_model(), 0, groups=who).curve
    assert curve[0].acquired == 25
    assert curve[-1].acquired == 48


def test_a_small_group_is_not_thinned_out_of_a_long_labelled_set():
    y = np.arange(4001) % 2
    X = np.random.default_rng(0).normal(y[:, None], 0.3, (4001, 1))
    who = np.array(["s01"] * 4001)
    who[[1, 2]] = "s02"
    found = left_out_decisions(labelled(X, y), default_model(), 0, groups=who)
    assert found.confusion.sum() > 0


def test_one_group_alone_tells_nothing_and_is_named():
    X, y, who = subjects(1)
    found = left_out_decisions(labelled(X, y), default_model(), 0, groups=who)
    assert found.curve == ()
    assert found.recall == (None, None)
    assert "'s00'" in found.remark
    with pytest.raises(ValueError, match="all instances belong to 's00'"):
        learning_curve(X, y, groups=who)
    advice = advise_stopping(X, y, groups=who)
    assert not advice.stop
    assert "'s00'" in advice.reason


def test_fewer_than_five_groups_are_no_reason_to_stop_and_are_named():
    rng = np.random.default_rng(0)
    y = np.arange(1200) % 2
    X = rng.normal(1.5 * y[:, None], 1, (1200, 1))
    assert advise_stopping(X, y, tolerance=0.3).stop
    advice = advise_stopping(X, y, groups=[f"s{i % 4}" for i in range(1200)], tolerance=0.3)
    assert not advice.stop
    assert "of 5 groups there are 's0', 's1', 's2', 's3'" in advice.reason


def test_stop_is_not_advised_where_further_subjects_would_bring_much():
    # Each subject does the two things in one of thirty ways: with 30 subjects instead of 10 half of
    # the mistakes are gone, while more of the same 10 bring nothing.
    styles = np.random.default_rng(5).random((30, 2, 2))
    y = np.tile([0, 1], 300)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        who = rng.permutation(np.repeat(np.arange(10), 60))
        X = styles[rng.integers(30, size=10)[who], y] + rng.normal(0, 0.02, (600, 2))
        curve = learning_curve(X, y, groups=who)
        assert not advise_stopping(X, y, groups=who).stop, curve


def test_stop_is_advised_where_subjects_are_alike():
    y = np.arange(1200) % 2
    X = np.random.default_rng(0).normal(1.5 * y[:, None], 1, (1200, 1))
    assert advise_stopping(X, y, groups=np.arange(1200) // 30, tolerance=0.3).stop


def test_what_subjects_have_in_common_does_not_average_out():
    rng = np.random.default_rng(1)
    who = np.repeat(np.arange(10), 60)
    y = np.arange(600) % 2
    # Three of ten subjects do the two things the wrong way round.
    X = rng.normal(3.0 * (y ^ (who >= 7))[:, None], 1, (600, 1))
    by_instance = learning_curve(X, y, model=GaussianNB())
    by_subject = learning_curve(X, y, model=GaussianNB(), groups=who)
    assert by_subject.standard_errors[-1] > 3 * by_instance.standard_errors[-1]


@pytest.mark.parametrize(
    ("groups", "complaint"),
    [(["s1"], "1 entries for 4 instances"), (["s1", None, "s2", "s2"], "missing label")],
)
def test_groups_that_do_not_fit_are_refused(groups, complaint):
    with pytest.raises(ValueError, match=complaint):
        learning_curve([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], groups=groups)
