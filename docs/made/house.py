"""The rooms of palacs by floor, and which imports which, read from the imports themselves."""

import sys
from collections import defaultdict
from pathlib import Path

from palacs.plots import Figure, to_svg

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from floors import FLOORS, House, room_of

places: dict[str, tuple[float, float]] = {}
figure = Figure(figsize=(9, 6.4), layout="constrained")
axes = figure.subplots()
level = 0.0
for title, lines in FLOORS.items():
    bottom = level
    for line in lines:
        for place, room in enumerate(line):
            # A little to the side in turn, so that lines do not run through boxes.
            aside = 0.05 * (-1) ** len(places) / len(line)
            places[room] = ((place + 1) / (len(line) + 1) + aside, level)
        level += 1.0
    axes.axhspan(bottom - 0.45, level - 0.55, color="black", alpha=0.05)
    axes.text(-0.2, (bottom + level - 1.0) / 2, title, va="center", fontsize=9)
    level += 0.35

uses = defaultdict(set)
for one in House.read().imports():
    source, target = room_of(one.module), room_of(one.target)
    if source in places and target in places and source != target:
        uses[source].add(target)
for source, targets in uses.items():
    for target in targets:
        (x, y), (to_x, to_y) = places[source], places[target]
        axes.plot([x, to_x], [y, to_y], color="black", alpha=0.12, linewidth=0.8, zorder=1)
for room, (x, y) in places.items():
    box = {"boxstyle": "round", "facecolor": "white", "edgecolor": "black"}
    axes.text(x, y, room, ha="center", va="center", fontsize=9, bbox=box, zorder=2)
axes.set(xlim=(-0.21, 1.0), ylim=(-0.8, level - 0.3))
axes.axis("off")
Path("floors.svg").write_text(to_svg(figure), encoding="utf-8")
print(f"{len(places)} rooms, {sum(map(len, uses.values()))} pairs of them connected by imports.")
