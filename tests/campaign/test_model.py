"""One model of a campaign: whatever is said about accuracy is said about Campaign.model()."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from palacs import PALACS, BalancedGain, Conditions, InverseAccuracy, ParzenWindowClassifier
from palacs.campaign import Campaign, create_campaign
from palacs.evidence import assign_folds, left_out_decisions
from palacs.storage import MemoryStorage
from palacs.stream import Stream
from palacs.studio._campaigns import CampaignBook, StudioCampaign
from palacs.studio._insight import Insights

CLASSES = ["wide", "close", "alone"]
CENTRES = {"wide": 0.5, "close": 0.6, "alone": 0.1}
IN_USE = Conditions(proportions={"wide": 9, "close": 1, "alone": 2})


def collected(**settings: Any) -> StudioCampaign:
    storage = MemoryStorage()
    create_campaign("c", CLASSES, storage=storage, seed=4, **settings)
    campaign = CampaignBook(storage, lambda name: None).get("c")
    rng = np.random.default_rng(0)
    for i in range(60):
        label = CLASSES[i % 3]
        campaign.add(rng.normal(CENTRES[label], 0.1, 2), label)
    return campaign


def classifier_of(campaign: Campaign) -> ParzenWindowClassifier:
    classifier: ParzenWindowClassifier = campaign.model().named_steps["classifier"]
    return classifier


@pytest.mark.parametrize("conditions", [None, IN_USE], ids=["uniform", "proportions in use"])
@pytest.mark.parametrize("strategy", [PALACS(), PALACS(bandwidth=0.2), BalancedGain()], ids=repr)
def test_the_bench_shows_the_accuracy_of_the_campaigns_model(
    strategy: Any, conditions: Conditions | None
) -> None:
    campaign = collected(strategy=strategy, conditions=conditions)
    seen = Insights().of(campaign)
    labelled = campaign.snapshot().labelled()
    expected = left_out_decisions(labelled, classifier_of(campaign), campaign.settings.seed)
    assert seen["confusion"]["matrix"] == expected.confusion.tolist()
    assert seen["accuracy"][-1]["accuracy"] == expected.curve[-1].accuracy
    assert [row["recall"] for row in seen["classes"]] == list(expected.recall)


def test_the_bench_agrees_with_fitting_the_model_fold_by_fold() -> None:
    campaign = collected(strategy=PALACS(bandwidth=0.07), conditions=IN_USE)
    model = classifier_of(campaign)
    X, y = campaign.snapshot().scaled, campaign.labelled_set()[1]
    fold = assign_folds(len(y), 10, Stream(np.uint64(campaign.settings.seed), np.uint64(len(y))))
    matrix = np.zeros((3, 3), dtype=int)
    for f in range(10):
        fitted = clone(model).fit(X[fold != f], y[fold != f])
        for truth, decided in zip(y[fold == f], fitted.predict(X[fold == f]), strict=True):
            matrix[CLASSES.index(truth), CLASSES.index(decided)] += 1
    seen = Insights().of(campaign)["confusion"]
    assert sum(seen["undecided"]) == 0
    assert seen["matrix"] == matrix.tolist()


def test_proportions_in_use_change_what_the_bench_shows() -> None:
    plain, in_use = collected(), collected(conditions=IN_USE)
    assert Insights().of(plain)["confusion"] != Insights().of(in_use)["confusion"]


@pytest.mark.parametrize(
    ("strategy", "bandwidth"),
    [
        (PALACS(bandwidth=0.3), 0.3),
        (InverseAccuracy(classifier=ParzenWindowClassifier(0.4)), 0.4),
        (InverseAccuracy(), "auto"),
        ("uniform", "auto"),
    ],
    ids=repr,
)
def test_the_bandwidth_is_the_strategys_where_it_names_one(strategy: Any, bandwidth: Any) -> None:
    model = classifier_of(collected(strategy=strategy))
    assert model.bandwidth == bandwidth
    assert model.class_prior == "uniform"
