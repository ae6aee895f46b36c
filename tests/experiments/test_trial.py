"""One trial: the compiled loop is the strategy step by step, and the error is the classifier's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from palacs import (
    PALACS,
    InverseAccuracy,
    ParzenWindowClassifier,
    RandomSelection,
    Redistricting,
    Risk,
    Strategy,
    UniformSelection,
)
from palacs.datasets import Dataset, load
from palacs.evidence import LabelledSet
from palacs.experiments import Split, Trial, make_split, run_trial
from palacs.experiments._experiment import scaled
from palacs.experiments._replay import compiled_form_of as fuse
from palacs.experiments.paper import DATASETS

CORRECTED = ParzenWindowClassifier(class_prior="uniform")
FITTED = ParzenWindowClassifier(bandwidth="auto")
FUSED: dict[str, Strategy] = {
    "random": RandomSelection(),
    "uniform": UniformSelection(),
    "pal-acs": PALACS(),
    "pal-acs with other parameters": PALACS(n_pseudo=7, max_labels=2, bandwidth=0.11),
    "pal-acs, fitted bandwidth": PALACS(bandwidth="auto"),
    "inverse": InverseAccuracy(),
    "inverse-no-repeat": InverseAccuracy(allow_repeat=False),
    "inverse, few folds, corrected": InverseAccuracy(folds=3, classifier=CORRECTED),
    "redistricting": Redistricting(),
    "redistricting, fitted bandwidth": Redistricting(classifier=FITTED),
    "redistricting, corrected": Redistricting(
        classifier=ParzenWindowClassifier(bandwidth=0.2, class_prior="uniform")
    ),
}


def seeded(strategy: Strategy, seed: int) -> Strategy:
    params = strategy.get_params(deep=False)
    return type(strategy)(**{**params, "random_state": seed})


def split_of(name: str, seed: int) -> Split:
    dataset = scaled(load(name, random_state=seed))
    return make_split(dataset, 50, np.random.default_rng(seed))


def assert_same(first: Trial, second: Trial) -> None:
    np.testing.assert_array_equal(first.requested, second.requested)
    np.testing.assert_array_equal(first.errors, second.errors)


@pytest.mark.parametrize("dataset", DATASETS)
@pytest.mark.parametrize("strategy", FUSED)
def test_the_compiled_loop_requests_what_the_strategy_does_and_errs_alike(
    dataset: str, strategy: str
) -> None:
    for seed, judge in ((0, ParzenWindowClassifier()), (1, CORRECTED), (2, FITTED)):
        split, asked = split_of(dataset, seed), seeded(FUSED[strategy], seed)
        assert fuse(asked, split.X.shape[1]) is not None
        fused = run_trial(split, asked, judge, 18, refill=True)
        assert_same(fused, run_trial(split, asked, judge, 18, refill=True, fused=False))


@pytest.mark.parametrize("refill", [False, True])
@pytest.mark.parametrize("strategy", FUSED)
def test_the_compiled_loop_follows_the_strategy_when_classes_run_out(
    strategy: str, refill: bool, shorten: Callable[[Split, tuple[int, ...]], Split]
) -> None:
    for seed in range(5):
        split = shorten(split_of("Bars", seed), (2, 5, 9))
        asked = seeded(FUSED[strategy], seed)
        fused = run_trial(split, asked, CORRECTED, 13, refill=refill)
        assert_same(fused, run_trial(split, asked, CORRECTED, 13, refill=refill, fused=False))
        if not refill:
            assert np.bincount(fused.requested).tolist() == [1, 4, 8]


def test_beyond_what_is_looked_at_whole_the_strategy_itself_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of more than 4,000 instances it decides by a selection; the compiled loop knows none."""
    asked: list[int] = []

    def query_labelled(self: Strategy, labelled: LabelledSet, **said: Any) -> Any:
        asked.append(len(labelled))
        return Strategy.query_labelled(self, labelled, **said)

    split, judge = split_of("Bars", 0), ParzenWindowClassifier()
    monkeypatch.setattr("palacs.experiments._trial.MANY", 12)
    monkeypatch.setattr(UniformSelection, "query_labelled", query_labelled)
    run_trial(split, UniformSelection(random_state=0), judge, 9)
    assert asked == []
    run_trial(split, UniformSelection(random_state=0), judge, 10)
    assert asked[-1] == 12


def test_a_class_that_ran_out_yields_its_instances_again_only_when_refilled(
    shorten: Callable[[Split, tuple[int, ...]], Split],
) -> None:
    split = shorten(split_of("Bars", 0), (1, 1, 1))
    judge = ParzenWindowClassifier()
    again = run_trial(split, UniformSelection(random_state=0), judge, 6, refill=True)
    # The same three instances twice more: nothing is learnt.
    assert np.ptp(again.errors[[2, 5]]) == 0
    with pytest.raises(ValueError, match=r"a budget of 6 is more than the 0 .* at most 0"):
        run_trial(split, UniformSelection(random_state=0), judge, 6)


@pytest.mark.parametrize("fused", [True, False])
def test_a_split_without_training_instances_of_a_class_is_refused(
    fused: bool, make_dataset: Callable[..., Dataset]
) -> None:
    split = make_split(make_dataset((6, 4, 6)), 4, np.random.default_rng(0))
    with pytest.raises(ValueError, match="no instance of class number 1 is left"):
        run_trial(split, PALACS(), ParzenWindowClassifier(), 1, refill=True, fused=fused)


def test_a_subclass_is_asked_itself_and_not_replaced_by_the_loop() -> None:
    class Stubborn(RandomSelection):
        def utilities(self, labelled, stream):
            return np.array([0.0, 1.0, 0.0])

    split = split_of("3Clusters", 0)
    trial = run_trial(split, Stubborn(random_state=0), ParzenWindowClassifier(), 5)
    assert trial.requested.tolist() == [1] * 5


