"""The paper's Fig. 3, its pseudo-code, line by line in NumPy, held against the strategy."""

from __future__ import annotations

import numpy as np

from palacs import PALACS, kernel_frequencies, perf_gain
from palacs.datasets import load

SIGMA, M = 0.05, 3
spirals = load("Spirals", random_state=0)
X = (spirals.X - spirals.X.min(axis=0)) / np.ptp(spirals.X, axis=0)
rng = np.random.default_rng(0)
chosen = np.concatenate([rng.choice(np.flatnonzero(spirals.y == c), 8) for c in range(3)])
X, y = X[chosen], spirals.y[chosen]

# What the strategy drew (line 3), so that both see the same pseudo-instances.
seen = PALACS(bandwidth=SIGMA, random_state=0).explain(X, y)
pseudo = seen.pseudo_instances

k = kernel_frequencies(pseudo, X, y, n_classes=3, bandwidth=SIGMA)  # line 5
gain = perf_gain(k, max_labels=M) / len(pseudo)  # line 6, with the density weight
share = k / k.sum(axis=0)  # the class weights, each column summing to one
utilities = share.T @ gain  # one sum per class, of which the largest is requested

print("| class | by the pseudo-code | `PALACS.explain` |")
print("|---|---|---|")
for code, name in enumerate(spirals.class_names):
    print(f"| {name} | {utilities[code]:.6g} | {seen.utilities[code]:.6g} |")
assert np.allclose(utilities, seen.utilities, rtol=1e-9)
print(f"\nBoth request {spirals.class_names[int(np.argmax(utilities))]}.")
