"""Which files palacs reads: tables with data, recordings; and what it needs to read them."""

from __future__ import annotations

from docsite.markdown import code, table
from palacs.datasets._tables import SUFFIXES
from palacs.extractors._reading import _READERS

_BY = {
    "_npy": ("one array", ""),
    "_npz": ("the array `x`, or the only one; `rate` beside it", ""),
    "_json": ("lists of numbers", ""),
    "_text": ("one column per channel, a line of names at will", ""),
    "_wav": ("sound, with its sampling rate", ""),
    "_xdf": ("the first stream of numbers", "lsl"),
    "_by_mne": ("EEG, with its sampling rate", "mne"),
    "_picture": ("a picture", "pictures"),
}


def data_files() -> str:
    """Return the suffixes of tables that `read_table` and `palacs compare` take."""
    return "Tables with data: " + ", ".join(map(code, SUFFIXES)) + "."


def recordings() -> str:
    """Return the suffixes of recordings, what is read from each, and the extra it needs."""
    by: dict[str, list[str]] = {}
    for suffix, reader in _READERS.items():
        by.setdefault(reader.__name__, []).append(suffix)
    rows = [
        (", ".join(map(code, suffixes)), _BY[name][0], code(_BY[name][1]))
        for name, suffixes in by.items()
    ]
    return table(["suffix", "read as", "extra"], rows)
