"""The paper's Fig. 2: two consecutive decisions of PAL-ACS on one feature."""

from __future__ import annotations

import numpy as np

from palacs import PALACS, plots

# Eight instances in the order of acquisition, and a ninth; of our own making.
X = np.array([[0.51], [0.79], [0.20], [0.60], [0.82], [0.53], [0.69], [0.09], [0.17]])
y = ["red", "green", "blue", "red", "green", "red", "green", "blue", "blue"]
CLASSES = ["blue", "red", "green"]

plots.save(plots.look_inside(X, y, classes=CLASSES), "look-inside")

strategy = PALACS(n_pseudo=300, bandwidth=0.05, sampling="grid")
print("| instances | blue | red | green | requested |")
print("|---|---|---|---|---|")
for n in (8, 9):
    seen = strategy.explain(X[:n], y[:n], classes=CLASSES)
    worth = [f"{1e6 * utility:.1f}" for utility in seen.utilities]
    print(f"| {n} | {' | '.join(worth)} | {CLASSES[int(np.argmax(seen.utilities))]} |")
print("\nUtilities in millionths, the sums in the corners of the picture.")
