"""Features are made from recordings, and made anew, from a shell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from palacs.campaign import load_campaign
from palacs.cli._app import build_app
from palacs.cli._campaign_extract import NAMES
from palacs.extractors import EXTRACTORS

app = build_app()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PALACS_STORAGE", raising=False)
    for number in range(5):
        signal = np.random.default_rng(number).normal(size=(2, 500))
        np.savez(tmp_path / f"trial-{number}.npz", x=signal, rate=250)
    (tmp_path / "mine.py").write_text("def peaks(recording):\n    return recording.max(axis=1)\n")
    return tmp_path


def palacs(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["campaign", *arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result.output


def as_json(*arguments: str) -> Any:
    return json.loads(palacs(*arguments, "--json"))


def test_a_recording_is_told_alone_and_all_are_extracted_anew(folder: Path) -> None:
    palacs("create", "lab", "--classes", "a,b", "--extractor", "band-power")
    for number in range(4):
        request = as_json("ask", "lab")
        id_ = request["id"] if "id" in request else request["requests"][0]["id"]
        told = as_json("tell", "lab", id_, "--recording", f"trial-{number}.npz")
        assert len(told["x"]) == 6
    assert "BandPower()" in palacs("status", "lab")
    found = as_json("extract", "lab", "--with", "mine.py:peaks", "--reason", "peaks tell more")
    assert (found["instances"], found["n_features"]) == (4, 2)
    assert as_json("status", "lab")["extractor"] == found["extractor"]
    again = palacs("add", "lab", "--label", "a", "--recording", "trial-4.npz", code=1)
    assert "given as 'mine.py:peaks'" in again
    more = ("--label", "a", "--recording", "trial-4.npz", "--with", "mine.py:peaks")
    assert len(as_json("add", "lab", *more)["x"]) == 2
    n = len(load_campaign("lab", storage="sqlite:///palacs.db").events())
    Path("trial-0.npz").unlink()
    assert "1 with a recording that is missing" in palacs(
        "extract", "lab", "--with", "csp(n_filters=2)", code=1
    )
    assert len(load_campaign("lab", storage="sqlite:///palacs.db").events()) == n


def test_a_recording_without_numbers_needs_an_extractor(folder: Path) -> None:
    palacs("create", "lab", "--classes", "a,b")
    said = palacs("add", "lab", "--label", "a", "--recording", "trial-0.npz", code=1)
    assert "no extractor is in force" in said


def test_the_help_names_every_extractor() -> None:
    assert NAMES.split(", ") == [row.name for row in EXTRACTORS]
