"""A comparison as plain JSON values: what ``palacs compare --json`` prints."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from typing import Any

import pandas as pd

from palacs.experiments._results import Results
from palacs.experiments.report._comparison_report import ComparisonSummary
from palacs.experiments.report._could_help import ceiling_words


def comparison_record(results: Results, summary: ComparisonSummary) -> dict[str, Any]:
    """Return what a comparison comes to, for programs; what is not known is None.

    Returns
    -------
    record : dict
        Keys data, trials, budget, seed, verdict, ceiling, model, sentences, and as lists of rows
        comparison, errors, class_errors, proportions and stopping.
    """
    experiment = results.experiment
    task = experiment.tasks[0]
    reading = task.dataset.reading
    tables = {
        "comparison": pd.concat([c.frame for c in summary.comparisons]),
        "errors": _ours(results.table()),
        "class_errors": summary.class_errors,
        "proportions": _ours(results.proportions()),
        "stopping": summary.stopping,
    }
    verdict = asdict(replace(summary.verdict, ceiling=None))
    del verdict["ceiling"]
    record = {
        "data": {
            "name": task.name,
            "instances": len(task.dataset),
            "features": list(task.dataset.feature_names),
            "classes": task.dataset.class_counts,
            "columns": [] if reading is None else [asdict(column) for column in reading.columns],
            "remarks": [] if reading is None else list(reading.remarks),
        },
        "trials": experiment.trials,
        "budget": task.budget,
        "seed": experiment.seed,
        "verdict": verdict,
        "ceiling": ceiling_words(summary.verdict, results),
        "model": None if summary.model is None else summary.model.to_dict(),
        "sentences": list(summary.sentences),
        **{name: [] if t is None else t.to_dict("records") for name, t in tables.items()},
    }
    cleaned: dict[str, Any] = _clean(record)
    return cleaned


def _ours(table: pd.DataFrame) -> pd.DataFrame:
    return table[[c for c in table if c != "dataset" and not str(c).startswith("paper_")]]


def _clean(value: Any) -> Any:
    """Make what JSON knows of it: NaN is no number there."""
    if isinstance(value, dict):
        return {str(key): _clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
