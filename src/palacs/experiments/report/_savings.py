"""What is saved, in words: acquisitions or money, and only where it is certain."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from palacs.experiments._comparison import LEVEL, Comparison


def spending_sentences(spending: pd.DataFrame, comparison: Comparison) -> list[str]:
    """Say in words who reaches most per money, and what is saved with certainty."""
    frame, most = comparison.frame, float(spending["spent"].max())
    means = spending.groupby("strategy", observed=True)["error"].mean().sort_values()
    listing = ", ".join(f"{name} {error:.4f}" for name, error in means.items())
    sentences = [f"Mean error at equal spending, up to {most:g}: {listing}."]
    for row in frame.to_dict("records")[:1]:
        sentences.append(saving_sentence(row, f"{most:.4g}"))
    return sentences


def saving_sentence(row: Mapping[Hashable, Any], budget: str) -> str:
    """Say what a strategy saves against a baseline, of a budget in words, if that is certain."""
    strategy, versus = row["strategy"], row["versus"]
    if not (row["p_holm"] < LEVEL and row["saved_low"] > 0):
        return f"It is not certain that {strategy} saves anything against {versus}."
    return (
        f"{strategy} is as good as {versus} at the end after {row['reached']:.4g} of {budget}: "
        f"{row['saved']:.4g} are saved, with 95 % confidence between {row['saved_low']:.4g} and "
        f"{row['saved_high']:.4g}."
    )
