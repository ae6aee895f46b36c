"""Attributes are small plain JSON; what a file or a database could not keep is refused."""

from __future__ import annotations

import json
import math
from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palacs.campaign._attrs import check_attrs, check_groups, group_of

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=110) | st.integers(), VALUES, max_size=5))
def test_whatever_is_accepted_comes_back_from_json_the_same(attrs: dict[Any, Any]) -> None:
    try:
        checked = check_attrs(attrs)
    except ValueError:
        return
    text = json.dumps(checked, allow_nan=False)
    assert json.loads(text.encode("utf-8")) == checked
    assert (checked or {}) == attrs


def test_numbers_of_numpy_become_plain_ones() -> None:
    found = check_attrs({"session": np.int64(2), "gain": np.float32(0.5), "ok": np.bool_(True)})
    assert found == {"session": 2, "gain": 0.5, "ok": True}
    assert {type(value) for value in (found or {}).values()} == {int, float, bool}


def test_no_attributes_are_none() -> None:
    assert check_attrs(None) is None
    assert check_attrs({}) is None


@pytest.mark.parametrize(
    ("attrs", "complaint"),
    [
        ("subject=s01", "must map names to values"),
        ({"": 1}, "is no name"),
        ({7: 1}, "is no name"),
        ({"k" * 101: 1}, "longer than 100"),
        ({"a\rb": 1}, "is no name"),
        ({"day": date(2026, 1, 1)}, r"attrs\['day'\] is a date"),
        ({"gain": math.nan}, r"attrs\['gain'\]=nan is no number"),
        ({"big": 2**63}, "too large"),
        ({"note": "a\rb"}, r"attrs\['note'\] holds '\\r'"),
        ({"note": "\ud800"}, "which files cannot keep"),
        ({"note": "\0"}, "which files cannot keep"),
        ({"a": {"b": {"c": {}}}}, "nested more than 3 deep"),
        ({f"k{i}": i for i in range(65)}, "65 names of at most 64"),
        ({"note": "ä" * 8200}, r"take 164\d\d bytes of at most 16384"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_its_place(attrs: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        check_attrs(attrs)


def test_a_group_is_named_by_its_attributes() -> None:
    assert check_groups(("subject", "session")) == ["subject", "session"]
    assert group_of({"subject": "s01", "session": 2, "day": 3}, ["subject", "session"]) == "s01 / 2"
    with pytest.raises(ValueError, match="grouped by subject and session, but 'session'"):
        group_of({"subject": "s01"}, ["subject", "session"])


def test_groups_of_several_attributes_never_share_a_name() -> None:
    by = ["subject", "session"]
    one = group_of({"subject": "x / 1", "session": "2"}, by)
    assert one != group_of({"subject": "x", "session": "1 / 2"}, by)
    assert group_of({"subject": "x / 1"}, by[:1]) == "x / 1"


@pytest.mark.parametrize("groups", ["", [], 7, ["subject", "subject"], [None]])
def test_groups_that_name_nothing_are_refused(groups: Any) -> None:
    with pytest.raises(ValueError, match=r"group|twice"):
        check_groups(groups)
