"""Another machine runs a source against the studio: it asks and tells over REST."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palacs.campaign import Acquired, Conflict, Recording, Request, create_campaign, load_campaign
from palacs.sources import RemoteCampaign, WatchedFolder
from palacs.storage import CampaignNotFound, StorageError


def vector(request: Request) -> list[float]:
    return [float(request.label == "left"), 0.5]


def test_a_source_elsewhere_asks_and_tells_until_the_budget_is_used_up(
    shared_studio: Any, tmp_path: Path
) -> None:
    create_campaign(
        "lab 1/demo", ["left", "right"], storage=shared_studio.storage, budget=8, seed=0
    )
    far = RemoteCampaign(f"{shared_studio.base_url}/campaigns/lab%201%2Fdemo", shared_studio.token)
    raw = tmp_path / "raw.csv"
    raw.write_text("1 2")
    notes = {"cost": 2.0, "duration": 3.0, "attrs": {"cap": 3}}

    def acquire(request: Request) -> Acquired:
        assert (request.holder or "").startswith("run-")
        if request.id.startswith("r2-"):
            return Acquired([float("nan"), 1.0])
        return Acquired(vector(request), recording=raw, **notes)  # type: ignore[arg-type]

    run = far.run(acquire, parallel=2, until=["cost=99", "advised"])
    assert (run.told, run.failed, run.exhausted) == (8, 1, True)
    with load_campaign("lab 1/demo", storage=shared_studio.storage) as near:
        rows = near.history()
        told = rows[rows["state"] == "delivered"]
        assert set(told["recording"]) == {raw.as_uri()}
        assert set(told["attrs.cap"]) == {3}
        assert set(told["duration"]) == {3.0}
        assert not near.pending()
        assert near.replay().ok
        assert far.status() == near.status()
        assert far.classes == near.classes
        assert far.recordings() == near.recordings()
        assert far.noted_values("cap") == [3] * 8
        assert far.stopping().reason == near.stopping().reason


def test_a_studio_that_goes_away_loses_and_doubles_nothing(shared_studio: Any) -> None:
    create_campaign("steady", ["left", "right"], storage=shared_studio.storage, seed=0)
    far = RemoteCampaign(f"{shared_studio.base_url}/api/v1/campaigns/steady", shared_studio.token)
    again: list[threading.Thread] = []

    def acquire(request: Request) -> list[float]:
        if not again:
            shared_studio.kill()
            again.append(threading.Thread(target=shared_studio.start))
            again[0].start()
        return vector(request)

    run = far.run(acquire, until=3)
    again[0].join()
    with load_campaign("steady", storage=shared_studio.storage) as near:
        assert (run.told, near.status().instances, near.history_length()) == (3, 3, 3)


def test_files_of_a_folder_elsewhere_are_taken_once(shared_studio: Any, tmp_path: Path) -> None:
    create_campaign("folder", ["left", "right"], storage=shared_studio.storage, seed=0)
    far = RemoteCampaign(f"{shared_studio.base_url}/campaigns/folder", shared_studio.token)

    def record(request: Request) -> None:
        (tmp_path / str(request.label) / f"{request.id}.csv").write_text("1 2")

    for _ in range(2):
        run = far.run(WatchedFolder(tmp_path, settle=0.05), until=1, on_asked=record)
        assert (run.told, run.added) == (1, 0)


def test_what_the_studio_refuses_is_said_in_its_words(shared_studio: Any) -> None:
    create_campaign("refused", ["left", "right"], storage=shared_studio.storage)
    address = f"{shared_studio.base_url}/campaigns/refused"
    with pytest.raises(StorageError, match="token"):
        RemoteCampaign(address, "wrong").status()
    with pytest.raises(CampaignNotFound):
        RemoteCampaign(f"{shared_studio.base_url}/campaigns/nobody", shared_studio.token).status()
    far = RemoteCampaign(address, shared_studio.token)
    [request] = far.ask_many(1, op="mine")
    assert far.ask_many(1, op="mine")[0].id == request.id
    far.tell(request, np.array([1.0, 2.0]), recording=Recording.keep(b"abc", "a.bin"))
    with pytest.raises(Conflict, match="already told"):
        far.tell(request, [3.0, 4.0])
    assert RemoteCampaign(f"{address}/cue").name == "refused"
    for wrong in ("demo", "http://lab/", f"{address}/x"):
        with pytest.raises(ValueError, match=r"http|%2F"):
            RemoteCampaign(wrong)


def test_recordings_are_sent_where_the_studio_makes_the_features(
    shared_studio: Any, tmp_path: Path
) -> None:
    create_campaign(
        "epochs", ["left", "right"], storage=shared_studio.storage, extractor="mel-bands(rate=100)"
    )
    far = RemoteCampaign(f"{shared_studio.base_url}/campaigns/epochs", shared_studio.token)

    def acquire(request: Request) -> Path:
        path = tmp_path / f"{request.id}.npy"
        np.save(path, np.random.default_rng(0).normal(size=(1, 400)))
        return path

    assert far.run(acquire, until=2).told == 2
    with load_campaign("epochs", storage=shared_studio.storage) as near:
        assert all(recording.kept for recording in near.recordings())
        [request] = far.ask_many(1)
        with pytest.raises(ValueError, match="not read here"):
            far.tell(request, recording={"uri": "file:///etc/hostname"})
        assert [r.id for r in near.pending()] == [request.id]


def test_values_under_names_are_put_in_order_also_from_afar(shared_studio: Any) -> None:
    create_campaign("named", ["left", "right"], storage=shared_studio.storage)
    far = RemoteCampaign(f"{shared_studio.base_url}/campaigns/named", shared_studio.token)
    assert far.feature_names is None
    far.add({"alpha": 1.0, "beta": 2.0}, "left")
    assert far.feature_names == ["alpha", "beta"]
    assert far.add({"beta": 4.0, "alpha": 3.0}, "left").x.tolist() == [3.0, 4.0]
    with pytest.raises(ValueError, match="this campaign's are alpha, beta"):
        far.add({"beta": 4.0, "gamma": 3.0}, "left")
    path = "/campaigns/named"
    table = b"label,beta,alpha\nright,6,5"
    assert shared_studio.upload(f"{path}/table", "t.csv", table)[1]["features"] == ["alpha", "beta"]
    request = far.ask_many(1)[0].id
    _, told = shared_studio.upload(f"{path}/upload?id={request}", "t.csv", b"beta,alpha\n8,7")
    assert told["instance"]["x"] == [7.0, 8.0]
