"""A watched folder: complete files are instances of the class whose folder they are in, once."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from palacs.campaign import Campaign, Request, create_campaign
from palacs.sources import WatchedFolder


@pytest.fixture
def c() -> Campaign:
    return create_campaign("demo", ["left", "right"], storage="memory", seed=0)


def source(folder: Path) -> WatchedFolder:
    return WatchedFolder(folder, settle=0.15)


def told(c: Campaign) -> list[tuple[str, str, bool]]:
    """Return class, file and whether it was asked for."""
    rows = c.history()
    rows = rows[rows["state"] == "delivered"]
    files = [Path(str(where)).name for where in rows["recording"]]
    asked = [isinstance(label, str) for label in rows["asked"]]
    return list(zip(rows["label"], files, asked, strict=True))


def test_a_file_answers_the_request_of_its_class_and_others_are_added(c: Campaign, tmp_path: Path):
    other = {"left": "right", "right": "left"}

    def record(request: Request) -> None:
        (tmp_path / other[str(request.label)] / f"by-the-way-{request.id}.csv").write_text("9 9")
        time.sleep(0.5)  # long enough for the unasked one to be complete first
        (tmp_path / str(request.label) / f"{request.id}.csv").write_text("1 2")

    begin = threading.Thread
    run = c.run(
        source(tmp_path), until=1, on_asked=lambda r: begin(target=record, args=(r,)).start()
    )
    asked = next(row for row in told(c) if row[2])
    assert (run.told, run.added) == (1, 1)
    assert asked[1].startswith("r1-")
    assert {row[0] for row in told(c)} == {"left", "right"}


def test_what_was_there_before_is_added_and_never_taken_twice(c: Campaign, tmp_path: Path):
    (tmp_path / "left").mkdir()
    for name in ("a.csv", "b.csv", "same.csv"):
        (tmp_path / "left" / name).write_text("1 2")
    (tmp_path / "left" / ".hidden").write_text("1 2")
    (tmp_path / "left" / "c.csv.part").write_text("1 2")

    def answer(request: Request) -> None:
        (tmp_path / str(request.label) / f"{request.id}.csv").write_text("5 6")

    assert c.run(source(tmp_path), until=1, on_asked=answer).told == 1
    _wait_for(c, tmp_path, 3)
    before = sorted(told(c))
    again = c.run(source(tmp_path), until=1, on_asked=answer)
    assert (again.told, again.added) == (1, 0)
    assert len(told(c)) == len(before) + 1
    assert len(set(told(c))) == len(told(c))


def _wait_for(c: Campaign, folder: Path, added: int) -> None:
    """Go on until all that was there has been added."""
    while c.status().states.get("delivered", 0) < added + 1:
        c.run(source(folder), until="0.5s", timeout=0.3, give_up=99)


def test_a_file_that_is_still_being_written_is_waited_for(c: Campaign, tmp_path: Path):
    def write(request: Request) -> None:
        path = tmp_path / str(request.label) / "slow.csv"
        with path.open("w") as file:
            for part in ("1 ", "2 ", "3 ", "4"):
                file.write(part)
                file.flush()
                time.sleep(0.08)

    begin = threading.Thread
    c.run(source(tmp_path), until=1, on_asked=lambda r: begin(target=write, args=(r,)).start())
    assert c.labelled_set()[0].tolist() == [[1.0, 2.0, 3.0, 4.0]]


def test_a_bad_file_fails_its_request_and_the_next_one_is_taken(c: Campaign, tmp_path: Path):
    texts = iter(["1 nan", "1 2"])

    def record(request: Request) -> None:
        (tmp_path / str(request.label) / f"{request.id}.csv").write_text(next(texts))

    run = c.run(source(tmp_path), until=1, on_asked=record)
    assert (run.told, run.failed) == (1, 1)
    rows = c.history()
    assert "nan" in rows["reason"][0]


def test_a_class_that_is_no_folder_name_is_refused_before_anything_is_asked(tmp_path: Path):
    c = create_campaign("demo", ["../left", "right"], storage="memory")
    with pytest.raises(ValueError, match=r"'\.\./left'"):
        c.run(source(tmp_path), until=1)
    assert c.history_length() == 0
