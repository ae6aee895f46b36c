"""A subject withdraws: numbers gone everywhere, the chain whole, and honest about what is lost."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from palacs.campaign import Campaign, Conflict, create_campaign, import_campaign, load_campaign
from palacs.storage import MemoryStorage, StorageUnavailable

SECRET = 0.123456789012345
PATTERN = struct.pack("<d", SECRET)


def filled(url: str | MemoryStorage, subjects: int = 3, each: int = 4) -> Campaign:
    campaign = create_campaign("study", ["rest", "left"], storage=url, seed=5, budget=50)
    for subject in range(subjects):
        attrs = {"subject": f"s{subject:02}"}
        for i in range(each):
            x = [SECRET if subject == 1 else 0.5 * i, float(subject + i)]
            campaign.tell(campaign.ask(attrs=attrs), x, attrs={"session": i}, cost=2.5)
        campaign.fail(campaign.ask(attrs=attrs), f"s{subject:02} was tired")
        campaign.ask(attrs=attrs)
        campaign.retract(campaign.add([9.0, 9.0], "left", attrs=attrs), f"s{subject:02} moved")
    return campaign


def test_what_was_told_about_a_subject_is_gone_and_the_rest_goes_on(url: str) -> None:
    campaign = filled(url)
    before = campaign.status()
    watching = load_campaign("study", storage=url)
    assert len(campaign.noted_with({"subject": "s01"})) == 7
    assert campaign.erase({"subject": "s01"}, reason="consent withdrawn") == 7
    for seen in (campaign, watching, load_campaign("study", storage=url)):
        status = seen.status()
        assert status.states["erased"] == 7
        assert status.instances == before.instances - 4
        assert status.remaining == (before.remaining or 0) + 4 + 1  # also what was pending
        assert not (seen.labelled_set()[0] == SECRET).any()
        history = seen.history(features=True)
        gone = history[history["state"] == "erased"]
        assert len(gone) == 7
        assert gone[["x0", "x1", "cost", "reason"]].isna().all(axis=None)
        assert "s01" not in history.to_csv()
        assert [event.kind for event in seen.events()][-1] == "erased"
        assert "s01" not in str([(e.payload, e.attrs, e.author) for e in seen.events()])
    assert dict(campaign.events()[-1].payload) == {
        "entries": 7,
        "events": 13,
        "reason": "consent withdrawn",
    }
    watching.tell(watching.ask(attrs={"subject": "s02"}), [0.1, 0.2])
    assert campaign.erase({"subject": "s01"}, reason="once more") == 0
    assert campaign.storage.verify() == []


def test_no_byte_of_it_is_left_in_the_file_or_its_log(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path}/lab.db"
    campaign = filled(address)
    for i in range(3000):  # enough for a snapshot
        campaign.add([SECRET, float(i)], "rest", attrs={"subject": "s01"}, cost=SECRET)
    load_campaign("study", storage=address).close()
    assert any(PATTERN in file.read_bytes() for file in tmp_path.iterdir())
    campaign.erase({"subject": "s01"}, reason="consent withdrawn")
    for file in tmp_path.iterdir():
        content = file.read_bytes()
        assert PATTERN not in content, file
        assert struct.pack(">d", SECRET) not in content, file
        assert str(SECRET).encode() not in content, file
        assert b"s01" not in content, file
    later = load_campaign("study", storage=address)
    assert later.status().instances == 8
    later.close()
    campaign.status()
    for file in tmp_path.iterdir():
        assert PATTERN not in file.read_bytes(), "nor does a later snapshot bring it back"


def test_the_server_holds_it_no_more(new_postgresql: Callable[[], str]) -> None:
    import sqlalchemy as sa

    address = new_postgresql()
    campaign = filled(address)
    campaign.erase({"subject": "s01"}, reason="consent withdrawn")
    engine = sa.create_engine(address)
    with engine.connect() as connection:
        for table in ("palacs_events", "palacs_snapshots"):
            rows = connection.execute(sa.text(f"SELECT * FROM {table}")).all()
            assert PATTERN not in b"".join(
                bytes(cell) for row in rows for cell in row if isinstance(cell, (bytes, memoryview))
            )
            assert "s01" not in str([[c for c in row if isinstance(c, str)] for row in rows])
    engine.dispose()


def test_replay_names_the_requests_that_can_no_longer_be_checked(url: str) -> None:
    campaign = filled(url)
    made = {e.entry: e.seq for e in campaign.events() if e.kind == "asked"}
    assert campaign.replay().erased == ()
    campaign.erase({"subject": "s01"}, reason="consent withdrawn")
    for _ in range(3):
        campaign.tell(campaign.ask(attrs={"subject": "s03"}), [0.3, 0.3])
    found = load_campaign("study", storage=url).replay()
    assert found.ok
    assert found.largest_difference == 0
    everything = [e.entry for e in campaign.events() if e.kind == "asked"]
    assert found.checked + len(found.erased) == len(everything)
    assert not {id_ for id_, seq in made.items() if seq < 15} & set(found.erased)
    assert not set(everything[-3:]) & set(found.erased)
    for id_ in found.erased:
        sentence = campaign.why(id_).sentence
        assert "erased" in sentence


@pytest.mark.parametrize("suffix", ["json", "csv", "parquet"])
def test_an_erased_campaign_goes_to_a_file_and_comes_back(suffix: str, tmp_path: Path) -> None:
    campaign = filled(MemoryStorage())
    campaign.erase({"subject": "s01", "session": "2"}, reason="one session")
    campaign.erase({"subject": "s02"}, reason="consent withdrawn")
    file = campaign.export(tmp_path / f"study.{suffix}")
    back = import_campaign(file, storage="memory")
    assert back.events() == campaign.events()
    assert back.status() == campaign.status()
    assert back.replay() == campaign.replay()
    assert back.storage.verify() == []
    back.tell(back.ask(), [0.1, 0.1])


def test_a_file_cannot_call_instances_erased_that_were_not(tmp_path: Path) -> None:
    import json

    campaign = filled(MemoryStorage())
    file = campaign.export(tmp_path / "study.json")
    content = json.loads(file.read_text())
    for row in content["events"]:
        if row["kind"] == "told":
            row.update(x=None, payload={"erased": True})
    old = {"version": 1, **{key: content[key] for key in ("format", "name", "events")}}
    for changed, why in ((content, "checksum"), (old, "no tombstone")):
        file.write_text(json.dumps(changed))
        with pytest.raises(ValueError, match=why):
            import_campaign(file, storage="memory")


def test_erasing_is_refused_without_saying_what_or_why() -> None:
    campaign = filled(MemoryStorage())
    with pytest.raises(ValueError, match="say nothing"):
        campaign.erase({}, reason="all of it")
    with pytest.raises(ValueError, match="reason"):
        campaign.erase({"subject": "s01"}, reason="")
    assert campaign.erase({"subject": "nobody"}, reason="withdrawn") == 0
    assert campaign.status().states["erased"] == 0


def test_a_repeated_call_erases_once() -> None:
    campaign = filled(MemoryStorage())
    for _ in range(2):
        assert campaign.erase({"subject": "s01"}, reason="withdrawn", op="erase s01") == 7
    assert [event.kind for event in campaign.events()].count("erased") == 1


def test_a_class_renamed_and_everybody_erased_leave_a_campaign_that_goes_on() -> None:
    campaign = filled(MemoryStorage())
    campaign.rename_class("left", "l", "short")
    for subject in range(3):
        campaign.erase({"subject": f"s{subject:02}"}, reason="withdrawn")
    again = load_campaign("study", storage=campaign.storage)
    assert again.status().instances == 0
    assert again.status().states["pending"] == 0
    assert again.replay().ok
    request = again.ask()
    again.tell(request, [1.0, 2.0, 3.0])  # no instance says any more how long one is
    assert np.array_equal(campaign.labelled_set()[0], [[1.0, 2.0, 3.0]])


def test_an_answer_to_an_erased_request_is_refused_and_the_campaign_goes_on(url: str) -> None:
    campaign = filled(url)
    worker = load_campaign("study", storage=url)
    waiting = list(campaign.noted_with({"subject": "s01"}))
    campaign.erase({"subject": "s01"}, reason="withdrawn")
    before = campaign.events()
    for id_ in waiting:
        for answer in (
            lambda id_=id_: worker.tell(id_, [1.0, 2.0]),
            lambda id_=id_: worker.tell_many([(id_, [1.0, 2.0])]),
            lambda id_=id_: worker.fail(id_, "s01 left"),
            lambda id_=id_: worker.performed(id_),
            lambda id_=id_: worker.renew(id_),
            lambda id_=id_: worker.retract(id_, "s01 left"),
        ):
            with pytest.raises(Conflict, match="was erased"):
                answer()
    assert campaign.events() == before
    again = load_campaign("study", storage=url)
    again.tell(again.ask(), [1.0, 2.0])


_ERASER = """
import os, signal, sys
from palacs.campaign import load_campaign
campaign = load_campaign("study", storage=sys.argv[1])
storage = type(campaign.storage)
storage.purge = lambda self: os.kill(os.getpid(), signal.SIGKILL)
campaign.erase({"subject": "s01"}, reason="withdrawn")
"""


def test_an_erasure_that_was_killed_is_completed_by_repeating_it(tmp_path: Path, warm) -> None:
    address = f"sqlite:///{tmp_path}/lab.db"
    filled(address).close()
    assert warm(_ERASER, address).returncode == -signal.SIGKILL
    campaign = load_campaign("study", storage=address)
    assert campaign.status().states["erased"] == 7
    campaign.erase({"subject": "s01"}, reason="withdrawn")
    for name in os.listdir(tmp_path):
        assert PATTERN not in (tmp_path / name).read_bytes()


_READER = """
import sqlite3, sys
file = sqlite3.connect(sys.argv[1], isolation_level=None)
file.execute("BEGIN")
print(file.execute("SELECT count(*) FROM palacs_events").fetchone(), flush=True)
sys.stdin.read()
"""


def test_an_erasure_beside_a_reader_says_that_it_has_to_be_repeated(tmp_path: Path) -> None:
    file = tmp_path / "lab.db"
    campaign = filled(f"sqlite:///{file}?timeout=0.3")
    command = [sys.executable, "-c", _READER, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline()
        with pytest.raises(StorageUnavailable, match=r"its traces could not .* erase the same"):
            campaign.erase({"subject": "s01"}, reason="withdrawn")
        assert campaign.status().states["erased"] == 7
        reader.communicate()
    assert campaign.erase({"subject": "s01"}, reason="withdrawn") == 0
    campaign.close()
    for name in os.listdir(tmp_path):
        assert PATTERN not in (tmp_path / name).read_bytes()


def test_other_spellings_of_a_name_are_named_and_stay() -> None:
    campaign = create_campaign("study", ["rest", "left"], storage="memory")
    for subject in ("s07", "S07", "s07 ", "s7", "\uff5307", "s70", "s08"):
        campaign.add([1.0], "rest", attrs={"subject": subject})
    campaign.add([1.0], "rest", attrs={"Subject": "s07"})
    assert campaign.erase({"subject": "s07"}, reason="withdrawn") == 1
    assert campaign.noted_alike({"subject": "s07"}) == {
        "subject='S07'": 1,
        "subject='s07 '": 1,
        "subject='s7'": 1,
        "subject='\uff5307'": 1,
        "Subject='s07'": 1,
    }
    assert campaign.status().instances == 7
    assert campaign.noted_alike({"subject": "s70"}) == {}
    campaign.erase({"subject": "S07"}, reason="withdrawn")
    assert "subject='S07'" not in campaign.noted_alike({"subject": "s07"})


def test_an_id_whose_outcome_was_erased_says_so(url: str) -> None:
    with create_campaign("study", ["rest", "left"], storage=url) as campaign:
        attrs = {"subject": "s07"}
        request = campaign.ask(attrs=attrs, op="first")
        campaign.tell(request, [1.0], op="second")
        assert campaign.ask(attrs=attrs, op="first").id == request.id
        campaign.erase(attrs, reason="withdrawn", op="third")
        before = campaign.events()
        for again in (
            lambda: campaign.ask(attrs=attrs, op="first"),
            lambda: campaign.tell(request, [1.0], op="second"),
            lambda: campaign.add([1.0], "rest", op="second"),
        ):
            with pytest.raises(Conflict, match="was erased since"):
                again()
        assert campaign.erase(attrs, reason="withdrawn", op="third") == 1
        assert campaign.events() == before
