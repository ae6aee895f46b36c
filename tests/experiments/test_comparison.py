"""How sure is it: one statistic for direction and certainty, and what is saved."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import ttest_rel

from palacs.experiments import compare_strategies, holm, paired_t
from palacs.experiments.report._verdict import beats_all

RNG = np.random.default_rng


def trials_of(errors: dict[str, np.ndarray], dataset: str = "mine") -> pd.DataFrame:
    """Return trials from arrays of shape (n_trials, budget) by strategy."""
    frames = []
    for strategy, values in errors.items():
        n_trials, budget = values.shape
        frames.append(
            pd.DataFrame(
                {
                    "dataset": dataset,
                    "strategy": strategy,
                    "trial": np.repeat(np.arange(n_trials), budget),
                    "acquired": np.tile(np.arange(1, budget + 1), n_trials),
                    "class": "a",
                    "error": values.ravel(),
                }
            )
        )
    table = pd.concat(frames, ignore_index=True)
    table["strategy"] = pd.Categorical(table["strategy"], categories=list(errors))
    return table


def noise(n_trials: int = 20, budget: int = 10, seed: int = 0) -> np.ndarray:
    return 0.3 + 0.05 * RNG(seed).standard_normal((n_trials, budget))


@pytest.mark.parametrize(
    ("raw", "corrected"),
    [
        ([0.01, 0.02, 0.03, 0.04], [0.04, 0.06, 0.06, 0.06]),
        # Smallest times four, then times three, never falling, never above one.
        ([0.04, 0.005, 0.5, 0.011], [0.08, 0.02, 0.5, 0.033]),
        ([0.6, 0.7], [1.0, 1.0]),
        ([0.03], [0.03]),
    ],
)
def test_holm_multiplies_the_smallest_most(raw: list[float], corrected: list[float]) -> None:
    np.testing.assert_allclose(holm(np.array(raw)), corrected)


def test_each_strategy_is_held_against_the_baseline_the_best_first() -> None:
    base = noise()
    comparison = compare_strategies(
        trials_of({"worse": base + 0.02, "Random": base, "better": base - 0.05}), "Random"
    )
    frame = comparison.frame
    assert frame.columns.tolist() == [
        "strategy",
        "versus",
        "mean_error",
        "mean_difference",
        "low",
        "high",
        "p_value",
        "p_holm",
        "p_here",
        "reached",
        "saved",
        "saved_low",
        "saved_high",
    ]
    assert frame["strategy"].tolist() == ["better", "worse"]
    assert set(frame["versus"]) == {"Random"}
    np.testing.assert_allclose(frame["mean_difference"], [-0.05, 0.02])
    np.testing.assert_allclose(frame["mean_error"], [base.mean() - 0.05, base.mean() + 0.02])


def test_the_plain_test_is_the_paired_t_test() -> None:
    base, other = noise(seed=1), noise(seed=2)
    frame = compare_strategies(trials_of({"A": other, "Random": base}), "Random").frame
    expected = ttest_rel(other.mean(axis=1), base.mean(axis=1))
    interval = expected.confidence_interval()
    assert frame["p_value"].item() == pytest.approx(expected.pvalue)
    assert (frame["low"].item(), frame["high"].item()) == pytest.approx(tuple(interval))


def test_many_small_losses_do_not_outvote_few_large_wins() -> None:
    # Forty-five of fifty say worse, the mean says better: that is no certain win, nor loss.
    difference = np.array([0.001] * 45 + [-0.05] * 5)
    base = noise(50)
    table = trials_of({"A": base + difference[:, None], "Random": base})
    row = compare_strategies(table, "Random").frame.iloc[0]
    assert row["mean_difference"] < 0
    assert row["p_value"] > 0.05
    assert row["low"] < 0 < row["high"]


@given(
    arrays(np.float64, st.integers(2, 40), elements=st.floats(-1, 1, width=32)),
    st.floats(0, 2),
)
def test_certainty_and_direction_come_from_one_statistic(
    differences: np.ndarray, test_ratio: float
) -> None:
    p, low, high = paired_t(differences, test_ratio)
    assert 0 < p <= 1
    if p < 0.05:
        # Then the interval is on one side of zero, the side of the mean.
        assert low * high >= 0
        assert np.sign(differences.mean()) == np.sign(low + high)
    back, back_low, back_high = paired_t(-differences, test_ratio)
    np.testing.assert_allclose((back, back_low, back_high), (p, -high, -low), atol=1e-12)
    wider = paired_t(differences, test_ratio + 1)
    assert wider[0] >= p - 1e-12
    assert wider[1] <= low


def test_trials_that_share_their_data_are_less_certain() -> None:
    base = noise(20)
    table = trials_of({"A": noise(20, seed=1) - 0.01, "Random": base})
    fresh = compare_strategies(table, "Random").frame.iloc[0]
    shared = compare_strategies(table, "Random", test_ratio=1.0).frame.iloc[0]
    # (1 / 20 + 1) instead of 1 / 20: the interval is the root of 21 times as wide.
    ratio = (shared["high"] - shared["low"]) / (fresh["high"] - fresh["low"])
    assert ratio == pytest.approx(np.sqrt(21))
    assert shared["p_value"] > fresh["p_value"]
    assert shared["p_here"] == fresh["p_value"]
    assert shared["mean_difference"] == fresh["mean_difference"]


@pytest.mark.parametrize("n_trials", [1, 2, 3, 5])
def test_a_few_trials_that_agree_prove_nothing(n_trials: int) -> None:
    base = noise(n_trials)
    frame = compare_strategies(trials_of({"A": base - 0.1, "Random": base}), "Random").frame
    assert frame["p_value"].item() > 0.05


def test_the_test_treats_both_directions_alike() -> None:
    for seed in range(5):
        first, second = noise(seed=seed), noise(seed=seed + 100)
        table = trials_of({"A": first, "B": second})
        there, back = (compare_strategies(table, name).frame.iloc[0] for name in "AB")
        assert there["p_value"] == back["p_value"]
        assert there["mean_difference"] == -back["mean_difference"]


def test_the_test_pairs_trials_by_their_number() -> None:
    # Trials differ by far more than strategies do: only pairing finds the difference.
    base = noise(30) + np.linspace(0, 5, 30)[:, None]
    shuffled = trials_of({"A": base - 0.01, "Random": base}).sample(frac=1, random_state=0)
    assert compare_strategies(shuffled, "Random").frame["p_value"].item() < 1e-5


def test_p_values_are_corrected_for_how_many_strategies_there_are() -> None:
    base = noise(8)
    table = trials_of({"A": base - 0.01, "B": base - 0.02, "Random": base})
    frame = compare_strategies(table, "Random").frame
    # All eight agree to the last digit: what signs alone can give.
    np.testing.assert_allclose(frame["p_value"], 2 / 256)
    np.testing.assert_allclose(frame["p_holm"], 4 / 256)


def test_tables_correct_for_the_strategies_that_the_verdict_counts() -> None:
    base, rng = noise(8), np.random.default_rng(3)
    errors = {"A": base - 0.01, "B": base - 0.02, "Uniform": base + rng.normal(0, 0.01, base.shape)}
    table = trials_of({**errors, "Random": base})
    against = [compare_strategies(table, name) for name in ("Random", "Uniform")]
    for comparison in against:
        frame = comparison.frame.set_index("strategy")
        other = "Uniform" if comparison.baseline == "Random" else "Random"
        assert frame["p_holm"][other] == frame["p_value"][other]
        rest = frame.drop(other)
        np.testing.assert_array_equal(rest["p_holm"], holm(rest["p_value"].to_numpy()))
        # What the verdict says is certain is certain in either table.
        assert (rest["p_holm"] <= beats_all(against)[rest.index]).all()
    whole = compare_strategies(table, "A").frame
    np.testing.assert_array_equal(whole["p_holm"], holm(whole["p_value"].to_numpy()))


def test_strategies_that_do_the_same_do_not_differ() -> None:
    base = noise()
    row = compare_strategies(trials_of({"A": base, "Random": base}), "Random").frame.iloc[0]
    assert (row["p_value"], row["low"], row["high"]) == (1.0, 0.0, 0.0)


def test_the_interval_covers_the_true_difference_about_as_often_as_it_says() -> None:
    covered = 0
    for seed in range(60):
        base, other = noise(40, 4, seed), noise(40, 4, seed + 1000) - 0.01
        frame = compare_strategies(trials_of({"A": other, "Random": base}), "Random").frame
        row = frame.iloc[0]
        assert row["low"] < row["mean_difference"] < row["high"]
        covered += row["low"] <= -0.01 <= row["high"]
    # Of 60 at 95 %, fewer than 51 would happen once in 2,000 times.
    assert covered >= 51


def test_the_comparison_is_the_same_every_time() -> None:
    table = trials_of({"A": noise(seed=1), "Random": noise(seed=2)})
    first, second = (compare_strategies(table, "Random").frame for _ in range(2))
    pd.testing.assert_frame_equal(first, second)


@pytest.mark.parametrize(
    ("curve", "reached", "saved"),
    [
        ([0.5, 0.4, 0.2, 0.1, 0.1], 3, 2),
        ([0.5, 0.4, 0.3, 0.3, 0.2], 5, 0),
        # A lucky start that does not last saves nothing.
        ([0.2, 0.4, 0.3, 0.3, 0.3], np.nan, np.nan),
        ([0.5, 0.5, 0.5, 0.5, 0.3], np.nan, np.nan),
    ],
)
def test_savings_are_counted_to_the_baselines_final_error(
    curve: list[float], reached: float, saved: float
) -> None:
    base = np.array([[0.6, 0.5, 0.4, 0.3, 0.2]])
    table = trials_of({"A": np.array([curve]), "Random": base})
    row = compare_strategies(table, "Random").frame.iloc[0]
    np.testing.assert_equal((row["reached"], row["saved"]), (reached, saved))


def test_savings_go_by_the_mean_curve() -> None:
    base = np.array([[0.4, 0.2], [0.4, 0.2]])
    other = np.array([[0.1, 0.1], [0.5, 0.1]])
    row = compare_strategies(trials_of({"A": other, "Random": base}), "Random").frame.iloc[0]
    assert row["reached"] == 2


def test_savings_are_certain_only_with_an_interval_above_nothing() -> None:
    curve = np.linspace(0.5, 0.2, 30)
    base = curve + 0.02 * RNG(0).standard_normal((40, 30))
    ahead = np.append(curve[10:], np.full(10, 0.15)) + 0.02 * RNG(1).standard_normal((40, 30))
    row = compare_strategies(trials_of({"A": ahead, "Random": base}), "Random").frame.iloc[0]
    assert 0 < row["saved_low"] <= row["saved"] <= row["saved_high"]
    shared = compare_strategies(
        trials_of({"A": ahead, "Random": base}), "Random", test_ratio=1.0
    ).frame.iloc[0]
    assert np.isnan(shared["saved_low"]) or shared["saved_low"] <= row["saved_low"]


def test_the_interval_of_savings_covers_the_truth_about_as_often_as_it_says() -> None:
    covered = 0
    curve = 0.5 - 0.01 * np.arange(30)
    for seed in range(60):
        noises = 0.02 * RNG(seed).standard_normal((2, 20, 20))
        table = trials_of({"A": curve[8:28] + noises[0], "Random": curve[:20] + noises[1]})
        row = compare_strategies(table, "Random").frame.iloc[0]
        covered += row["saved_low"] <= 8 <= row["saved_high"]
    # Of 60 at 95 %, fewer than 51 would happen once in 2,000 times.
    assert covered >= 51


def test_a_strategy_against_itself_saves_nothing_with_certainty() -> None:
    certain = 0
    for seed in range(100):
        # Flat curves, with errors that stay through a trial, are the hardest case.
        noises = RNG(seed).standard_normal((2, 20, 30)) + RNG(seed + 500).standard_normal(
            (2, 20, 1)
        )
        first, second = 0.3 + 0.03 * noises
        table = trials_of({"Random again": first, "Random": second})
        row = compare_strategies(table, "Random").frame.iloc[0]
        certain += row["saved_low"] > 0
    # 2.5 % are allowed; more than 8 of 100 would come once in 500 times.
    assert certain <= 8


def test_a_baseline_alone_has_nothing_to_be_compared_with() -> None:
    assert compare_strategies(trials_of({"Random": noise()}), "Random").frame.empty


def test_an_unknown_baseline_is_named_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"no strategy 'Risk' .* available: A, Random"):
        compare_strategies(trials_of({"A": noise(), "Random": noise()}), "Risk")


def test_several_data_sets_are_not_thrown_together() -> None:
    both = pd.concat(
        [trials_of({s: noise()}, d) for d, s in product(("one", "two"), ("A", "Random"))]
    )
    with pytest.raises(ValueError, match=r"several data sets \(one, two\)"):
        compare_strategies(both, "Random")
