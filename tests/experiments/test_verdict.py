"""Whether class selection is worth it, in words that the trials bear out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from palacs.datasets import DATASETS, Dataset, load
from palacs.experiments import (
    Comparison,
    DataFacts,
    Execution,
    Verdict,
    comparison_experiment,
    comparison_sentences,
    give_verdict,
    run,
)

FRESH = DataFacts(trials=50, instances=None, budget=100)
RESPLIT = DataFacts(trials=50, instances=300, budget=100)


def row(strategy: str, difference: float, p: float = 1.0, **more: float) -> dict[str, Any]:
    """Return one strategy against a baseline that makes 20 % errors."""
    return {
        "strategy": strategy,
        "mean_error": 0.2 + difference,
        "mean_difference": difference,
        "low": difference - 0.01,
        "high": difference + 0.01,
        "p_value": p,
        "p_holm": p,
        "p_here": more.get("here", p),
        "reached": 100 - more.get("saved", 0.0),
        "saved": more.get("saved", 0.0),
        "saved_low": more.get("least", np.nan),
        "saved_high": more.get("most", 50.0),
    }


def against(baseline: str, *rows: dict[str, Any]) -> Comparison:
    frame = pd.DataFrame(rows).assign(versus=baseline)
    return Comparison(baseline, frame.sort_values("mean_difference", ignore_index=True))


def shares(**by_strategy: tuple[float, ...]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"dataset": "mine", "strategy": name, "class": f"class {i}", "proportion": share}
            for name, row in by_strategy.items()
            for i, share in enumerate(row)
        ]
    )


EVEN = shares(**{"PAL-ACS": (0.33, 0.33, 0.34), "Uniform": (0.33, 0.33, 0.34)})
HARD = shares(**{"PAL-ACS": (0.05, 0.45, 0.5)})


def said(
    comparisons: list[Comparison], facts: DataFacts = FRESH, proportions: pd.DataFrame = EVEN
) -> str:
    verdict = give_verdict(comparisons, facts.instances)
    return " ".join(comparison_sentences(comparisons, verdict, proportions, facts))


# -- the answer --------------------------------------------------------------------------------


def test_who_beats_both_with_certainty_is_worth_it() -> None:
    verdict = give_verdict(
        [
            against("Random", row("PAL-ACS", -0.05, 0.001), row("Uniform", -0.02, 0.01)),
            against("Uniform", row("PAL-ACS", -0.03, 0.004), row("Random", 0.02, 0.01)),
        ]
    )
    assert verdict == Verdict(
        "yes",
        "Worth it? Yes: PAL-ACS beats both Random and Uniform with certainty (p = 0.004).",
        "PAL-ACS",
        0.004,
    )


@pytest.mark.parametrize(
    ("to_uniform", "p"),
    [(0.0, 1.0), (-0.01, 0.2), (0.01, 0.001)],
    ids=["as good as", "not certainly better", "certainly worse"],
)
def test_to_beat_random_alone_is_not_enough(to_uniform: float, p: float) -> None:
    verdict = give_verdict(
        [
            against("Random", row("PAL-ACS", -0.05, 0.001), row("Uniform", -0.04, 0.3)),
            against("Uniform", row("PAL-ACS", to_uniform, p), row("Random", 0.04, 0.3)),
        ]
    )
    assert verdict.answer in ("not shown", "no")
    assert verdict.winner is None


def test_to_beat_uniform_alone_is_not_enough_either() -> None:
    comparisons = [
        against("Random", row("PAL-ACS", -0.01, 0.2), row("Uniform", 0.04, 0.001)),
        against("Uniform", row("PAL-ACS", -0.05, 0.001), row("Random", -0.04, 0.001)),
    ]
    assert give_verdict(comparisons).answer == "not shown"


def test_where_only_equal_counts_beat_random_they_are_the_advice() -> None:
    comparisons = [
        against("Random", row("PAL-ACS", -0.03, 0.001), row("Uniform", -0.02, 0.001)),
        against("Uniform", row("PAL-ACS", -0.01, 0.3), row("Random", 0.02, 0.001)),
    ]
    verdict = give_verdict(comparisons)
    assert verdict.answer == "equal counts"
    assert "Equal counts are: Uniform beats Random with certainty" in verdict.sentence
    assert "no other strategy compared beats both" in verdict.sentence


def test_where_every_strategy_is_certainly_worse_the_answer_is_no() -> None:
    comparisons = [
        against("Random", row("PAL-ACS", 0.02, 0.001), row("Uniform", 0.0)),
        against("Uniform", row("PAL-ACS", 0.02, 0.001), row("Random", 0.0)),
    ]
    assert give_verdict(comparisons).answer == "no"


def test_many_strategies_have_many_chances_and_are_corrected_for_it() -> None:
    names = [f"S{i}" for i in range(5)]
    comparisons = [
        against(base, *(row(name, -0.01, 0.02) for name in names)) for base in ("Random", "Uniform")
    ]
    verdict = give_verdict(comparisons)
    assert verdict.answer == "not shown"
    assert verdict.p_value == pytest.approx(0.1)
    alone = [against(base, row("S0", -0.01, 0.02)) for base in ("Random", "Uniform")]
    assert give_verdict(alone).answer == "yes"


def test_a_certain_win_counts_even_where_an_uncertain_mean_is_lower() -> None:
    comparisons = [
        against(base, row("Risk", -0.03, 0.3), row("PAL-ACS", -0.02, 0.001))
        for base in ("Random", "Uniform")
    ]
    assert give_verdict(comparisons).winner == "PAL-ACS"
    text = said(comparisons, proportions=HARD)
    assert "Risk has the lowest mean error" in text
    assert "PAL-ACS's mean difference to Random -0.0200" in text


def test_what_holds_for_these_instances_alone_is_no_yes_but_told() -> None:
    comparisons = [
        against(base, row("PAL-ACS", -0.02, 0.2, here=0.001)) for base in ("Random", "Uniform")
    ]
    verdict = give_verdict(comparisons, instances=300)
    assert verdict.answer == "not shown"
    assert "Not shown: no strategy compared beats both" in verdict.sentence
    assert "More trials on these 300 instances would very likely put PAL-ACS" in verdict.sentence
    assert "does not show that it is ahead on other data" in verdict.sentence


# -- the sentences -----------------------------------------------------------------------------


def test_a_clear_win_says_who_how_much_how_surely_and_what_is_saved() -> None:
    sure = {"saved": 40.0, "least": 30.0, "most": 45.0}
    text = said(
        [
            against("Random", row("PAL-ACS", -0.05, 0.001, **sure), row("Uniform", -0.02, 0.3)),
            against("Uniform", row("PAL-ACS", -0.03, 0.001), row("Random", 0.02, 0.3)),
        ],
        proportions=HARD,
    )
    assert text.startswith("Worth it? Yes")
    assert "PAL-ACS has the lowest mean error over the budget, 0.1500; Random 0.2000" in text
    assert "to Random -0.0500 (95 % interval -0.0600 to -0.0400, p = 0.001)" in text
    assert "to Uniform -0.0300" in text
    assert "Every trial drew data of its own" in text
    assert "as good as Random at the end after 60 of 100 acquisitions: 40 are saved" in text
    assert "with 95 % confidence between 30 and 45" in text
    assert "It is not certain that PAL-ACS saves anything against Uniform." in text
    assert "asks most often for class 2 (50 %), class 1 (45 %); an equal share would be" in text


def test_what_the_certainty_is_about_is_said() -> None:
    comparisons = [against(base, row("PAL-ACS", -0.05, 0.001)) for base in ("Random", "Uniform")]
    text = said(comparisons, RESPLIT)
    assert "All trials re-split the same 300 instances." in text
    assert "to be about other data of this kind and not about these instances alone" in text


@pytest.mark.parametrize(
    "uncertain",
    [
        {"p": 0.2, "saved": 40.0, "least": 30.0},
        {"p": 0.001, "saved": 40.0, "least": np.nan},
        {"p": 0.001, "saved": 40.0, "least": 0.0},
    ],
    ids=["no certain difference", "no lower bound", "a bound of nothing"],
)
def test_savings_that_are_not_certain_are_not_told(uncertain: dict[str, float]) -> None:
    comparisons = [
        against(base, row("PAL-ACS", -0.001, **uncertain)) for base in ("Random", "Uniform")
    ]
    text = said(comparisons)
    # Of a strategy that does not win it would say nothing.
    wins = uncertain["p"] < 0.05
    assert ("It is not certain that PAL-ACS saves any acquisitions." in text) == wins
    assert "40" not in text


def test_strategies_that_did_the_same_share_the_lowest_error() -> None:
    comparisons = [
        against("Random", row("Balanced gain", -0.02, 0.001), row("Uniform", -0.02, 0.001)),
        against("Uniform", row("Balanced gain", 0.0), row("Random", 0.02, 0.001)),
    ]
    text = said(comparisons, proportions=shares(**{"Balanced gain": (0.5, 0.5)}))
    assert "Balanced gain and Uniform have the lowest mean error over the budget, 0.1800" in text
    assert "asks" not in text


def test_one_trial_says_nothing_about_certainty() -> None:
    comparisons = [against(base, row("PAL-ACS", -0.05)) for base in ("Random", "Uniform")]
    text = said(comparisons, DataFacts(1, 300, 100))
    assert "One trial says nothing about certainty." in text
    assert "interval" not in text


def test_the_baselines_alone_say_so() -> None:
    comparisons = [
        against("Random", row("Uniform", -0.001, 0.4)),
        against("Uniform", row("Random", 0.001, 0.4)),
    ]
    text = said(comparisons)
    assert text.startswith("Worth it? Not shown: Uniform does not beat Random with certainty.")
    assert text.endswith("Only Random and Uniform were played.")


def test_only_the_five_most_requested_classes_are_listed() -> None:
    many = shares(**{"PAL-ACS": (0.12,) * 8 + (0.002,) * 20})
    comparisons = [against(base, row("PAL-ACS", -0.05, 0.001)) for base in ("Random", "Uniform")]
    assert said(comparisons, proportions=many).count("(12 %)") == 5


def test_where_equal_counts_are_impossible_what_uniform_got_is_said() -> None:
    scarce = shares(**{"PAL-ACS": (0.35, 0.6, 0.05), "Uniform": (0.48, 0.47, 0.05)})
    comparisons = [against(base, row("PAL-ACS", -0.05, 0.001)) for base in ("Random", "Uniform")]
    text = said(comparisons, proportions=scarce)
    assert "PAL-ACS asks most often for class 1 (60 %, Uniform 47 %)." in text
    assert "an equal share" not in text


# -- played ------------------------------------------------------------------------------------


def play(dataset: Dataset, strategies: list[str], budget: int, seed: int) -> Verdict:
    experiment = comparison_experiment(dataset, strategies, budget=budget, trials=12, seed=seed)
    results = run(experiment, execution=Execution(jobs=1))
    comparisons = [results.comparison(baseline) for baseline in ("Random", "Uniform")]
    return give_verdict(comparisons, len(dataset))


def made(X: np.ndarray, y: np.ndarray) -> Dataset:
    names = tuple(f"class {c}" for c in range(int(y.max()) + 1))
    features = tuple(f"x{i}" for i in range(X.shape[1]))
    return Dataset("made", X, y, names, features, "Made for a test.", "a test", "CC0")


def equal_gaussians(rng: np.random.Generator) -> Dataset:
    y = np.repeat(np.arange(4), 40)
    corners = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / np.sqrt(2)
    return made(corners[y] + rng.normal(0, 0.8, (len(y), 3)), y)


def exchangeable(rng: np.random.Generator) -> Dataset:
    return made(rng.normal(size=(160, 2)), np.repeat(np.arange(4), 40))


@pytest.mark.parametrize("make", [equal_gaussians, exchangeable])
def test_where_nothing_can_be_gained_yes_is_not_said(
    make: Callable[[np.random.Generator], Dataset],
) -> None:
    # benchmarks/verdict.py plays 200 of each; at 5 % more than 3 of 12 come once in 500 times.
    answers = [
        play(make(np.random.default_rng(seed)), ["pal-acs"], 24, seed).answer for seed in range(12)
    ]
    assert answers.count("yes") <= 3


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_where_much_can_be_gained_yes_is_said(seed: int) -> None:
    assert play(load("Spirals", random_state=0), ["pal-acs"], 100, seed).winner == "PAL-ACS"


def test_yes_is_said_of_a_large_finite_data_set_too() -> None:
    sample = DATASETS["Spirals"].sample
    assert sample is not None
    assert play(made(*sample(np.random.default_rng(0))), ["pal-acs"], 120, 0).answer == "yes"


def test_where_nobody_ever_errs_more_data_would_tell_nothing() -> None:
    def perfect(name: str) -> dict[str, Any]:
        return row(name, 0.0) | {"mean_error": 0.0}

    comparisons = [
        against("Random", perfect("PAL-ACS"), perfect("Uniform")),
        against("Uniform", perfect("PAL-ACS"), perfect("Random")),
    ]
    verdict = give_verdict(comparisons, 300)
    assert verdict.answer == "no"
    assert (
        verdict.sentence == "Worth it? No: with every strategy compared the error is 0 all along."
    )
