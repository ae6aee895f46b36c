"""The drawing demo without a browser: strokes become digits, and drawings become a race."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from palacs.studio._drawn_for_you import drawn_for_you
from palacs.studio._race import Drawn, curves, equal_order, equal_set, outcome
from palacs.studio._scans import N_FORMS, SYMBOLS, hands_of, scans
from palacs.studio._strokes import to_digit

from .hand import DIGITS


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


# -- the race --------------------------------------------------------------------------


def drawn_in_turn(hand: int, n: int) -> Drawn:
    codes = np.arange(n) % len(SYMBOLS)
    strokes = [drawn_for_you(SYMBOLS[code], hand, i) for i, code in enumerate(codes)]
    return Drawn(np.array([to_digit(lines) for lines in strokes]), codes)


def test_no_hand_lends_and_judges() -> None:
    everything, _, forms = scans()
    form_of = {row.tobytes(): form for row, form in zip(everything, forms.tolist(), strict=True)}
    hands = hands_of(5, without=3)
    lending = {form_of[row.tobytes()] for rows in hands.lent for row in rows}
    judging = {form_of[row.tobytes()] for row in hands.judges}
    assert lending.isdisjoint(judging)
    assert 3 not in lending | judging
    assert len(lending) == 7
    assert len(judging) == 6


def test_a_form_begins_where_the_same_row_of_digits_begins_again() -> None:
    _, digits, forms = scans()
    for form in range(N_FORMS):
        assert digits[forms == form][:10].tolist() == list(range(10))


def test_asked_equally_both_sides_of_the_race_are_the_same() -> None:
    hands, drawn = hands_of(2), drawn_in_turn(7, 12)
    seen = curves(hands, drawn, drawn.codes)
    assert seen.stand_ins == 0
    assert seen.asked.tolist() == seen.equal.tolist()
    assert seen.asked[0] == pytest.approx(0.75), "one symbol known, three quarters misread"
    assert seen.asked[-1] < 0.4


def test_what_was_shown_of_a_race_does_not_change_later() -> None:
    hands, drawn, order = hands_of(2), drawn_in_turn(7, 9), equal_order(3)
    early = curves(hands, Drawn(drawn.X[:6], drawn.codes[:6]), order)
    late = curves(hands, drawn, order)
    assert late.asked[:6].tolist() == early.asked.tolist()
    assert late.equal[:6].tolist() == early.equal.tolist()


def test_a_stranger_stands_in_only_for_what_was_not_drawn() -> None:
    hands = hands_of(2)
    threes = Drawn(drawn_in_turn(7, 16).of(1), np.ones(4, dtype=np.int64))
    X, codes, stand_ins = equal_set(hands, threes, np.array([0, 1, 1, 2]))
    assert stand_ins == 2, "a 0 and a 7 that nobody drew"
    assert codes.tolist() == [0, 0, 1, 1, 1, 1, 2, 2]
    assert X[2].tolist() == threes.X[0].tolist()
    assert X[3].tolist() == hands.lent_to(1, 0).tolist(), "and with each a scan comes along"


@pytest.mark.parametrize(
    ("asked", "equal", "kind", "saved"),
    [
        ([0.4, 0.1, 0.3, 0.1, 0.1], [0.4, 0.4, 0.4, 0.3, 0.2], "won", 1),
        ([0.4, 0.2, 0.2, 0.2, 0.1], [0.4, 0.4, 0.4, 0.3, 0.2], "won", 3),
        ([0.4, 0.4, 0.4, 0.3, 0.2], [0.4, 0.2, 0.2, 0.2, 0.1], "lost", 3),
        ([0.4, 0.4, 0.4, 0.4, 0.1], [0.4, 0.1, 0.1, 0.1, 0.2], "won", 0),
        ([0.4, 0.1, 0.1, 0.1, 0.2], [0.4, 0.4, 0.4, 0.3, 0.2], "tie", 0),
    ],
)
def test_saved_counts_from_where_the_winner_stays(
    asked: list[float], equal: list[float], kind: str, saved: int
) -> None:
    ended = outcome(np.array(asked), np.array(equal))
    assert (ended.kind, ended.saved) == (kind, saved)
    assert ("saved you" in ended.sentence) == (saved > 0)
    assert ("lost" in ended.sentence) == (kind == "lost")


# -- over REST -------------------------------------------------------------------------


def _draw(studio: Any, name: str, request: dict[str, Any]) -> Any:
    path = f"/demo/digits/{name}"
    strokes = studio.get(f"{path}/drawn-for-you?label={request['label']}")["strokes"]
    body = {"id": request["id"], "strokes": strokes, "by_program": True}
    return studio.post(f"{path}/drawing", body)


def test_a_race_over_rest_ends_after_thirty_drawings(shared_studio: Any) -> None:
    answer = shared_studio.post("/demo/digits/start", {"afresh": True})
    name, asked = answer["name"], []
    assert answer["asked"] == []
    while answer["next"] is not None:
        assert answer["outcome"] is None
        asked.append(answer["next"]["label"])
        answer = _draw(shared_studio, name, answer["next"])
    assert len(asked) == 30
    assert sorted(asked[:4]) == list(SYMBOLS), "every symbol once before any twice"
    assert sum(answer["counts"]) == sum(answer["equal_counts"]) == 30
    assert sorted(answer["equal_counts"]) == [7, 7, 8, 8]
    assert answer["asked"][-1] < 0.25
    sentence = answer["outcome"]["sentence"]
    assert ("lost" in sentence) == (answer["asked"][-1] > answer["equal"][-1])
    rows = shared_studio.get(f"/campaigns/{name}/status")
    assert rows["instances"] == 60, "with each drawing a scan by another hand came along"
    progress = shared_studio.get(f"/demo/digits/{name}/progress")
    assert progress["outcome"] == answer["outcome"]
    assert progress["by_program"] == 30, "who did not draw does not get the credit"
    undone = shared_studio.post(f"/demo/digits/{name}/undo")
    assert len(undone["drawings"]) == 29
    assert undone["outcome"] is None
    assert undone["next"] is not None
    assert shared_studio.get(f"/campaigns/{name}/status")["instances"] == 58


def test_a_race_that_another_page_left_is_finished_all_the_same(shared_studio: Any) -> None:
    name = shared_studio.post("/demo/digits/start", {"afresh": True})["name"]
    path = f"/demo/digits/{name}/next"
    status, left = shared_studio.call("POST", path, {}, headers={"Palacs-Holder": "gone"})
    assert (status, left["next"]["holder"]) == (200, "gone")
    answer = shared_studio.post("/demo/digits/start", {"name": name})
    while answer["next"] is not None:
        answer = _draw(shared_studio, name, answer["next"])
    assert len(answer["drawings"]) == 30
    assert answer["outcome"] is not None


def test_coming_back_goes_on_with_the_latest_race_and_the_same_digit(shared_studio: Any) -> None:
    begun = shared_studio.post("/demo/digits/start", {"afresh": True})
    again = shared_studio.post("/demo/digits/start")
    assert (again["name"], again["next"]) == (begun["name"], begun["next"])
    afresh = shared_studio.post("/demo/digits/start", {"afresh": True})
    assert afresh["name"] != begun["name"]
    body = {"id": again["next"]["id"], "strokes": drawn_for_you(again["next"]["label"], 1, 0)}
    path = f"/demo/digits/{again['name']}"
    told = [shared_studio.post(f"{path}/drawing", body) for _ in range(2)]
    assert told[1]["by_program"] == 0
    assert len(told[1]["drawings"]) == 1, "sending a drawing again is harmless"
    assert shared_studio.get(f"/campaigns/{again['name']}/status")["instances"] == 2


def test_a_start_that_is_sent_again_at_once_asks_once(shared_studio: Any) -> None:
    key = {"Idempotency-Key": "the same start"}
    body = {"name": "sent again", "afresh": True}
    with ThreadPoolExecutor(4) as senders:
        jobs = [
            senders.submit(shared_studio.call, "POST", "/demo/digits/start", body, headers=key)
            for _ in range(4)
        ]
        answers = [job.result()[1] for job in jobs]
    assert {answer["name"] for answer in answers} == {"sent again"}
    assert len({answer["next"]["id"] for answer in answers}) == 1
    assert len(shared_studio.get("/campaigns/sent%20again/pending")["requests"]) == 1


def test_a_campaign_of_that_name_that_is_no_race_is_left_alone(shared_studio: Any) -> None:
    shared_studio.post("/campaigns", {"name": "taken", "classes": ["0", "1"]})
    begun = shared_studio.post("/demo/digits/start", {"name": "taken"})
    assert begun["name"] == "taken-2"
    status, answer = shared_studio.call("GET", "/demo/digits/taken/progress")
    assert status == 409
    assert "no drawing race" in answer["error"]["message"]


def test_an_empty_drawing_is_refused_and_the_digit_still_asked_for(shared_studio: Any) -> None:
    begun = shared_studio.post("/demo/digits/start", {"afresh": True})
    path = f"/demo/digits/{begun['name']}"
    body = {"id": begun["next"]["id"], "strokes": [[[1.0, 1.0]]]}
    status, answer = shared_studio.call("POST", f"{path}/drawing", body)
    assert status == 422
    assert "draw the digit" in answer["error"]["message"]
    assert shared_studio.post(f"{path}/next")["next"]["id"] == begun["next"]["id"]
    status, answer = shared_studio.call("POST", f"{path}/undo", {})
    assert status == 409


def test_the_demo_asks_in_a_studio_that_has_just_begun(
    new_studio: Callable[[], Any],
) -> None:
    studio = new_studio()
    request = studio.post("/demo/digits/start")["next"]
    answer = _draw(studio, "race", request)
    assert len(answer["drawings"]) == 1
    studio.stop()
