"""A campaign goes out to a file and comes back in with nothing lost."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from palacs.campaign import Campaign, Recording, acting_as, create_campaign, import_campaign
from palacs.storage import CampaignExists, MemoryStorage

FORMATS = ["csv", "parquet", "json"]
OLD = Path(__file__).parent / "records"


@pytest.fixture(params=["text", "integer"])
def campaign(request: pytest.FixtureRequest) -> Campaign:
    """A campaign with something of everything, and labels and reasons that look like formulas."""
    classes = ["=1+1", "-left", "@right", "'quoted"] if request.param == "text" else [-1, 0, 5, 7]
    storage = MemoryStorage()
    campaign = create_campaign(
        "=HYPERLINK()", classes, strategy="uniform", storage=storage, seed=1, budget=50, lease=None
    )
    rng = np.random.default_rng(0)
    for i in range(6):
        campaign.tell(campaign.ask(), rng.normal(size=3) * 10.0**-i, cost=0.1 * i)
    campaign.fail(campaign.ask(), "=cmd|' /C calc'!A0\nsecond, line")
    campaign.add([1 / 3, -1e-300, 1e300], classes[0], duration=1 / 7)
    campaign.retract(campaign.history()["id"][1], "+oops")
    campaign.pause(classes[1])
    campaign.performed(campaign.ask_many(2)[0])
    return campaign


@pytest.mark.parametrize("suffix", FORMATS)
def test_everything_comes_back(campaign: Campaign, tmp_path: Path, suffix: str) -> None:
    path = campaign.export(tmp_path / f"out.{suffix}")
    storage = MemoryStorage()
    back = import_campaign(path, storage=storage)
    assert back.name == campaign.name
    assert back.events() == campaign.events()
    pd.testing.assert_frame_equal(back.history(features=True), campaign.history(features=True))
    assert back.replay().ok
    back.tell(back.pending()[0], [0.0, 0.0, 0.0])
    assert back.replay().ok
    with pytest.raises(CampaignExists):
        import_campaign(path, storage=storage)
    assert import_campaign(path, storage=storage, name="copy").classes == campaign.classes


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_campaign_without_an_instance_comes_back(tmp_path: Path, suffix: str) -> None:
    empty = create_campaign("empty", ["a", "b"], storage="memory")
    back = import_campaign(empty.export(tmp_path / f"out.{suffix}"), storage="memory")
    assert back.events() == empty.events()


def test_no_cell_of_the_csv_is_a_formula(campaign: Campaign, tmp_path: Path) -> None:
    path = campaign.export(tmp_path / "out.csv")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert any(row["reason"].startswith("'=cmd") for row in rows)
    for row in rows:
        for column, cell in row.items():
            if cell.startswith(("=", "+", "-", "@", "\t", "\r")):
                float(cell)  # numbers may be negative
                assert column.startswith("x") or column in ("asked", "label")


def test_the_table_is_the_history_with_its_features(campaign: Campaign, tmp_path: Path) -> None:
    frame = pd.read_parquet(campaign.export(tmp_path / "out.parquet"))
    rows = frame[frame["state"].notna()]
    history = campaign.history(features=True)
    assert rows["id"].tolist() == history["id"].tolist()
    assert rows["state"].tolist() == history["state"].tolist()
    assert rows["x2"].dropna().tolist() == history["x2"].dropna().tolist()


def test_the_json_is_strict(campaign: Campaign, tmp_path: Path) -> None:
    text = campaign.export(tmp_path / "out.json").read_text()

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    content = json.loads(text, parse_constant=refuse)
    assert content["format"] == "palacs-campaign"


def test_a_format_nobody_knows_is_refused(campaign: Campaign, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"end it in \.csv, \.parquet or \.json"):
        campaign.export(tmp_path / "out.xlsx")
    with pytest.raises(ValueError, match="cannot import"):
        import_campaign(tmp_path / "out.xlsx")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", "{}"),
        ("a.json", "not json"),
        ("a.json", '{"format": "palacs-campaign", "version": 3, "name": "x", "events": []}'),
        ("a.json", '{"format": "palacs-campaign", "version": 2, "name": "x", "events": []}'),
        ("a.json", '{"format": "palacs-campaign", "version": 1, "name": "x", "events": []}'),
        ("a.csv", "id,label\n1,2\n"),
        ("a.csv", 'record\n"[{""seq"": 1, ""at"": 0, ""kind"": ""told""}]"\n'),
        ("a.parquet", "not parquet"),
    ],
)
def test_a_file_that_is_no_export_is_refused(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    storage = MemoryStorage()
    with pytest.raises(ValueError, match="palacs campaign"):
        import_campaign(tmp_path / name, storage=storage)
    assert storage.campaigns() == []


def test_an_export_with_a_missing_line_is_refused(campaign: Campaign, tmp_path: Path) -> None:
    path = campaign.export(tmp_path / "out.csv")
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    frame.drop(index=3).to_csv(path, index=False)
    with pytest.raises(ValueError, match="no complete export"):
        import_campaign(path, storage="memory")


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet"])
def test_what_a_laboratory_noted_travels_along(tmp_path: Path, suffix: str) -> None:
    features = {"names": ["=alpha", "beta"], "units": ["V", "Hz"], "pipeline": "bands 1.3"}
    c = create_campaign(
        "lab",
        ["a", "b"],
        storage="memory",
        attrs={"device": "=cap()"},
        features=features,
        groups="subject",
    )
    with acting_as("Anna"):
        c.tell(c.ask(attrs={"session": 2}), [0.1, 1 / 3], attrs={"subject": "s01", "on": ["x", 1]})
    c.add([0.25, 2], "a", attrs={"subject": "-7"}, recording=Recording.keep(b"raw", "@a.bin"))
    c.fail(c.ask(), attrs={"subject": 7})
    path = c.export(tmp_path / f"lab.{suffix}")
    back = import_campaign(path, storage="memory")
    assert back.events() == c.events()
    assert back.settings == c.settings
    pd.testing.assert_frame_equal(back.history(features=True), c.history(features=True))
    assert back.groups().tolist() == c.groups().tolist()
    kept = back.recording(c.history()["id"].iloc[1])
    assert kept is not None
    assert kept.content == b"raw"
    if suffix == "csv":
        rows = pd.read_csv(path, dtype=str)
        assert rows["attrs.device"].iloc[1] == "'=cap()"
        assert rows["'=alpha"].iloc[1] == "0.1"
        assert rows["attrs.subject"].dropna().tolist() == ["s01", "'-7", "7"]


def rewritten(path: Path, change: Callable[[str], str]) -> Path:
    path.write_text(change(path.read_text()))
    return path


def test_a_seal_cannot_be_talked_away(campaign: Campaign, tmp_path: Path) -> None:
    path = campaign.export(tmp_path / "out.json")
    text = path.read_text(encoding="utf-8")
    assert '"version": 2' in text
    path.write_text(text.replace('"version": 2', '"version": 1'), encoding="utf-8")
    with pytest.raises(ValueError, match="says version 1 but is sealed"):
        import_campaign(path, storage="memory")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_table_cut_at_the_end_of_a_row_is_refused(
    campaign: Campaign, tmp_path: Path, suffix: str
) -> None:
    # The last row is a request of its own, which nothing else in the file speaks of.
    path = campaign.export(tmp_path / f"out.{suffix}")
    if suffix == "csv":
        with path.open(newline="") as file:
            rows = list(csv.reader(file))
        with path.open("w", newline="") as file:
            csv.writer(file).writerows(rows[:-1])
    else:
        pd.read_parquet(path).iloc[:-1].to_parquet(path, index=False)
    with pytest.raises(ValueError, match=r"holds \d+ of \d+ events, so a part of it is missing"):
        import_campaign(path, storage="memory")


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_value_changed_by_hand_is_refused(
    campaign: Campaign, tmp_path: Path, suffix: str
) -> None:
    path = campaign.export(tmp_path / f"out.{suffix}")
    value = campaign.labelled_set()[0][3, 1]
    if suffix == "parquet":
        frame = pd.read_parquet(path)
        frame.loc[frame["x1"] == value, "x1"] = value + 1e-9
        frame.to_parquet(path, index=False)
    else:
        assert repr(float(value)) in path.read_text()
        rewritten(path, lambda text: text.replace(repr(float(value)), repr(float(value) + 1e-9)))
    with pytest.raises(ValueError, match="checksum does not fit, so a value was changed"):
        import_campaign(path, storage="memory")


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_a_spreadsheet_that_writes_the_same_numbers_differently_does_no_harm(
    tmp_path: Path, suffix: str
) -> None:
    campaign = create_campaign("c", ["a", "b"], storage="memory")
    # Numbers that are no part of a time.
    campaign.add([0.0078125, 9830400.0], "a")
    path = campaign.export(tmp_path / f"out.{suffix}")
    rewritten(
        path, lambda text: text.replace("0.0078125", "7.8125E-3").replace("9830400.0", "9830400")
    )
    assert import_campaign(path, storage="memory").events() == campaign.events()


@pytest.mark.parametrize("path", sorted(OLD.glob("export-1.*")), ids=lambda path: path.name)
def test_an_export_of_version_1_comes_in(path: Path) -> None:
    back = import_campaign(path, storage="memory")
    assert back.status().instances == 6
    assert back.replay().ok


def test_exports_of_many_processes_to_one_file_leave_one_whole_file(
    new_sqlite: Any, tmp_path: Path, in_processes: Any
) -> None:
    url, path = new_sqlite(), tmp_path / "shared.csv"
    with create_campaign("c", ["a", "b"], strategy="uniform", storage=url) as campaign:
        for i in range(50):
            campaign.add([float(i), 0.5], "a")

    def export(url: str, path: str) -> int:
        from palacs.campaign import import_campaign, load_campaign

        with load_campaign("c", storage=url) as campaign:
            for _ in range(5):
                campaign.export(path)
                assert import_campaign(path, storage="memory").status().instances == 50
        return 1

    assert in_processes(export, [(url, str(path))] * 6) == [1] * 6
    assert [file.name for file in tmp_path.iterdir() if "shared" in file.name] == ["shared.csv"]


@pytest.mark.parametrize("suffix", FORMATS)
@settings(deadline=None, max_examples=20)
@given(reason=st.text(st.characters(), max_size=30))
@example("a\rb")
@example("\ud800")
@example("\0")
def test_any_reason_comes_back_from_every_format(suffix: str, reason: str) -> None:
    campaign = create_campaign("c", ["a", "b"], strategy="uniform", storage="memory")
    campaign.fail(campaign.ask(), reason)
    campaign.retract(campaign.add([0.5], "a"), reason)
    with TemporaryDirectory() as folder:
        path = campaign.export(Path(folder) / f"out.{suffix}")
        back = import_campaign(path, storage="memory")
    assert back.events() == campaign.events()
    assert back.history()["reason"].tolist() == [reason, reason]


def test_tables_that_a_spreadsheet_saved_are_refused_in_plain_words(tmp_path: Path) -> None:
    c = create_campaign("study", ["a", "b"], storage="memory")
    c.tell(c.ask(), [0.5, 1.5])
    text = c.export(tmp_path / "study.csv").read_text()
    rows = list(csv.reader(io.StringIO(text)))
    with (tmp_path / "saved.csv").open("w", newline="") as file:
        csv.writer(file, delimiter=";").writerows(rows)
    with pytest.raises(ValueError, match="not separated by commas; import the file as it was"):
        import_campaign(tmp_path / "saved.csv", storage="memory")
    with (tmp_path / "twice.csv").open("w", newline="") as file:
        csv.writer(file).writerows([*rows, rows[-1]])
    with pytest.raises(ValueError, match="so rows were added to it"):
        import_campaign(tmp_path / "twice.csv", storage="memory")
    marked = tmp_path / "marked.json"
    marked.write_text(c.export(tmp_path / "study.json").read_text(), encoding="utf-8-sig")
    assert import_campaign(marked, storage="memory").status().instances == 1


_NOTED = {"subject": "s07", "patient": 1234567890, "phone": "4915112345", "first": True}


def test_a_cell_that_contradicts_the_record_is_refused_with_its_row(tmp_path: Path) -> None:
    c = create_campaign("study", ["a", "b"], storage="memory", attrs={"room": "=12"})
    c.tell(c.ask(), [0.5, 1.5], "a", cost=2.5, attrs=_NOTED)
    c.fail(c.ask(), "-tired\nand more")
    c.pause("b")
    c.add([0.25, 0.5], "b")
    path = c.export(tmp_path / "study.csv")
    rows = list(csv.DictReader(io.StringIO(path.read_text())))

    def saved(changed: dict[str, str] | None = None, row: int = 1) -> Path:
        some = [dict(each) for each in rows]
        some[row] |= changed or {}
        target = tmp_path / "saved.csv"
        with target.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(reversed(some) if changed is None else some)
        return target

    for changed in (
        {"label": "b"},
        {"asked": ""},
        {"cost": "2.6"},
        {"attrs.subject": "s08"},
        {"attrs.patient": "1234567891"},
        {"attrs.phone": "4915112346"},
        {"attrs.phone": "49151_12345"},
        {"attrs.first": "FALSE"},
        {"state": "retracted"},
        {"reason": "moved"},
    ):
        [(column, value)] = changed.items()
        with pytest.raises(ValueError, match=rf"row 3, .* {column!r} says {value!r}"):
            import_campaign(saved(changed), storage="memory")
    with pytest.raises(ValueError, match="row 2, of the campaign's own events"):
        import_campaign(saved({"label": "b"}, row=0), storage="memory")
    # What a spreadsheet does by itself: other forms of numbers and times, another order.
    for harmless in (
        {"cost": "2.50E0", "attrs.patient": "1234567890.0", "attrs.first": "TRUE"},
        {"told_at": "15/11/2026 21:00"},
        None,
    ):
        assert import_campaign(saved(harmless), storage="memory").events() == c.events()
