"""What a laboratory notes is on the record: who, about whom, with what, and the raw material."""

from __future__ import annotations

import getpass
import json
import os
import socket
import threading
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from palacs.campaign import (
    HISTORY_COLUMNS,
    CampaignError,
    Conflict,
    Recording,
    acting_as,
    create_campaign,
    import_campaign,
    load_campaign,
)

EEG = {
    "names": ["alpha", "beta"],
    "units": "µV²",
    "sampling_rate": 256,
    "pipeline": "bandpower 1.3",
}


def test_what_is_noted_later_stands_above_what_was_noted_before(any_url: str) -> None:
    c = create_campaign(
        "lab", ["a", "b"], storage=any_url, attrs={"device": "cap 3", "subject": "s01"}
    )
    plain, other = c.ask(), c.ask(attrs={"session": 1, "subject": "s02"})
    c.tell(plain, [0.1])
    told = c.tell(other, [0.2], attrs={"session": 2})
    assert told.attrs == {"device": "cap 3", "subject": "s02", "session": 2}
    assert c.instance(plain.id).attrs == {"device": "cap 3", "subject": "s01"}
    assert other.attrs == {"device": "cap 3", "subject": "s02", "session": 1}
    added = c.add([0.3], "a", attrs={"subject": "s03"})
    failed = c.ask()
    c.fail(failed, "yawned", attrs={"tired": True})
    rows = c.history().set_index("id")
    assert rows["attrs.subject"].tolist() == ["s01", "s02", "s03", "s01"]
    assert rows.loc[other.id, "attrs.session"] == 2
    assert rows.loc[failed.id, "attrs.tired"] is True
    assert rows.loc[added.id, "attrs.session"] is None


def test_several_instances_share_what_is_noted(tmp_path: Path) -> None:
    c = create_campaign("lab", ["a", "b"], storage=f"sqlite:///{tmp_path}/lab.db")
    first, second = c.ask_many(2, attrs={"session": 1})
    found = c.tell_many(
        [(first, [0.1]), (second, [0.2], None, {"cost": 2.5, "attrs": {"subject": "s02"}})],
        attrs={"subject": "s01"},
    )
    assert [instance.attrs for instance in found] == [
        {"session": 1, "subject": "s01"},
        {"session": 1, "subject": "s02"},
    ]
    assert c.history()["cost"].tolist()[1] == 2.5


def test_another_process_sees_the_same_notes(tmp_path: Path) -> None:
    url, raw = f"sqlite:///{tmp_path}/lab.db", tmp_path / "trial.edf"
    raw.write_bytes(b"raw")
    c = create_campaign("lab", ["a", "b"], storage=url, features=EEG, attrs={"device": "cap 3"})
    c.add([0.1, 0.2], "a", id="i1", attrs={"subject": "s01"}, recording=raw)
    again = load_campaign("lab", storage=url)
    assert again.instance("i1").attrs == {"device": "cap 3", "subject": "s01"}
    assert again.instance("i1").recording == Recording.of(raw)
    assert again.settings.features == {**EEG, "units": ["µV²", "µV²"], "sampling_rate": 256.0}
    pd.testing.assert_frame_equal(again.history(features=True), c.history(features=True))


def test_repeating_with_the_same_notes_is_harmless_and_with_others_a_conflict() -> None:
    c = create_campaign("lab", ["a", "b"], storage="memory")
    request = c.ask(attrs={"session": 1})
    kept = Recording.keep(b"raw", "trial.bin")
    for _ in range(2):
        c.tell(request, [0.1], attrs={"subject": "s01"}, recording=kept)
    c.tell(request, [0.1])
    assert len(c.events()) == 3
    for notes in ({"attrs": {"subject": "s02"}}, {"recording": Recording.keep(b"row", "x.bin")}):
        with pytest.raises(Conflict, match="other values, attributes or recording"):
            c.tell(request, [0.1], **notes)
    c.add([0.1], "a", id="i1", attrs={"subject": "s01"})
    with pytest.raises(Conflict, match="already in use"):
        c.add([0.1], "a", id="i1", attrs={"subject": "s02"})


