"""Asking and telling, as an experimenter meets it."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import palacs
from palacs.campaign import (
    BudgetExhausted,
    Campaign,
    CampaignError,
    Conflict,
    NothingToAsk,
    UnknownEntry,
    create_campaign,
    load_campaign,
)
from palacs.storage import CampaignExists, MemoryStorage, StorageNotFound, open_storage

CLASSES = ["rest", "left", "right", "feet"]


class Clock:
    """A clock that goes forward when told to."""

    def __init__(self) -> None:
        self.time = 1_000_000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def storage(clock: Clock) -> MemoryStorage:
    return MemoryStorage(clock)


@pytest.fixture
def campaign(storage: MemoryStorage) -> Campaign:
    return create_campaign("c", CLASSES, storage=storage, seed=1, lease=60)


def test_the_example_of_the_readme_works_on_every_database(url: str) -> None:
    c = palacs.create_campaign("subject-07", classes=CLASSES, strategy=palacs.PALACS(), storage=url)
    request = c.ask()
    assert request.label in CLASSES
    assert set(request.utilities) == set(CLASSES)
    assert request.expires_at is not None
    assert request.expires_at > datetime.now(UTC)
    c.tell(request, [0.1, 0.2])
    other = c.ask()

    again = palacs.load_campaign("subject-07", storage=url)
    again.tell(other.id, [0.3, 0.4])
    assert again.status().instances == 2
    assert c.status().instances == 2
    assert c.model().predict([[0.1, 0.2]]).tolist() == [request.label]
    c.close()
    again.close()


def test_every_class_is_asked_for_once_before_any_is_asked_for_twice(campaign: Campaign) -> None:
    first = campaign.ask_many(4)
    assert sorted(request.label for request in first) == sorted(CLASSES)
    assert all(np.isinf(u) for u in first[0].utilities.values())


def test_asking_for_many_is_spread_as_if_the_pending_ones_were_in(storage) -> None:
    campaign = create_campaign("u", CLASSES, strategy="uniform", storage=storage, seed=0)
    labels = [request.label for request in campaign.ask_many(6)]
    labels += [campaign.ask().label for _ in range(6)]
    assert sorted(labels) == sorted(CLASSES * 3)


def test_telling_the_same_twice_changes_nothing(campaign: Campaign) -> None:
    request = campaign.ask()
    first = campaign.tell(request, [0.1, -0.0])
    n_events = len(campaign.events())
    second = campaign.tell(request.id, [0.1, 0.0])
    assert second.id == first.id
    assert len(campaign.events()) == n_events


@pytest.mark.parametrize(("x", "label"), [([0.1, 0.3], None), ([0.1, 0.2], "feet")])
def test_telling_twice_with_other_values_is_refused(campaign: Campaign, x, label) -> None:
    campaign.pause("feet")
    request = campaign.ask()
    campaign.tell(request, [0.1, 0.2])
    with pytest.raises(Conflict, match="already told with other values"):
        campaign.tell(request, x, label)
    assert campaign.labelled_set()[0].tolist() == [[0.1, 0.2]]


def test_another_class_than_the_one_asked_for_is_accepted(campaign: Campaign) -> None:
    request = campaign.ask()
    wrong = next(label for label in CLASSES if label != request.label)
    instance = campaign.tell(request, [1.0], wrong)
    assert (instance.asked, instance.label) == (request.label, wrong)
    row = campaign.history().iloc[0]
    assert (row["asked"], row["label"], row["state"]) == (request.label, wrong, "delivered")


def test_an_expired_request_no_longer_counts_but_its_late_answer_is_accepted(
    campaign: Campaign, clock: Clock
) -> None:
    request = campaign.ask()
    clock.time += 59.9
    assert [r.id for r in campaign.pending()] == [request.id]
    clock.time += 0.2
    assert campaign.pending() == []
    assert campaign.history()["state"].tolist() == ["expired"]
    campaign.tell(request, [1.0])
    assert campaign.history()["state"].tolist() == ["delivered"]


def test_a_performed_request_keeps_counting_while_its_data_are_on_the_way(
    campaign: Campaign, clock: Clock
) -> None:
    request = campaign.ask()
    clock.time += 50
    campaign.performed(request)
    campaign.performed(request)
    clock.time += 50
    assert [r.id for r in campaign.pending()] == [request.id]
    clock.time += 11
    assert campaign.pending() == []


def test_a_lease_of_none_never_ends(storage: MemoryStorage, clock: Clock) -> None:
    campaign = create_campaign("c", CLASSES, storage=storage, lease=None)
    assert campaign.ask().expires_at is None
    clock.time += 1e9
    assert len(campaign.pending()) == 1


def test_a_lease_can_be_a_timedelta(storage: MemoryStorage) -> None:
    campaign = create_campaign("c", CLASSES, storage=storage, lease=timedelta(days=2))
    request = campaign.ask()
    assert request.expires_at == request.asked_at + timedelta(days=2)


def test_failing_twice_is_harmless_and_telling_a_failed_request_is_refused(campaign) -> None:
    request = campaign.ask()
    campaign.fail(request, "refused")
    campaign.fail(request.id, "refused")
    assert campaign.history()["state"].tolist() == ["failed"]
    assert campaign.history()["reason"].tolist() == ["refused"]
    with pytest.raises(Conflict, match="use add"):
        campaign.tell(request, [1.0])
    with pytest.raises(Conflict, match="failed"):
        campaign.performed(request)


def test_a_told_request_cannot_fail(campaign: Campaign) -> None:
    request = campaign.ask()
    campaign.tell(request, [1.0])
    with pytest.raises(Conflict, match="retract it"):
        campaign.fail(request)


def test_after_a_failure_the_next_request_has_a_seed_of_its_own(storage) -> None:
    campaign = create_campaign("r", range(50), strategy="random", storage=storage, seed=0)
    for label in range(50):
        campaign.add([float(label)], label)
    asked = set()
    for _ in range(10):
        request = campaign.ask()
        campaign.fail(request)
        asked.add(request.label)
    assert len(asked) > 3


def test_a_retraction_is_appended_and_the_history_keeps_what_was_told(campaign) -> None:
    request = campaign.ask()
    campaign.tell(request, [0.0, 1.0])
    kept = campaign.add([5.0, 5.0], "left")
    campaign.retract(request, "blink")
    campaign.retract(request.id, "blink")
    X, y = campaign.labelled_set()
    assert (X.tolist(), y.tolist()) == ([[5.0, 5.0]], ["left"])
    history = campaign.history(features=True).set_index("id")
    assert history.loc[request.id, ["state", "reason", "x1"]].tolist() == [
        "retracted",
        "blink",
        1.0,
    ]
    assert campaign.instance(request.id).retracted
    assert not campaign.instance(kept.id).retracted
    assert [event.kind for event in campaign.events()][-3:] == ["told", "added", "retracted"]


def test_what_brought_nothing_cannot_be_retracted(campaign: Campaign) -> None:
    with pytest.raises(Conflict, match="no instance"):
        campaign.retract(campaign.ask())


def test_unsolicited_instances_are_asked_for_by_nobody(campaign: Campaign) -> None:
    campaign.add([1.0], "left")
    row = campaign.history().iloc[0]
    assert row["asked"] is None
    assert row["request_id"] is None
    assert row["label"] == "left"
    assert campaign.status().classes[1].asked == 0
    assert campaign.status().classes[1].got == 1


def test_adding_with_an_id_of_ones_own_can_be_repeated(campaign: Campaign) -> None:
    campaign.add([1.0], "left", id="pilot-1")
    campaign.add([1.0], "left", id="pilot-1")
    assert campaign.status().instances == 1
    with pytest.raises(Conflict, match="pilot-1"):
        campaign.add([2.0], "left", id="pilot-1")


def test_many_are_told_together_or_not_at_all(campaign: Campaign) -> None:
    requests = campaign.ask_many(3)
    with pytest.raises(UnknownEntry, match="nobody"):
        campaign.tell_many([(requests[0], [1.0]), ("nobody", [2.0])])
    with pytest.raises(ValueError, match="2 features"):
        campaign.tell_many([(requests[0], [1.0]), (requests[1], [2.0, 3.0])])
    with pytest.raises(ValueError, match="twice in one call"):
        campaign.tell_many([(requests[0], [1.0]), (requests[0], [1.0])])
    assert campaign.status().instances == 0
    told = campaign.tell_many([(requests[0], [1.0]), (requests[1], [2.0], "feet")])
    assert [instance.x.tolist() for instance in told] == [[1.0], [2.0]]
    assert told[1].label == "feet"


def test_the_budget_counts_what_is_delivered_and_what_is_pending(storage, clock: Clock) -> None:
    campaign = create_campaign("b", CLASSES, storage=storage, budget=3, lease=60)
    first, second = campaign.ask_many(2)
    assert len(campaign.ask_many(5)) == 1
    with pytest.raises(BudgetExhausted, match="budget of 3"):
        campaign.ask()
    campaign.fail(first)
    third = campaign.ask()
    campaign.tell(third, [1.0])
    campaign.add([1.0], "left")
    assert campaign.status().remaining == 0
    campaign.retract(third)
    assert campaign.status().remaining == 1
    clock.time += 61
    assert campaign.status().remaining == 3
    campaign.tell(second, [2.0])
    assert campaign.status().remaining == 2


def test_a_paused_class_is_not_asked_for_until_it_is_resumed(campaign: Campaign) -> None:
    for label in CLASSES[1:]:
        campaign.pause(label)
        campaign.pause(label)
    requests = campaign.ask_many(5)
    assert {request.label for request in requests} == {"rest"}
    assert np.isnan(requests[0].utilities["left"])
    campaign.pause("rest")
    with pytest.raises(NothingToAsk, match="every class is paused"):
        campaign.ask()
    campaign.resume("feet")
    assert campaign.ask().label == "feet"


def test_a_class_added_later_is_asked_for_first(campaign: Campaign) -> None:
    for request in campaign.ask_many(8):
        campaign.tell(request, [1.0])
    campaign.add_class("tongue")
    assert campaign.ask().label == "tongue"
    with pytest.raises(Conflict, match="already"):
        campaign.add_class("left")
    assert campaign.classes == [*CLASSES, "tongue"]


def test_integer_labels_stay_integers(any_url: str) -> None:
    with open_storage(any_url, create=True) as storage:
        campaign = create_campaign("i", np.arange(3), storage=storage)
        request = campaign.ask()
        two: Any = np.int64(2)
        campaign.tell(request, [1.0], two)
        assert type(request.label) is int
        assert load_campaign("i", storage=storage).labelled_set()[1].tolist() == [2]
        with pytest.raises(ValueError, match="must be int"):
            campaign.add_class("three")


def test_features_are_stored_raw_and_scaled_by_what_was_seen(campaign: Campaign) -> None:
    campaign.add([10.0, -5.0], "left")
    campaign.add([30.0, -5.0], "rest")
    assert campaign.labelled_set()[0].tolist() == [[10.0, -5.0], [30.0, -5.0]]
    scaled = campaign.model()["scale"].transform([[20.0, -5.0]])
    assert scaled.tolist() == [[0.5, 0.0]]


def test_declared_bounds_scale_instead_of_what_was_seen(storage: MemoryStorage) -> None:
    one = create_campaign("one", CLASSES, storage=storage, bounds=(0, 10))
    one.add([1.0, 2.0], "left")
    assert one.model()["scale"].transform([[5.0, 10.0]]).tolist() == [[0.5, 1.0]]
    each = create_campaign("each", CLASSES, storage=storage, bounds=[(0, 1), (-1, 1)])
    with pytest.raises(ValueError, match="3 features, but this campaign's instances have 2"):
        each.add([0.5, 0.5, 0.5], "left")


@pytest.mark.parametrize(
    ("strategy", "bandwidth"),
    [
        (None, "auto"),
        (palacs.PALACS(bandwidth=0.3), 0.3),
        (palacs.PALACS(bandwidth="auto"), "auto"),
        ("uniform", "auto"),
    ],
    ids=str,
)
def test_the_model_has_the_bandwidth_of_the_strategy(storage, strategy, bandwidth) -> None:
    campaign = create_campaign("b", CLASSES, strategy=strategy, storage=storage)
    campaign.add([1.0, 2.0], "left")
    assert campaign.model()["classifier"].bandwidth == bandwidth


def test_the_model_can_be_any_classifier(campaign: Campaign) -> None:
    with pytest.raises(CampaignError, match="nothing was acquired yet"):
        campaign.model()
    rng = np.random.default_rng(0)
    for i in range(20):
        campaign.add(rng.normal(size=2) + 5 * (i % 2), CLASSES[i % 2])
    assert campaign.model().predict([[0, 0], [5, 5]]).tolist() == ["rest", "left"]
    assert campaign.model().predict_proba([[0, 0]]).shape == (1, 4)
    logistic = campaign.model(LogisticRegression())
    assert logistic.predict([[0, 0], [5, 5]]).tolist() == ["rest", "left"]


def test_costs_and_durations_are_kept(campaign: Campaign) -> None:
    campaign.tell(campaign.ask(), [1.0], cost=2.5, duration=31)
    assert campaign.history()[["cost", "duration"]].to_numpy().tolist() == [[2.5, 31.0]]


def test_a_cursor_follows_what_other_processes_told(storage: MemoryStorage) -> None:
    mine = create_campaign("c", CLASSES, storage=storage)
    seen = mine.events()[-1].seq
    load_campaign("c", storage=storage).add([1.0], "left")
    assert [(event.kind, event.label) for event in mine.events(after=seen)] == [("added", "left")]


def test_utilities_can_be_looked_at_without_asking(campaign: Campaign) -> None:
    for label in CLASSES:
        campaign.add(np.random.default_rng(len(label)).normal(size=2), label)
    n_events = len(campaign.events())
    utilities = campaign.utilities()
    assert utilities == campaign.utilities()
    assert all(np.isfinite(u) for u in utilities.values())
    assert campaign.ask().utilities == utilities
    assert len(campaign.events()) == n_events + 1


def test_threads_may_share_a_campaign(any_url: str) -> None:
    with open_storage(any_url, create=True) as storage:
        campaign = create_campaign("t", CLASSES, strategy="uniform", storage=storage)

        def work(thread: int) -> None:
            for turn in range(10):
                campaign.tell(campaign.ask(), [float(thread), float(turn)])

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert campaign.status().instances == 60
        assert {c.got for c in campaign.status().classes} == {15}
        assert campaign.replay().ok


def test_a_name_is_taken_once(storage: MemoryStorage) -> None:
    create_campaign("c", CLASSES, storage=storage)
    with pytest.raises(CampaignExists, match="load_campaign"):
        create_campaign("c", CLASSES, storage=storage)


def test_loading_makes_nothing(tmp_path) -> None:
    with pytest.raises(StorageNotFound):
        load_campaign("c", storage=f"sqlite:///{tmp_path}/none.db")
    assert list(tmp_path.iterdir()) == []
