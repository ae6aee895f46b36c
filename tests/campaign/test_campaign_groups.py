"""Where subjects matter, what a campaign says is about a new one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, LeaveOneGroupOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from palacs.campaign import Campaign, CampaignError, create_campaign


def recorded(n_subjects: int, per_class: int, **settings: Any) -> Campaign:
    """Subjects who do two things in places of their own: nothing carries over to a new one."""
    c = create_campaign("lab", ["a", "b"], storage="memory", bounds=(-40, 40), **settings)
    rng = np.random.default_rng(0)
    for subject in range(n_subjects):
        places = rng.normal(0, 10, (2, 2))
        for _ in range(per_class):
            for label, place in zip(["a", "b"], places, strict=True):
                x = place + rng.normal(0, 0.1, 2)
                c.add(x, label, attrs={"subject": f"s{subject:02}"})
    return c


def error_of(c: Campaign) -> float:
    curve = c.stopping().curve
    assert curve is not None
    return float(curve.errors[-1])


def test_advice_to_stop_is_about_a_new_subject() -> None:
    assert error_of(recorded(6, 10)) < 0.05
    assert error_of(recorded(6, 10, groups="subject")) > 0.25


def test_advice_waits_for_more_subjects_and_names_those_there_are() -> None:
    alone = recorded(1, 40, groups="subject").stopping(good_enough=0.5)
    assert not alone.stop
    assert "all instances belong to 's00'" in alone.reason
    two = recorded(2, 40, groups="subject").stopping(good_enough=0.9)
    assert not two.stop
    assert "of 5 groups there are 's00', 's01'" in two.reason


def test_a_search_for_parameters_leaves_whole_subjects_out() -> None:
    search = GridSearchCV(
        KNeighborsClassifier(), {"n_neighbors": [1, 3]}, cv=LeaveOneGroupOut(), refit=True
    )
    model = recorded(4, 5, groups="subject").model(search)
    assert model[-1].n_splits_ == 4
    assert model.predict([[0.0, 0.0]])[0] in ("a", "b")
    with pytest.raises(CampaignError, match=r"groups so far are 's00'\."):
        recorded(1, 5, groups="subject").model(search)


def test_the_groups_serve_cross_validation_of_ones_own() -> None:
    c = recorded(4, 5, groups="subject")
    X, y = c.labelled_set()
    scores = cross_val_score(c.model(), X, y, groups=c.groups(), cv=LeaveOneGroupOut())
    assert len(scores) == 4


def test_groups_do_not_change_what_is_asked_for() -> None:
    plain, grouped = (recorded(3, 3, seed=4, groups=groups) for groups in (None, "subject"))
    wanted = [request.label for request in plain.ask_many(6)]
    assert [request.label for request in grouped.ask_many(6)] == wanted
    assert grouped.replay().ok
