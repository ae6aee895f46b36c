"""The idea in one picture: the default strategy's requests against equal counts, on Spirals.

Left and middle: the first of 100 trials, after 60 requests each; the colour of the ground is what
the model decides there. Right: the mean error of all trials after each request. Run in docs/images
it makes the picture of the README.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from palacs.datasets import load
from palacs.evidence import default_model
from palacs.experiments import Execution, comparison_experiment, run_comparison
from palacs.plots import class_color, save, strategy_color

REQUESTS, TRIALS, SHOWN = 120, 100, 60
SHOWS = {"Uniform": "Equal counts", "Spare settled": "palacs"}
INK, MUTED = "#1f2430", "#646d7c"

experiment = comparison_experiment(
    load("Spirals", random_state=0), ["spare-settled"], budget=REQUESTS, trials=TRIALS
)
results = run_comparison(experiment, execution=Execution(jobs=1)).results
curves = results.curves().set_index("strategy")
split, _ = experiment.deal("Spirals", 0)
trial = experiment.run("Spirals", 0)


def draw_trial(ax: Axes, title: str) -> str:
    """Draw what was acquired and what is decided where; return the counts in words."""
    codes = np.concatenate([split.start, trial[title].requested[:SHOWN]])
    X = split.X[split.rows_of(codes)]
    model = default_model(classes=np.arange(3)).fit(X, codes)
    middles = np.linspace(-0.04, 1.04, 240)
    across, up = np.meshgrid(middles, middles)
    ground = model.predict(np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape)
    tints = ListedColormap([class_color(code) for code in range(3)])
    ax.pcolormesh(across, up, ground, cmap=tints, alpha=0.16, linewidth=0, rasterized=True)
    for code, marker in enumerate("o^s"):
        colour = class_color(code)
        x, y = X[codes == code].T
        ax.scatter(x, y, s=26, marker=marker, color=colour, edgecolor="w", linewidth=0.5)
    ax.set(xticks=[], yticks=[], xlim=(-0.04, 1.04), ylim=(-0.04, 1.04))
    ax.spines[:].set_color("#dde2e8")
    counts = np.bincount(codes, minlength=3)
    return f"easy class {counts[0]} instances, spirals {counts[1]} and {counts[2]}"


def draw_errors(ax: Axes) -> None:
    """Draw the mean error after each request."""
    for title, name in SHOWS.items():
        curve = curves.loc[title]
        colour = strategy_color(title) if title != "Uniform" else MUTED
        ax.plot(curve["acquired"], 100 * curve["mean_error"], color=colour, linewidth=2.2)
        end = 100 * curve["mean_error"].iloc[-1]
        ax.text(REQUESTS + 2, end, f"{name} {end:.1f} %", color=colour, va="center", fontsize=9)
    ax.axvline(SHOWN, color="#dde2e8", linewidth=1, zorder=0)
    ax.set(xlim=(0, REQUESTS), ylim=(0, None))
    ax.set_xlabel("requests", color=MUTED, fontsize=9)
    ax.set_title(f"Error in %, {TRIALS} trials", loc="left", color=INK, fontsize=11, weight="bold")
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(colors=MUTED, labelsize=8.5)


figure = Figure(figsize=(10.6, 3.7), layout="constrained", facecolor="w")
axes = figure.subplots(1, 3, width_ratios=(1, 1, 1.05))
for ax, (title, name) in zip(axes, SHOWS.items(), strict=False):
    ax.set_xlabel(draw_trial(ax, title), color=MUTED, fontsize=9)
    ax.set_title(f"{name}, {SHOWN} requests", loc="left", color=INK, fontsize=11, weight="bold")
draw_errors(axes[2])
save(figure, "spirals")

ends = {title: float(curves.loc[title]["mean_error"].iloc[-1]) for title in SHOWS}
same = int((curves.loc["Spare settled"]["mean_error"].to_numpy() <= ends["Uniform"]).argmax()) + 1
print(
    f"After {REQUESTS} requests the mean error is {100 * ends['Uniform']:.1f} % with equal counts "
    f"and {100 * ends['Spare settled']:.1f} % with the default strategy, which is as low as equal "
    f"counts after {same} requests ({TRIALS} trials, seed 0)."
)
