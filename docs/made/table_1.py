"""The paper's Table 1: errors and win ratios by phase, ours beside the paper's."""

from __future__ import annotations

import _stored

from palacs import plots
from palacs.experiments import paper_differences, paper_findings

table1, table2 = _stored.read("table1"), _stored.read("table2")
plots.save(plots.differences(table1), "differences")

for title, ours, theirs, scale, digits in (
    ("Mean error", "error", "paper_error", 1, 4),
    ("Win ratio in percent", "win_ratio", "paper_win_ratio", 100, 2),
):
    print(f"## {title}: ours (the paper's)\n")
    print("| data set | strategy | phase 1 | phase 2 | phase 3 | phase 4 |")
    print("|---|---|---|---|---|---|")
    best = table1.groupby(["dataset", "phase"])[ours].transform("max" if scale > 1 else "min")
    for (dataset, strategy), rows in table1.groupby(["dataset", "strategy"], sort=False):
        cells = []
        for mine, printed, winner in zip(rows[ours], rows[theirs], best[rows.index], strict=True):
            shown = f"{scale * mine:.{digits}f}"
            shown = f"**{shown}**" if mine == winner else shown
            cells.append(f"{shown} ({scale * printed:.{digits}f})")
        print(f"| {dataset} | {strategy} | {' | '.join(cells)} |")
    print()

print("Bold is our best of a phase.\n\n## What the evaluation must show\n")
print("| what | measured | reached |\n|---|---|---|")
for finding in paper_findings(table1, table2):
    print(f"| {finding.claim} | {finding.measured} | {'yes' if finding.reached else 'no'} |")
print("\n## Where ours differ\n")
for sentence in paper_differences(table1, table2):
    print(f"- {sentence}")
print(f"\nFrom the stored results of `{_stored.COMMAND}`, 500 trials with seed 0.")
