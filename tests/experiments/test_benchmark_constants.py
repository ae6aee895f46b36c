"""What the benchmark that halves and doubles constants plays, and what it makes of it."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
from sklearn.base import clone

from palacs import SpareSettled
from palacs.experiments import run_trial


@pytest.fixture(scope="module")
def constants(benchmark_module: Callable[[str], ModuleType]) -> ModuleType:
    return benchmark_module("constants")


@pytest.mark.parametrize(
    ("classifier", "budget", "fused"),
    [("default", 12, True), ("default", 12, False), ("5-NN", 24, True)],
)
def test_the_variant_that_is_as_it_is_plays_as_the_strategy_itself(
    constants: ModuleType, classifier: str, budget: int, fused: bool
) -> None:
    compared = constants.experiment("wine", classifier, 1, 0)
    split, seed = compared.deal("wine", 0)
    played = [
        run_trial(
            split,
            clone(strategy).set_params(random_state=seed),
            compared.classifier,
            budget,
            fused=fused,
        ).errors.tolist()
        for strategy in (
            compared.tasks[0].strategies["as it is"],
            SpareSettled(compared.classifier),
        )
    ]
    assert played[0] == played[1]


@pytest.mark.parametrize("classifier", ["default", "5-NN"])
def test_each_constant_is_halved_and_doubled(constants: ModuleType, classifier: str) -> None:
    rules = constants.variants(classifier)
    rule = constants.RULE if classifier == "default" else constants.REFITTED
    assert len(rules) == 1 + 2 * len(rule)
    assert rules[f"slope doubled to {2 * rule.slope:g}"].slope == 2 * rule.slope
    assert len({tuple(rule) for rule in rules.values()}) == len(rules)


def test_folds_are_halved_to_whole_ones(constants: ModuleType) -> None:
    assert constants.variants("5-NN")["folds halved to 3"].folds == 3


def test_another_rule_decides_otherwise(constants: ModuleType) -> None:
    compared = constants.experiment("wine", "5-NN", 1, 0)
    variants = compared.tasks[0].strategies
    split, seed = compared.deal("wine", 0)
    as_it_is, fewer_folds = (
        run_trial(
            split, clone(variants[title]).set_params(random_state=seed), compared.classifier, 24
        )
        for title in ("as it is", "folds halved to 3")
    )
    assert as_it_is.errors.tolist() != fewer_folds.errors.tolist()


def test_errors_are_told_relative_to_equal_counts_by_phase_and_at_last(
    constants: ModuleType,
) -> None:
    uniform = np.full(16, 0.2)
    mine = np.repeat([0.2, 0.3, 0.2, 0.1], 4)
    (found,) = constants.outcomes([{"Uniform": uniform, "mine": mine}]).values()
    np.testing.assert_allclose(found.phases, [0.0, 0.5, 0.0, -0.5])
    assert found.last == pytest.approx(-0.5)
