"""How sure is it that one strategy beats another? One statistic for direction and certainty.

Trials are paired: all strategies of a trial share its split and order. What is compared is each
trial's error averaged over all acquisitions, the area under its learning curve. Its mean
difference, the interval and the p-value come from one t statistic. Where trials re-split one
finite data set, they share instances, and their variance is corrected for it: C. Nadeau and
Y. Bengio, Inference for the Generalization Error, Machine Learning 52 (2003).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import t as student

from palacs.strategies import find

LEVEL = 0.05
BASELINES = (find("random").title, find("uniform").title)

_COLUMNS = [
    *("strategy", "versus", "mean_error", "mean_difference", "low", "high"),
    *("p_value", "p_holm", "p_here", "reached", "saved", "saved_low", "saved_high"),
]

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Comparison:
    """Strategies against a baseline on one data set.

    Attributes
    ----------
    baseline : str
    frame : DataFrame
        One row per other strategy, the best first. Columns: strategy, versus, mean_error,
        mean_difference (negative is better), low and high (95 % interval of the mean difference),
        p_value (two-sided, of the same statistic), p_holm (corrected for the number of
        strategies; of Random and Uniform against each other p_value itself), p_here (as p_value,
        but about further trials on the same instances only),
        reached (acquisitions after which the mean error stays as low as the baseline's final
        one; missing if never), saved (how many fewer than the budget that is), saved_low and
        saved_high (its 95 % interval; saved_low is missing where nothing is saved with certainty).
    """

    baseline: str
    frame: pd.DataFrame


def compare_strategies(
    trials: pd.DataFrame, baseline: str, *, test_ratio: float = 0.0
) -> Comparison:
    """Compare every strategy with a baseline, on one data set.

    Parameters
    ----------
    trials : DataFrame
        Columns dataset, strategy, trial, acquired, error.
    baseline : str
        A strategy's title.
    test_ratio : float, default=0.0
        Where trials re-split one data set, how many instances are put aside for testing per
        instance left to acquire from; 0 where every trial has data of its own.
    """
    if trials["dataset"].nunique() != 1:
        names = ", ".join(map(str, trials["dataset"].unique()))
        raise ValueError(
            f"the trials are of several data sets ({names}); compare them one at a time."
        )
    errors = _by_strategy(trials)
    if baseline not in errors:
        raise ValueError(
            f"there is no strategy {baseline!r} among the trials; available: {', '.join(errors)}."
        )
    rows = [
        {
            "strategy": strategy,
            "versus": baseline,
            "mean_error": float(values.mean()),
            **_difference(values, errors[baseline], test_ratio),
        }
        for strategy, values in errors.items()
        if strategy != baseline
    ]
    frame = pd.DataFrame(rows)
    if len(frame):
        asked = _asked(frame["strategy"].tolist(), baseline)
        frame["p_holm"] = frame["p_value"]
        frame.loc[asked, "p_holm"] = holm(frame.loc[asked, "p_value"].to_numpy())
        frame = frame.sort_values("mean_difference", ignore_index=True, kind="stable")[_COLUMNS]
    return Comparison(baseline, frame)


def _asked(strategies: list[str], baseline: str) -> list[bool]:
    """Return which strategies the correction is for, as in the verdict: not the other baseline."""
    return [baseline not in BASELINES or name not in BASELINES for name in strategies]


def paired_t(differences: Numbers, test_ratio: float = 0.0) -> tuple[Numbers, Numbers, Numbers]:
    """Test whether mean differences are zero, corrected for trials that share their data.

    The variance of the mean is taken as (1 / n_trials + test_ratio) times that of one trial.

    Parameters
    ----------
    differences : ndarray of shape (n_trials,) or (n_trials, n)
    test_ratio : float, default=0.0
        As in `compare_strategies`.

    Returns
    -------
    p, low, high : ndarray of shape () or (n,)
        Two-sided p-values and 95 % intervals. No p-value is below 2 / 2^n_trials, the smallest
        that signs alone could give: a few trials that happen to agree prove nothing. One trial
        has no interval (NaN).

    Examples
    --------
    >>> from palacs.experiments import paired_t
    >>> differences = np.array([0.001] * 45 + [-0.05] * 5)
    >>> fresh, resplit = paired_t(differences)[0], paired_t(differences, test_ratio=1.0)[0]
    >>> print(f"{fresh:.2f} {resplit:.2f}")
    0.07 0.79
    """
    n = len(differences)
    mean = differences.mean(axis=0)
    if n < 2:
        return np.ones_like(mean), np.full_like(mean, np.nan), np.full_like(mean, np.nan)
    spread = differences.std(axis=0, ddof=1)
    # Equal differences come out a hair apart.
    spread = np.where(spread > 1e-12, spread, 0.0)
    mean = np.where(np.abs(mean) > 1e-12, mean, 0.0)
    error = spread * np.sqrt(1 / n + test_ratio)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(mean == 0, 1.0, 2 * student.sf(np.abs(mean) / error, n - 1))
    half = student.ppf(1 - LEVEL / 2, n - 1) * error
    return np.maximum(p, 2.0 ** (1 - n)), mean - half, mean + half


def holm(p_values: Numbers) -> Numbers:
    """Correct p-values (n,) for how many there are (Holm, 1979).

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values)
    factors = len(p_values) - np.arange(len(p_values))
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(np.maximum.accumulate(p_values[order] * factors), 1.0)
    return corrected


def _by_strategy(trials: pd.DataFrame) -> dict[str, Numbers]:
    """Return the errors (n_trials, budget) by strategy, trials in the same order for all."""
    table = trials.pivot_table(
        index=["strategy", "trial"], columns="acquired", values="error", observed=True
    )
    return {
        str(strategy): rows.sort_index().to_numpy()
        for strategy, rows in table.groupby(level="strategy", observed=True)
    }


def _difference(errors: Numbers, base: Numbers, test_ratio: float) -> dict[str, Any]:
    """Compare errors (n_trials, budget) with a baseline's."""
    difference = errors.mean(axis=1) - base.mean(axis=1)
    p, low, high = paired_t(difference, test_ratio)
    return {
        "mean_difference": float(difference.mean()),
        "low": float(low),
        "high": float(high),
        "p_value": float(p),
        "p_here": float(paired_t(difference)[0]),
        **_saved(errors, base[:, -1:], test_ratio),
    }


def _saved(errors: Numbers, final: Numbers, test_ratio: float) -> dict[str, float]:
    """Return when errors (n_trials, budget) are for good as low as ``final`` (n_trials, 1).

    The interval holds every number of acquisitions that the test at that number does not rule
    out. A claim to have got there earlier than in truth would need the test to err at one
    given number, so that looking at all of them costs nothing.
    """
    gap = errors - final
    _, low, high = paired_t(gap, test_ratio)
    budget = gap.shape[1]
    reached = _for_good(gap.mean(axis=0))
    # NaN, of one trial, is no certainty either way.
    earliest = int(np.argmax(np.append(~(low > 0), True))) + 1
    latest = _for_good(np.where(np.isnan(high), np.inf, high))
    return {
        "reached": reached,
        "saved": budget - reached,
        "saved_low": budget - latest,
        "saved_high": float(max(budget - earliest, 0)),
    }


def _for_good(gap: Numbers) -> float:
    """Return after how many acquisitions a gap (budget,) is never above zero again, or NaN."""
    above = np.flatnonzero(gap > 1e-12)
    first = 0 if not len(above) else int(above[-1]) + 1
    return float(first + 1) if first < len(gap) else float("nan")
