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
        for index, row in rows.iterrows():
            mine = f"{scale * row[ours]:.{digits}f}"
            mine = f"**{mine}**" if row[ours] == best[index] else mine
            cells.append(f"{mine} ({scale * row[theirs]:.{digits}f})")
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
