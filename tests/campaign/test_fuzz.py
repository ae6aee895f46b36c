"""Whatever comes in, it is refused with a clear error or it can be read again for ever.

``PALACS_FUZZ=10000`` makes so many examples of each; by default there are 25.
"""

from __future__ import annotations

import copy
import itertools
import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palacs.campaign import (
    Campaign,
    CampaignError,
    create_campaign,
    import_campaign,
    load_campaign,
    read_instance,
)
from palacs.storage import MemoryStorage, StorageError

# What a caller is told to expect; anything else is a mistake of ours.
CLEAR = (ValueError, CampaignError, StorageError)
EXAMPLES = int(os.environ.get("PALACS_FUZZ", "25"))

fuzz = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
numbers = itertools.count()


def deep(levels: int) -> list[Any]:
    nested: list[Any] = []
    for _ in range(levels):
        nested = [nested]
    return nested


# Printing such a value is more than Python can do, so it is put in where it was drawn.
DEEP = "a list in a list in a list"


def built(value: Any) -> Any:
    return deep(3000) if isinstance(value, str) and value == DEEP else value


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=8)
    | st.sampled_from([10**400, -(10**400), 2**63, 1e308, -0.0, 5e-324, "x" * 300, "\r\0\ud800"])
    | st.sampled_from(["r1", "a", "b", "told", "asked", "created", "retracted", "erased", "inf"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
odd: st.SearchStrategy[Any] = st.sampled_from(
    [
        10**5000,
        DEEP,
        b"\xff",
        {1.0},
        1 + 2j,
        object(),
        Decimal("sNaN"),
        datetime(2026, 1, 1, tzinfo=UTC),
        timedelta(days=300 * 365),
        np.ma.array([1.0, 2.0], mask=[True, False]),
        np.array(["2026"], dtype="M8[D]"),
        np.datetime64("NaT"),
        np.timedelta64(3, "s"),
        np.array([1.0, 2.0]),
        pd.NA,
        pd.NaT,
        pd.Series([1, pd.NA], dtype="Int64"),
        [[1.0, 2.0]],
        range(2),
        lambda: None,
    ]
)
anything = plain | odd


def check_short(error: Exception) -> None:
    """A message is for people, however long the value was."""
    assert len(str(error)) < 3000


def check_readable(campaign: Campaign) -> None:
    """A record can be loaded, shown, exported to every format and brought back."""
    again = load_campaign(campaign.name, storage=campaign.storage)
    again.status().to_json()
    again.history(features=True)
    again.labelled_set()
    again.pending()
    with TemporaryDirectory() as folder:
        for suffix in ("json", "csv"):
            path = again.export(Path(folder) / f"out.{suffix}")
            back = import_campaign(path, storage="memory")
            assert back.events() == again.events()
    try:
        again.replay()
        again.ask()
    except CLEAR:
        pass  # such as a strategy that is not installed here


# -- files -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A campaign with something of everything, in every format."""
    campaign = create_campaign(
        "c", ["a", "b"], strategy="uniform", storage="memory", seed=1, budget=20, attrs={"day": 1}
    )
    for value in range(3):
        campaign.tell(campaign.ask(op=f"o{value}"), [value, 0.5], cost=0.5, attrs={"subject": "s1"})
    campaign.retract(campaign.add([1.0, 2.0], "a", duration=2.0), "noise")
    campaign.fail(campaign.ask(), "gone")
    campaign.performed(campaign.ask_many(2)[0])
    campaign.pause("a")
    campaign.add_class("c")
    folder = tmp_path_factory.mktemp("exports")
    return {
        suffix: campaign.export(folder / f"out.{suffix}").read_bytes()
        for suffix in ("json", "csv", "parquet")
    }


@pytest.fixture
def folder() -> Iterator[Path]:
    with TemporaryDirectory() as made:
        yield Path(made)


def check_import(path: Path) -> None:
    storage = MemoryStorage()
    try:
        campaign = import_campaign(path, storage=storage)
    except CLEAR as error:
        check_short(error)
        assert storage.campaigns() == []
        return
    check_readable(campaign)


def places(content: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value."""
    yield at
    if isinstance(content, (dict, list)):
        for key in content if isinstance(content, dict) else range(len(content)):
            yield from places(content[key], (*at, key))


@fuzz
@given(data=st.data())
def test_an_export_changed_anywhere_is_refused_or_readable(
    exported: dict[str, bytes], data: st.DataObject
) -> None:
    content = json.loads(exported["json"])
    if data.draw(st.sampled_from([True, True, True, False]), label="without a seal"):
        content["version"] = 1
        del content["count"], content["checksum"]
    everywhere = list(places(content))[1:]
    for _ in range(data.draw(st.integers(1, 3))):
        *above, key = data.draw(st.sampled_from(everywhere))
        try:
            inside = content
            for step in above:
                inside = inside[step]
            how = data.draw(st.sampled_from(["replace", "replace", "delete", "double"]))
            if how == "delete":
                del inside[key]
            elif how == "double" and isinstance(inside, list):
                inside.insert(data.draw(st.integers(0, len(inside))), copy.deepcopy(inside[key]))
            else:
                inside[key] = data.draw(plain)
        except (LookupError, TypeError):
            continue  # it was changed away before
    with TemporaryDirectory() as made:
        path = Path(made) / "changed.json"
        path.write_text(json.dumps(content))
        check_import(path)


@fuzz
@given(events=st.lists(st.dictionaries(st.sampled_from(["seq", "at", "kind", "x"]), plain) | plain))
def test_a_foreign_list_of_events_is_refused(events: list[Any]) -> None:
    with TemporaryDirectory() as made:
        path = Path(made) / "foreign.json"
        head = {"format": "palacs-campaign", "version": 1, "name": "x", "events": events}
        path.write_text(json.dumps(head))
        with pytest.raises(ValueError, match="palacs campaign"):
            import_campaign(path, storage="memory")


@pytest.mark.parametrize("suffix", ["json", "csv", "parquet"])
@fuzz
@given(data=st.data())
def test_damaged_bytes_are_refused_or_readable(
    exported: dict[str, bytes], suffix: str, data: st.DataObject
) -> None:
    content = bytearray(exported[suffix])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        match data.draw(st.sampled_from(["set", "cut", "insert"])):
            case "set":
                content[at] = data.draw(st.integers(0, 255))
            case "cut":
                del content[at : at + data.draw(st.integers(1, 400))]
            case _:
                content[at:at] = data.draw(st.binary(max_size=20))
        if not content:
            break
    with TemporaryDirectory() as made:
        path = Path(made) / f"damaged.{suffix}"
        path.write_bytes(bytes(content))
        check_import(path)


@pytest.mark.parametrize("levels", [900, 5_000, 200_000])
def test_deep_json_is_refused(folder: Path, levels: int) -> None:
    nested = "[" * levels + "]" * levels
    head = '{"format": "palacs-campaign", "version": 1, "name": "x", "events": '
    event = f'{{"seq": 1, "at": 0, "kind": "created", "payload": {{"classes": {nested}}}}}'
    for text in (f"{head}{nested}}}", f"{head}[{event}]}}", nested):
        (folder / "deep.json").write_text(text)
        with pytest.raises(ValueError, match="no complete export"):
            import_campaign(folder / "deep.json", storage="memory")
    with pytest.raises(ValueError, match="JSON"):
        read_instance(nested)


@fuzz
@given(content=st.text(st.characters(), max_size=40) | st.binary(max_size=60), name=st.text())
def test_an_instance_file_gives_numbers_or_a_clear_error(content: Any, name: str) -> None:
    try:
        found = read_instance(content, name)
    except ValueError:
        return
    assert found
    assert all(type(value) is float for value in found)


# -- arguments -------------------------------------------------------------------------


ids = st.sampled_from(["told", "open", "added", "nobody"]) | anything
labels = st.sampled_from(["a", "b"]) | anything
vectors = st.just([0.5, 1.5]) | st.lists(st.floats(), max_size=3) | anything
texts = st.text(st.characters(), max_size=20) | anything
ops = st.none() | st.text(max_size=3) | anything
attrs = st.none() | st.dictionaries(st.text(max_size=5), plain) | anything

CALLS: dict[str, tuple[Callable[..., Any], tuple[st.SearchStrategy[Any], ...]]] = {
    "ask_many": (lambda c, n, a, op: c.ask_many(n, attrs=a, op=op), (anything, attrs, ops)),
    "tell": (
        lambda c, i, x, y, cost, t, a, op: c.tell(i, x, y, cost=cost, duration=t, attrs=a, op=op),
        (ids, vectors, st.none() | labels, anything, anything, attrs, ops),
    ),
    "tell_many": (lambda c, i, x: c.tell_many([(i, x)]), (ids, vectors)),
    "answers": (lambda c, rows: c.tell_many(rows), (st.lists(plain, max_size=3),)),
    "add": (
        lambda c, x, y, i, cost, op: c.add(x, y, id=i, cost=cost, op=op),
        (vectors, labels, st.none() | ids, st.none() | anything, ops),
    ),
    "fail": (lambda c, i, why, op: c.fail(i, why, op=op), (ids, texts, ops)),
    "performed": (lambda c, i: c.performed(i), (ids,)),
    "retract": (lambda c, i, why: c.retract(i, why), (ids, texts)),
    "undo": (lambda c, why, op: c.undo(why, op=op), (texts, ops)),
    "pause": (lambda c, y: c.pause(y), (labels,)),
    "resume": (lambda c, y: c.resume(y), (labels,)),
    "add_class": (lambda c, y: c.add_class(y), (labels,)),
    "change": (
        lambda c, b, lease, why: c.change(budget=b, lease=lease, reason=why),
        (anything, anything, texts),
    ),
    "rename_class": (lambda c, y, z, why: c.rename_class(y, z, why), (labels, labels, texts)),
    "request": (lambda c, i: c.request(i), (ids,)),
    "instance": (lambda c, i: c.instance(i), (ids,)),
    "why": (lambda c, i: c.why(i), (ids,)),
}


@pytest.fixture(scope="module")
def storage() -> MemoryStorage:
    return MemoryStorage()


@pytest.mark.parametrize("name", CALLS)
@fuzz
@given(data=st.data())
def test_any_argument_is_refused_or_the_record_stays_readable(
    storage: MemoryStorage, name: str, data: st.DataObject
) -> None:
    campaign = create_campaign(
        f"c{next(numbers)}", ["a", "b"], strategy="uniform", storage=storage, seed=0
    )
    known = {
        "told": campaign.tell(campaign.ask(), [0.0, 1.0]).id,
        "open": campaign.ask().id,
        "added": campaign.add([1.0, 0.0], "a").id,
    }
    before = campaign.events()
    call, kinds = CALLS[name]
    drawn = [built(data.draw(kind)) for kind in kinds]
    given_ = [known.get(value, value) if isinstance(value, str) else value for value in drawn]
    try:
        call(campaign, *given_)
    except CLEAR as error:
        check_short(error)
        assert campaign.events() == before
        return
    if campaign.events() != before:
        check_readable(campaign)


@fuzz
@given(data=st.data())
def test_any_setting_is_refused_or_makes_a_campaign_that_can_be_read(
    storage: MemoryStorage, data: st.DataObject
) -> None:
    usual: dict[str, Any] = {
        "name": f"s{next(numbers)}",
        "classes": ["a", "b"],
        "strategy": "uniform",
        "budget": 5,
        "lease": 60.0,
        "bounds": (0, 1),
        "seed": 0,
        "budget_cost": None,
        "n_features": None,
        "conditions": None,
        "attrs": None,
        "features": None,
        "groups": None,
        "op": None,
    }
    for key in data.draw(st.lists(st.sampled_from(sorted(usual)), min_size=1, max_size=2)):
        usual[key] = built(data.draw(anything))
    try:
        campaign = create_campaign(storage=storage, **usual)
    except CLEAR as error:
        check_short(error)
        return
    check_readable(campaign)
