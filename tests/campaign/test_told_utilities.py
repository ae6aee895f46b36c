"""Requests over very many classes stay small, and are checked as strictly as any other."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palacs.campaign import Campaign, create_campaign
from palacs.campaign._replaying import replay
from palacs.campaign._told_utilities import MOST_TOLD, difference_of, from_record, to_record

CLASSES = [f"class-{i}" for i in range(400)]


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    """Return a campaign of 400 classes: one request before they are all there, four after."""
    made = create_campaign("c", CLASSES, strategy="spare-settled", storage="memory", seed=1)
    rng = np.random.default_rng(0)
    made.tell(made.ask(), [0.0, 0.0])
    for label in CLASSES:
        made.add(rng.normal(size=2), label)
    for _ in range(2):
        made.tell(made.ask(), rng.normal(size=2))
    made.pause("class-7")
    made.ask_many(2)
    return made


def test_a_request_records_the_largest_utilities_alone(campaign: Campaign) -> None:
    asked = [event for event in campaign.events() if event.kind == "asked"]
    assert all(len(json.dumps(event.payload)) < 3_000 for event in asked)
    request = campaign.pending()[0]
    everything = campaign.why(request).utilities
    assert len(everything) == len(CLASSES)
    assert MOST_TOLD <= len(request.utilities) <= MOST_TOLD + 2
    assert request.utilities.items() <= everything.items()
    assert math.isnan(everything["class-7"])
    assert request.label in request.utilities
    told = [u for u in request.utilities.values() if math.isfinite(u)]
    assert min(told) >= sorted(u for u in everything.values() if u == u)[-MOST_TOLD]
    assert campaign.request(request.id).utilities == request.utilities


def test_a_replay_finds_all_utilities_again_to_the_last_bit(campaign: Campaign) -> None:
    found = campaign.replay()
    assert (found.checked, found.ok, found.largest_difference) == (5, True, 0.0)


def test_a_replay_notices_one_that_is_not_recorded(campaign: Campaign) -> None:
    events = list(campaign.events())
    place = next(i for i, e in reversed(list(enumerate(events))) if e.kind == "asked")
    told = {**events[place].payload["utilities"], "digest": "0" * 32}
    told["sum"] = told["sum"] + 4.0
    events[place] = replace(events[place], payload={**events[place].payload, "utilities": told})
    assert replay(events).largest_difference == pytest.approx(4.0 / len(CLASSES))
    # Nothing that is recorded differs, and something does.
    told["sum"] = told["sum"] - 4.0
    assert replay(events).largest_difference > 0.0


def test_records_that_hold_every_utility_are_read_and_checked(campaign: Campaign) -> None:
    events = list(campaign.events())
    last = max(i for i, e in enumerate(events) if e.kind == "asked")
    first = last - events[last].payload["place"]
    every = campaign.why(events[first].entry or "").utilities.values()
    whole = [None if math.isnan(u) else u for u in every]
    for i in range(first, last + 1):
        payload = {**events[i].payload, "utilities": whole}
        events[i] = replace(events[i], payload=payload)
    assert replay(events).largest_difference == 0.0
    assert len(from_record(whole)) == len(CLASSES)


numbers = st.one_of(
    st.floats(0.0, 1e6), st.just(math.nan), st.just(math.inf), st.just(-math.inf), st.just(-0.0)
)


@given(st.lists(numbers, min_size=1, max_size=3 * MOST_TOLD))
def test_what_is_recorded_reads_back_and_agrees_with_itself(given: list[float]) -> None:
    utilities = np.array(given)
    stored = json.loads(json.dumps(to_record(utilities, asked=[0]), allow_nan=False))
    assert difference_of(stored, utilities) == 0.0
    told = from_record(stored)
    np.testing.assert_array_equal([told[code] for code in told], utilities[list(told)])
    if not math.isnan(utilities[0]) and math.isfinite(utilities[0]):
        utilities[0] += 1.0
        assert difference_of(stored, utilities) == pytest.approx(1.0)
