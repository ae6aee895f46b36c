"""Every strategy in the table keeps the contract that is shipped for third parties."""

import pytest

from palacs.strategies import PALACS, ProportionalSelection, available, make
from palacs.testing import strategy_checks


def subjects():
    for name in available():
        if name == "proportional":
            yield pytest.param(
                lambda classes: ProportionalSelection(range(1, len(classes) + 1)), id=name
            )
        else:
            yield pytest.param(make(name), id=name)


@pytest.mark.parametrize("check", strategy_checks(), ids=lambda check: check.__name__)
@pytest.mark.parametrize("strategy", list(subjects()))
def test_every_strategy_keeps_the_contract(strategy, check):
    check(strategy)


@pytest.mark.parametrize(
    "check",
    [check for check in strategy_checks() if check.__name__ != "check_ten_thousand_features"],
    ids=lambda check: check.__name__,
)
def test_pal_acs_on_a_grid_keeps_the_contract_in_low_dimensions(check):
    check(PALACS(sampling="grid", n_pseudo=8))
