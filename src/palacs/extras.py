"""Which extra brings what: the one place that knows, and that says what to install.

Deciding needs no extra. Whoever needs one asks here first, before any work is done, and names
the smallest that helps.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

__all__ = ["EXTRAS", "Extra", "missing", "need", "remedy"]


@dataclass(frozen=True)
class Extra:
    """An extra of palacs.

    Parameters
    ----------
    enables : str
        What it is for, in a line.
    modules : tuple of str
        What is imported from it, by name; those of `includes` come on top.
    includes : tuple of str
        Extras that it cannot do without. The command line comes with most of them too, but no
        room needs it.
    """

    enables: str
    modules: tuple[str, ...]
    includes: tuple[str, ...] = ()


EXTRAS = {
    "cli": Extra("the command palacs", ("typer", "rich")),
    "tables": Extra("data from CSV files and data frames, histories as tables", ("pandas",)),
    "parquet": Extra("Parquet files, read and written", ("pyarrow",), ("tables",)),
    "plots": Extra("figures", ("matplotlib",), ("tables",)),
    "experiments": Extra("palacs reproduce and palacs compare", ("jinja2",), ("plots", "parquet")),
    "campaign": Extra(
        "campaigns that are kept in a file or database",
        ("sqlalchemy", "alembic"),
        ("tables",),
    ),
    "postgres": Extra("campaigns in PostgreSQL", ("psycopg",), ("campaign",)),
    "studio": Extra(
        "campaigns in the browser and over REST",
        ("fastapi", "uvicorn", "python_multipart", "jinja2", "segno"),
        ("campaign",),
    ),
    "lsl": Extra("lab streams: markers out, epochs in", ("pylsl", "pyxdf"), ("campaign",)),
    "dask": Extra("trials and decisions on a cluster", ("distributed",), ("experiments",)),
    "eeg": Extra("the extractors csp and tangent-space", ("pyriemann",)),
    "mne": Extra("FIF, EDF, BDF and GDF files as recordings", ("mne",)),
    "torch": Extra(
        "decisions on tensors, the extractor embedding; on request alone, for its size",
        ("torch",),
    ),
    "pictures": Extra("pictures as recordings, the extractor hog", ("skimage", "PIL")),
    "smartwatch": Extra("the data set smartwatch", ("seglearn",)),
}


def missing(extra: str) -> list[str]:
    """Return the modules of an extra that are not installed, its own first.

    Examples
    --------
    >>> from palacs.extras import missing
    >>> missing("cli")
    []
    """
    row = EXTRAS[extra]
    found = [module for module in row.modules if not _installed(module)]
    found += [module for name in row.includes for module in missing(name)]
    return list(dict.fromkeys(found))


def need(extra: str, what: str) -> None:
    """Refuse at once where an extra is not installed.

    Parameters
    ----------
    extra : str
        The smallest that helps.
    what : str
        What needs it, as the sentence begins.

    Raises
    ------
    ModuleNotFoundError
        It says what is missing and what to run.
    """
    absent = missing(extra)
    if absent:
        raise ModuleNotFoundError(
            f"{what} needs {absent[0]!r}, which is not installed; run: {remedy(extra)}",
            name=absent[0],
        )


def remedy(extra: str) -> str:
    """Return the command that brings an extra.

    Examples
    --------
    >>> from palacs.extras import remedy
    >>> remedy("parquet")
    "pip install 'palacs[parquet]'"
    """
    return f"pip install 'palacs[{extra}]'"


def _installed(module: str) -> bool:
    try:
        spec = find_spec(module)
    except (ModuleNotFoundError, ValueError):  # hidden from us, or stood in for
        return False
    # What an uninstalled package left behind is a folder without a module in it.
    return spec is not None and spec.origin is not None
