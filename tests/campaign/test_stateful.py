"""All operations in any order, on every storage, against a model of a few dictionaries."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from palacs.campaign import Conflict, NothingToAsk, create_campaign, load_campaign
from palacs.storage import Storage, open_storage

CLASSES = ["rest", "left", "right"]
LEASE = 100.0
_names = (f"c{i}" for i in itertools.count())

labels = st.sampled_from(CLASSES)
vectors = st.lists(st.floats(-1e6, 1e6).map(lambda v: v + 0.0), min_size=2, max_size=2)


class CampaignMachine(RuleBasedStateMachine):
    """Drives a campaign, and keeps a model of what it should say."""

    storage: Storage
    clock: list[float]

    requests = Bundle("requests")
    instances = Bundle("instances")

    @initialize(budget=st.none() | st.integers(1, 8), seed=st.integers(0, 5))
    def create(self, budget: int | None, seed: int) -> None:
        self.name = next(_names)
        self.budget = budget
        self.campaign = create_campaign(
            self.name,
            CLASSES,
            strategy="uniform",
            storage=self.storage,
            budget=budget,
            seed=seed,
            lease=LEASE,
        )
        self.asked: dict[str, str] = {}
        self.ends: dict[str, float] = {}
        self.got: dict[str, tuple[list[float], str]] = {}  # in acquisition order
        self.failed: set[str] = set()
        self.retracted: set[str] = set()
        self.paused: set[str] = set()
        self.classes = list(CLASSES)

    def pending(self) -> list[str]:
        return [
            id_
            for id_ in self.asked
            if id_ not in self.got and id_ not in self.failed and self.clock[0] < self.ends[id_]
        ]

    def remaining(self) -> float:
        delivered = sum(1 for id_ in self.got if id_ in self.asked and id_ not in self.retracted)
        return (self.budget or np.inf) - delivered - len(self.pending())

    @rule(target=requests, n=st.integers(1, 3))
    def ask(self, n: int) -> str:
        if self.remaining() <= 0 or len(self.paused) == len(self.classes):
            with pytest.raises(NothingToAsk):
                self.campaign.ask_many(n)
            return ""
        made = self.campaign.ask_many(n)
        assert len(made) == min(n, self.remaining())
        for request in made:
            assert request.label not in self.paused
            self.asked[request.id] = str(request.label)
            self.ends[request.id] = self.clock[0] + LEASE
        return made[-1].id

    @rule(target=instances, request=requests, x=vectors, label=st.none() | labels)
    def tell(self, request: str, x: list[float], label: str | None) -> str:
        if not request:
            return ""
        value = (x, label or self.asked[request])
        refused = request in self.failed or request in self.retracted
        if refused or self.got.get(request, value) != value:
            with pytest.raises(Conflict):
                self.campaign.tell(request, x, label)
            return ""
        self.campaign.tell(request, x, label)
        self.got.setdefault(request, value)
        return request

    @rule(target=instances, x=vectors)
    def acquire(self, x: list[float]) -> str:
        request: Any = self.ask(1)
        told: Any = self.tell(request, x, None)
        return str(told)

    @rule(request=requests)
    def tell_again(self, request: str) -> None:
        if request in self.got and request not in self.retracted:
            self.campaign.tell(request, *self.got[request])

    @rule(request=requests)
    def fail(self, request: str) -> None:
        if not request:
            return
        if request in self.got:
            with pytest.raises(Conflict):
                self.campaign.fail(request, "no")
            return
        self.campaign.fail(request, "no")
        self.failed.add(request)

    @rule(request=requests)
    def perform(self, request: str) -> None:
        entry = self.campaign._ledger.entries.get(request)
        if entry is None or request in self.failed:
            return
        if entry.performed_at is None and request not in self.got:
            self.ends[request] = self.clock[0] + LEASE
        self.campaign.performed(request)

    @rule(target=instances, x=vectors, label=labels)
    def add(self, x: list[float], label: str) -> str:
        id_ = self.campaign.add(x, label).id
        self.got[id_] = (x, label)
        return id_

    @rule(instance=instances)
    def retract(self, instance: str) -> None:
        if instance:
            self.campaign.retract(instance, "oops")
            self.retracted.add(instance)

    @rule(label=labels)
    def pause(self, label: str) -> None:
        self.campaign.pause(label)
        self.paused.add(label)

    @rule(label=labels)
    def resume(self, label: str) -> None:
        self.campaign.resume(label)
        self.paused.discard(label)

    @rule()
    def add_class(self) -> None:
        if len(self.classes) < 5:
            self.classes.append(f"class-{len(self.classes)}")
            self.campaign.add_class(self.classes[-1])

    @rule(seconds=st.sampled_from([1.0, 60.0, 200.0]))
    def wait(self, seconds: float) -> None:
        self.clock[0] += seconds

    @rule()
    def another_process_takes_over(self) -> None:
        self.campaign = load_campaign(self.name, storage=self.storage)

    @rule()
    def replay(self) -> None:
        replayed = self.campaign.replay()
        assert replayed.ok
        assert replayed.checked == len(self.asked)

    @invariant()
    def the_campaign_says_what_the_model_says(self) -> None:
        if not hasattr(self, "campaign"):
            return
        kept = [value for id_, value in self.got.items() if id_ not in self.retracted]
        X, y = self.campaign.labelled_set()
        assert X.tolist() == [x for x, _ in kept]
        assert y.tolist() == [label for _, label in kept]
        assert [request.id for request in self.campaign.pending()] == self.pending()
        assert self.campaign.classes == self.classes
        status = self.campaign.status()
        assert status.remaining == (None if self.budget is None else max(0, self.remaining()))
        states = status.states
        n_delivered = len(self.got) - len(self.retracted)
        assert (states["delivered"], states["retracted"]) == (n_delivered, len(self.retracted))
        assert (states["failed"], states["pending"]) == (len(self.failed), len(self.pending()))
        assert sum(states.values()) == len(self.asked.keys() | self.got.keys())


@pytest.fixture
def storage_and_clock(any_url: str) -> Iterator[tuple[Storage, list[float]]]:
    clock = [1_000_000.0]
    with open_storage(any_url, create=True, clock=lambda: clock[0]) as storage:
        yield storage, clock


def test_any_sequence_of_operations_agrees_with_the_model(storage_and_clock) -> None:
    storage, clock = storage_and_clock

    class Machine(CampaignMachine):
        pass

    Machine.storage, Machine.clock = storage, clock
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=30,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
