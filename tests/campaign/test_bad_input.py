"""Bad input is refused with the value and the remedy, before anything is written."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from palacs.campaign import Campaign, Conflict, UnknownEntry, create_campaign
from palacs.storage import open_storage


@pytest.fixture
def campaign(any_url: str) -> Iterator[Campaign]:
    storage = open_storage(any_url, create=True)
    campaign = create_campaign("c", ["a", "b"], strategy="uniform", storage=storage)
    campaign.add([0.0, 1.0], "a")
    yield campaign
    storage.close()


def deep(levels: int) -> list[Any]:
    """A list in a list in a list."""
    nested: list[Any] = [1.0]
    for _ in range(levels):
        nested = [nested]
    return nested


BAD_VECTORS = {
    "nan": ([0.0, np.nan], r"x\[1\]=nan is not a usable number"),
    "infinity": ([np.inf, 0.0], r"x\[0\]=inf"),
    "too large": ([0.0, 1e301], r"x\[1\]=1e\+301"),
    "wrong length": ([1.0, 2.0, 3.0], "3 features, but this campaign's instances have 2"),
    "empty": ([], "flat list of numbers"),
    "matrix": ([[1.0, 2.0]], r"shape \(1, 2\)"),
    "text": (["one", "two"], "not a list of numbers"),
    "ragged": ([[1.0], [2.0, 3.0]], "not a list of numbers"),
    "nothing": (None, "x is missing; give the features"),
    "masked": (np.ma.array([0.5, 7.0], mask=[False, True]), r"x\[1\] is masked"),
    "dates": (np.array(["2026-01-01", "2026-01-02"], dtype="M8[D]"), r"x\[0\]=.* is a date"),
    "NumPy dates": ([np.datetime64("2026-01-01", "ns"), 1.0], r"x\[0\]=.* is a datetime64"),
    "durations": (np.array([1, 2], dtype="m8[s]"), r"x\[0\]=.* is a timedelta"),
    "complex": (np.array([1.0 + 2.0j, 0.0]), r"x\[0\]=np.complex128\(1\+2j\) is a complex"),
    "complex without imaginary part": ([1j * 0, 1.0], "is a complex"),
    "numbers as text": (["1", "2"], r"x\[0\]=np.str_\('1'\) is a str"),
    "truth as text": (["True", "False"], r"x\[0\]=np.str_\('True'\) is a str"),
    "one text": ([1.0, "2"], "is a str"),
    "bytes": ([b"1", b"2"], "is a bytes"),
    "None inside": ([1.0, None], r"x\[1\]=None is a NoneType"),
    "pandas NA": ([1.0, pd.NA], r"x\[1\]=<NA> is a NAType"),
    "pandas NaT": ([pd.NaT, 1.0], r"x\[0\]=NaT is a NaTType"),
    "a column with NA": (pd.Series([1, pd.NA], dtype="Int64"), r"x\[1\]"),
    "objects": (np.array([object(), 1.0]), r"x\[0\]=<object object .* is a object"),
    "a table's row": (np.array([(1, 2.0)], dtype="i4,f4"), "not a usable number"),
    "an endless number": ([10**400, 1], r"x\[0\]=1000.*is a int, not a usable number"),
    "a number too long to write": ([10**5000, 1], "an int too large to show"),
    "deep": (deep(1000), "not a list of numbers"),
    "deeper": (deep(100_000), "not a list of numbers"),
    "a set": ({1.0, 2.0}, r"shape \(\)"),
}


@pytest.mark.parametrize(("x", "message"), BAD_VECTORS.values(), ids=BAD_VECTORS.keys())
def test_a_bad_vector_is_refused(campaign: Campaign, x: Any, message: str) -> None:
    request = campaign.ask()
    before = campaign.events()
    with pytest.raises(ValueError, match=message):
        campaign.tell(request, x)
    with pytest.raises(ValueError, match=message):
        campaign.add(x, "a")
    with pytest.raises(ValueError, match=message):
        campaign.tell_many([(request, x)])
    assert campaign.events() == before


@pytest.mark.parametrize(
    "x",
    [
        (1, 2),
        range(1, 3),
        np.array([1, 2], dtype=np.uint8),
        np.ma.array([1.0, 2.0]),
        pd.Series([1, 2], dtype="Int64"),
        [Decimal(1), Fraction(2)],
        np.array([1.0, 2], dtype=object),
        np.array([1, 2], dtype=np.longdouble),
    ],
)
def test_numbers_of_every_kind_are_taken_as_they_are(campaign: Campaign, x: Any) -> None:
    assert campaign.add(x, "a").x.tolist() == [1.0, 2.0]


def test_telling_what_was_retracted_is_refused_with_a_remedy(campaign: Campaign) -> None:
    request = campaign.ask()
    campaign.retract(campaign.tell(request, [0.5, 0.5]), "wrong electrode")
    mine = campaign.add([0.1, 0.2], "b", id="mine")
    campaign.retract(mine)
    before = campaign.events()
    with pytest.raises(Conflict, match=r"told and then retracted.*use add.*or ask again"):
        campaign.tell(request, [0.5, 0.5])
    with pytest.raises(Conflict, match=r"told and then retracted"):
        campaign.tell(request, [0.7, 0.5])
    with pytest.raises(Conflict, match=r"'mine' was retracted.*choose another id"):
        campaign.add([0.1, 0.2], "b", id="mine")
    assert campaign.events() == before
    campaign.add([0.5, 0.5], request.label)
    assert campaign.labelled_set()[0].tolist() == [[0.0, 1.0], [0.5, 0.5]]


def test_an_unknown_class_is_refused_with_the_known_ones(campaign: Campaign) -> None:
    request = campaign.ask()
    before = campaign.events()
    for attempt in (
        lambda: campaign.tell(request, [0.0, 1.0], "c"),
        lambda: campaign.add([0.0, 1.0], "c"),
        lambda: campaign.pause("c"),
        lambda: campaign.resume("c"),
    ):
        with pytest.raises(ValueError, match=r"class 'c' .*'a', 'b'.*add_class"):
            attempt()
    assert campaign.events() == before


def test_an_unknown_request_is_refused(campaign: Campaign) -> None:
    before = campaign.events()
    for attempt in (
        lambda: campaign.tell("r99-0000", [0.0, 1.0]),
        lambda: campaign.fail("r99-0000"),
        lambda: campaign.retract("r99-0000"),
        lambda: campaign.performed("r99-0000"),
        lambda: campaign.request("r99-0000"),
    ):
        with pytest.raises(UnknownEntry, match="r99-0000"):
            attempt()
    assert campaign.events() == before


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda c: c.tell(3, [0.0, 1.0]), "3 is neither a request nor an id"),
        (lambda c: c.tell("", [0.0, 1.0]), "'' is neither a request nor an id"),
        (lambda c: c.ask_many(0), "n must be a whole number of at least 1, got 0"),
        (lambda c: c.ask_many(1.5), "n must be a whole number of at least 1, got 1.5"),
        (lambda c: c.add([0.0, 1.0], None), "None is neither text nor an integer"),
        (lambda c: c.add([0.0, 1.0], True), "True is neither text nor an integer"),
        (lambda c: c.add([0.0, 1.0], 1.5), "1.5 is neither text nor an integer"),
        (
            lambda c: c.add([0.0, 1.0], "a", cost=-1),
            "cost must be a finite number, not negative, got -1",
        ),
        (
            lambda c: c.add([0.0, 1.0], "a", duration=np.nan),
            "duration must be a finite number.* nan",
        ),
        (lambda c: c.add([0.0, 1.0], "a", id="line\nbreak"), r"^instance id .* 1 to 200 printable"),
        (lambda c: c.fail(c.ask(), 5), "reason=5 must be text"),
        (lambda c: c.retract(c.history()["id"][0], None), "reason=None must be text"),
        (lambda c: c.add_class(" "), "class label ' ' is not usable"),
        (lambda c: c.add_class(2**70), "too large; use text"),
        (lambda c: c.tell_many([("r1",)]), "an answer has 1 parts"),
        (lambda c: c.ask_many(10**400), "n=1000.* is too large; at most 10,000"),
        (lambda c: c.add([0.0, 1.0], "a", cost=10**400), "cost must be .*, got 1000"),
        (lambda c: c.add([0.0, 1.0], "a", cost=1e301), "got 1e.301; at most 1e.300"),
        (lambda c: c.add([0.0, 1.0], "a", id="x" * 10**6), "^.{1,150}$"),
        (lambda c: c.add([0.0, 1.0], 10**5000), "an int too large to show is too large; use text"),
        (lambda c: c.add_class("x" * 10**6), "^.{1,150}$"),
        (lambda c: c.add([0.0, 1.0], "a", op="x" * 10**6), "^.{1,150}$"),
        (lambda c: c.fail(c.ask(), "x" * 10**6), "at most 10,000 characters"),
        (lambda c: c.tell(deep(1000), [0.0, 1.0]), "neither a request nor an id"),
    ],
)
def test_other_bad_values_are_refused(campaign: Campaign, attempt, message: str) -> None:
    before = [event for event in campaign.events() if event.kind != "asked"]
    with pytest.raises(ValueError, match=message):
        attempt(campaign)
    assert [event for event in campaign.events() if event.kind != "asked"] == before


BAD_SETTINGS = {
    "no name": ({"name": ""}, "1 to 200 printable"),
    "unprintable name": ({"name": "a\x00b"}, "printable"),
    "one class": ({"classes": ["a"]}, "at least two"),
    "text for classes": ({"classes": "ab"}, "give a list"),
    "a class twice": ({"classes": ["a", "b", "a"]}, "'a' is named twice"),
    "mixed classes": ({"classes": ["a", 1]}, "mix text and integers"),
    "no budget": ({"budget": 0}, "budget must be .* at least 1, got 0"),
    "half a budget": ({"budget": 1.5}, "budget must be .* at least 1, got 1.5"),
    "negative lease": ({"lease": -1}, "lease=-1"),
    "endless lease": ({"lease": float("nan")}, "lease=nan"),
    "text lease": ({"lease": "1h"}, "lease='1h'"),
    "a lease of 300 years": ({"lease": 300 * 365 * 86400}, "at most 100 years.*None means"),
    "a lease of 10^400 seconds": ({"lease": 10**400}, "at most 100 years"),
    "a budget of 10^400": ({"budget": 10**400}, "budget=1000.* is too large"),
    "a seed of 10^400": ({"seed": 10**400}, "seed=1000.* is too large"),
    "a cost of 10^400": ({"budget_cost": 10**400}, "budget_cost must be a finite number"),
    "bounds of 10^400": ({"bounds": (0, 10**400)}, "bounds.*not a usable number"),
    "an endless name": ({"name": "x" * 10**6}, "^.{1,150}$"),
    "an endless class": ({"classes": ["a", "x" * 10**6]}, "^.{1,150}$"),
    "bounds upside down": ({"bounds": (1, 0)}, "low < high"),
    "bounds of three": ({"bounds": [(0, 1, 2)]}, r"shape \(1, 3\)"),
    "bounds of text": ({"bounds": "wide"}, "bounds.*is a str"),
    "negative seed": ({"seed": -1}, "seed must be .* at least 0, got -1"),
    "unknown strategy": ({"strategy": "pal-asc"}, "pal-asc"),
    "unknown parameter": (
        {"strategy": {"name": "pal-acs", "params": {"foo": 1}}},
        "'pal-acs' has no parameter 'foo'",
    ),
    "strategy out of range": (
        {"strategy": {"name": "pal-acs", "params": {"bandwidth": -1.0}}},
        "bandwidth",
    ),
    "address": ({"storage": "lab.db"}, "sqlite:///lab.db"),
}


@pytest.mark.parametrize(("change", "message"), BAD_SETTINGS.values(), ids=BAD_SETTINGS.keys())
def test_bad_settings_are_refused_and_no_file_is_made(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    settings: dict[str, Any] = {
        "name": "c",
        "classes": ["a", "b"],
        "storage": f"sqlite:///{tmp_path}/c.db",
    }
    with pytest.raises(ValueError, match=message):
        create_campaign(**{**settings, **change})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", [".", ".."])
def test_a_name_that_no_page_could_have_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="stands for a folder in addresses"):
        create_campaign(name, ["a", "b"], storage="memory")
