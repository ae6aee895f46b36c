"""What is shown of many classes: the worst first, the most frequent confusions, parts of a matrix.

Up to fifty classes are shown whole. Of more, answers hold a few and say how many there are; the
rest is there on request, a page or a block at a time, so that no answer grows with their number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np

from palacs.campaign import Snapshot
from palacs.evidence import LeftOut
from palacs.storage import Label

Order = Literal["worst", "fewest", "name", "declared"]

MOST_LISTED = 50
_MOST_UTILITIES = 20
_MOST_CONFUSIONS = 20
_MOST_CELLS = 40  # of a matrix, along each side


def highest(utilities: Mapping[Label, float], also: Label | None = None) -> list[Label]:
    """Return the classes of the highest utilities, those without an instance first.

    Examples
    --------
    >>> highest({"a": 0.5, "b": float("nan"), "c": float("inf"), "d": 1.0}, "a")
    ['c', 'd', 'a', 'b']
    """
    order = sorted(utilities, key=lambda label: -np.nan_to_num(utilities[label], nan=-1.0))
    kept = order[:_MOST_UTILITIES]
    return kept if also is None or also in kept or also not in utilities else [*kept, also]


def shortened(request: dict[str, Any]) -> dict[str, Any]:
    """Return a request's JSON with the highest utilities only, where there are many."""
    utilities = request["utilities"]
    if len(utilities) <= MOST_LISTED:
        return request
    known = {label: np.inf if value is None else value for label, value in utilities.items()}
    kept = highest(known, str(request["label"]))
    return {**request, "utilities": {label: utilities[label] for label in kept}}


def evidence_of(now: Snapshot, found: LeftOut) -> dict[str, Any]:
    """Return accuracy, recall and confusion as JSON-able values; of many classes the worst."""
    listed = list(range(len(now.classes)))
    whole = len(listed) <= MOST_LISTED
    if not whole:
        listed = worst_first(now, found)[:MOST_LISTED]
    names = [str(now.classes[code]) for code in listed]
    shown = {
        "labels": now.classes if whole else [],
        "matrix": found.confusion.tolist() if whole else [],
        "undecided": found.undecided.tolist() if whole else [],
    }
    return {
        "n_classes": len(now.classes),
        "classes": rows_of(now, found, listed),
        "judged": int(found.confusion.sum() + found.undecided.sum()),
        "accuracy": [
            {
                "acquired": point.acquired,
                "accuracy": point.accuracy,
                "recall": {
                    name: point.recall[code] for name, code in zip(names, listed, strict=True)
                },
            }
            for point in found.curve
        ],
        "groups": {"names": list(dict.fromkeys(now.groups or [])), "remark": found.remark},
        "confusion": shown,
        "confusions": _confusions(now, found),
    }


def worst_first(now: Snapshot, found: LeftOut) -> list[int]:
    """Return the classes' places: those without instances, then the lowest recall.

    Among equals the one that more decisions speak for; those that nobody judged come last.
    """
    counts = now.counts()
    judged = (found.confusion.sum(axis=1) + found.undecided).tolist()

    def badness(code: int) -> tuple[int, float, int]:
        recall = found.recall[code]
        if recall is None:
            return (1 if counts[code] else -1), 0.0, counts[code]
        return 0, recall, -judged[code]

    return sorted(range(len(now.classes)), key=badness)


def rows_of(now: Snapshot, found: LeftOut, codes: Iterable[int]) -> list[dict[str, Any]]:
    """Return what the bench says about some classes."""
    counts, total = now.counts(), max(1, len(now.codes))
    under_way: dict[Label, int] = {}
    for label in now.under_way:
        under_way[label] = under_way.get(label, 0) + 1
    judged = found.confusion.sum(axis=1) + found.undecided
    return [
        {
            "label": now.classes[code],
            "place": code,
            "count": counts[code],
            "share": counts[code] / total,
            "pending": under_way.get(now.classes[code], 0),
            "paused": now.classes[code] in now.paused,
            "recall": found.recall[code],
            "judged": int(judged[code]),
        }
        for code in codes
    ]


def page_of_rows(
    now: Snapshot, found: LeftOut, search: str, order: Order, page: slice
) -> dict[str, Any]:
    """Return some classes whose names hold what is searched for, and how many there are."""
    codes = worst_first(now, found) if order == "worst" else list(range(len(now.classes)))
    wanted = search.casefold()
    codes = [code for code in codes if wanted in str(now.classes[code]).casefold()]
    if order == "fewest":
        counts = now.counts()
        codes.sort(key=lambda code: counts[code])
    elif order == "name":
        codes.sort(key=lambda code: str(now.classes[code]).casefold())
    return {"classes": rows_of(now, found, codes[page]), "total": len(codes)}


def _confusions(now: Snapshot, found: LeftOut) -> list[dict[str, Any]]:
    """Return the most frequent confusions, which decision is taken for which."""
    matrix = found.confusion.copy()
    np.fill_diagonal(matrix, 0)
    rows, columns = np.nonzero(matrix)
    most = np.argsort(-matrix[rows, columns], kind="stable")[:_MOST_CONFUSIONS]
    judged = found.confusion.sum(axis=1) + found.undecided
    return [
        {
            "label": now.classes[row],
            "taken_for": now.classes[column],
            "count": int(matrix[row, column]),
            "of": int(judged[row]),
        }
        for row, column in zip(rows[most].tolist(), columns[most].tolist(), strict=True)
    ]


def block_of_confusion(
    now: Snapshot, found: LeftOut, row: int, column: int, size: int
) -> dict[str, Any]:
    """Return a square part of the confusion matrix, several classes to a cell where it is large.

    Parameters
    ----------
    now, found : Snapshot, LeftOut
    row, column : int
        The places of the first class and of the first decision in it.
    size : int
        How many classes it spans; cells are summed so that there are forty along a side at most.
    """
    n = len(now.classes)
    size = min(size, n)
    row, column = (max(0, min(first, n - size)) for first in (row, column))
    step = -(-size // _MOST_CELLS)
    starts = np.arange(0, size, step)
    part = found.confusion[row : row + size, column : column + size]
    cells = np.add.reduceat(np.add.reduceat(part, starts, axis=0), starts, axis=1)
    judged = (found.confusion.sum(axis=1) + found.undecided)[row : row + size]
    filled = np.argwhere(cells).tolist()
    return {
        "n_classes": n,
        "row": row,
        "column": column,
        "size": size,
        "step": step,
        "rows": [now.classes[row + start] for start in starts.tolist()],
        "columns": [now.classes[column + start] for start in starts.tolist()],
        "of": np.add.reduceat(judged, starts).tolist(),
        "cells": [[i, j, int(cells[i, j])] for i, j in filled],
    }
