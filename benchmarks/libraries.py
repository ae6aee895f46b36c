"""Compare what palacs writes itself with the libraries that offer the same.

Holm's correction with statsmodels, Nemenyi's critical difference with scikit-posthocs, scaling with
scikit-learn, strokes with Pillow, events of the server with sse-starlette: how far the results are
apart on made-up input. Decision 084 draws the conclusions. Run ``python benchmarks/libraries.py``.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import scikit_posthocs
from PIL import Image, ImageDraw
from rich.console import Console
from rich.table import Table
from scipy.stats import rankdata
from sklearn.preprocessing import MinMaxScaler
from sse_starlette import ServerSentEvent
from statsmodels.stats.multitest import multipletests

from palacs.campaign._growing_set import scale
from palacs.experiments._comparison import holm
from palacs.plots._ranks import nemenyi_distance
from palacs.studio import _events, _strokes

TIMES = 1_000


def holms(rng: np.random.Generator) -> tuple[float, str]:
    """Largest difference, and what happens to a p-value that is missing."""
    worst = 0.0
    for _ in range(TIMES):
        p = rng.random(rng.integers(1, 20)).round(rng.integers(1, 4))
        worst = max(worst, float(np.abs(holm(p) - multipletests(p, method="holm")[1]).max()))
    missing = np.array([0.01, np.nan, 0.02])
    return worst, f"missing: {holm(missing)} against {multipletests(missing, method='holm')[1]}"


def critical_differences(rng: np.random.Generator) -> tuple[float, str]:
    """Share of pairs that are certain in one and not in the other."""
    differ = pairs = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(100):
            n, k = int(rng.integers(5, 30)), int(rng.integers(3, 9))
            errors = rng.normal(np.linspace(0, 1, k), 1.0, size=(n, k))
            ranks = rankdata(errors, axis=1).mean(axis=0)
            ours = np.abs(ranks[:, None] - ranks) > nemenyi_distance(k, n)
            theirs = scikit_posthocs.posthoc_nemenyi_friedman(pd.DataFrame(errors)) < 0.05
            differ += int((ours != theirs.to_numpy()).sum())
            pairs += k * (k - 1)
    return differ / pairs, f"of {pairs} pairs"


def scalings(rng: np.random.Generator) -> tuple[float, str]:
    """Largest difference, and in how many numbers the last bits differ."""
    worst, bits, numbers = 0.0, 0, 0
    for _ in range(TIMES):
        X = rng.normal(size=(20, 4)) * 10.0 ** rng.integers(-6, 7)
        X[:, 0] = 3.0
        ours = scale(X, X.min(axis=0), X.max(axis=0))
        theirs = MinMaxScaler().fit_transform(X)
        worst = max(worst, float(np.abs(ours - theirs).max()))
        bits += int((ours != theirs).sum())
        numbers += X.size
    return worst, f"other last bits in {bits / numbers:.0%} of the numbers"


def strokes(rng: np.random.Generator) -> tuple[float, str]:
    """Mean share of ink that only one of them sets."""
    shares = []
    for _ in range(100):
        line = rng.random((12, 2)).cumsum(axis=0)
        ours = _strokes._paint([line])
        boxed = _strokes._boxed([line], 2.0)[0]
        image = Image.new("1", (32, 32))
        points = [tuple(point) for point in boxed]
        ImageDraw.Draw(image).line(points, fill=1, width=4, joint="curve")
        shares.append(float((ours != np.asarray(image)).sum() / ours.sum()))
    return float(np.mean(shares)), "one thickness in whole pixels instead of equal ink"


def events(rng: np.random.Generator) -> tuple[float, str]:
    """Whether one event is written in the same characters, but for the ends of lines."""
    ours = _events._message("changed", {"seq": 7}, 7)
    theirs = ServerSentEvent('{"seq": 7}', event="changed", id="7").encode().decode()
    return float(ours != theirs.replace("\r\n", "\n")), "CR LF instead of LF"


def main() -> None:
    """Print one line for each."""
    table = Table("what", "library", "apart", "")
    for name, library, compare in (
        ("Holm's correction", "statsmodels", holms),
        ("critical difference", "scikit-posthocs", critical_differences),
        ("scaling to [0, 1]", "scikit-learn", scalings),
        ("drawing strokes", "Pillow", strokes),
        ("server-sent events", "sse-starlette", events),
    ):
        apart, words = compare(np.random.default_rng(0))
        table.add_row(name, library, f"{apart:.2g}", words)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