@pytest.mark.parametrize(
    "strategy",
    [
        PALACS(max_labels=4),
        PALACS(sampling="grid"),
        InverseAccuracy(classifier=GaussianNB()),
        InverseAccuracy(classifier=ParzenWindowClassifier(class_prior=[0.2, 0.3, 0.5])),
        InverseAccuracy(classifier=ParzenWindowClassifier(class_prior=np.array([0.2, 0.3, 0.5]))),
        Risk(),
    ],
    ids=repr,
)
def test_what_the_loop_does_not_know_is_played_step_by_step(strategy: Strategy) -> None:
    split, asked = split_of("Bars", 3), seeded(strategy, 3)
    assert fuse(asked, 2) is None
    trial = run_trial(split, asked, ParzenWindowClassifier(), 6)
    assert_same(trial, run_trial(split, asked, ParzenWindowClassifier(), 6, fused=False))


def test_more_than_24_features_are_played_step_by_step(
    make_dataset: Callable[..., Dataset],
) -> None:
    assert fuse(PALACS(), 24) is not None
    assert fuse(PALACS(), 25) is None
    split = make_split(make_dataset(n_features=30), 5, np.random.default_rng(0))
    trial = run_trial(split, PALACS(random_state=0), ParzenWindowClassifier(bandwidth=0.5), 10)
    assert trial.errors.shape == (10,)


@pytest.mark.parametrize(
    ("strategy", "judge"),
    [
        (PALACS(n_pseudo=0), ParzenWindowClassifier()),
        (PALACS(max_labels="many"), ParzenWindowClassifier()),  # type: ignore[arg-type]
        (InverseAccuracy(folds=1), ParzenWindowClassifier()),
        (
            Redistricting(classifier=ParzenWindowClassifier(bandwidth=-1.0)),
            ParzenWindowClassifier(),
        ),
        (RandomSelection(), ParzenWindowClassifier(bandwidth=-1.0)),
    ],
    ids=lambda value: repr(value),
)
@pytest.mark.parametrize("fused", [True, False])
def test_wrong_parameters_are_refused_on_either_route(
    strategy: Strategy, judge: ParzenWindowClassifier, fused: bool
) -> None:
    with pytest.raises(ValueError, match="must be"):
        run_trial(split_of("Bars", 0), strategy, judge, 3, fused=fused)


def replayed(split: Split, trial: Trial, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the labelled set after n acquisitions, built from the split and the requests."""
    y = np.concatenate([split.start, trial.requested[:n]])
    taken = [np.sum(y[:i] == c) for i, c in enumerate(y)]
    return split.X[split.first[y] + taken], y


@pytest.mark.parametrize("class_prior", [None, "uniform", [0.6, 0.3, 0.1]])
def test_the_error_is_that_of_the_classifiers_predictions(class_prior: object) -> None:
    # A wide kernel reaches everywhere, so that there are no ties.
    judge = ParzenWindowClassifier(bandwidth=0.5, class_prior=class_prior)  # type: ignore[arg-type]
    for seed in range(3):
        split = split_of("Spirals", seed)
        trial = run_trial(split, PALACS(random_state=seed), judge, 30)
        for n in (1, 7, 30):
            X, y = replayed(split, trial, n)
            predicted = judge.fit(X, y).predict(split.X_test)
            assert trial.errors[n - 1] == np.mean(predicted != split.y_test)


def far_away(n_classes: int) -> Split:
    queue = np.full((2 * n_classes, 1), 100.0)
    first = 2 * np.arange(n_classes + 1)
    return Split(queue, first, np.arange(n_classes), np.zeros((8, 1)), np.arange(8) % n_classes)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("class_prior", [None, "uniform"])
@pytest.mark.parametrize("fused", [True, False])
def test_where_nothing_is_near_the_error_is_that_of_a_guess(
    n_classes: int, class_prior: str | None, fused: bool
) -> None:
    judge = ParzenWindowClassifier(class_prior=class_prior)
    trial = run_trial(far_away(n_classes), RandomSelection(random_state=0), judge, 2, fused=fused)
    np.testing.assert_allclose(trial.errors, 1 - 1 / n_classes)


def test_where_nothing_is_near_a_given_prior_decides() -> None:
    judge = ParzenWindowClassifier(class_prior=[0.1, 0.4, 0.4, 0.1])
    trial = run_trial(far_away(4), RandomSelection(random_state=0), judge, 1)
    # Half of the test instances are of the two likely classes, and those are guessed between.
    np.testing.assert_allclose(trial.errors, 0.75)


def test_two_classes_equally_near_are_a_guess_between_the_two() -> None:
    X = np.array([[0.0], [0.0], [0.0], [0.1], [0.1], [0.1], [9.0], [9.0], [9.0]])
    test = np.array([[0.05], [0.05], [0.05]])
    split = Split(X, np.array([0, 3, 6, 9]), np.arange(3), test, np.arange(3))
    trial = run_trial(split, UniformSelection(random_state=0), ParzenWindowClassifier(), 3)
    assert trial.errors[2] == pytest.approx((0.5 + 0.5 + 1.0) / 3)


@pytest.mark.parametrize("judge", [GaussianNB(), LogisticRegression()], ids=repr)
def test_any_scikit_learn_classifier_can_be_judged(judge: GaussianNB) -> None:
    split = split_of("3Clusters", 0)
    trial = run_trial(split, UniformSelection(random_state=0), judge, 5)
    for n in (1, 5):
        X, y = replayed(split, trial, n)
        predicted = judge.fit(X, y).predict(split.X_test)
        assert trial.errors[n - 1] == np.mean(predicted != split.y_test)
