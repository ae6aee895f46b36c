"""The bars of `strategies.py`: which are reached, and the tables one sees it in."""

from __future__ import annotations

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table

from _cells import (
    CELL,
    END,
    PHASES,
    Played,
    against,
    certain,
    mean_errors,
    ranking,
    relative_errors,
    shares_reached,
)
from _sets import FURTHER, PAPER, STRESS
from palacs.experiments import LEVEL, Ceiling

SUBJECT, BASELINE, RIVAL = "Spare settled", "Uniform", "Balanced gain"
# Nowhere may the error be more than this above Uniform's.
_MOST_ABOVE = 0.015
# Of what is possible, so much must be reached where at least that is possible.
_SHARE, _WORTH_IT = 0.6, 0.03
_NONE = "–"
_MARKS = {
    True: "[green]reached    [/]",
    False: "[red]not reached[/]",
    None: "[dim]unknown    [/]",
}

Ceilings = dict[tuple[str, str], Ceiling | None]


def show_cells(
    played: Played, errors: pd.DataFrame, ceilings: Ceilings, tests: pd.DataFrame, console: Console
) -> None:
    """Print errors relative to Uniform in every cell, beside the ceiling and what was reached."""
    table = Table(title=f"Error relative to {BASELINE}'s in phases 1 to 4 | at the end, %")
    for column in ("data set", "judged", "ceiling", "interval", "reached"):
        table.add_column(column, justify="left" if column in ("data set", "judged") else "right")
    relative = relative_errors(errors, BASELINE)
    by_cell = {str(title): relative[title].to_dict() for title in relative.columns}
    titles = [title for title in by_cell if title != BASELINE]
    for title in titles:
        table.add_column(title, justify="right")
    marks = {
        (SUBJECT, *(str(row[key]) for key in CELL)): "-" if row["difference"] < 0 else "+"
        for row in certain(tests).to_dict("records")
    }
    shares = shares_reached(played, ceilings, SUBJECT, BASELINE, _WORTH_IT)
    for classifier, name in played:
        share = shares.get((classifier, name))
        reached = _NONE if share is None else f"{share:.0%}"
        texts = []
        for title in titles:
            gaps = [
                f"{100 * by_cell[title][name, classifier, phase]:+.1f}"
                + marks.get((title, name, classifier, phase), "")
                for phase in (*PHASES, END)
            ]
            texts.append(f"{' '.join(gaps[:-1])} | {gaps[-1]}")
        table.add_row(name, classifier, *_in_words(ceilings[classifier, name]), reached, *texts)
    console.print(table)
    console.print(
        f"- and +: {SUBJECT} is better or worse than {BASELINE} with certainty (paired Wilcoxon, "
        f"Holm over all {len(tests)} cells, {LEVEL:.0%})."
    )


def _in_words(ceiling: Ceiling | None) -> tuple[str, str]:
    if ceiling is None:
        return _NONE, _NONE
    interval = f"{-100 * ceiling.high:+.1f} to {-100 * ceiling.low:+.1f}"
    return f"{-100 * ceiling.gain:+.1f}", interval


def show_ranks(errors: pd.DataFrame, console: Console) -> None:
    """Print mean rank and mean error relative to Uniform of every strategy."""
    console.print(f"\nOver {len(mean_errors(errors))} cells (data sets × judged × phases and end):")
    for strategy, row in ranking(errors, BASELINE).iterrows():
        console.print(
            f"  {strategy:<14} mean rank {row['mean_rank']:.2f}, error relative to {BASELINE} "
            f"{row['relative']:+.2%}"
        )


def show_judges(
    played: Played, errors: pd.DataFrame, ceilings: Ceilings, tests: pd.DataFrame, console: Console
) -> None:
    """Print what each judged classifier says of the bars, where several judge."""
    shares = shares_reached(played, ceilings, SUBJECT, BASELINE, _WORTH_IT)
    judges = list(dict.fromkeys(judge for judge, _ in played))
    if len(judges) < 2:
        return
    table = Table(title=f"{SUBJECT}, by who judges")
    for column in ("judged", "ceiling reached", "most above in a phase", "worse", "mean rank"):
        table.add_column(column, justify="left" if column == "judged" else "right")
    for judge in judges:
        own = [share for (other, _), share in shares.items() if other == judge]
        cells = tests[tests["classifier"] == judge]
        worse = certain(tests)[certain(tests)["difference"] > 0]
        table.add_row(
            judge,
            f"{np.mean(own):.0%} over {len(own)} sets" if own else _NONE,
            f"{cells[cells['phase'] != END]['relative'].max():+.1%}",
            f"{int((worse['classifier'] == judge).sum())} of {len(cells)} cells",
            f"{ranking(errors[errors['classifier'] == judge], BASELINE)['mean_rank'][SUBJECT]:.2f}",
        )
    console.print(table)


def show_bars(
    played: Played, errors: pd.DataFrame, ceilings: Ceilings, tests: pd.DataFrame, console: Console
) -> bool:
    """Print each bar with whether it is reached, and its numbers; return whether all are."""
    shares = list(shares_reached(played, ceilings, SUBJECT, BASELINE, _WORTH_IT).values())
    share = float(np.mean(shares)) if shares else 0.0
    unknown = [name for (_, name), ceiling in ceilings.items() if ceiling is None]
    no_share = f"no ceiling of {', '.join(unknown)}" if unknown else "no set has such a ceiling"
    phases = tests[tests["phase"] != END]
    above = phases[phases["relative"] > _MOST_ABOVE]
    worse = certain(tests)[certain(tests)["difference"] > 0]
    built_in = errors[errors["dataset"].isin([*PAPER, *FURTHER, *STRESS])]
    rival = against(built_in, SUBJECT, RIVAL) if len(built_in) else tests.iloc[:0]
    behind = certain(rival)[certain(rival)["difference"] > 0]
    bars = [
        (
            share >= _SHARE if shares else None,
            f"at least {_SHARE:.0%} of the ceiling on average where it is {_WORTH_IT:.0%} or more",
            f"{share:.0%} over {len(shares)} sets" if shares else no_share,
        ),
        (
            above.empty,
            f"in no phase more than {_MOST_ABOVE:.1%} above {BASELINE}",
            f"at most {phases['relative'].max():+.1%}",
        ),
        (worse.empty, f"nowhere worse than {BASELINE} with certainty", f"in {len(worse)} cells"),
        (
            bool(ranking(errors, BASELINE).index[0] == SUBJECT),
            "best mean rank",
            f"{ranking(errors, BASELINE)['mean_rank'][SUBJECT]:.2f}",
        ),
        *(
            (
                here.empty if len(cells) else None,
                f"at least as good as {RIVAL} on every built-in set, up to noise, {where}",
                f"behind with certainty in {len(here)} of {len(cells)} cells",
            )
            for where, here, cells in (
                ("at the end", behind[behind["phase"] == END], rival[rival["phase"] == END]),
                ("on the way", behind[behind["phase"] != END], rival[rival["phase"] != END]),
            )
        ),
    ]
    for reached, claim, measured in bars:
        mark = _MARKS[reached]
        console.print(f"{mark} {claim}: {measured}")
    for frame, other in ((above, BASELINE), (worse, BASELINE), (behind, RIVAL)):
        for cell in frame.to_dict("records"):
            console.print(
                f"      behind {other}: {cell['dataset']}, judged by {cell['classifier']}, phase "
                f"{cell['phase']}: {cell['relative']:+.2%}, p = {cell['p_holm']:.2g}"
            )
    return all(reached is not False for reached, _, _ in bars)
