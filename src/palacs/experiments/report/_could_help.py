"""A verdict with the ceiling beside it: whether it is worth it, and how much it could be worth."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from palacs.experiments._ceiling import Progress
from palacs.experiments._ceiling_of import ceiling_of, final_gains, why_no_ceiling
from palacs.experiments._results import Results
from palacs.experiments.report._ceiling_sentence import (
    ceiling_record,
    ceiling_sentence,
    left_out_sentence,
)
from palacs.experiments.report._verdict import RANDOM, UNIFORM, Verdict


def with_ceiling(
    verdict: Verdict, results: Results, progress: Progress | None = None
) -> tuple[Verdict, str]:
    """Return the verdict with the ceiling, and the sentence that says it, or why there is none.

    The sentence speaks of the winner, or of the first strategy where nobody wins.
    """
    reason = why_no_ceiling(results)
    if reason is not None:
        return verdict, left_out_sentence(reason)
    try:
        ceiling = ceiling_of(results, progress=progress)
    except ValueError as error:
        # Whole groups may leave no counts that every trial can serve.
        return verdict, left_out_sentence(str(error).rstrip("."))
    names = results.experiment.tasks[0].dataset.class_names
    reached = _subject(verdict, _gains(results))
    return replace(verdict, ceiling=ceiling), ceiling_sentence(ceiling, names, reached)


def ceiling_words(verdict: Verdict, results: Results) -> dict[str, Any] | None:
    """Return the ceiling as plain JSON values with its sentence; None where there is none."""
    if verdict.ceiling is None:
        return None
    names = results.experiment.tasks[0].dataset.class_names
    gains = _gains(results)
    words = ceiling_sentence(verdict.ceiling, names, _subject(verdict, gains))
    return {"sentence": words, **ceiling_record(verdict.ceiling, names, gains)}


def write_verdict(verdict: Verdict, results: Results, out: Path) -> None:
    """Write ``verdict.json`` into a folder, with the ceiling where there is one."""
    record = asdict(replace(verdict, ceiling=None))
    record["ceiling"] = ceiling_words(verdict, results)
    text = json.dumps(record, indent=2, ensure_ascii=False)
    (out / "verdict.json").write_text(f"{text}\n", encoding="utf-8")


def _subject(verdict: Verdict, gains: Mapping[str, float]) -> dict[str, float]:
    subject = verdict.winner or next(iter(gains), None)
    return {} if subject is None else {subject: gains[subject]}


def _gains(results: Results) -> dict[str, float]:
    """Return by strategy how much lower its final error is than Uniform's; not of baselines."""
    gains = final_gains(results.trials, UNIFORM)
    return {t: gains[t] for t in results.experiment.titles if t not in (RANDOM, UNIFORM)}
