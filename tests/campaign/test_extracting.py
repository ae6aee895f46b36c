"""Another extractor gives every instance a new vector at once; nothing is recorded twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from palacs.campaign import (
    Campaign,
    CampaignClosed,
    CampaignError,
    Conflict,
    create_campaign,
    import_campaign,
    load_campaign,
)
from palacs.storage import MemoryStorage

SECRET = 0.123456789012345


def peaks(epoch: Any) -> Any:
    return np.asarray(epoch).max(axis=1)


def spread(epoch: Any) -> Any:
    return np.concatenate([epoch.std(axis=1), epoch.mean(axis=1), epoch.min(axis=1)])


def flat(epochs: Any) -> Any:
    return np.reshape(epochs, (len(epochs), -1))


def learner(n: int = 3) -> Any:
    return make_pipeline(FunctionTransformer(flat), PCA(n))


def record(folder: Path, number: int) -> Path:
    """Record an epoch of two channels."""
    rng = np.random.default_rng(number)
    path = folder / f"epoch-{number}.npy"
    np.save(path, rng.normal(number % 2, 1.0, size=(2, 30)))
    return path


def filled(url: str | MemoryStorage, folder: Path, n: int = 12, **settings: Any) -> Campaign:
    campaign = create_campaign("study", ["rest", "left"], storage=url, seed=5, **settings)
    for number in range(n):
        path = record(folder, number)
        attrs = {"subject": f"s{number % 3}"}
        campaign.tell(campaign.ask(attrs=attrs), [0.1 * number], recording=path)
    return campaign


def test_every_instance_gets_its_new_vector_at_once_and_keeps_its_place(
    url: str, tmp_path: Path
) -> None:
    campaign, other = filled(url, tmp_path), load_campaign("study", storage=url)
    _, y = campaign.labelled_set()
    told = campaign.history()["id"].tolist()
    steps: list[tuple[int, int]] = []
    assert campaign.extract(peaks, "peaks tell more", progress=lambda *s: steps.append(s)) == 12
    assert steps[-1] == (12, 12)
    for seen in (campaign, other, load_campaign("study", storage=url)):
        X, labels = seen.labelled_set()
        assert X.shape == (12, 2)
        assert labels.tolist() == y.tolist()
        assert np.array_equal(X[3], peaks(np.load(tmp_path / "epoch-3.npy")))
        assert seen.history()["id"].tolist() == told
        assert seen.n_features == 2
        assert "peaks" in (seen.status().extractor or "")
        frame = seen.history(features=True)
        assert frame[["x0", "x1"]].to_numpy().tolist() == X.tolist()
    assert [e.kind for e in campaign.events()].count("extracted") == 13
    request = other.ask()
    assert other.tell(request, [0.5, 0.5]).x.tolist() == [0.5, 0.5]


def test_requests_made_before_keep_the_vectors_they_were_decided_by(tmp_path: Path) -> None:
    campaign = filled("memory", tmp_path)
    campaign.extract(spread, "first")
    campaign.tell(campaign.ask(), recording=record(tmp_path, 20))
    campaign.extract(peaks, "second")
    campaign.tell(campaign.ask(), recording=record(tmp_path, 21))
    again = campaign.replay()
    assert again.ok
    assert again.checked == 14
    assert again.largest_difference == 0.0


@pytest.mark.parametrize("suffix", ["json", "csv", "parquet"])
def test_an_export_holds_every_vector_there_has_been(tmp_path: Path, suffix: str) -> None:
    campaign = filled("memory", tmp_path, features=["alpha"], bounds=(0, 5))
    campaign.retract(campaign.history()["id"][4], "moved")
    campaign.extract(spread, "first")
    campaign.extract(peaks, "second")
    campaign.retract(campaign.history()["id"][5], "moved too")
    campaign.tell(campaign.ask(), recording=record(tmp_path, 20))
    file = campaign.export(tmp_path / f"study.{suffix}")
    back = import_campaign(file, storage="memory")
    kept = [replace_author(event) for event in back.events()]
    assert kept == [replace_author(event) for event in campaign.events()]
    assert back.labelled_set()[0].tolist() == campaign.labelled_set()[0].tolist()
    assert back.extractor == campaign.extractor
    assert back.replay().ok


def replace_author(event: Any) -> Any:
    return {**event.as_dict(), "payload": dict(event.payload)}


def test_a_record_is_read_in_parts_and_from_its_snapshot(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = filled(url, tmp_path)
    campaign.extract(peaks, "peaks tell more")
    monkeypatch.setattr("palacs.campaign._reader._PAGE", 7)
    monkeypatch.setattr("palacs.campaign._reader.worth_saving", lambda seq, folded: folded > 0)
    watching = load_campaign("study", storage=url)  # folds the events and puts its ledger away
    assert watching.storage.snapshot_parts(watching._stored.key)
    campaign.extract(spread, "and more")
    for _ in range(2):
        seen = load_campaign("study", storage=url)
        assert seen.labelled_set()[0].tolist() == campaign.labelled_set()[0].tolist()
        assert seen.extractor == campaign.extractor
        request = seen.history()["id"][0]
        assert seen.tell(request, [0.0], recording=tmp_path / "epoch-0.npy").x.shape == (6,)
    assert watching.labelled_set()[0].shape == (12, 6)
    seen.retract(seen.history()["id"][7], "moved")
    assert load_campaign("study", storage=url).labelled_set()[0].shape == (11, 6)


def test_what_cannot_be_extracted_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    campaign = filled("memory", tmp_path, n=4)
    bare = campaign.add([1.0], "rest")
    far = campaign.add([1.0], "rest", recording="s3://lab/epoch.npy")
    (tmp_path / "epoch-0.npy").unlink()
    record(tmp_path, 99).replace(tmp_path / "epoch-1.npy")
    n = len(campaign.events())
    with pytest.raises(CampaignError) as error:
        campaign.extract(peaks, "peaks tell more")
    said = str(error.value)
    assert "of 6 instances 4 cannot be extracted, and nothing was written" in said
    assert f"1 without a recording: {bare.id}" in said
    assert f"SHA-256 nobody noted: {far.id} (s3://lab/epoch.npy)" in said
    assert "1 with a recording that is missing" in said
    assert "1 with a recording that is changed" in said
    assert "retract these instances" in said
    assert len(campaign.events()) == n
    assert campaign.extractor is None


def test_recordings_that_moved_are_found_in_a_folder(tmp_path: Path) -> None:
    campaign = filled("memory", tmp_path, n=4)
    (tmp_path / "elsewhere").mkdir()
    for path in tmp_path.glob("*.npy"):
        path.rename(tmp_path / "elsewhere" / path.name)
    with pytest.raises(CampaignError, match="4 with a recording that is missing"):
        campaign.extract(peaks, "peaks tell more")
    assert campaign.extract(peaks, "peaks tell more", folder=tmp_path / "elsewhere") == 4


def test_of_moved_files_with_one_name_each_is_known_by_its_content(tmp_path: Path) -> None:
    campaign = create_campaign("moved", ["left", "right"], storage="memory")
    for number, label in enumerate(campaign.classes):
        (tmp_path / "before" / str(label)).mkdir(parents=True)
        file = tmp_path / "before" / str(label) / "1.npy"
        np.save(file, np.full((2, 8), float(number)))
        campaign.add([number, 0], label, recording=file)
    (tmp_path / "before").rename(tmp_path / "after")
    assert campaign.extract(peaks, "peaks tell more", folder=tmp_path / "after") == 2
    assert campaign.labelled_set()[0].max(axis=1).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("extractor", "says"),
    [
        (lambda epoch: epoch.max() * np.nan, "gives no usable features"),
        (lambda epoch: np.ones(2 + int(epoch[0, 0] > 0)), "the others give|same shape"),
        (lambda epoch: np.random.default_rng().normal(size=3), "set its seeds"),
        (lambda epoch: 1 / 0, "division by zero"),
        (PCA(2), "cannot be fitted"),
    ],
)
def test_an_extractor_that_does_not_work_changes_nothing(
    tmp_path: Path, extractor: Any, says: str
) -> None:
    campaign = filled("memory", tmp_path, n=6)
    n = len(campaign.events())
    with pytest.raises(CampaignError, match=says):
        campaign.extract(extractor, "try it")
    assert len(campaign.events()) == n


def test_a_recording_is_told_without_x_by_whoever_has_the_extractor(
    url: str, tmp_path: Path
) -> None:
    campaign = filled(url, tmp_path, n=4)
    request = campaign.ask()
    with pytest.raises(ValueError, match="no extractor is in force"):
        campaign.tell(request, recording=record(tmp_path, 20))
    with pytest.raises(ValueError, match="give the features, or a recording"):
        campaign.tell(request)
    campaign.extract("band-power(rate=10, bands=((1, 4),))", "a shipped one")
    other = load_campaign("study", storage=url)
    told = other.tell(request, recording=record(tmp_path, 20))
    assert told.x.shape == (2,)
    assert other.tell(request, recording=record(tmp_path, 20)).x.tolist() == told.x.tolist()
    with pytest.raises(Conflict, match="already told"):
        other.tell(request, recording=record(tmp_path, 21))
    campaign.extract(peaks, "one of my own")
    late = load_campaign("study", storage=url)
    with pytest.raises(CampaignError, match="code of somebody's own"):
        late.add(None, "left", recording=record(tmp_path, 22))
    with pytest.raises(Conflict, match="change to it with extract"):
        late.use_extractor(spread)
    late.use_extractor(peaks)
    assert late.add(None, "left", recording=record(tmp_path, 22)).x.shape == (2,)
    # Repeating what was told under another extractor is harmless too.
    assert campaign.tell(request, recording=record(tmp_path, 20)).x.shape == (2,)
    answers = [(r, None, None, {"recording": record(tmp_path, 30 + i)}) for i, r in
               enumerate(campaign.ask_many(2))]  # fmt: skip
    assert len(campaign.tell_many(answers)) == 2


def test_telling_what_was_told_before_an_extraction_is_still_harmless(tmp_path: Path) -> None:
    campaign = create_campaign("study", ["rest", "left"], storage="memory")
    request, path = campaign.ask(), record(tmp_path, 1)
    campaign.tell(request, [1.0], recording=path)
    campaign.extract(peaks, "peaks tell more")
    n = len(campaign.events())
    assert campaign.tell(request, [1.0], recording=path).x.shape == (2,)
    assert len(campaign.events()) == n
    with pytest.raises(Conflict):
        campaign.tell(request, [2.0], recording=path)


def test_what_was_fitted_is_fitted_again_alike_in_another_process(url: str, tmp_path: Path) -> None:
    campaign = filled(url, tmp_path)
    assert campaign.extract(learner(), "components tell more") == 12
    new = record(tmp_path, 20)
    here = campaign.add(None, "rest", recording=new, id="here")
    campaign.retract(campaign.history()["id"][0], "moved")  # it was part of the fit
    other = load_campaign("study", storage=url)
    other.use_extractor(learner())
    there = other.add(None, "rest", recording=new, id="there")
    assert np.allclose(here.x, there.x, rtol=1e-9)
    n = len(campaign.events())
    campaign.extract(learner(), "fit on more")
    assert len(campaign.events()) == n + 14


def test_a_fit_that_cannot_be_had_again_is_refused(tmp_path: Path) -> None:
    storage = MemoryStorage()
    campaign = filled(storage, tmp_path)
    campaign.extract(learner(), "components tell more")
    new = record(tmp_path, 20)
    other = load_campaign("study", storage=storage)
    other.use_extractor(learner())
    record(tmp_path, 99).replace(tmp_path / "epoch-1.npy")
    with pytest.raises(CampaignError, match="1 with a recording that is changed"):
        other.add(None, "rest", recording=new)
    campaign.erase({"subject": "s1"}, "consent withdrawn")
    for seen in (campaign, other):
        with pytest.raises(CampaignError, match="fitted on data that were erased since"):
            seen.add(None, "rest", recording=new)
    assert campaign.extract(learner(), "fit on what is left") == 8
    assert campaign.add(None, "rest", recording=new).x.shape == (3,)


def test_what_fits_is_fitted_on_something(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="begin with a fixed one"):
        create_campaign("study", ["rest", "left"], storage="memory", extractor=learner())
    empty = create_campaign("study", ["rest", "left"], storage="memory")
    with pytest.raises(CampaignError, match="there is nothing yet"):
        empty.extract(learner(), "too early")
    assert empty.extract(peaks, "from now on") == 0
    assert empty.add(None, "rest", recording=record(tmp_path, 1)).x.shape == (2,)


def test_a_campaign_can_begin_with_an_extractor(url: str, tmp_path: Path) -> None:
    made = create_campaign(
        "study",
        ["rest", "left"],
        storage=url,
        extractor="band-power(rate=10, bands=((1, 4),))",
        features=["left hand", "right hand"],
        op="create-1",
    )
    made.tell(made.ask(), recording=record(tmp_path, 1))
    other = load_campaign("study", storage=url)
    other.tell(other.ask(), recording=record(tmp_path, 2))
    assert other.feature_names == ["left hand", "right hand"]
    assert "BandPower" in (other.status().to_json()["extractor"] or "")
    other.extract(peaks, "peaks tell more")
    assert other.feature_names is None
    assert made.replay().ok


def test_a_campaign_continues_with_the_vectors_in_force_or_with_its_own(tmp_path: Path) -> None:
    before = filled("memory", tmp_path)
    before.extract(peaks, "peaks tell more")
    before.retract(before.history()["id"][3], "moved")
    same = create_campaign("next", storage="memory", continue_from=before)
    assert same.labelled_set()[0].tolist() == before.labelled_set()[0].tolist()
    assert same.extractor is None
    own = create_campaign("next", storage="memory", continue_from=before, extractor=spread)
    assert own.labelled_set()[0].shape == (11, 6)
    assert own.extract(peaks, "back") == 11


def test_an_erased_subject_loses_all_vectors(url: str, tmp_path: Path) -> None:
    campaign = filled(url, tmp_path)
    watching = load_campaign("study", storage=url)
    campaign.extract(lambda epoch: [SECRET, epoch[0, 0]], "peaks tell more")
    campaign.extract(spread, "and more")
    watching.status()
    assert campaign.erase({"subject": "s1"}, "consent withdrawn") == 4
    for seen in (campaign, watching, load_campaign("study", storage=url)):
        assert seen.labelled_set()[0].shape == (8, 6)
        gone = seen.history(features=True).set_index("state").loc["erased"]
        assert gone[["x0", "x5"]].isna().to_numpy().all()
        own = [e for e in seen.events() if e.kind == "extracted" and e.entry in set(gone["id"])]
        assert len(own) == 8
        assert all(e.x is None and e.erased for e in own)
        assert seen.replay().ok
    watching.use_extractor(spread)
    watching.tell(watching.ask(), recording=record(tmp_path, 20))
    back = import_campaign(campaign.export(tmp_path / "study.csv"), storage="memory")
    assert back.labelled_set()[0].shape == (9, 6)


def test_repeating_an_extraction_is_harmless(url: str, tmp_path: Path) -> None:
    campaign = filled(url, tmp_path)
    assert campaign.extract(peaks, "peaks tell more", op="extract-1") == 12
    n = len(campaign.events())
    campaign.add(None, "rest", recording=record(tmp_path, 20))
    assert (
        load_campaign("study", storage=url).extract(peaks, "peaks tell more", op="extract-1") == 12
    )
    assert campaign.extract(peaks, "the same again") == 13
    assert len(campaign.events()) == n + 1
    with pytest.raises(Conflict, match="something else before"):
        campaign.extract(spread, "peaks tell more", op="extract-1")


def test_what_is_told_while_an_extraction_runs_is_extracted_with_it(tmp_path: Path) -> None:
    storage = MemoryStorage()
    campaign = filled(storage, tmp_path)
    other = load_campaign("study", storage=storage)
    meanwhile: list[list[Callable[[], object]]] = [
        [lambda: other.add([5.0], "left", recording=record(tmp_path, 20), id="late")],
        [
            lambda: other.retract("late", "moved"),
            lambda: other.add([5.0], "left", recording=record(tmp_path, 21), id="later"),
        ],
    ]

    def interrupt(done: int, of: int) -> None:
        if meanwhile and done == of:
            for happens in meanwhile.pop(0):
                happens()

    campaign.extract(learner(), "components tell more", progress=interrupt)
    X, _ = campaign.labelled_set()
    assert len(X) == 13
    told_late = [e.entry for e in campaign.events() if e.payload.get("late")]
    assert told_late == ["later"]
    other.use_extractor(learner())
    again = other.add(None, "left", recording=record(tmp_path, 21), id="twin")
    assert np.allclose(again.x, campaign.instance("later").x)


def test_a_decision_made_meanwhile_is_made_again(tmp_path: Path) -> None:
    storage = MemoryStorage()
    campaign = filled(storage, tmp_path)
    other = load_campaign("study", storage=storage)
    refresh = other._refresh
    extracted: list[int] = []

    def overtaken() -> None:
        refresh()
        if len(extracted) == 1:
            extracted.append(campaign.extract(peaks, "peaks tell more"))
        extracted.append(0)

    other._refresh = overtaken  # type: ignore[method-assign]
    other.ask()
    assert other.replay().ok
    assert campaign.replay().ok


def test_undoing_after_an_extraction_takes_the_latest_instance_back(tmp_path: Path) -> None:
    campaign = filled("memory", tmp_path, n=4)
    campaign.extract(peaks, "peaks tell more")
    undone = campaign.undo("wrong hand")
    assert undone is not None
    assert undone.id == campaign.history()["id"].iloc[-1]
    assert campaign.labelled_set()[0].shape == (3, 2)
    assert campaign.recording(undone.id) is not None


def test_a_closed_campaign_keeps_its_features(tmp_path: Path) -> None:
    campaign = filled("memory", tmp_path, n=4)
    campaign.close_campaign("done")
    with pytest.raises(CampaignClosed, match="its features stay"):
        campaign.extract(peaks, "too late")


factor = 1.0


def scaled(epoch: Any) -> Any:
    return factor * peaks(epoch)


def test_what_an_extractor_uses_must_not_have_changed_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path}/lab.db"
    begun = create_campaign("study", ["rest", "left"], storage=url, extractor=scaled)
    begun.add(None, "rest", recording=record(tmp_path, 1))
    same = load_campaign("study", storage=url)
    same.use_extractor(scaled)
    same.add(None, "left", recording=record(tmp_path, 2))
    monkeypatch.setattr(f"{__name__}.factor", 100.0)
    other = load_campaign("study", storage=url)
    other.use_extractor(scaled)
    with pytest.raises(CampaignError, match="makes other features of the recording of"):
        other.add(None, "left", recording=record(tmp_path, 3))
    assert other.status().instances == 2
    assert same.export(tmp_path / "out.csv").exists()
    assert import_campaign(tmp_path / "out.csv", storage="memory").status().instances == 2
