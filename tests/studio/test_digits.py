"""The drawing demo without a browser: strokes become digits, and digits become accuracy."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from palacs import ParzenWindowClassifier
from palacs.evidence import default_model
from palacs.studio._digits import guess, hold_out_curve
from palacs.studio._strokes import to_digit

from .hand import DIGITS, strokes_of

MODEL = default_model(bandwidth=0.3, classes=list("0123456789"))


@pytest.fixture(scope="module")
def reader() -> SVC:
    """Somebody who has read nothing but scikit-learn's scanned digits."""
    scanned = load_digits()
    return SVC(C=10.0).fit(scanned.data, scanned.target)


def test_drawings_are_read_by_who_learned_from_scanned_digits(reader: SVC) -> None:
    drawn = np.array([to_digit(strokes) for _, strokes in DIGITS])
    truth = np.array([digit for digit, _ in DIGITS])
    right = reader.predict(drawn) == truth
    assert right.sum() >= len(DIGITS) - 1, [DIGITS[i][0] for i in np.flatnonzero(~right)]


@pytest.mark.parametrize("seed", range(3))
def test_a_shaky_and_slanted_hand_is_read_too(reader: SVC, seed: int) -> None:
    rng = np.random.default_rng(seed)
    drawn: list[Any] = []
    for _, strokes in DIGITS:
        slant = np.eye(2) + rng.normal(0.0, 0.08, (2, 2))
        drawn.append([(line + rng.normal(0.0, 1.0, np.shape(line))) @ slant.T for line in strokes])
    read = reader.predict([to_digit(strokes) for strokes in drawn])
    assert np.mean(read == [digit for digit, _ in DIGITS]) >= 0.9


def test_where_and_how_large_it_was_drawn_does_not_matter() -> None:
    for _, strokes in DIGITS:
        elsewhere = [[(300 + 4 * x, 40 + 4 * y) for x, y in line] for line in strokes]
        assert to_digit(elsewhere) == pytest.approx(to_digit(strokes), abs=1)


def test_a_digit_has_the_format_and_the_ink_of_scanned_ones() -> None:
    scanned = load_digits().data.sum(axis=1)
    for _, strokes in DIGITS:
        grey = to_digit(strokes)
        assert grey.shape == (64,)
        assert np.array_equal(grey, grey.round())
        assert grey.min() >= 0
        assert grey.max() <= 16
        assert scanned.min() <= grey.sum() <= scanned.max()
        assert grey.reshape(8, 8).any(axis=1).all(), "a digit fills the whole height"


