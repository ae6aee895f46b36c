"""How sure is it that one strategy beats another? Paired tests, intervals, and savings.

Trials are paired: all strategies of a trial share its split and order. What is compared is each
trial's error averaged over all acquisitions, the area under its learning curve.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import bootstrap, wilcoxon

LEVEL = 0.05
_RESAMPLES = 9999


@dataclass(frozen=True)
class Comparison:
    """Strategies against a baseline on one data set.

    Attributes
    ----------
    baseline : str
    frame : DataFrame
        One row per other strategy, the best first. Columns: strategy, versus, mean_error,
        mean_difference (negative is better), low and high (95 % bootstrap interval of the mean
        difference), p_value (paired Wilcoxon), p_holm (corrected for the number of strategies),
        reached (acquisitions until the mean error is as low as the baseline's final one; missing
        if never) and saved (how many fewer than the budget that is; missing if never).
    """

    baseline: str
    frame: pd.DataFrame


def compare_strategies(trials: pd.DataFrame, baseline: str) -> Comparison:
    """Compare every strategy with a baseline, on one data set."""
    if trials["dataset"].nunique() != 1:
        names = ", ".join(map(str, trials["dataset"].unique()))
        raise ValueError(
            f"the trials are of several data sets ({names}); compare them one at a time."
        )
    means = trials.pivot_table(
        index="trial", columns="strategy", values="error", aggfunc="mean", observed=True
    )
    if baseline not in means:
        raise ValueError(
            f"there is no strategy {baseline!r} among the trials; available: "
            f"{', '.join(map(str, means.columns))}."
        )
    curve = trials.pivot_table(
        index="acquired", columns="strategy", values="error", aggfunc="mean", observed=True
    )
    rows = []
    for strategy in means.columns.drop(baseline):
        difference = (means[strategy] - means[baseline]).to_numpy()
        low, high = _interval(difference)
        reached = _reached(curve[strategy].to_numpy(), float(curve[baseline].iloc[-1]))
        rows.append(
            {
                "strategy": str(strategy),
                "versus": baseline,
                "mean_error": float(means[strategy].mean()),
                "mean_difference": float(difference.mean()),
                "low": low,
                "high": high,
                "p_value": _paired_p(difference),
                "reached": reached,
                "saved": np.nan if np.isnan(reached) else len(curve) - reached,
            }
        )
    frame = pd.DataFrame(rows)
    if len(frame):
        frame.insert(7, "p_holm", holm(frame["p_value"].to_numpy()))
        frame = frame.sort_values("mean_difference", ignore_index=True)
    return Comparison(baseline, frame)


def holm(p_values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Correct p-values for how many there are (Holm, 1979).

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


def _paired_p(difference: npt.NDArray[np.float64]) -> float:
    if not difference.any():
        return 1.0
    return float(wilcoxon(difference).pvalue)


def _interval(difference: npt.NDArray[np.float64]) -> tuple[float, float]:
    if len(difference) < 2 or np.ptp(difference) == 0:
        mean = float(difference.mean())
        return mean, mean
    result = bootstrap(
        (difference,),
        np.mean,
        n_resamples=_RESAMPLES,
        method="percentile",
        rng=np.random.default_rng(0),
    )
    interval = result.confidence_interval
    return float(interval.low), float(interval.high)


def _reached(curve: npt.NDArray[np.float64], target: float) -> float:
    """Return after how many acquisitions a mean curve first is as low as ``target``."""
    below = np.flatnonzero(curve <= target + 1e-12)
    return float(below[0] + 1) if len(below) else float("nan")
