"""From what a source brought to what is told: features, notes, and reasons fit for the record."""

from __future__ import annotations

import os
from typing import Any

import numpy.typing as npt

from palacs.campaign._acquired import Acquired
from palacs.campaign._asking import AskAndTell
from palacs.campaign._instance_file import read_instance
from palacs.campaign._operations import Notes
from palacs.campaign._recordings import Recording, bytes_of
from palacs.storage import Label

_LONGEST_REASON = 1_000


def telling(campaign: AskAndTell, asked: Label, answer: Any) -> tuple[npt.ArrayLike | None, Notes]:
    """Return the features and notes to tell; raise ValueError or OSError where they are no good."""
    brought = acquired_of(answer)
    if brought.label is not None and brought.label != asked:
        found = brought.recording
        where = found.where if isinstance(found, Recording) else found
        kept = "" if found is None else f"; its recording is {where}"
        raise ValueError(
            f"the source brought {brought.label!r}, but {asked!r} was asked for{kept}."
        )
    recording = None if brought.recording is None else _recording(brought.recording)
    notes: Notes = {
        "cost": brought.cost,
        "duration": brought.duration,
        "attrs": brought.attrs,
        "recording": recording,
    }
    if isinstance(brought.x, (str, bytes)):
        return _numbers(campaign, brought.x, "the answer"), notes
    if brought.x is not None:
        return brought.x, notes
    assert recording is not None  # Acquired has seen to that
    return (None if campaign.extractor else _features(campaign, recording)), notes


def _recording(given: Any) -> Recording:
    try:
        return Recording.of(given)
    except FileNotFoundError as error:
        raise ValueError(
            f"the source named the recording {error.filename!r}, but there is no such file."
        ) from error


def acquired_of(answer: Any) -> Acquired:
    """Return an answer in its one form; a text is the path or URI of a recording."""
    if isinstance(answer, Acquired):
        return answer
    if answer is None:
        raise ValueError("the source returned None; return numbers, a path, or raise NotAcquired.")
    if isinstance(answer, (str, os.PathLike, Recording)):
        return Acquired(recording=answer)
    return Acquired(answer)


def _features(campaign: AskAndTell, recording: Recording) -> npt.ArrayLike:
    """Return the features; without an extractor, the numbers that a file holds."""
    content, name = bytes_of(recording)  # what its SHA-256 is of, not what came after
    return _numbers(campaign, content, name)


def _numbers(campaign: AskAndTell, content: bytes | str, name: str) -> list[float]:
    return read_instance(content, name, campaign.n_features, campaign.feature_names)


def brief_reason(reason: str) -> str:
    """Return a reason as the record takes it: one line, not too long, printable."""
    text = " ".join(reason.split())
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= _LONGEST_REASON else f"{text[:_LONGEST_REASON]} ..."
