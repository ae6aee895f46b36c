"""Names that come with instances hold: later ones are put in order, and others are refused."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from palacs.campaign import Campaign, create_campaign, import_campaign, load_campaign, read_instance
from palacs.storage import MemoryStorage

FIRST = b"label,alpha,beta\nrest,1,2\nleft,3,4"


def campaign() -> Campaign:
    return create_campaign("named", ["rest", "left"], storage=MemoryStorage(), seed=0)


def test_the_first_table_names_the_features_and_a_second_one_is_put_in_order() -> None:
    c = campaign()
    assert c.feature_names is None
    c.add_table(FIRST)
    assert c.feature_names == ["alpha", "beta"]
    c.add_table(b"beta,label,alpha\n6,rest,5")
    assert c.labelled_set()[0].tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    assert list(c.labelled_table().columns) == ["alpha", "beta", "label"]
    again = load_campaign("named", storage=c.storage)
    assert again.feature_names == ["alpha", "beta"]


@pytest.mark.parametrize("second", [b"label,gamma,beta\nrest,1,2", b"label,x0,x1\nrest,1,2"])
def test_other_names_are_refused_with_both_lists_and_what_to_do(second: bytes) -> None:
    c = campaign()
    c.add_table(FIRST)
    before = len(c.events())
    with pytest.raises(ValueError, match="but this campaign's are alpha, beta; name the columns"):
        c.add_table(second, name="mine.csv")
    assert len(c.events()) == before


@pytest.mark.parametrize(
    ("columns", "names"), [("x1,x0", ["x0", "x1"]), ("x2,x1", ["x1", "x2"]), ("b,a", ["b", "a"])]
)
def test_numbered_columns_are_names_too(columns: str, names: list[str]) -> None:
    c = campaign()
    c.add_table(f"label,{columns}\nrest,1,2".encode())
    assert c.feature_names == names
    with pytest.raises(ValueError, match="its features are"):
        c.add_table(b"label,x5,x6\nrest,1,2")


def test_of_two_first_tables_the_second_is_put_in_order() -> None:
    one = campaign()
    other = load_campaign("named", storage=one.storage)
    original = other._record_answers

    def overtaken(*args):  # what another process writes between reading and writing
        one.add_table(FIRST)
        return original(*args)

    other._record_answers = overtaken  # type: ignore[method-assign]
    answers = other.add_table(b"label,beta,alpha\nrest,6,5", op="second")
    assert one.instance(answers[0]).x.tolist() == [5.0, 6.0]
    other._record_answers = original  # type: ignore[method-assign]
    assert other.add_table(b"label,beta,alpha\nrest,6,5", op="second") == answers


def test_a_file_a_series_and_a_mapping_name_the_features_too() -> None:
    for first in (
        read_instance("alpha,beta\n1,2", "trial.csv"),
        pd.Series([1.0, 2.0], index=["alpha", "beta"]),
        {"alpha": 1.0, "beta": 2.0},
    ):
        c = campaign()
        told = c.tell(c.ask(), first, op="once")
        assert c.tell(told.id, first, op="once").x.tolist() == [1.0, 2.0]
        assert c.add({"beta": 4.0, "alpha": 3.0}, "rest").x.tolist() == [3.0, 4.0]
        assert c.add([5.0, 6.0], "rest").x.tolist() == [5.0, 6.0]
        with pytest.raises(ValueError, match="this campaign's are alpha, beta"):
            c.add({"beta": 4.0, "gamma": 3.0}, "rest")
        assert sum(event.kind == "changed" for event in c.events()) == 1


def test_once_all_were_retracted_names_are_free_again_as_the_length_is() -> None:
    c = campaign()
    for id_ in c.add_table(FIRST):
        c.retract(id_, "the time was among the features")
    c.add_table(b"label,beta,gamma,delta\nrest,1,2,3")
    assert c.feature_names == ["beta", "gamma", "delta"]


def test_names_of_instances_that_are_gone_are_not_those_of_numbers_without(tmp_path: Path) -> None:
    c = campaign()
    for id_ in c.add_table(FIRST):
        c.retract(id_, "the time was among the features")
    c.add([1.0, 2.0, 3.0], "rest")
    assert c.feature_names is None
    assert list(c.labelled_table()) == ["x0", "x1", "x2", "label"]
    for kind in ("csv", "json"):
        again = import_campaign(c.export(tmp_path / f"r.{kind}"), storage=MemoryStorage())
        assert again.feature_names is None
        assert again.labelled_set()[0].tolist() == [[1.0, 2.0, 3.0]]
    c.add_table(b"label,beta,gamma,delta\nrest,4,5,6")
    assert c.feature_names == ["beta", "gamma", "delta"]


def test_names_stay_through_export_erasure_and_a_campaign_that_continues(tmp_path: Path) -> None:
    c = campaign()
    c.add_table(b"label,beta,alpha,attrs.subject\nrest,1,2,s01\nleft,3,4,s02")
    for kind in ("csv", "json"):
        path = c.export(tmp_path / f"record.{kind}")
        again = import_campaign(path, storage=MemoryStorage())
        assert again.feature_names == ["beta", "alpha"]
        assert (again.labelled_set()[0] == c.labelled_set()[0]).all()
    c.erase({"subject": "s01"}, "withdrawn")
    assert c.feature_names == ["beta", "alpha"]
    more = create_campaign("more", storage=MemoryStorage(), continue_from=c)
    assert more.feature_names == ["beta", "alpha"]
    turned = create_campaign(
        "turned", storage=MemoryStorage(), continue_from=c, features=["alpha", "beta"]
    )
    assert turned.labelled_set()[0].tolist() == [[4.0, 3.0]]


@pytest.mark.parametrize("name", ["cost", "attrs.subject", "label", " "])
def test_what_cannot_be_a_name_is_refused_before_anything_is_written(name: str) -> None:
    c = campaign()
    with pytest.raises(ValueError, match=r"called|not usable"):
        c.add({name: 1.0, "beta": 2.0}, "rest")
    assert len(c.events()) == 1


def test_the_record_says_that_earlier_instances_are_taken_to_be_in_the_same_order() -> None:
    c = campaign()
    c.add([1.0, 2.0], "rest")
    c.add({"beta": 1.0, "alpha": 2.0}, "left")
    (named,) = [event for event in c.events() if event.kind == "changed"]
    assert "; 1 that came before, by position, are taken to be in" in named.payload["reason"]
