"""Pseudo-instances of one decision on Spirals: where they lie, and what they are worth."""

from pathlib import Path

import numpy as np

from palacs import PALACS
from palacs.experiments import paper_experiment
from palacs.plots import Figure, class_color, to_svg

experiment = paper_experiment(["Spirals"], ["uniform"], trials=1)
split, seed = experiment.deal("Spirals", 0)
asked = experiment.run("Spirals", 0)["Uniform"].requested[:21]
y = np.array([*split.start, *asked])
X = split.X[split.rows_of(y)]
seen = PALACS(bandwidth=0.05, random_state=seed).explain(X, y)

figure = Figure(figsize=(8, 3.6), layout="constrained")
plane, bars = figure.subplots(1, 2, width_ratios=[1.3, 1])
for code, marker in enumerate("os^"):
    own = y == code
    colour = class_color(code)
    plane.scatter(*X[own].T, marker=marker, color=colour, s=30, label=f"class {code + 1}")
    drawn = seen.drawn_from == code
    sizes = 6 + 700 * seen.gains[drawn]
    plane.scatter(*seen.pseudo_instances[drawn].T, s=sizes, facecolors="none", edgecolors=colour)
plane.set(title="rings: gain at pseudo-instances", xticks=[], yticks=[])
plane.set_aspect("equal")
plane.legend(loc="lower left", fontsize=8)
bars.bar(range(3), seen.utilities, color=[class_color(code) for code in range(3)])
bars.set(title="utility", xticks=range(3), xticklabels=[f"class {code + 1}" for code in range(3)])
bars.spines[["top", "right"]].set_visible(False)
Path("pseudo.svg").write_text(to_svg(figure), encoding="utf-8")
print(f"24 instances, eight of each class; class {seen.utilities.argmax() + 1} is asked for next.")
