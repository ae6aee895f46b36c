"""How many trials class selection saves, for four imagined movements, two of them alike.

Simulated participants (`palacs.lsl.SimulatedParticipant`) are asked for movements one by one, by
each strategy in a sitting of its own, with fatigue and drift; the epochs are cut, filtered and
turned into band power as ``palacs demo bci`` does. The error is that of the campaign's own model
and of linear discriminant analysis, on a sitting that nobody learned from. Every participant is
one independent replication: intervals are over participants.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from rich.console import Console
from rich.table import Table
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.preprocessing import MinMaxScaler

from palacs.evidence import default_model
from palacs.extractors import BandPower
from palacs.lsl import MOVEMENTS, EpochSettings, SimulatedParticipant
from palacs.strategies import make

EPOCHS = EpochSettings(0.5, 2.5, band=(6, 32), pad=0.2)
ALIKE = ("feet", "tongue")
EQUAL = "uniform"
OTHERS = ("balanced-gain", "spare-settled", "pal-acs")
MODELS = ("the campaign's model", "linear discriminant analysis")
EVERY = 8
TESTED = list(MOVEMENTS) * 60

Numbers = npt.NDArray[np.float64]


def features_of(somebody: SimulatedParticipant, label: str) -> Numbers:
    epoch = somebody.epoch(label, EPOCHS)
    return np.asarray(BandPower(rate=somebody.rate, bands=((8, 13),)).one(epoch))


def play_all(seed: int, trials: int) -> dict[str, tuple[Numbers, float]]:
    """Let one participant be asked by every strategy."""
    rested = SimulatedParticipant(seed, sitting=0)
    unseen = np.stack([features_of(rested, label) for label in TESTED])
    return {name: play(seed, name, trials, unseen) for name in (EQUAL, *OTHERS)}


def play(seed: int, strategy: str, trials: int, unseen: Numbers) -> tuple[Numbers, float]:
    """Return the errors, shape (n_models, n_points), and the share of the two that are alike."""
    somebody = SimulatedParticipant(seed, sitting=1)
    chooser = make(strategy, random_state=seed)
    X, y = np.empty((0, unseen.shape[1])), list[str]()
    errors = []
    while len(y) < trials:
        (label,) = chooser.query(X, y, classes=list(MOVEMENTS), scale=True)
        X, y = np.vstack([X, features_of(somebody, str(label))]), [*y, str(label)]
        if len(y) % EVERY == 0 and len(y) >= 2 * EVERY:
            errors.append(_errors(X, y, unseen))
    return np.array(errors).T, float(np.mean([label in ALIKE for label in y]))


def _errors(X: Numbers, y: Sequence[str], unseen: Numbers) -> list[float]:
    scaler = MinMaxScaler().fit(X)
    prior = np.full(len(set(y)), 1 / len(set(y)))
    models = (
        default_model(),
        LinearDiscriminantAnalysis("lsqr", shrinkage="auto", priors=prior),
    )
    seen, new = scaler.transform(X), scaler.transform(unseen)
    return [float(np.mean(m.fit(seen, y).predict(new) != np.array(TESTED))) for m in models]


def interval(values: Numbers) -> str:
    """Return the mean over participants with its interval of 95 %."""
    half = 1.96 * values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():+.2f} ± {half:.2f}"


def saved(ours: Numbers, equal: Numbers, points: Numbers) -> tuple[float, float, float]:
    """Return how many trials fewer bring the error of equal counts at the end, with an interval.

    The curves are means over participants, made monotone; participants are drawn again a
    thousand times for the interval. Where the error is never reached, it is minus how many
    trials earlier equal counts had the error that was.
    """
    rng = np.random.default_rng(0)
    draws = [np.arange(len(ours)), *rng.integers(0, len(ours), (1000, len(ours)))]
    found = np.array([_saved(ours[d].mean(axis=0), equal[d].mean(axis=0), points) for d in draws])
    low, high = np.percentile(found[1:], [2.5, 97.5])
    return float(found[0]), float(low), float(high)


def _saved(ours: Numbers, equal: Numbers, points: Numbers) -> float:
    """Return it for two mean curves: where ours reaches what equal counts have in the end."""
    falling, target = np.minimum.accumulate(ours), np.minimum.accumulate(equal)[-1]
    if falling[-1] > target:  # then the other way round: what equal counts needed for ours
        reached = np.minimum.accumulate(equal)
        return float(np.interp(-falling[-1], -reached, points) - points[-1])
    return float(points[-1] - np.interp(-target, -falling, points))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--participants", type=int, default=100)
    parser.add_argument("--trials", type=int, default=80)
    parser.add_argument("--jobs", type=int, default=-1)
    chosen = parser.parse_args()
    names = (EQUAL, *OTHERS)
    done = Parallel(n_jobs=chosen.jobs)(
        delayed(play_all)(seed, chosen.trials) for seed in range(chosen.participants)
    )
    points = np.arange(2 * EVERY, chosen.trials + 1, EVERY).astype(float)
    for which, model in enumerate(MODELS):
        errors = {name: np.array([one[name][0][which] for one in done]) for name in names}
        shares = {name: float(np.mean([one[name][1] for one in done])) for name in names}
        show(model, errors, shares, points)


def show(model: str, errors: dict[str, Numbers], shares: dict[str, float], points: Numbers) -> None:
    """Print one model's table."""
    equal = errors[EQUAL]
    n, half = len(equal), len(points) // 2
    table = Table(title=f"{n} participants, {points[-1]:.0f} trials, {model}")
    for column in (
        "strategy",
        "error at half, %",
        "at the end, %",
        "against equal counts: at half",
        "at the end",
        "trials saved",
        "feet and tongue",
    ):
        table.add_column(column, justify="left" if column == "strategy" else "right")
    for name, found in errors.items():
        cells = [f"{100 * found[:, k].mean():.1f}" for k in (half, -1)]
        apart = [interval(100 * (found - equal)[:, k]) if name != EQUAL else "" for k in (half, -1)]
        ours = ""
        if name != EQUAL:
            ours = "{:.0f} ({:.0f} to {:.0f})".format(*saved(found, equal, points))
        table.add_row(name, *cells, *apart, ours, f"{shares[name]:.0%}")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
