"""What an acquisition costs, learned from what recordings took so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import fsum
from typing import Any

from palacs.checks import check_mapping, check_number


def learn_costs(
    durations: Mapping[Any, Iterable[float]], *, strength: float = 1.0
) -> dict[Any, float]:
    """Estimate the cost of one acquisition of each class from recorded durations or prices.

    The mean of a class is drawn towards the mean of all recordings as if ``strength`` recordings
    of that length had been made: one slow recording is not yet a slow class.

    Parameters
    ----------
    durations : mapping
        Label -> recorded values, positive; a class may have none.
    strength : float, default=1.0

    Returns
    -------
    costs : dict
        For ``Conditions(costs=...)``.

    Examples
    --------
    >>> from palacs import learn_costs
    >>> learn_costs({"rest": [2.0, 2.0, 2.0], "left": [6.0], "right": []})
    {'rest': 2.25, 'left': 4.5, 'right': 3.0}
    """
    strength = check_number(strength, "strength")
    recorded = {
        label: list(values) for label, values in check_mapping(durations, "durations").items()
    }
    for label, values in recorded.items():
        for value in values:
            check_number(value, f"durations[{label!r}]")
    everything = [float(value) for values in recorded.values() for value in values]
    if not everything:
        raise ValueError(
            "durations holds no recording at all; record one before costs are learned."
        )
    # Sums without rounding: the order of the recordings makes no difference.
    totals = {label: (len(values), fsum(values)) for label, values in recorded.items()}
    return costs_from_totals(totals, fsum(everything), strength=strength)


def costs_from_totals(
    totals: Mapping[Any, tuple[int, float]], overall: float, *, strength: float = 1.0
) -> dict[Any, float]:
    """Estimate costs as `learn_costs` does, from sums alone.

    Parameters
    ----------
    totals : mapping
        Label -> number of recordings and their sum.
    overall : float
        Sum of all recordings; there is at least one.
    strength : float, default=1.0

    Returns
    -------
    costs : dict

    Examples
    --------
    >>> from palacs.conditions import costs_from_totals
    >>> costs_from_totals({"rest": (3, 6.0), "left": (1, 6.0), "right": (0, 0.0)}, 12.0)
    {'rest': 2.25, 'left': 4.5, 'right': 3.0}
    """
    mean = overall / sum(n for n, _ in totals.values())
    return {
        label: (total + strength * mean) / (n + strength) for label, (n, total) in totals.items()
    }
