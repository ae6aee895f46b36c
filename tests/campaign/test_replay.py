"""Every request can be recomputed from the record, in another process, to the last bit."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from palacs import strategies
from palacs.campaign import create_campaign, import_campaign, load_campaign
from palacs.storage import MemoryStorage, StorageDamaged

CLASSES = ["rest", "left", "right"]


def _with_parameters(name: str) -> strategies.Strategy:
    if name == "proportional":
        return strategies.make(name, proportions={"rest": 0.5, "left": 0.25, "right": 0.25})
    return strategies.make(name)


@pytest.mark.parametrize("name", sorted(strategies.available()))
def test_every_strategy_replays(name: str) -> None:
    clock = [0.0]
    storage = MemoryStorage(lambda: clock[0])
    campaign = create_campaign(
        "c", CLASSES, strategy=_with_parameters(name), storage=storage, seed=3, lease=10
    )
    rng = np.random.default_rng(0)
    for turn in range(12):
        clock[0] += rng.uniform(0, 8)
        requests = campaign.ask_many(int(rng.integers(1, 4)))
        for request in requests[:-1]:
            campaign.tell(request, rng.normal(size=2) + len(str(request.label)))
        if turn == 4:
            campaign.retract(requests[0]) if len(requests) > 1 else campaign.fail(requests[0])
        if turn == 6:
            campaign.pause("left")
            if name != "proportional":
                campaign.add_class("tongue")
    replayed = load_campaign("c", storage=storage).replay()
    assert replayed.ok
    assert replayed.checked == len(campaign.history())
    # Python may have decided before machine code was there, and rounds its last digit differently.
    assert replayed.largest_difference < 1e-15


def test_a_request_that_does_not_follow_from_the_record_is_named(tmp_path: Path) -> None:
    campaign = create_campaign("c", CLASSES, strategy="uniform", storage="memory", seed=0)
    requests = campaign.ask_many(3)
    forged = next(label for label in CLASSES if label != requests[1].label)
    path = campaign.export(tmp_path / "out.json")
    content = json.loads(path.read_text()) | {"version": 1}
    del content["count"], content["checksum"]  # without a seal
    content["events"][2]["label"] = forged
    path.write_text(json.dumps(content))
    replayed = import_campaign(path, storage="memory").replay()
    assert not replayed.ok
    assert [(m.request_id, m.asked, m.recomputed) for m in replayed.mismatches] == [
        (requests[1].id, forged, requests[1].label)
    ]


@pytest.mark.parametrize("opened", ["before", "after"])
def test_a_value_changed_by_hand_in_the_record_is_said(new_sqlite: Any, opened: str) -> None:
    # An instance need not change any decision, so that recomputing alone would find nothing.
    url = new_sqlite()
    with create_campaign("c", CLASSES, strategy="uniform", storage=url, seed=0) as campaign:
        for value in range(3):
            campaign.tell(campaign.ask(), [float(value)])
        assert campaign.replay().ok
        if opened == "after":
            campaign.close()
        file = sqlite3.connect(str(sa.make_url(url).database))
        file.execute("DROP TRIGGER palacs_no_update")
        file.execute(
            "UPDATE palacs_events SET x = ? WHERE seq = 3",
            (np.array([0.5]).astype("<f8").tobytes(),),
        )
        file.commit()
        file.close()
        with pytest.raises(StorageDamaged, match="event 3 is not what was written"):
            (campaign if opened == "before" else load_campaign("c", storage=url)).replay()


def test_a_class_the_strategy_cannot_work_with_is_not_added() -> None:
    strategy = _with_parameters("proportional")
    campaign = create_campaign("c", CLASSES, strategy=strategy, storage="memory")
    with pytest.raises(ValueError, match="tongue"):
        campaign.add_class("tongue")
    assert campaign.classes == CLASSES
    assert campaign.ask().label in CLASSES


def test_the_same_seed_asks_the_same_and_another_seed_does_not() -> None:
    def asked(seed: int | None) -> list[object]:
        campaign = create_campaign(
            "c", range(10), strategy="random", storage=MemoryStorage(), seed=seed
        )
        rng = np.random.default_rng(0)
        for _ in range(30):
            campaign.tell(campaign.ask(), rng.normal(size=2))
        return campaign.history()["asked"].tolist()

    assert asked(1) == asked(1)
    assert asked(1) != asked(2)
    assert asked(None) != asked(None)


def test_a_strategy_passes_its_seed_on() -> None:
    campaign = create_campaign(
        "c", CLASSES, strategy=strategies.make("random", random_state=42), storage="memory"
    )
    assert campaign.settings.seed == 42


def test_replaying_in_another_process_gives_the_same_bits(url: str, in_processes) -> None:
    with create_campaign("c", CLASSES, storage=url, seed=0) as campaign:
        rng = np.random.default_rng(1)
        for _ in range(15):
            campaign.tell(campaign.ask(), rng.normal(size=3))

    def replay(url: str) -> list[object]:
        from palacs.campaign import load_campaign

        replayed = load_campaign("c", storage=url).replay()
        return [replayed.ok, replayed.checked, replayed.largest_difference]

    assert in_processes(replay, [(url,)]) == [[True, 15, 0.0]]


def test_a_record_of_pal_acs_with_the_former_default_bandwidth_replays_and_goes_on() -> None:
    path = Path(__file__).parent / "records" / "pal-acs-fixed-bandwidth.json"
    old = import_campaign(path, storage="memory")
    assert old.settings.strategy["params"]["bandwidth"] == 0.05
    replay = old.replay()
    # Python and machine code round the last digit differently.
    assert (replay.ok, replay.checked) == (True, 14)
    assert replay.largest_difference < 1e-12
    assert old.ask().label == "left"  # as it was decided then
