"""The evaluation of 500 trials, kept in docs/made/paper: too long for a build of the site.

``palacs reproduce --out results`` made it (seed 0, all settings as they come); the files are those
of its folder, rounded to six digits. ``python docs/made/_stored.py results`` holds a new run
against them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

FOLDER = Path(__file__).parent / "paper"
NAMES = ("table1", "table2", "curves")
COMMAND = "palacs reproduce"


def read(name: str, folder: Path = FOLDER) -> pd.DataFrame:
    """Return a table of the stored evaluation."""
    return pd.read_csv(folder / f"{name}.csv")


def main(folder: Path) -> None:
    """Say whether the results in a folder are those stored here."""
    for name in NAMES:
        mine, theirs = read(name), read(name, folder)
        numbers = mine.select_dtypes("number").columns
        same = len(mine) == len(theirs) and np.allclose(
            mine[numbers], theirs[numbers], atol=1e-6, equal_nan=True
        )
        print(f"{name}: {'the same' if same else 'different'}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
