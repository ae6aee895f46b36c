"""What the bench and the look inside say about a campaign, and whether it is true."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from palacs.campaign import create_campaign
from palacs.storage import MemoryStorage
from palacs.strategies import Conditions
from palacs.studio._campaigns import CampaignBook, StudioCampaign
from palacs.studio._error_answers import Refused
from palacs.studio._inside_page import look_inside
from palacs.studio._insight import Insights
from palacs.studio._listed import block_of_confusion, page_of_rows, shortened

CLASSES = ["feet", "left", "right"]
CENTRES = {"feet": 0.70, "left": 0.15, "right": 0.76}


class Bench:
    """Campaigns in memory, as the studio opens them."""

    def __init__(self) -> None:
        self.time = 1_000_000.0
        self.storage = MemoryStorage(clock=lambda: self.time)
        self.insights = Insights()
        self.book = CampaignBook(self.storage, lambda name: None)
        self.rng = np.random.default_rng(3)

    def campaign(self, **settings: Any) -> StudioCampaign:
        defaults = {"classes": CLASSES, "seed": 2, "bounds": (0.0, 1.0), "strategy": "pal-acs"}
        settings = {**defaults, **settings}
        name = f"campaign {len(self.storage.campaigns())}"
        create_campaign(name, storage=self.storage, **settings)
        return self.book.get(name)

    def record(self, label: Any, width: int = 1) -> list[float]:
        centre = CENTRES.get(label, 0.5)
        return [float(value) for value in np.clip(self.rng.normal(centre, 0.06, width), 0, 1)]

    def acquire(self, campaign: StudioCampaign, n: int, width: int = 1) -> None:
        for _ in range(n):
            request = campaign.ask()
            campaign.tell(request, self.record(request.label, width))

    def look(self, campaign: StudioCampaign, **options: Any) -> dict[str, Any]:
        found = self.insights.of(campaign, **options)
        json.dumps(found, allow_nan=False)
        return found


@pytest.fixture
def bench() -> Bench:
    return Bench()


# -- why -------------------------------------------------------------------------------


def test_before_anything_was_asked_it_says_what_would_come(bench: Bench) -> None:
    campaign = bench.campaign()
    seen = bench.look(campaign)
    assert seen["asked"] is None
    assert seen["why"].startswith(f"{seen['next']} would be asked for next because there is no")
    assert campaign.ask().label == seen["next"]


def test_a_class_without_an_instance_comes_first(bench: Bench) -> None:
    campaign = bench.campaign()
    request = campaign.ask()
    seen = bench.look(campaign)
    assert seen["asked"] == {"id": request.id, "label": request.label}
    assert "is asked for because there is no instance of it yet" in seen["why"]
    assert seen["utilities"] == dict.fromkeys(CLASSES)


def test_when_everything_is_under_way_requests_are_spread(bench: Bench) -> None:
    campaign = bench.campaign()
    requests = campaign.ask_many(4)
    for request in requests[:3]:
        campaign.performed(request)
    seen = bench.look(campaign)
    assert seen["asked"]["id"] == requests[3].id
    assert "nothing was told yet" in seen["why"]


def test_overlapping_classes_with_few_instances_are_named(bench: Bench) -> None:
    campaign = bench.campaign(strategy={"name": "pal-acs", "params": {"bandwidth": 0.1}})
    for label in CLASSES:
        for _ in range(6 if label == "left" else 1):
            campaign.add(bench.record(label), label)
    seen = bench.look(campaign)
    other = {"feet": "right", "right": "feet"}[seen["next"]]
    assert f"because its region overlaps {other} and few instances are nearby" in seen["why"]
    assert "left" not in seen["why"]


def test_a_lonely_class_with_few_instances_is_not_said_to_overlap(bench: Bench) -> None:
    campaign = bench.campaign(classes=["near", "far"])
    for x in (0.8, 0.82, 0.84, 0.81, 0.83, 0.82, 0.8, 0.85):
        campaign.add([x], "near")
    campaign.add([0.1], "far")
    seen = bench.look(campaign)
    assert seen["next"] == "far"
    assert "few instances are nearby" in seen["why"]
    assert "overlaps" not in seen["why"]


def test_balanced_gain_names_the_fewest_or_the_hardest(bench: Bench) -> None:
    campaign = bench.campaign(classes=["near", "far"], strategy="balanced-gain")
    for x in (0.8, 0.82, 0.84):
        campaign.add([x], "near")
    campaign.add([0.1], "far")
    assert "far would be asked for next because it has the fewest" in bench.look(campaign)["why"]
    hard = bench.campaign(classes=["alone", "left", "right"], strategy="balanced-gain")
    rng = np.random.default_rng(0)
    for i in range(20):
        hard.add([0.05 + 0.001 * i], "alone")
    for label, centre in (("left", 0.70), ("right", 0.78)) * 24:
        hard.add([float(rng.normal(centre, 0.06))], label)
    seen = bench.look(hard)
    assert seen["next"] in ("left", "right")
    assert "harder to tell from others than alone" in seen["why"]


def test_a_known_overlap_is_told_from_a_little_known_one(bench: Bench) -> None:
    campaign = bench.campaign(classes=["feet", "right"])
    for label in ("feet", "right"):
        for _ in range(60):
            campaign.add(bench.record(label), label)
    assert "decisions there are close" in bench.look(campaign)["why"]


def test_chance_is_called_chance(bench: Bench) -> None:
    campaign = bench.campaign(strategy="random")
    bench.acquire(campaign, 4)
    seen = bench.look(campaign)
    assert "by chance, with a probability of 33%" in seen["why"]
    campaign.pause("feet")
    assert "by chance, with a probability of 50%" in bench.look(campaign)["why"]
    assert "because" not in bench.look(campaign)["why"]


def test_ties_are_called_ties(bench: Bench) -> None:
    campaign = bench.campaign(strategy="uniform")
    bench.acquire(campaign, 3)
    why = bench.look(campaign)["why"]
    assert "because it has the fewest instances (1, with those under way)" in why
    assert "chance picked it among feet, left and right, which tie" in why
    campaign.add(bench.record("feet"), "feet")
    campaign.add(bench.record("left"), "left")
    assert bench.look(campaign)["why"] == (
        "right would be asked for next because it has the fewest instances (1, with those under "
        "way)."
    )


def test_no_gain_anywhere_is_no_reason(bench: Bench) -> None:
    narrow = {"name": "pal-acs", "params": {"bandwidth": 0.05}}
    campaign = bench.campaign(classes=["a", "b"], strategy=narrow)
    for _ in range(400):
        campaign.add([0.2], "a")
        campaign.add([0.8], "b")
    assert bench.look(campaign)["why"].endswith("by chance: no class promises a gain any more.")


def test_drawn_strategies_name_their_rule(bench: Bench) -> None:
    campaign = bench.campaign(strategy="inverse")
    bench.acquire(campaign, 6)
    seen = bench.look(campaign)
    percent = int(re.search(r"probability of (\d+)%", seen["why"])[1])  # type: ignore[index]
    share = seen["utilities"][seen["next"]] / sum(seen["utilities"].values())
    assert percent == pytest.approx(100 * share, abs=0.51)
    assert "the less accurate a class" in seen["why"]


def test_paused_classes_are_mentioned(bench: Bench) -> None:
    campaign = bench.campaign()
    bench.acquire(campaign, 5)
    campaign.pause("left")
    seen = bench.look(campaign)
    assert seen["why"].endswith("(left is paused).")
    assert seen["utilities"]["left"] is None
    campaign.pause("feet")
    assert "because all other classes are paused" in bench.look(campaign)["why"]
    campaign.pause("right")
    seen = bench.look(campaign)
    assert seen["next"] is None
    assert "all classes are paused; resume one" in seen["why"]


def test_the_end_of_the_budget_is_explained(bench: Bench) -> None:
    campaign = bench.campaign(budget=3)
    bench.acquire(campaign, 2)
    request = campaign.ask()
    campaign.performed(request)
    assert "budget of 3 is used up, with 1 request still under way" in bench.look(campaign)["why"]
    campaign.tell(request, [0.5])
    assert bench.look(campaign)["why"].endswith("because the budget of 3 is used up.")


def test_caps_that_are_reached_are_explained(bench: Bench) -> None:
    campaign = bench.campaign(conditions=Conditions(caps=dict.fromkeys(CLASSES, 1)))
    bench.acquire(campaign, 3)
    seen = bench.look(campaign)
    assert (seen["next"], seen["asked"]) == (None, None)
    assert "has reached its cap" in seen["why"]
    assert seen["utilities"] == dict.fromkeys(CLASSES)


def test_money_that_is_used_up_is_explained(bench: Bench) -> None:
    campaign = bench.campaign(budget_cost=3.0)
    bench.acquire(campaign, 3)
    seen = bench.look(campaign)
    assert seen["next"] is None
    assert "budget_cost of 3" in seen["why"]
    assert "paused" not in seen["why"]


def test_a_repetition_that_is_not_allowed_is_explained(bench: Bench) -> None:
    campaign = bench.campaign(conditions=Conditions(max_repeat=1))
    campaign.add([0.1], "left")
    campaign.pause("feet")
    campaign.pause("right")
    seen = bench.look(campaign)
    assert seen["next"] is None
    assert "max_repeat=1" in seen["why"]


def test_only_paused_classes_are_called_paused(bench: Bench) -> None:
    costs = {"feet": 1.0, "left": 1.0, "right": 5.0}
    campaign = bench.campaign(
        conditions=Conditions(costs=costs, caps={"left": 1}), budget_cost=4.0, strategy="uniform"
    )
    for label in CLASSES:
        campaign.add(bench.record(label), label)
    why = bench.look(campaign)["why"]
    assert why == (
        "feet would be asked for next because no other class may be requested now (right is too "
        "expensive for what is left; left is ruled out by a limit)."
    )
    campaign.pause("left")
    assert (
        "(left is paused; right is too expensive for what is left)" in bench.look(campaign)["why"]
    )


@pytest.mark.parametrize("strategy", ["uniform", "balanced-gain"])
def test_where_costs_decide_counts_are_no_reason(bench: Bench, strategy: str) -> None:
    costs = {"feet": 100.0, "left": 1.0, "right": 100.0}
    campaign = bench.campaign(strategy=strategy, conditions=Conditions(costs=costs))
    for label in [*CLASSES, "left"]:
        campaign.add(bench.record(label), label)
    why = bench.look(campaign)["why"]
    assert "because its utility under the conditions is the highest" in why
    assert "fewest" not in why


def test_the_reason_takes_the_conditions_of_the_decision_into_account(bench: Bench) -> None:
    # Left and right never occur in use, so more of them is of no use either.
    conditions = Conditions(proportions={"feet": 1.0, "left": 0.0, "right": 0.0})
    campaign = bench.campaign(conditions=conditions)
    for label in CLASSES:
        campaign.add(bench.record(label), label)
    campaign.pause("feet")
    assert "by chance: no class promises a gain any more" in bench.look(campaign)["why"]


def test_integer_classes_read_as_classes(bench: Bench) -> None:
    campaign = bench.campaign(classes=[3, 7])
    assert re.match(r"class [37] would be asked for next", bench.look(campaign)["why"])


def test_a_request_is_explained_by_what_was_known_when_it_was_made(bench: Bench) -> None:
    campaign = bench.campaign()
    bench.acquire(campaign, 8)
    request = campaign.ask()
    before = bench.look(campaign)
    for label in CLASSES:
        campaign.add(bench.record(label), label)
    # Another process has no memory of the first look.
    after = Insights().of(campaign)
    assert after["seq"] > before["seq"]
    assert (after["why"], after["utilities"]) == (before["why"], before["utilities"])
    assert after["utilities"] == pytest.approx(request.utilities)


def test_in_a_batch_each_request_has_its_own_reason(bench: Bench) -> None:
    campaign = bench.campaign(strategy="uniform")
    bench.acquire(campaign, 3)
    first, second = campaign.ask_many(2)
    campaign.performed(first)
    seen = bench.look(campaign)
    assert seen["asked"]["id"] == second.id
    assert seen["utilities"][first.label] < seen["utilities"][second.label]


# -- the rest of the bench -------------------------------------------------------------


def test_counts_shares_and_pending_requests(bench: Bench) -> None:
    campaign = bench.campaign(lease=60.0)
    bench.acquire(campaign, 3)
    campaign.add([0.1], "left")
    request = campaign.ask()
    seen = bench.look(campaign)
    by_label = {row["label"]: row for row in seen["classes"]}
    assert by_label["left"]["count"] == 2
    assert by_label["left"]["share"] == 0.5
    assert by_label[request.label]["pending"] == 1
    assert [row["id"] for row in seen["pending"]] == [request.id]
    assert seen["pending"][0]["performed"] is False
    campaign.performed(request)
    assert bench.look(campaign)["pending"][0]["performed"] is True
    bench.time += 61.0
    assert bench.look(campaign)["pending"] == []


def test_the_accuracy_agrees_with_its_confusion_matrix(bench: Bench) -> None:
    campaign = bench.campaign()
    bench.acquire(campaign, 40)
    seen = bench.look(campaign)
    matrix = np.array(seen["confusion"]["matrix"])
    undecided = np.array(seen["confusion"]["undecided"])
    assert (matrix.sum(axis=1) + undecided).tolist() == [r["count"] for r in seen["classes"]]
    last = seen["accuracy"][-1]
    assert last["acquired"] == 40
    assert last["accuracy"] == pytest.approx(np.trace(matrix) / 40)
    for code, row in enumerate(seen["classes"]):
        assert row["recall"] == pytest.approx(matrix[code, code] / row["count"])
        assert last["recall"][row["label"]] == row["recall"]
    assert last["accuracy"] > 0.6
    assert last["recall"]["left"] > last["recall"]["feet"]


def test_the_curve_has_at_most_thirty_points_and_is_kept(bench: Bench) -> None:
    campaign = bench.campaign(
        classes=list(range(10)),
        strategy={"name": "pal-acs", "params": {"bandwidth": 0.5}},
    )
    for i in range(1550):
        campaign.add(bench.rng.uniform(0, 1, 64), i % 10)
    bench.look(campaign)
    campaign.add(bench.rng.uniform(0, 1, 64), 0)
    seen = bench.look(campaign)
    assert len(seen["accuracy"]) <= 30
    assert seen["accuracy"][-1]["acquired"] == 1551
    assert bench.look(campaign) == seen


def test_one_and_two_features_are_mapped_as_they_are(bench: Bench) -> None:
    for width in (1, 2):
        campaign = bench.campaign(bounds=None)
        for i in range(4):
            campaign.add([100.0 + i] * width, "left", id=f"i{i}")
        seen = bench.look(campaign)["map"]
        assert seen["method"] == "identity"
        assert [p["x"] for p in seen["points"]] == [100.0, 101.0, 102.0, 103.0]
        assert [p["y"] for p in seen["points"]] == (
            [0.0] * 4 if width == 1 else [100, 101, 102, 103]
        )
        assert [p["id"] for p in seen["points"] if p["latest"]] == ["i3"]


def test_more_features_are_projected_and_stay_where_they_are(bench: Bench) -> None:
    campaign = bench.campaign()
    for i in range(30):
        label = CLASSES[i % 3]
        campaign.add(bench.record(label, 6), label, id=f"i{i}")
    seen = bench.look(campaign)["map"]
    assert seen["method"] == "pca"
    before = {p["id"]: (p["x"], p["y"]) for p in seen["points"]}
    campaign.add(bench.record("left", 6), "left")
    after = {p["id"]: (p["x"], p["y"]) for p in bench.look(campaign)["map"]["points"]}
    moved = [np.hypot(*np.subtract(after[id_], before[id_])) for id_ in before]
    assert max(moved) < 0.2
    left = [p["x"] for p in seen["points"] if p["label"] == "left"]
    others = [p["x"] for p in seen["points"] if p["label"] != "left"]
    assert max(left) < min(others) or min(left) > max(others)


def test_tsne_is_there_on_request(bench: Bench) -> None:
    campaign = bench.campaign()
    for i in range(12):
        campaign.add(bench.record(CLASSES[i % 3], 4), CLASSES[i % 3])
    seen = bench.look(campaign, method="tsne")["map"]
    assert seen["method"] == "tsne"
    assert len({(p["x"], p["y"]) for p in seen["points"]}) == 12
    assert bench.look(campaign)["map"]["method"] == "pca"


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize("bandwidth", [0.05, "auto"])
def test_there_is_something_to_look_at_from_the_start(bench: Bench, n: int, bandwidth: Any) -> None:
    campaign = bench.campaign(strategy={"name": "pal-acs", "params": {"bandwidth": bandwidth}})
    bench.acquire(campaign, n, width=5)
    for method in ("auto", "tsne"):
        seen = bench.look(campaign, method=method)
        assert len(seen["map"]["points"]) == n
        assert np.shape(seen["confusion"]["matrix"]) == (3, 3)


# -- inside ----------------------------------------------------------------------------


def test_inside_one_feature_the_contributions_add_up(bench: Bench) -> None:
    campaign = bench.campaign(bounds=(-10.0, 10.0))
    for label in CLASSES:
        for _ in range(5):
            campaign.add([20 * bench.record(label)[0] - 10], label)
    seen = look_inside(campaign.snapshot())
    xs = np.array(seen["xs"])
    assert xs[0] < -5
    assert xs[-1] > 5
    # Densities are per unit of the scaled feature, whose range of 1 is 20 here.
    step = (xs[1] - xs[0]) / 20
    for label in CLASSES:
        assert np.sum(seen["densities"][label]) * step == pytest.approx(1.0)
        total = np.sum(seen["contributions"][label]) * step
        assert total * step == pytest.approx(seen["sums"][label], rel=1e-6)
    assert np.multiply(seen["gain"], seen["density"]) == pytest.approx(seen["weighted_gain"])
    assert len(seen["points"]) == 15


def test_inside_shows_utilities_under_the_conditions(bench: Bench) -> None:
    costs = {"feet": 1.0, "left": 4.0, "right": 2.0}
    spec = {"name": "pal-acs", "params": {"sampling": "grid", "n_pseudo": 200}}
    campaign = bench.campaign(strategy=spec, conditions=Conditions(costs=costs))
    for label in CLASSES:
        for _ in range(5):
            campaign.add(bench.record(label), label)
    seen = look_inside(campaign.snapshot())
    assert seen["sums"] == pytest.approx(campaign.utilities())
    step = seen["xs"][1] - seen["xs"][0]
    for label in CLASSES:
        total = np.sum(seen["contributions"][label]) * step**2
        assert total == pytest.approx(seen["sums"][label], rel=1e-6)


def test_inside_two_features_rows_run_along_the_second(bench: Bench) -> None:
    campaign = bench.campaign(classes=["low", "high"], bounds=[(0, 1), (0, 10)])
    campaign.add([0.5, 1.0], "low")
    campaign.add([0.5, 9.0], "high")
    seen = look_inside(campaign.snapshot())
    density = np.array(seen["densities"]["high"])
    assert density.shape == (len(seen["ys"]), len(seen["xs"]))
    row, column = np.unravel_index(density.argmax(), density.shape)
    assert seen["ys"][row] == pytest.approx(9.0, abs=0.5)
    assert seen["xs"][column] == pytest.approx(0.5, abs=0.1)


def test_inside_says_what_it_cannot_show(bench: Bench) -> None:
    campaign = bench.campaign()
    with pytest.raises(Refused, match="after the first instance"):
        look_inside(campaign.snapshot())
    campaign.add([0.1, 0.2, 0.3], "left")
    for pair in ((0, 3), (1, 1)):
        with pytest.raises(Refused, match="are no two of 3 features"):
            look_inside(campaign.snapshot(), pair)


def test_inside_many_features_are_seen_two_at_a_time_or_along_components(bench: Bench) -> None:
    campaign = bench.campaign(bounds=None, features=["alpha", "beta", "gamma"])
    for i in range(12):
        campaign.add([float(i), 100.0 + i % 3, 5.0 * (i % 2)], CLASSES[i % 3])
    pair = look_inside(campaign.snapshot(), (2, 1))
    assert (pair["projected"], pair["names"], pair["of_features"]) == ("pair", ["gamma", "beta"], 3)
    assert pair["xs"][0] <= 0.0 < 5.0 <= pair["xs"][-1]
    assert pair["ys"][0] <= 100.0 < 102.0 <= pair["ys"][-1]
    assert pair["points"][1]["x"] == [5.0, 101.0]
    components = look_inside(campaign.snapshot())
    assert (components["projected"], components["n_features"]) == ("pca", 2)
    assert np.array(components["contributions"]["left"]).sum() > 0
    json.dumps([pair, components], allow_nan=False)


# -- many classes ----------------------------------------------------------------------


def many(bench: Bench, n_classes: int, n: int) -> StudioCampaign:
    """Make a campaign whose first classes are confused: each is taken for its neighbour."""
    labels = [f"sign {code}" for code in range(n_classes)]
    campaign = bench.campaign(classes=labels, bounds=None, strategy="uniform")
    codes = np.arange(n) % n_classes
    x = np.where(codes < 6, codes // 2, codes) + bench.rng.normal(0, 0.01, n)
    frame = pd.DataFrame({"label": [labels[code] for code in codes], "x0": x, "x1": x})
    campaign.add_table(frame)
    return campaign


def test_of_many_classes_the_worst_and_the_most_confused_are_shown(bench: Bench) -> None:
    campaign = many(bench, 60, 480)
    seen = bench.look(campaign)
    assert seen["n_classes"] == len(seen["labels"]) == 60
    assert len(seen["classes"]) == 50
    assert {row["label"] for row in seen["classes"][:6]} == {f"sign {code}" for code in range(6)}
    recalls = [row["recall"] for row in seen["classes"]]
    assert recalls == sorted(recalls)
    assert seen["confusion"]["matrix"] == [], "it is there in blocks"
    pairs = {frozenset((c["label"], c["taken_for"])) for c in seen["confusions"]}
    assert pairs == {frozenset((f"sign {i}", f"sign {i + 1}")) for i in (0, 2, 4)}
    assert set(seen["accuracy"][-1]["recall"]) == {str(row["label"]) for row in seen["classes"]}
    assert len(seen["utilities"]) <= 21
    assert seen["next"] in seen["utilities"]
    assert all(c["count"] <= c["of"] == 8 for c in seen["confusions"])


def test_classes_are_searched_and_ordered_page_by_page(bench: Bench) -> None:
    campaign = many(bench, 60, 480)
    campaign.add([1.0, 1.0], "sign 7")
    now = campaign.snapshot()
    found = bench.insights.left_out(campaign, now)

    def page(search: str, order: Any, page: slice) -> tuple[list[Any], int]:
        answer = page_of_rows(now, found, search, order, page)
        return [row["label"] for row in answer["classes"]], answer["total"]

    assert page("SIGN 1", "declared", slice(0, 3)) == (["sign 1", "sign 10", "sign 11"], 11)
    assert page("", "fewest", slice(59, 70)) == (["sign 7"], 60)
    assert page("", "name", slice(0, 3))[0] == ["sign 0", "sign 1", "sign 10"]
    assert page("", "worst", slice(6, 60))[0].count("sign 0") == 0
    assert page("nobody", "worst", slice(0, 3)) == ([], 0)


def test_blocks_of_the_matrix_add_up_to_it(bench: Bench) -> None:
    campaign = many(bench, 90, 450)
    now = campaign.snapshot()
    found = bench.insights.left_out(campaign, now)
    whole = block_of_confusion(now, found, 0, 0, 10**6)
    assert (whole["size"], whole["step"], len(whole["rows"])) == (90, 3, 30)
    assert sum(count for _, _, count in whole["cells"]) == found.confusion.sum()
    assert sum(whole["of"]) == 450
    part = block_of_confusion(now, found, 1, 80, 20)
    assert (part["row"], part["column"], part["step"]) == (1, 70, 1), "it stays inside"
    for i, j, count in part["cells"]:
        assert count == found.confusion[1 + i, 70 + j]


def test_at_two_thousand_classes_no_answer_is_large(bench: Bench) -> None:
    campaign = many(bench, 2000, 4000)
    campaign.ask_many(30)
    seen = bench.look(campaign)
    now = campaign.snapshot()
    found = bench.insights.left_out(campaign, now)
    answers = {
        "insight": seen,
        "inside": look_inside(now),
        "classes": page_of_rows(now, found, "", "worst", slice(0, 200)),
        "confusion": block_of_confusion(now, found, 0, 0, 2000),
        "pending": [shortened(request.to_json()) for request in campaign.pending()],
        "status": campaign.status().to_json(),
    }
    sizes = {name: len(json.dumps(answer)) for name, answer in answers.items()}
    assert max(sizes.values()) < 1_000_000, sizes


def test_asking_changes_nothing_that_is_known(bench: Bench) -> None:
    campaign = bench.campaign()
    bench.acquire(campaign, 6)
    before = bench.insights.left_out(campaign, campaign.snapshot())
    campaign.ask()
    assert bench.insights.left_out(campaign, campaign.snapshot()) is before
    campaign.retract(campaign.snapshot().ids[0], "noise")
    assert bench.insights.left_out(campaign, campaign.snapshot()) is not before
