"""How much class selection could help at all, in words: one place for terminal, page and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from palacs.experiments._ceiling import Ceiling

# A class is named where the best share of it is below, or above, this part of an equal one.
_LESS, _MORE = 0.6, 1.5
_MOST_NAMED = 4
_WORDS = {
    0.1: "a tenth",
    0.2: "a fifth",
    0.25: "a quarter",
    1 / 3: "a third",
    0.5: "half",
    2 / 3: "two thirds",
    0.75: "three quarters",
    0.9: "nine tenths",
}


def ceiling_sentence(
    ceiling: Ceiling, class_names: Sequence[str], reached: Mapping[str, float]
) -> str:
    """Say how much class selection could help at all, by which classes, and who got how much.

    Parameters
    ----------
    ceiling : Ceiling
    class_names : sequence of str
    reached : mapping
        Title -> how much lower the strategy's error is than with equal counts, relatively.

    Examples
    --------
    >>> ceiling = Ceiling(np.array([2, 9, 10]), 0.2, 0.12, 0.05, 0.18, 0.15)
    >>> print(ceiling_sentence(ceiling, ["rest", "left", "right"], {"Spare settled": 0.04}))
    ... # doctest: +NORMALIZE_WHITESPACE
    With the best counts in hindsight the final error is about 12 % lower (5 to 18 %), by asking
    less for rest; Spare settled got a third of it.
    """
    if ceiling.equal_error == 0:
        return "With equal counts the error is 0 at the end: class selection cannot lower it."
    nothing_else = ceiling.low == ceiling.high == 0.0
    if not ceiling.certain and (ceiling.low > 0.0 or nothing_else):
        return "No counts better than equal ones were found: those are the best over all trials."
    if not ceiling.certain:
        return (
            "No counts are better than equal ones for certain: with those that look best in "
            f"hindsight the final error of other trials is {_span(ceiling.low, ceiling.high)}."
        )
    parts = [
        f"With the best counts in hindsight the final error is about {_percent(ceiling.gain)} % "
        f"lower ({_percent(ceiling.low)} to {_percent(ceiling.high)} %){_how(ceiling, class_names)}"
    ]
    parts += [f"{title} {_got(gain, ceiling.gain)}" for title, gain in reached.items()]
    return "; ".join(parts) + "."


def left_out_sentence(reason: str) -> str:
    """Say that and why the ceiling was left out.

    Examples
    --------
    >>> left_out_sentence("it takes at least 10 trials, and there are 5")
    'How much class selection could help at all is left out: it takes at least 10 trials, and
     there are 5.'
    """
    return f"How much class selection could help at all is left out: {reason}."


def ceiling_record(
    ceiling: Ceiling, class_names: Sequence[str], gains: Mapping[str, float]
) -> dict[str, Any]:
    """Return the ceiling as plain JSON values; ``gains`` are all strategies'."""
    names = list(class_names)
    return {
        "gain": ceiling.gain,
        "low": ceiling.low,
        "high": ceiling.high,
        "certain": ceiling.certain,
        "equal_error": ceiling.equal_error,
        "counts": dict(zip(names, ceiling.counts.tolist(), strict=True)),
        "shares": dict(zip(names, ceiling.shares.tolist(), strict=True)),
        "strategies": dict(gains),
    }


def _how(ceiling: Ceiling, class_names: Sequence[str]) -> str:
    """Name the classes to ask less for, the least first; else those to ask more for."""
    relative = ceiling.shares * len(class_names)
    order = np.argsort(relative, kind="stable").tolist()
    spared = [class_names[c] for c in order if relative[c] < _LESS]
    if spared:
        return f", by asking less for {_listing(spared)}"
    wanted = [class_names[c] for c in reversed(order) if relative[c] > _MORE]
    return f", by asking more for {_listing(wanted)}" if wanted else ""


def _span(low: float, high: float) -> str:
    """Say an interval of gains as that of an error, lower or higher than before."""
    if low < 0.0 < high:
        return f"between {_percent(-low)} % higher and {_percent(high)} % lower"
    word, ends = ("lower", (low, high)) if high > 0.0 else ("higher", (-high, -low))
    return f"{_percent(ends[0])} to {_percent(ends[1])} % {word}"


def _percent(gain: float) -> str:
    value = 100 * abs(gain)
    return f"{value:.0f}" if value >= 1 or value == 0 else f"{value:.1f}"


def _got(gain: float, possible: float) -> str:
    """Say what a strategy got of what is possible; harm is not called "none"."""
    share = gain / possible
    if share <= -0.05:
        return f"got none of it, its final error is {_percent(gain)} % higher"
    return f"got {_part(share)}"


def _part(share: float) -> str:
    """Say a share of the ceiling in words a reader remembers."""
    if share >= 1.1:
        return "more than that"
    if share >= 0.95:
        return "all of it"
    if share < 0.05:
        return "none of it"
    return f"{_WORDS[min(_WORDS, key=lambda part: abs(part - share))]} of it"


def _listing(names: Sequence[str]) -> str:
    if len(names) > _MOST_NAMED:
        return f"{', '.join(names[:_MOST_NAMED])} and {len(names) - _MOST_NAMED} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