@pytest.mark.parametrize(
    ("strokes", "problem"),
    [
        ([], "empty"),
        ([[]], "empty"),
        ([[(5.0, 5.0)]], "empty"),
        ([[(0.0, 0.0), (float("nan"), 1.0)]], "numbers"),
        ([[(0.0, 0.0, 1.0), (1.0, 1.0, 1.0)]], "points"),
        ([[(float(i), 0.0) for i in range(3000)]], "at most"),
    ],
)
def test_what_is_no_drawing_is_refused(strokes: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        to_digit(strokes)


def test_a_dash_stays_a_dash() -> None:
    picture = to_digit([[(0.0, 0.0), (50.0, 0.0)]]).reshape(8, 8)
    assert picture[3:5].sum() > 0
    assert picture[[0, 1, 6, 7]].sum() == 0


def test_accuracy_grows_with_the_drawings() -> None:
    X = np.array([to_digit(strokes) for _, strokes in DIGITS])
    codes = np.array([digit for digit, _ in DIGITS])
    curve = hold_out_curve(X, codes, MODEL)
    assert curve.accuracy[0] == pytest.approx(0.1, abs=0.01), "one digit known, one tenth read"
    assert curve.accuracy[-1] > 0.5
    assert curve.recall.shape == (10,)
    assert curve.recall @ np.bincount(load_digits().target) / 1797 == pytest.approx(
        curve.accuracy[-1]
    )


def test_the_classifier_is_the_campaigns_own_model() -> None:
    scanned = load_digits()
    X, codes = scanned.data[:60], scanned.target[:60]
    model = ParzenWindowClassifier(bandwidth=0.3, classes=range(10), class_prior="uniform")
    model.fit(X / 16, codes)
    expected = np.mean(model.predict(scanned.data / 16) == scanned.target)
    assert hold_out_curve(X, codes, MODEL).accuracy[-1] == pytest.approx(expected)
    for x in scanned.data[60:80]:
        assert guess(X, codes, x, MODEL) == str(model.predict([x / 16])[0])
    assert guess(X[:0], codes[:0], X[0], MODEL) is None


# -- over REST -------------------------------------------------------------------------


def _draw(studio: Any, name: str, request: dict[str, Any], shake: random.Random) -> Any:
    strokes = [
        [[x + shake.gauss(0, 1), y + shake.gauss(0, 1)] for x, y in line]
        for line in strokes_of(request["label"], shake.randrange(2))
    ]
    body = {"id": request["id"], "strokes": strokes}
    return studio.post(f"/demo/digits/{name}/drawing", body)


def test_fifteen_drawings_over_rest_are_told_to_a_campaign(shared_studio: Any) -> None:
    begun = shared_studio.post("/demo/digits/start", {"afresh": True})
    name, request = begun["name"], begun["next"]
    assert begun["accuracy"] is None
    shake = random.Random(0)
    asked = []
    for _ in range(15):
        asked.append(request["label"])
        answer = _draw(shared_studio, name, request, shake)
        request = answer["next"]
    assert sorted(asked[:10]) == list("0123456789"), "every digit once before any twice"
    assert all(a != b for a, b in itertools.pairwise(asked)), "never twice in a row"
    assert answer["acquired"] == 15
    assert answer["accuracy"] > 0.45
    assert len(answer["curve"]) == 15
    assert sum(answer["counts"].values()) == 15
    assert shared_studio.get(f"/campaigns/{name}/status")["instances"] == 15
    progress = shared_studio.get(f"/demo/digits/{name}/progress")
    assert progress["accuracy"] == answer["accuracy"]


def test_coming_back_goes_on_with_the_latest_demo_and_the_same_digit(shared_studio: Any) -> None:
    begun = shared_studio.post("/demo/digits/start", {"afresh": True})
    again = shared_studio.post("/demo/digits/start")
    assert (again["name"], again["next"]) == (begun["name"], begun["next"])
    afresh = shared_studio.post("/demo/digits/start", {"afresh": True})
    assert afresh["name"] != begun["name"]


def test_a_campaign_of_that_name_that_is_no_demo_is_left_alone(shared_studio: Any) -> None:
    shared_studio.post("/campaigns", {"name": "taken", "classes": ["0", "1"]})
    begun = shared_studio.post("/demo/digits/start", {"name": "taken"})
    assert begun["name"] == "taken-2"
    status, answer = shared_studio.call("GET", "/demo/digits/taken/progress")
    assert status == 409
    assert "no drawing demo" in answer["error"]["message"]


def test_an_empty_drawing_is_refused_and_the_digit_still_asked_for(shared_studio: Any) -> None:
    begun = shared_studio.post("/demo/digits/start", {"afresh": True})
    path = f"/demo/digits/{begun['name']}"
    body = {"id": begun["next"]["id"], "strokes": [[[1.0, 1.0]]]}
    status, answer = shared_studio.call("POST", f"{path}/drawing", body)
    assert status == 422
    assert "draw the digit" in answer["error"]["message"]
    assert shared_studio.post(f"{path}/next")["next"]["id"] == begun["next"]["id"]


def test_the_demo_asks_within_ten_seconds_of_the_command(
    new_studio: Callable[[], Any],
) -> None:
    started = time.monotonic()
    studio = new_studio()
    request = studio.post("/demo/digits/start")["next"]
    answer = _draw(studio, "digits", request, random.Random(0))
    assert answer["acquired"] == 1
    assert time.monotonic() - started < 10.0
    studio.stop()
