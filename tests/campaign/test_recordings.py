"""A recording stays outside the record, which can tell whether it is still what it was."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any, cast

import pytest

import palacs
from palacs.campaign import Recording
from palacs.campaign._recordings import LARGEST_INSIDE, check_recording


@pytest.fixture
def edf(tmp_path: Path) -> Path:
    path = tmp_path / "s01 [1].edf"
    path.write_bytes(b"raw material" * 1000)
    return path


def test_a_path_is_kept_with_its_size_and_sha256(edf: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(edf.parent)
    recording = Recording.of(edf.name)
    assert recording.where == str(edf)
    assert recording.size == 12_000
    assert recording.sha256 == hashlib.sha256(edf.read_bytes()).hexdigest()
    assert recording.content is None
    assert check_recording("r1", recording).state == "intact"


def test_what_became_of_a_file_is_told(edf: Path) -> None:
    recording = Recording.of(edf)
    edf.write_bytes(b"raw materiaL" * 1000)
    assert check_recording("r1", recording).detail == "another SHA-256"
    edf.write_bytes(b"short")
    found = check_recording("r1", recording)
    assert (found.state, found.detail) == ("changed", "5 bytes instead of 12000")
    edf.unlink()
    assert check_recording("r1", recording).state == "missing"
    edf.mkdir()
    assert check_recording("r1", recording).state == "unreachable"


def test_a_file_that_was_moved_is_found_by_its_name(edf: Path, tmp_path: Path) -> None:
    recording = Recording.of(edf)
    archive = tmp_path / "archive" / "2026"
    archive.mkdir(parents=True)
    edf.rename(archive / edf.name)
    assert check_recording("r1", recording).state == "missing"
    found = check_recording("r1", recording, tmp_path / "archive")
    assert (found.state, found.where) == ("intact", str(archive / edf.name))
    (archive / edf.name).write_bytes(b"something else")
    assert check_recording("r1", recording, tmp_path / "archive").state == "changed"


def test_a_uri_is_never_fetched() -> None:
    recording = Recording.of("s3://lab/s01/trial-7.edf")
    assert recording.size is None
    assert check_recording("r1", recording).state == "not fetched"


def test_a_uri_of_a_file_is_looked_at(edf: Path) -> None:
    uri = edf.as_uri()
    digest = hashlib.sha256(edf.read_bytes()).hexdigest()
    described = Recording.of({"uri": uri, "size": 12_000, "sha256": digest.upper()})
    assert check_recording("r1", described).state == "intact"
    wrong = Recording.of({"uri": uri, "size": 12_001})
    assert check_recording("r1", wrong).state == "changed"


def test_a_small_recording_can_be_kept_inside(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(os.urandom(LARGEST_INSIDE))
    recording = Recording.inside(path)
    back = Recording.from_payload(recording.to_payload())
    assert back == recording
    assert back.content == path.read_bytes()
    assert check_recording("r1", back).state == "intact"
    assert "content" not in recording.to_json()
    path.write_bytes(os.urandom(LARGEST_INSIDE + 1))
    with pytest.raises(ValueError, match=r"has 262145 bytes; at most 262144 are kept inside"):
        Recording.inside(path)


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("", "neither a path nor a URI"),
        (7, "neither a path nor a URI"),
        ({"uri": "trial-7"}, "is no URI"),
        ({"uri": "s3://x/y", "size": -1}, "size must be a whole number"),
        ({"uri": "s3://x/y", "sha256": "abc"}, "must be 64 hexadecimal digits"),
        ({"uri": "s3://x/y", "length": 3}, "must have a uri or a path"),
        ({"size": 3}, "must have a uri or a path"),
        ("https://anna:secret@lab/x.edf", "holds a password"),
        ("s3://[::1/x", "is no URI"),
        ("s3://" + "x" * 3000, "is no URI"),
        ({"uri": "s3://x/y", "size": 10**400}, "is too large"),
        ({"path": 7}, "its path is no text"),
        (Recording("x.edf", 5, "no digest"), "must be 64 hexadecimal digits"),
        (Recording(cast(Any, 5)), "is nowhere"),
        (Recording("x\r.edf"), "is nowhere"),
        (Recording("x.edf", 10**400), "is too large"),
        (Recording("https://anna:secret@lab/x.edf"), "holds a password"),
        (Recording("x.bin", 1, None, True, b"abc"), "is not as described"),
        (Recording("x.bin", 3, None, True), "comes without its content"),
    ],
)
def test_what_is_no_recording_is_refused(source: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint) as caught:
        Recording.of(source)
    assert "secret" not in str(caught.value)


def test_a_file_that_is_not_there_or_not_as_described_is_refused(edf: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nothing\.edf"):
        Recording.of(edf.parent / "nothing.edf")
    with pytest.raises(ValueError, match="is a folder"):
        Recording.of(edf.parent)
    os.mkfifo(edf.parent / "pipe")
    for endless in (edf.parent / "pipe", Path("/dev/zero")):
        with pytest.raises(ValueError, match="is no plain file"):
            Recording.of(endless)
    with pytest.raises(ValueError, match="is not as described: 12000 bytes instead of 5"):
        Recording.of({"path": edf, "size": 5})


def test_a_recording_put_together_wrongly_leaves_the_record_as_it_was(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path / 'lab.db'}"
    c = palacs.create_campaign("study", ["a", "b"], storage=storage)
    with pytest.raises(ValueError, match="64 hexadecimal digits"):
        c.add([1.0, 2.0], "a", recording=Recording("x.edf", 5, "no digest"))
    c.add([1.0, 2.0], "a")
    assert palacs.load_campaign("study", storage=storage).status().instances == 1
