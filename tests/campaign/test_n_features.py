"""How many features an instance has is said by the user, or by the instances that count."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from palacs.campaign import create_campaign, import_campaign, load_campaign
from palacs.storage import MemoryStorage


def test_one_bad_first_tell_does_not_end_the_campaign(any_url: str) -> None:
    storage: str | MemoryStorage = MemoryStorage() if any_url == "memory" else any_url
    campaign = create_campaign("c", ["a", "b"], strategy="uniform", storage=storage)
    bad = campaign.tell(campaign.ask(), [0.5, 1.0, 2.0])
    request = campaign.ask()
    with pytest.raises(ValueError, match=r"x has 2 features, .* have 3; .* retract them first"):
        campaign.tell(request, [0.1, 0.2])
    campaign.retract(bad, "a column too many")
    campaign.tell(request, [0.1, 0.2])
    campaign.tell(campaign.ask(), [0.3, 0.4])
    with pytest.raises(ValueError, match="x has 3 features"):
        campaign.add([1.0, 2.0, 3.0], "a")
    again = load_campaign("c", storage=storage)
    assert again.labelled_set()[0].tolist() == [[0.1, 0.2], [0.3, 0.4]]
    assert again.status().n_features == 2
    assert again.replay().ok
    assert again.model().predict([[0.1, 0.2]]).tolist() == [request.label]
    again.close()
    campaign.close()


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet"])
def test_the_retracted_instance_of_another_length_is_exported_too(
    tmp_path: Path, suffix: str
) -> None:
    campaign = create_campaign("c", ["a", "b"], strategy="uniform", storage="memory")
    for bad in ([0.5, 1.0, 2.0], [7.0]):
        campaign.retract(campaign.add(bad, "a"))
    campaign.add([0.1, 0.2], "b")
    back = import_campaign(campaign.export(tmp_path / f"out.{suffix}"), storage="memory")
    assert back.events() == campaign.events()
    frame = back.history(features=True)
    pd.testing.assert_frame_equal(frame, campaign.history(features=True))
    assert frame["x2"].isna().tolist() == [False, True, True]


def test_a_declared_number_of_features_is_kept_from_the_first_tell() -> None:
    campaign = create_campaign(
        "c", ["a", "b"], strategy="uniform", storage="memory", n_features=2, bounds=(0, 1)
    )
    assert campaign.status().n_features == 2
    assert campaign.settings.n_features == 2
    request = campaign.ask()
    with pytest.raises(ValueError, match="x has 3 features, but this campaign's instances have 2"):
        campaign.tell(request, [1.0, 2.0, 3.0])
    campaign.retract(campaign.tell(request, [1.0, 0.5]))
    with pytest.raises(ValueError, match="x has 1 features"):
        campaign.add([1.0], "a")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_features": 0}, "n_features must be a whole number of at least 1, got 0"),
        ({"n_features": 2.5}, "n_features must be a whole number"),
        ({"n_features": 10**30}, "n_features=1000000000000000000000000000000 is more than"),
        ({"n_features": 3, "bounds": [(0, 1), (0, 1)]}, "2 pairs for n_features=3"),
    ],
)
def test_a_number_of_features_that_cannot_be_is_refused(given: dict, message: str) -> None:
    storage = MemoryStorage()
    with pytest.raises(ValueError, match=message):
        create_campaign("c", ["a", "b"], storage=storage, **given)
    assert storage.campaigns() == []


def test_named_values_are_put_in_order() -> None:
    campaign = create_campaign("c", ["a", "b"], storage="memory", features={"names": ["C3", "C4"]})
    assert campaign.add(pd.Series([1.0, 2.0], index=["C4", "C3"]), "a").x.tolist() == [2.0, 1.0]
    assert campaign.add({"C4": 1.0, "C3": 2.0}, "a").x.tolist() == [2.0, 1.0]
    assert campaign.add(pd.Series([1.0, 2.0], index=["C3", "C4"]), "a").x.tolist() == [1.0, 2.0]
    assert campaign.add(pd.Series([3.0, 4.0]), "a").x.tolist() == [3.0, 4.0]
