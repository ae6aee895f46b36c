"""The paper's Table 2: how often each class was requested in the end, ours beside the paper's."""

from __future__ import annotations

import _stored

from palacs import plots

table2 = _stored.read("table2")
plots.save(plots.proportions(table2), "proportions")

sets = list(table2["dataset"].drop_duplicates())
print(f"| strategy | {' | '.join(sets)} |")
print(f"|---|{'---|' * len(sets)}")
for strategy, rows in table2.groupby("strategy", sort=False):
    cells = []
    for _, shares in rows.groupby("dataset", sort=False):
        ours, theirs = (
            ", ".join(f"{100 * share:.0f}" for share in shares[column])
            for column in ("proportion", "paper_proportion")
        )
        cells.append(f"{ours} ({theirs})")
    print(f"| {strategy} | {' | '.join(cells)} |")
print(
    "\nPercent of the requests, ours (the paper's), one number for each class. From the stored "
    f"results of `{_stored.COMMAND}`, 500 trials with seed 0."
)
