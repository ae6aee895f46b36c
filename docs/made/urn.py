"""What a few more labels at a place are worth, as a function of what is known there."""

from pathlib import Path

import numpy as np

from palacs import perf_gain
from palacs.plots import Figure, to_svg

known = np.linspace(0, 8, 321)
figure = Figure(figsize=(8, 3.2), layout="constrained")
by_rival, by_labels = figure.subplots(1, 2)
for rival, style in zip((0, 1, 3, 6), ("-", "--", "-.", ":"), strict=True):
    gain = perf_gain(np.column_stack([known, np.full_like(known, rival)]))
    by_rival.plot(known, gain, style, color="black", label=f"$k_2 = {rival}$")
by_rival.set(xlabel="$k_1$", ylabel="performance gain", title="two classes, M = 3")
for labels, style in zip((1, 2, 3), (":", "--", "-"), strict=True):
    gain = perf_gain(np.column_stack([known, np.full_like(known, 3.0)]), max_labels=labels)
    by_labels.plot(known, gain, style, color="black", label=f"M = {labels}")
by_labels.set(xlabel="$k_1$", title="against $k_2 = 3$")
for axes in (by_rival, by_labels):
    axes.legend()
    axes.spines[["top", "right"]].set_visible(False)
Path("urn.svg").write_text(to_svg(figure), encoding="utf-8")
