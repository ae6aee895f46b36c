"""Trials with a fitted bandwidth, and of Balanced gain: the compiled loop and step by step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from palacs import (
    PALACS,
    BalancedGain,
    InverseAccuracy,
    ParzenWindowClassifier,
    RandomSelection,
    Redistricting,
    Strategy,
    UniformSelection,
)
from palacs.datasets import Dataset, load
from palacs.experiments import Split, Trial, comparison_experiment, make_split, run_trial
from palacs.experiments._experiment import scaled
from palacs.experiments._replay import compiled_form_of as fuse
from palacs.experiments.paper import DATASETS

AUTO = ParzenWindowClassifier(bandwidth="auto")
AUTO_CORRECTED = ParzenWindowClassifier(bandwidth="auto", class_prior="uniform")
FUSED: dict[str, Strategy] = {
    "random": RandomSelection(),
    "balanced gain": BalancedGain(),
    "balanced gain with other parameters": BalancedGain(n_pseudo=7, bandwidth=0.1),
    "pal-acs": PALACS(bandwidth="auto"),
    "inverse": InverseAccuracy(classifier=AUTO),
    "redistricting, corrected": Redistricting(classifier=AUTO_CORRECTED),
}


def seeded(strategy: Strategy, seed: int) -> Strategy:
    return type(strategy)(**{**strategy.get_params(deep=False), "random_state": seed})


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
    for seed, judge in ((0, AUTO), (1, AUTO_CORRECTED), (2, ParzenWindowClassifier())):
        split, asked = split_of(dataset, seed), seeded(FUSED[strategy], seed)
        assert fuse(asked, split.X.shape[1]) is not None
        fused = run_trial(split, asked, judge, 18, refill=True)
        assert_same(fused, run_trial(split, asked, judge, 18, refill=True, fused=False))


@pytest.mark.parametrize("refill", [False, True])
@pytest.mark.parametrize("strategy", FUSED)
def test_the_compiled_loop_follows_the_strategy_when_classes_run_out(
    strategy: str, refill: bool, shorten: Callable[[Split, tuple[int, ...]], Split]
) -> None:
    for seed in range(3):
        # Refilled, a class yields the same instances again: no neighbours of each other.
        split = shorten(split_of("Bars", seed), (1, 5, 9))
        asked = seeded(FUSED[strategy], seed)
        fused = run_trial(split, asked, AUTO, 12, refill=refill)
        assert_same(fused, run_trial(split, asked, AUTO, 12, refill=refill, fused=False))


def test_the_error_is_that_of_the_classifier_fitted_at_the_time() -> None:
    for seed, judge in enumerate((AUTO, AUTO_CORRECTED)):
        split = split_of("Vehicle", seed)
        trial = run_trial(split, UniformSelection(random_state=seed), judge, 20)
        for n in (1, 8, 20):
            y = np.concatenate([split.start, trial.requested[:n]])
            taken = [np.sum(y[:i] == c) for i, c in enumerate(y)]
            predicted = judge.fit(split.X[split.first[y] + taken], y).predict(split.X_test)
            assert trial.errors[n - 1] == np.mean(predicted != split.y_test)


def test_many_features_are_played_step_by_step(make_dataset: Callable[..., Dataset]) -> None:
    assert fuse(BalancedGain(), 24) is not None
    assert fuse(BalancedGain(), 25) is None
    split = make_split(make_dataset(n_features=30), 5, np.random.default_rng(0))
    for strategy in (BalancedGain(random_state=0), PALACS(bandwidth="auto", random_state=0)):
        trial = run_trial(split, strategy, AUTO, 10)
        assert trial.errors.shape == (10,)
        # In 30 dimensions 0.05 sees nothing; what fits the data tells the first class apart.
        assert trial.errors[-1] < 0.5


def test_a_comparison_gives_the_same_bandwidth_to_everybody(
    make_dataset: Callable[..., Dataset],
) -> None:
    names = ["pal-acs", "balanced-gain", "inverse"]
    experiment = comparison_experiment(make_dataset(), names, budget=5, trials=1, bandwidth="auto")
    strategies = experiment.tasks[0].strategies
    assert strategies["PAL-ACS"].get_params()["bandwidth"] == "auto"
    assert strategies["Balanced gain"].get_params()["bandwidth"] == "auto"
    assert strategies["Inverse"].get_params()["classifier"].bandwidth == "auto"
    assert experiment.classifier.bandwidth == "auto"
    played = {"PAL-ACS", "Balanced gain", "Inverse", "Random", "Uniform"}
    assert set(experiment.run("gauss", 0)) == played
