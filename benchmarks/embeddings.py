"""A worked example: class selection against equal counts over a hundred classes of embeddings.

The model is WordLlama (``pip install wordllama``, MIT), whose wheel brings its weights: nothing is
downloaded here. Instances are what docstrings of installed packages say, classes the hundred
modules with most of them. A session asks for fifty docstrings; after each the default model is
judged on docstrings kept apart. Prints error and difference with its interval, whoever wins.
Run with ``python benchmarks/embeddings.py [--trials N]``; two minutes for ten trials.
"""

from __future__ import annotations

import argparse
import ast
import sys
import sysconfig
from collections import defaultdict
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import numpy as np
import numpy.typing as npt
import sklearn
from rich.console import Console
from rich.progress import track
from rich.table import Table

from palacs.evidence import default_model
from palacs.experiments import paired_t
from palacs.strategies import SpareSettled

PACKAGES = ("numpy", "scipy", "sklearn", "pandas", "matplotlib", "sqlalchemy", "distributed")
N_CLASSES, PER_CLASS, TEST_PER_CLASS = 100, 30, 20
SESSION, SESSIONS = 50, 24
# Shorter ones say nothing, and longer ones are cut.
LEAST, MOST = 40, 300

Array = npt.NDArray[np.float64]


def docstrings(path: Path) -> Iterator[str]:
    """Yield the opening of every docstring in a file that is long enough."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError):
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)):
            text = " ".join((ast.get_docstring(node) or "").split())[:MOST]
            if len(text) >= LEAST:
                yield text


def corpus() -> dict[str, list[str]]:
    """Return module -> docstrings, for the modules with most; a text counts where it is first."""
    site = Path(sklearn.__file__).parents[1]
    standard = Path(sysconfig.get_path("stdlib"))
    files = [path for name in PACKAGES for path in sorted((site / name).rglob("*.py"))]
    files += [
        path
        for path in sorted(standard.rglob("*.py"))
        if "site-packages" not in path.parts and "test" not in path.parts
    ]
    found: dict[str, list[str]] = defaultdict(list)
    seen: set[str] = set()
    for path in files:
        if "tests" in path.parts:
            continue
        parts = path.relative_to(site if path.is_relative_to(site) else standard).parts
        module = ".".join((*parts[:-1], path.stem)[:2])
        for text in docstrings(path):
            if text not in seen:
                seen.add(text)
                found[module].append(text)
    largest = sorted(found, key=lambda name: (-len(found[name]), name))[:N_CLASSES]
    short = [name for name in largest if len(found[name]) < PER_CLASS + TEST_PER_CLASS]
    if len(largest) < N_CLASSES or short:
        raise SystemExit(f"too few docstrings are installed: {len(found)} modules, {short[:3]} ...")
    return {name: found[name] for name in sorted(largest)}


def embedded(texts: list[str]) -> Array:
    """Return embeddings of unit length (n, 256), by weights that came with the package."""
    import wordllama

    # Its own folder in place of a cache: what is there need not be downloaded.
    folder = Path(wordllama.__file__).parent
    model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    found: Array = np.asarray(model.embed(texts, norm=True), dtype=np.float64)
    return found


class Trial:
    """One split: docstrings kept apart, and a queue of others for each class."""

    def __init__(self, X: Array, y: npt.NDArray[np.int64], seed: int) -> None:
        rng = np.random.default_rng(seed)
        members = [rng.permutation(np.flatnonzero(y == c)) for c in range(N_CLASSES)]
        self.X, self.y = X, y
        self.test = np.concatenate([rows[:TEST_PER_CLASS] for rows in members])
        self.queues = [rows[TEST_PER_CLASS:].tolist() for rows in members]
        self.seed = seed

    def play(self, chosen: bool) -> tuple[Array, npt.NDArray[np.int64]]:
        """Return the error after each session and the counts, for class selection or equal counts.

        Within a session what is asked for counts as if it were there, as in `Strategy.query`.
        """
        queues = [list(queue) for queue in self.queues]
        rows = [queue.pop() for queue in queues]
        errors = []
        for _ in range(SESSIONS):
            counts = np.bincount(self.y[rows], minlength=N_CLASSES)
            weights = np.ones(N_CLASSES)
            if chosen:
                strategy = SpareSettled(random_state=self.seed)
                weights = strategy.explain(self.X[rows], self.y[rows]).weights
            for _ in range(SESSION):
                overdue = weights / (counts + 0.5)
                overdue[[not queue for queue in queues]] = -1.0
                # Ties in turn: classes have no order that means anything.
                code = int(
                    (overdue - 1e-9 * ((np.arange(N_CLASSES) * 37 + len(rows)) % 101)).argmax()
                )
                counts[code] += 1
                rows.append(queues[code].pop())
            errors.append(self._error(rows))
        return np.array(errors), np.bincount(self.y[rows], minlength=N_CLASSES)

    def _error(self, rows: list[int]) -> float:
        model = default_model().fit(self.X[rows], self.y[rows])
        return float(np.mean(model.predict(self.X[self.test]) != self.y[self.test]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--trials", type=int, default=40)
    trials = parser.parse_args().trials
    texts = corpus()
    names = list(texts)
    X = embedded([text for each in texts.values() for text in each])
    y = np.repeat(np.arange(N_CLASSES), [len(each) for each in texts.values()])
    console = Console(width=None if Console().is_terminal else 110)
    versions = ", ".join(f"{name} {version(name)}" for name in ("wordllama", "numpy", "pandas"))
    console.print(f"{len(y):,} docstrings of {N_CLASSES} modules ({versions}, {sys.version[:6]})")
    curves, counts = [], []
    for seed in track(range(trials), "trials", console=console, disable=not console.is_terminal):
        trial = Trial(X, y, seed)
        both = [trial.play(chosen) for chosen in (True, False)]
        curves.append([errors for errors, _ in both])
        counts.append(both[0][1])
    report(console, np.array(curves), np.mean(counts, axis=0), names, len(y))


def report(console: Console, curves: Array, counts: Array, names: list[str], n: int) -> None:
    """Print errors of both after some sessions, and the difference with its interval."""
    table = Table(title="error on docstrings kept apart, % of 2,000", title_justify="left")
    for name in ("acquired", "spare settled", "equal counts", "difference (95 %)"):
        table.add_column(name, justify="right")
    n_test = N_CLASSES * TEST_PER_CLASS
    for session in (1, 5, 11, 17, SESSIONS - 1):
        ours, equal = 100 * curves[:, 0, session], 100 * curves[:, 1, session]
        # Splits of one set share their docstrings: intervals are wider for it.
        _, low, high = paired_t(ours - equal, test_ratio=n_test / (n - n_test))
        difference = f"{(ours - equal).mean():+.2f} ({low:+.2f} to {high:+.2f})"
        acquired = f"{N_CLASSES + SESSION * (session + 1):,}"
        table.add_row(acquired, f"{ours.mean():.1f}", f"{equal.mean():.1f}", difference)
    console.print(table)
    order = np.argsort(-counts)
    most, least = (
        ", ".join(f"{names[c]} {counts[c]:.0f}" for c in part) for part in (order[:4], order[-4:])
    )
    console.print(f"asked for most: {most}; for least: {least}; {len(curves)} trials")


if __name__ == "__main__":
    main()
