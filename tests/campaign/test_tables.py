"""Many instances from one table: all or none, and what is wrong is said with its row."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from palacs.campaign import CampaignClosed, Conflict, create_campaign
from palacs.storage import MemoryStorage

CLASSES = ["rest", "left", "=feet"]


def campaign(**settings):
    return create_campaign("tables", CLASSES, storage=MemoryStorage(), seed=0, **settings)


def test_a_table_from_a_spreadsheet_comes_in_whole() -> None:
    c = campaign()
    content = "\ufefflabel;x1;x0;attrs.subject;cost\r\nrest;0,5;1;s01;2\r\nleft;2;3,25;s02;\r\n"
    ids = c.add_table(content.encode(), name="lab.csv")
    assert [c.instance(id_).x.tolist() for id_ in ids] == [[1.0, 0.5], [3.25, 2.0]]
    assert [c.instance(id_).attrs for id_ in ids] == [{"subject": "s01"}, {"subject": "s02"}]
    assert c.history()["cost"].tolist()[:1] == [2.0]
    assert c.status().remaining is None
    assert c.status().instances == 2


def test_rows_that_answer_requests_are_told() -> None:
    c = campaign(budget=5)
    request = c.ask()
    c.add_table(f"request_id,label,a,b\n{request.id},,1,2\n,left,3,4".encode())
    assert c.pending() == []
    assert c.instance(request.id).asked == request.label
    assert c.status().remaining == 4


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"label,x0\nrest,1\nfeet,2", "row 3: 'feet' is no class of this campaign"),
        (b"label,x0\nrest,1\nleft,", "row 3: there is nothing under 'x0'"),
        (b"label,x0\nrest,1\n\nleft,1_0", "row 4: '1_0' under 'x0' is no number"),
        (b"label,x0\nrest,1,5\nleft,1", "row 2: it has 3 cells under 2 names"),
        (b"label,x0\n,1\nleft,1", "row 2: it says no class"),
        (b"label,x0\nrest,nan\nleft,1", "row 2: x[0]=nan is not a usable number"),
        (b"label,x0\nrest,inf\nleft,1", "row 2: x[0]=inf is not a usable number"),
        (b"id,label,x0\na,rest,1\na,left,2", "row 3: 'a' is in an earlier row too"),
        (b"request_id,x0\nr9-nobody,1", "row 2: no request or instance 'r9-nobody'"),
        (b"label;x0\nrest;1,000\nleft;2,500", "'1,000' can be read as 1000 or as 1.000"),
        (b"x0,x1\n1,2", "no column is called 'label'"),
        (b"label,x0,x0\nrest,1,2", "two columns are called 'x0'"),
        (b"label,state,x0\nrest,delivered,2", "the column 'state' is no feature"),
        (b"label,x0", "there is no instance in it"),
        (b"label\nrest", "it has no column with a feature"),
        (b'label,x0\nrest,"1,5"', "'1,5' under 'x0' is no number; write decimal points"),
        (b",label,x0\n0,rest,1", "column 1 has no name; name it in the first row, or take it out"),
        (b"label,x0\nrest,1,5", "it has 3 cells under 2 names; decimal commas need semicolons"),
        (b"\xff\xfe\x00", "it is no text in UTF-8"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(content: bytes, says: str) -> None:
    c = campaign()
    before = len(c.events())
    with pytest.raises(ValueError, match=re.escape(says)):
        c.add_table(content, name="mine.csv")
    assert len(c.events()) == before


def test_many_mistakes_are_counted_not_listed() -> None:
    rows = "\n".join("feet,1" for _ in range(1000))
    with pytest.raises(ValueError, match="and 995 more") as caught:
        campaign().add_table(f"label,x0\n{rows}".encode())
    assert len(str(caught.value)) < 500


def test_width_and_names_must_be_the_campaigns() -> None:
    c = campaign(features=["alpha", "beta"])
    c.add_table(b"beta,label,alpha\n2,rest,1")
    assert c.labelled_set()[0].tolist() == [[1.0, 2.0]]
    with pytest.raises(ValueError, match="its features are gamma, but this campaign's"):
        c.add_table(b"label,gamma\nrest,1")
    other = campaign()
    other.add([1.0, 2.0], "rest")
    with pytest.raises(ValueError, match="row 2: x has 1 features"):
        other.add_table(b"label,x0\nrest,1")


def test_repeated_with_its_id_nothing_is_added_twice() -> None:
    c = campaign()
    first = c.add_table(b"label,x0\nrest,1\nleft,2", op="upload 1")
    assert c.add_table(b"label,x0\nrest,1\nleft,2", op="upload 1") == first
    assert c.status().instances == 2
    with pytest.raises(Conflict):
        c.add_table(b"label,x0\nrest,1\nleft,3", op="upload 1")


def test_a_closed_campaign_takes_no_table() -> None:
    c = campaign()
    c.close_campaign("done")
    with pytest.raises(CampaignClosed):
        c.add_table(b"label,x0\nrest,1")


def test_the_labelled_set_goes_out_and_comes_in_again(tmp_path: Path) -> None:
    c = campaign()
    rng = np.random.default_rng(0)
    for i in range(9):
        c.add(rng.normal(size=3) * 10.0**-i, CLASSES[i % 3])
    c.retract(c.add([9.0, 9.0, 9.0], "rest"), "noise")
    path = c.export_labelled_set(tmp_path / "labelled.csv")
    table = pd.read_csv(path)
    assert list(table.columns) == ["x0", "x1", "x2", "label"]
    assert table["label"][2] == "'=feet", "no spreadsheet takes it for a formula"
    again = campaign()
    again.add_table(path)
    for one, other in zip(c.labelled_set(), again.labelled_set(), strict=True):
        assert np.array_equal(one, other)
    frame = campaign()
    frame.add_table(c.labelled_table())
    assert np.array_equal(frame.labelled_set()[0], c.labelled_set()[0])


def test_the_labels_minus_one_and_one_come_out_as_they_are(tmp_path: Path) -> None:
    c = create_campaign("signs", ["-1", "+1", "-x"], storage=MemoryStorage())
    c.add_table(b"label,x0\n-1,0\n+1,1\n-x,2")
    path = c.export_labelled_set(tmp_path / "labelled.csv")
    assert path.read_text().split() == ["x0,label", "0.0,-1", "1.0,+1", "2.0,'-x"]


def test_a_label_that_an_apostrophe_could_belong_to_is_not_guessed(tmp_path: Path) -> None:
    c = create_campaign("signs", ["-x", "'-x"], storage=MemoryStorage())
    c.add_table(b"label,x0\n-x,0\n''-x,1")
    path = c.export_labelled_set(tmp_path / "labelled.csv")
    assert path.read_text().split() == ["x0,label", "0.0,'-x", "1.0,''-x"]
    with pytest.raises(ValueError, match="can be read as the class \"'-x\", or as '-x' with"):
        c.add_table(path)
    c.rename_class("'-x", "minus x", "no apostrophes")
    again = create_campaign("again", ["-x", "minus x"], storage=MemoryStorage())
    again.add_table(c.export_labelled_set(tmp_path / "renamed.csv"))
    assert again.labelled_set()[1].tolist() == ["-x", "minus x"]


@pytest.mark.parametrize("names", [["=1+1", "-x"], ["'a", "-1"], ["u;v", "w,x"], [" u", "v "]])
def test_odd_names_of_features_are_no_formulas_and_come_in_again(
    names: list[str], tmp_path: Path
) -> None:
    c = create_campaign("out", ["a", "b"], storage=MemoryStorage(), features=names)
    c.add([1.0, 2.0], "a")
    path = c.export_labelled_set(tmp_path / "labelled.csv")
    cells = next(csv.reader(path.read_text().splitlines()))
    assert not any(cell.startswith(("=", "-x", "@", "+")) for cell in cells)
    again = create_campaign("in", ["a", "b"], storage=MemoryStorage(), features=names)
    again.add_table(path)
    assert again.labelled_set()[0].tolist() == [[1.0, 2.0]]
    fresh = create_campaign("fresh", ["a", "b"], storage=MemoryStorage())
    fresh.add_table(path)
    assert fresh.feature_names == [name.strip() for name in names]


def test_blanks_around_a_label_belong_to_the_class_that_has_them(tmp_path: Path) -> None:
    c = create_campaign("blanks", ["a ", "a"], storage=MemoryStorage())
    c.add([1.0], "a ")
    c.add([2.0], "a")
    again = create_campaign("again", ["a ", "a"], storage=MemoryStorage())
    again.add_table(c.export_labelled_set(tmp_path / "labelled.csv"))
    again.add_table(b"label,x0\n  a,3")
    assert again.labelled_set()[1].tolist() == ["a ", "a", "a"]


def test_separators_at_the_end_of_rows_are_no_columns() -> None:
    c = campaign()
    c.add_table(b"label;x0;x1;;\nrest;1;2;;\nleft;3;4\n")
    assert c.labelled_set()[0].tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_a_title_is_shown_and_the_name_stays() -> None:
    c = campaign()
    c.change(title="Motor imagery, day 2", reason="people confuse them")
    assert (c.name, c.settings.title) == ("tables", "Motor imagery, day 2")
    c.change(title=None, reason="the name will do")
    assert c.settings.title is None
    with pytest.raises(ValueError, match="title"):
        c.change(title=" ", reason="nothing")
