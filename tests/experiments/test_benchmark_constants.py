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


@pytest.mark.parametrize("fused", [True, False])
def test_the_variant_that_is_as_it_is_plays_as_the_strategy_itself(
    constants: ModuleType, fused: bool
) -> None:
    compared = constants.experiment("wine", 1, 0)
    split, seed = compared.deal("wine", 0)
    played = [
        run_trial(
            split,
            clone(strategy).set_params(random_state=seed),
            compared.classifier,
            12,
            fused=fused,
        ).errors.tolist()
        for strategy in (
            compared.tasks[0].strategies["as it is"],
            SpareSettled(compared.classifier),
        )
    ]
    assert played[0] == played[1]


def test_each_constant_is_halved_and_doubled(constants: ModuleType) -> None:
    rules = constants.variants()
    assert len(rules) == 1 + 2 * len(constants.RULE)
    assert rules["slope doubled to 4"].slope == 2 * constants.RULE.slope
    assert len({tuple(rule) for rule in rules.values()}) == len(rules)


def test_errors_are_told_relative_to_equal_counts_by_phase_and_at_last(
    constants: ModuleType,
) -> None:
    uniform = np.full(16, 0.2)
    mine = np.repeat([0.2, 0.3, 0.2, 0.1], 4)
    (found,) = constants.outcomes([{"Uniform": uniform, "mine": mine}]).values()
    np.testing.assert_allclose(found.phases, [0.0, 0.5, 0.0, -0.5])
    assert found.last == pytest.approx(-0.5)