def test_a_misspelt_note_is_an_error_and_writes_nothing() -> None:
    c = create_campaign("lab", ["a", "b"], storage="memory")
    with pytest.raises(TypeError, match="atrs"):
        c.add([0.1], "a", atrs={"subject": "s01"})  # type: ignore[call-arg]
    with pytest.raises(ValueError, match=r"attrs\['gain'\]=nan"):
        c.ask(attrs={"gain": float("nan")})
    with pytest.raises(FileNotFoundError):
        c.add([0.1], "a", recording="/no/such/file.edf")
    assert len(c.events()) == 1


# -- who -------------------------------------------------------------------------------


def test_every_event_says_who_did_it(any_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PALACS_PERSON", raising=False)
    c = create_campaign("lab", ["a", "b"], storage=any_url)
    monkeypatch.setenv("PALACS_PERSON", "Anna")
    request = c.ask()
    with acting_as("Ben"):
        c.performed(request)
        c.tell(request, [0.1])
        c.pause("a")
    c.retract(request)
    assert [dict(event.author or {}) for event in c.events()] == [
        {"host": socket.gethostname(), "process": os.getpid(), "person": person}
        for person in (getpass.getuser(), "Anna", "Ben", "Ben", "Ben", "Anna")
    ]
    row = c.history().iloc[0]
    assert (row["asked_by"], row["told_by"]) == ("Anna", "Ben")


def test_persons_in_two_threads_are_not_mixed_up() -> None:
    c = create_campaign("lab", ["a", "b"], storage="memory")
    together = threading.Barrier(2)

    def work(person: str) -> None:
        with acting_as(person):
            for i in range(10):
                together.wait()
                c.add([i], "a", id=f"{person}{i}")

    threads = [threading.Thread(target=work, args=(person,)) for person in ("Anna", "Ben")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows = c.history()
    assert (rows["id"].str.rstrip("0123456789") == rows["told_by"]).all()
    assert len(rows) == 20


@pytest.mark.parametrize("person", ["", "  ", "a\rb", "x" * 201])
def test_a_person_without_a_usable_name_is_refused(person: str) -> None:
    with pytest.raises(ValueError, match="person"), acting_as(person):
        pass


# -- recordings ------------------------------------------------------------------------


def test_recordings_are_checked_and_those_inside_come_back(any_url: str, tmp_path: Path) -> None:
    files = [tmp_path / f"{i}.edf" for i in range(3)]
    for file in files:
        file.write_bytes(b"raw")
    c = create_campaign("lab", ["a", "b"], storage=any_url)
    for file in files:
        c.add([0.1], "a", id=file.name, recording=file)
    c.add([0.1], "a", id="far", recording="s3://lab/far.edf")
    c.add([0.1], "a", id="inside", recording=Recording.inside(files[0]))
    c.add([0.1], "a", id="none")
    files[0].unlink()
    files[1].write_bytes(b"row")
    states = {check.id: check.state for check in c.check_recordings()}
    assert states == {
        "0.edf": "missing",
        "1.edf": "changed",
        "2.edf": "intact",
        "far": "not fetched",
        "inside": "intact",
    }
    inside = c.recording("inside")
    assert inside is not None
    assert inside.content == b"raw"
    assert c.recording("none") is None
    assert c.instance("inside").recording == Recording(
        "0.edf", 3, inside.sha256, kept=True, content=None
    )


# -- features --------------------------------------------------------------------------


def test_features_have_their_names_in_tables_and_in_the_model() -> None:
    c = create_campaign("lab", ["a", "b"], storage="memory", features=EEG)
    with pytest.raises(ValueError, match="x has 3 features"):
        c.add([1, 2, 3], "a")
    c.add([1, 2], "a")
    c.add([3, 5], "b")
    assert c.history(features=True)[["alpha", "beta"]].to_numpy().tolist() == [[1, 2], [3, 5]]
    model = c.model()
    assert model.feature_names_in_.tolist() == ["alpha", "beta"]
    table = pd.DataFrame([[1.0, 2.0]], columns=["alpha", "beta"])
    assert model.predict(table).tolist() == model.predict(table.to_numpy()).tolist() == ["a"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table[["beta", "alpha"]])
    with pytest.raises(ValueError, match="1 features instead of 2"):
        model.predict([[1.0]])


@pytest.mark.parametrize(
    ("features", "more", "complaint"),
    [
        ("alpha", {}, "must be a list"),
        ([], {}, "must be a list"),
        (["a", "a"], {}, "two features are called 'a'"),
        (["label", "b"], {}, "cannot be called 'label'"),
        (["attrs.subject"], {}, "cannot be called 'attrs.subject'"),
        (["x1", "x0"], {}, "cannot be called 'x1'"),
        ({"name": ["a"]}, {}, "know no 'name'"),
        ({"names": ["a", "b"], "units": ["V"]}, {}, "need 2 of them"),
        ({"units": ["V"]}, {}, "names for the units"),
        ({"sampling_rate": 0}, {}, "positive number of Hz"),
        ({"sampling_rate": "fast"}, {}, "sampling_rate"),
        ({"pipeline": ""}, {}, "pipeline"),
        (["a", "b"], {"n_features": 3}, "2 names for n_features=3"),
        (["a", "b"], {"bounds": [[0, 1]] * 3}, "3 pairs for n_features=2"),
    ],
)
def test_features_that_contradict_themselves_are_refused(
    features: Any, more: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        create_campaign("lab", ["a", "b"], storage="memory", features=features, **more)


def test_names_that_features_cannot_have_are_the_columns_of_the_history() -> None:
    c = create_campaign("lab", ["a", "b"], storage="memory")
    assert set(c.history().columns) | {"record"} == HISTORY_COLUMNS


# -- groups ----------------------------------------------------------------------------


def test_an_instance_of_nobody_is_refused_where_subjects_matter() -> None:
    c = create_campaign("lab", ["a", "b"], storage="memory", groups="subject")
    request = c.ask()
    with pytest.raises(ValueError, match="grouped by subject, but 'subject' is not noted"):
        c.tell(request, [0.1])
    with pytest.raises(ValueError, match="'subject' is not noted"):
        c.add([0.1], "a", attrs={"session": 1})
    c.tell(request, [0.1], attrs={"subject": "s01"})
    c.tell(c.ask(attrs={"subject": "s02"}), [0.2])
    assert c.groups().tolist() == ["s01", "s02"]
    c.retract(request)
    assert c.groups().tolist() == ["s02"]


def test_sessions_of_different_subjects_are_different_groups() -> None:
    c = create_campaign("lab", ["a", "b"], storage="memory", groups=["subject", "session"])
    for subject in ("s01", "s02"):
        for session in (1, 2):
            c.add([0.1], "a", attrs={"subject": subject, "session": session})
    assert c.groups().tolist() == ["s01 / 1", "s01 / 2", "s02 / 1", "s02 / 2"]


def test_without_groups_there_are_none() -> None:
    c = create_campaign("lab", ["a", "b"], storage="memory")
    with pytest.raises(CampaignError, match="groups='subject'"):
        c.groups()


# -- what others wrote -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("author", ["Anna"], "no JSON object"),
        ("author", {"person": "a\rb"}, "author's person"),
        ("author", {"person": {"name": "Anna"}}, "author's person"),
        ("attrs", {"subject": "a\rb"}, r"attrs\['subject'\] holds"),
        ("attrs", "subject=s01", "must map names to values"),
        ("payload", {"recording": {"where": "a\rb"}}, "is nowhere"),
        ("payload", {"recording": {"size": 3}}, "where"),
        ("payload", {"recording": {"where": "x", "sha256": "="}}, "64 hexadecimal digits"),
        ("payload", {"recording": {"where": "x", "size": "=1"}}, "size"),
        ("payload", {"recording": "x.edf"}, "contradicts the record"),
    ],
)
def test_notes_that_nobody_could_have_made_are_not_imported(
    tmp_path: Path, field: str, value: Any, complaint: str
) -> None:
    c = create_campaign("lab", ["a", "b"], storage="memory")
    c.add([0.1], "a", attrs={"subject": "s01"})
    path = c.export(tmp_path / "lab.json")
    content = json.loads(path.read_text())
    content["events"][1][field] = value
    for seal in set(content) - {"format", "version", "name", "exported_at", "events"}:
        del content[seal]
    path.write_text(json.dumps({**content, "version": 1}))
    with pytest.raises(ValueError, match=complaint):
        import_campaign(path, storage="memory")
