"""Conditions of real acquisition hold for every strategy, alone and together."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from palacs import (
    PALACS,
    Conditions,
    DirichletGuess,
    ParzenWindowClassifier,
    ProportionalSelection,
    RandomSelection,
    Strategy,
    UniformSelection,
    learn_costs,
)
from palacs.strategies import available, from_spec, make, to_spec
from palacs.testing import strategy_checks

CLASSES = ["a", "b", "c"]
AN_ARRAY: Any = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 4.0], [5.0, 6.0, 0.0]])
RNG = np.random.default_rng(3)
Y = np.array(CLASSES)[np.arange(24) % 3]
X = np.clip(
    RNG.normal(np.searchsorted(["b", "c"], Y, "right")[:, None] / 4 + 0.2, 0.1, (24, 2)), 0, 1
)


def everyone(seed=0):
    for name in available():
        options = {"proportions": [1, 1, 1]} if name == "proportional" else {}
        yield pytest.param(make(name, random_state=seed, **options), id=name)


every_strategy = pytest.mark.parametrize("strategy", list(everyone()))


def utilities(strategy, conditions=None, **options):
    return strategy.query(X, Y, conditions=conditions, return_utilities=True, **options)[1]


def longest_run(labels):
    longest = run = 1
    for before, now in pairwise(labels):
        run = run + 1 if before == now else 1
        longest = max(longest, run)
    return longest


# -- nothing changes without conditions ------------------------------------------------------


@every_strategy
def test_empty_and_neutral_conditions_change_nothing(strategy):
    plain = utilities(strategy)
    assert np.array_equal(utilities(strategy, Conditions()), plain)
    neutral = Conditions(costs=dict.fromkeys(CLASSES, 1.0), caps={"a": 1000}, at_least_every=1000)
    assert np.allclose(utilities(strategy, neutral), plain, rtol=1e-9)


# -- costs -----------------------------------------------------------------------------------


@every_strategy
def test_utilities_are_per_cost(strategy):
    costs = {"a": 1, "b": 2, "c": 5}
    found = utilities(strategy, Conditions(costs=costs))
    assert np.allclose(found, utilities(strategy) / [1, 2, 5])


def test_drawn_strategies_draw_in_proportion_to_utility_per_cost():
    picks = RandomSelection(random_state=0).query(
        X, Y, batch_size=2000, conditions=Conditions(costs={"a": 1, "b": 1, "c": 5})
    )
    share = (picks == "c").mean()
    assert abs(share - 0.2 / 2.2) < 0.02


def test_a_loss_becomes_larger_with_cost_not_smaller():
    class Fewest(Strategy):
        def __init__(self, random_state=None):
            self.random_state = random_state

        def utilities(self, labelled, stream):
            return -1.0 - labelled.counts_with_pending.astype(float)

    picked = Fewest(random_state=0).query(
        X, Y, conditions=Conditions(costs={"a": 9, "b": 1, "c": 9})
    )
    assert picked.tolist() == ["b"]


def test_a_class_without_a_known_cost_costs_the_average_of_the_others():
    conditions = Conditions(costs={"a": 2, "b": 4})
    assert conditions.cost_of(CLASSES).tolist() == [2, 4, 3]


def test_costs_are_learned_from_durations_with_caution_where_there_are_few():
    costs = learn_costs({"a": [10.0] * 50, "b": [20.0] * 50, "c": [90.0], "d": []})
    assert abs(costs["a"] - 10) < 0.2
    assert abs(costs["b"] - 20) < 0.2
    assert 50 < costs["c"] < 60  # halfway to the mean of all, 15.7
    assert costs["d"] == pytest.approx(np.mean([10.0] * 50 + [20.0] * 50 + [90.0]))


@pytest.mark.parametrize(
    ("durations", "options", "message"),
    [
        ({"a": [0.0]}, {}, r"durations\['a'\] must be a finite number, positive, got 0.0"),
        ({"a": []}, {}, r"no recording at all"),
        ([1.0], {}, r"durations must map labels"),
        ({"a": [1.0]}, {"strength": 0}, r"strength must be a finite number, positive, got 0"),
    ],
)
def test_bad_durations_are_refused(durations, options, message):
    with pytest.raises(ValueError, match=message):
        learn_costs(durations, **options)


# -- proportions in use ----------------------------------------------------------------------


@every_strategy
def test_a_class_that_is_common_in_use_gains_weight(strategy):
    plain = utilities(strategy)
    weighted = utilities(strategy, Conditions(proportions={"a": 8, "b": 1, "c": 1}))
    assert weighted[0] / weighted[1:].sum() > plain[0] / plain[1:].sum()


@every_strategy
def test_only_the_ratio_of_proportions_matters(strategy):
    eight = utilities(strategy, Conditions(proportions={"a": 8, "b": 1, "c": 1}))
    shares = utilities(strategy, Conditions(proportions={"a": 0.8, "b": 0.1, "c": 0.1}))
    assert np.allclose(eight, shares, rtol=1e-9)


def test_a_guess_weighs_as_its_mean():
    guess = DirichletGuess({"a": 16, "b": 2, "c": 2})
    assert guess.mean == pytest.approx({"a": 0.8, "b": 0.1, "c": 0.1})
    known = Conditions(proportions=guess.mean)
    strategy = PALACS(random_state=0)
    assert np.allclose(
        utilities(strategy, Conditions(proportions=guess)), utilities(strategy, known)
    )


def test_few_counts_from_the_field_leave_a_guess_near_equal():
    few = DirichletGuess.from_counts({"a": 1, "b": 0, "c": 0}).mean
    many = DirichletGuess.from_counts({"a": 1000, "b": 0, "c": 0}).mean
    assert few == {"a": 0.5, "b": 0.25, "c": 0.25}
    assert many["a"] > 0.99


def test_the_model_takes_the_proportions_as_its_prior():
    conditions = Conditions(proportions={"a": 8, "b": 1, "c": 1})
    shares = conditions.share_of(CLASSES)
    assert shares.tolist() == [0.8, 0.1, 0.1]
    plain = ParzenWindowClassifier(0.2, class_prior="uniform").fit(X, Y)
    told = ParzenWindowClassifier(0.2, class_prior=shares).fit(X, Y)
    assert (told.predict(X) == "a").sum() > (plain.predict(X) == "a").sum()


# -- costs of mistakes -----------------------------------------------------------------------


@every_strategy
def test_equal_costs_of_mistakes_change_nothing(strategy):
    equal = Conditions(mistakes=[[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    assert np.allclose(utilities(strategy, equal), utilities(strategy), rtol=1e-12)


@every_strategy
def test_a_class_that_is_costly_to_miss_gains_weight(strategy):
    # The last class, which "no repeat" does not request, is c.
    grave = Conditions(mistakes={"b": {"a": 10, "c": 10}})
    weighted, plain = utilities(strategy, grave), utilities(strategy)
    assert weighted[1] / weighted[0] > plain[1] / plain[0]


def test_mistakes_by_label_and_as_a_matrix_are_the_same():
    by_label = Conditions(mistakes={"a": {"c": 7}, "b": {"a": 0.5}})
    matrix = [[0.0, 1.0, 7.0], [0.5, 0.0, 1.0], [1.0, 1.0, 0.0]]
    assert by_label.mistakes_of(CLASSES).tolist() == matrix
    strategy = PALACS(random_state=1)
    assert np.array_equal(
        utilities(strategy, by_label), utilities(strategy, Conditions(mistakes=matrix))
    )


def test_decisions_are_those_of_least_expected_cost():
    conditions = Conditions(mistakes={"c": {"a": 10, "b": 10}})
    decided = conditions.decide([[0.8, 0.0, 0.2], [0.9, 0.08, 0.02]], CLASSES)
    assert decided.tolist() == ["c", "a"]


# -- limits ----------------------------------------------------------------------------------


@every_strategy
def test_caps_count_instances_and_what_is_pending(strategy):
    caps = {"a": 10, "b": 8, "c": 12}
    conditions = Conditions(caps=caps)
    picks = strategy.query(X, Y, pending=["a"], batch_size=5, conditions=conditions)
    assert sorted(picks.tolist()) == ["a", "c", "c", "c", "c"]
    with pytest.raises(ValueError, match=r"its cap, caps=\{'a': 10, 'b': 8, 'c': 12\}; raise"):
        strategy.query(X, Y, pending=["a"], batch_size=6, conditions=conditions)


@every_strategy
@pytest.mark.parametrize("r", [1, 2])
def test_no_class_comes_more_than_r_times_in_a_row(strategy, r):
    conditions = Conditions(max_repeat=r, costs={"a": 1, "b": 50, "c": 90})
    picks = strategy.query(X, Y, batch_size=30, conditions=conditions).tolist()
    allowed = 1 if strategy.get_params().get("allow_repeat") is False else r
    assert longest_run([*Y.tolist(), *picks]) == allowed


def test_the_last_instances_and_requests_count_as_repetitions():
    strategy = UniformSelection(random_state=0)
    conditions = Conditions(max_repeat=2)
    told, waiting = ["a", "b", "c", "b"], ["b"]
    picked = strategy.query(
        X[:4], told, classes=CLASSES, pending=waiting, candidates=["a", "b"], conditions=conditions
    )
    assert picked.tolist() == ["a"]
    with pytest.raises(ValueError, match=r"only 'b' may be requested, .* max_repeat=2; allow"):
        strategy.query(
            X[:4], told, classes=CLASSES, pending=waiting, candidates=["b"], conditions=conditions
        )


@every_strategy
@pytest.mark.parametrize("n", [3, 4, 7])
def test_every_class_comes_at_least_once_in_every_n_requests(strategy, n):
    conditions = Conditions(at_least_every=n, costs={"a": 1, "b": 500, "c": 900})
    picks = strategy.query(X, Y, batch_size=40, conditions=conditions).tolist()
    order = [*Y.tolist(), *picks]
    for start in range(len(order) - n + 1):
        assert set(order[start : start + n]) == set(CLASSES)
    if not strategy.drawn and n == 7:
        assert picks.count("a") > picks.count("c")


def test_all_limits_hold_together():
    conditions = Conditions(
        caps={"b": 12}, max_repeat=2, at_least_every=6, costs={"a": 1, "b": 3, "c": 9}
    )
    for seed in range(5):
        picks = PALACS(random_state=seed).query(X, Y, batch_size=30, conditions=conditions).tolist()
        assert picks.count("b") == 4
        assert longest_run(picks) <= 2
        after_cap = picks[max(i for i, pick in enumerate(picks) if pick == "b") :]
        assert all({"a", "c"} <= set(after_cap[i : i + 6]) for i in range(len(after_cap) - 5))


def test_more_classes_than_requests_is_refused():
    with pytest.raises(ValueError, match=r"at_least_every=2 cannot hold for 3 classes: .* raise"):
        UniformSelection().query(X, Y, conditions=Conditions(at_least_every=2))
    allowed = UniformSelection().query(
        X, Y, candidates=["a", "b"], conditions=Conditions(at_least_every=2)
    )
    assert allowed[0] in ("a", "b")


def test_classes_that_are_overdue_come_first():
    order = ["a", "b", "c", *"aaaaaa"]
    picks = RandomSelection(random_state=0).query(
        X[:9], order, batch_size=2, conditions=Conditions(at_least_every=4)
    )
    assert sorted(picks.tolist()) == ["b", "c"]


def test_a_class_temporarily_unavailable_is_no_candidate_and_never_due():
    conditions = Conditions(at_least_every=3)
    picks = UniformSelection(random_state=0).query(
        X, Y, candidates=["a", "b"], batch_size=8, conditions=conditions
    )
    assert set(picks.tolist()) == {"a", "b"}


# -- batches and quotas ----------------------------------------------------------------------


@every_strategy
def test_quotas_are_whole_numbers_for_every_class(strategy):
    quotas = strategy.quotas(X, Y, 10)
    assert sum(quotas.values()) == 10
    assert list(quotas) == CLASSES
    picks = strategy.query(X, Y, batch_size=10).tolist()
    assert quotas == {label: picks.count(label) for label in CLASSES}


def test_a_batch_is_not_many_times_the_same_class():
    for seed in range(5):
        quotas = PALACS(random_state=seed).quotas(X, Y, 30)
        assert max(quotas.values()) <= 20


# -- new and dropped classes -----------------------------------------------------------------


@every_strategy
def test_a_class_that_appears_in_the_middle_is_requested_first(strategy):
    if isinstance(strategy, ProportionalSelection):
        strategy = ProportionalSelection([1, 1, 1, 1], random_state=0)
    conditions = Conditions(costs={"a": 1, "b": 2, "c": 3}, proportions={"a": 1, "b": 1, "c": 2})
    picks, found = strategy.query(
        X, Y, classes=[*CLASSES, "new"], conditions=conditions, return_utilities=True
    )
    assert picks.tolist() == ["new"]
    assert np.isposinf(found[3])


@every_strategy
def test_a_dropped_class_is_not_requested_and_its_instances_still_count(strategy):
    kept = strategy.query(X, Y, classes=CLASSES, candidates=["a", "b"], batch_size=9)
    assert "c" not in kept
    found = utilities(strategy, candidates=["a", "b"])
    assert np.isnan(found[2])
    assert np.array_equal(found[:2], utilities(strategy)[:2])


# -- any model -------------------------------------------------------------------------------

MODELS = {
    "naive Bayes": GaussianNB(),
    "scaled": make_pipeline(StandardScaler(), LogisticRegression()),
    "projected": make_pipeline(PCA(1), GaussianNB()),
    "learned distance": make_pipeline(
        NeighborhoodComponentsAnalysis(n_components=1, max_iter=5, random_state=0), GaussianNB()
    ),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_any_model_drives_pal_acs(model):
    strategy = PALACS(classifier=model, bandwidth="auto", random_state=0)
    found = utilities(strategy)
    assert np.isfinite(found).all()
    assert (found >= 0).all()
    again = from_spec(json.loads(json.dumps(to_spec(strategy))))
    assert np.array_equal(utilities(again), found)
    assert len(
        strategy.query(X, Y, pending=["a"], batch_size=4, conditions=Conditions(max_repeat=1))
    )


@pytest.mark.parametrize("check", strategy_checks(), ids=lambda check: check.__name__)
def test_pal_acs_with_a_model_keeps_the_contract(check):
    check(PALACS(classifier=GaussianNB(), bandwidth="auto"))


def test_the_kernels_own_proportions_as_model_give_the_papers_pal_acs():
    model = ParzenWindowClassifier(0.1)
    for seed in range(3):
        ours = PALACS(bandwidth=0.1, random_state=seed)
        same = PALACS(bandwidth=0.1, classifier=model, random_state=seed)
        assert np.allclose(utilities(ours), utilities(same), rtol=1e-9)


def test_a_model_that_is_sure_leaves_little_to_gain():
    sure = PALACS(classifier=GaussianNB(), bandwidth=0.3, random_state=0)
    kernel = PALACS(bandwidth=0.3, random_state=0)
    separated = np.where(Y == "a", 0.1, np.where(Y == "b", 0.5, 0.9))[:, None] + 0.001 * X[:, :1]
    assert (
        sure.query(separated, Y, return_utilities=True)[1].sum()
        < kernel.query(separated, Y, return_utilities=True)[1].sum()
    )


def test_a_model_that_cannot_learn_from_so_little_says_so():
    strategy = PALACS(classifier=make_pipeline(PCA(5), GaussianNB()))
    with pytest.raises(ValueError, match=r"PCA\(n_components=5.* cannot be fitted on 24"):
        strategy.query(X, Y)


def test_an_explanation_under_conditions_shows_the_utilities_of_the_query():
    conditions = Conditions(
        costs={"a": 1, "b": 1, "c": 5},
        proportions={"a": 8, "b": 1, "c": 1},
        mistakes={"c": {"a": 4}},
    )
    for sampling in ("monte-carlo", "grid"):
        strategy = PALACS(sampling=sampling, random_state=2)
        shown = strategy.explain(X, Y, conditions=conditions)
        assert np.allclose(shown.utilities, utilities(strategy, conditions), rtol=1e-9)


# -- values ----------------------------------------------------------------------------------

FULL = Conditions(
    costs={"a": 1, "b": 2.5},
    proportions={"a": 8, "b": 1, "c": 1},
    mistakes={"a": {"b": 3}},
    caps={"c": 4},
    max_repeat=3,
    at_least_every=9,
)


@pytest.mark.parametrize(
    "conditions",
    [
        Conditions(),
        FULL,
        Conditions(costs={1: 2.0, 3: 1.0}, caps={3: 9}, mistakes={1: {3: 2.0}}),
        Conditions(proportions=DirichletGuess({"a": 2, "b": 1})),
        Conditions(proportions=DirichletGuess({0: 2, 1: 1}), mistakes=[[0, 2], [1, 0]]),
        Conditions(mistakes=AN_ARRAY),
    ],
    ids=range(6),
)
def test_conditions_survive_json(conditions):
    text = json.dumps(conditions.to_dict(), allow_nan=False)
    assert Conditions.from_dict(json.loads(text)) == conditions


def test_hand_written_json_is_read():
    read = Conditions.from_dict(
        json.loads('{"costs": {"a": 1, "b": 5}, "dirichlet": {"a": 3, "b": 1}, "max_repeat": 2}')
    )
    assert read.cost_of(["b", "a"]).tolist() == [5, 1]
    assert read.share_of(["b", "a"]).tolist() == [0.25, 0.75]


@dataclass(frozen=True)
class _AtLeast(Conditions):
    least: Mapping[Any, int] | None = field(
        default=None, metadata={"help": "fewest instances of a class", "by_label": True}
    )


def test_a_field_of_ones_own_that_maps_labels_survives_json_and_new_labels():
    conditions = _AtLeast(caps={1: 5}, least={1: 2, 2: 3})
    text = json.dumps(conditions.to_dict())
    assert _AtLeast.from_dict(json.loads(text)) == conditions
    assert conditions.relabelled({1: "a", 2: "b"}) == _AtLeast(
        caps={"a": 5}, least={"a": 2, "b": 3}
    )


def test_labels_can_be_replaced_by_codes():
    coded = FULL.relabelled({"a": 0, "b": 1, "c": 2})
    assert coded.costs == {0: 1, 1: 2.5}
    assert coded.mistakes == {0: {1: 3}}
    assert np.array_equal(coded.share_of([0, 1, 2]), FULL.share_of(CLASSES))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"costs": {"a": 0}}, r"costs\['a'\] must be a finite number, positive, got 0"),
        ({"costs": {"a": np.inf}}, r"costs\['a'\] must be a finite number, positive, got inf"),
        ({"costs": {"a": "1"}}, r"costs\['a'\] .* got '1'"),
        ({"costs": [1, 2]}, r"costs must map labels to values, got \[1, 2\]"),
        ({"costs": {}}, r"costs must map labels"),
        ({"proportions": {"a": -1}}, r"proportions\['a'\] must be .* not negative, got -1"),
        ({"proportions": {"a": 0, "b": 0}}, r"all zero; some class must occur"),
        ({"mistakes": [[0, 1], [1, 2]]}, r"2.0 on its diagonal"),
        ({"mistakes": {"a": {"b": -2}}}, r"mistakes\['a'\]\['b'\] .* not negative, got -2"),
        ({"mistakes": 3}, r"mistakes has shape"),
        ({"caps": {"a": 1.5}}, r"caps\['a'\] must be a whole number of at least 0, got 1.5"),
        ({"max_repeat": 0}, r"max_repeat must be a whole number of at least 1, got 0"),
        ({"at_least_every": 1}, r"at_least_every must be a whole number of at least 2, got 1"),
    ],
)
def test_bad_values_are_refused_when_conditions_are_made(fields, message):
    with pytest.raises(ValueError, match=message):
        Conditions(**fields)


@pytest.mark.parametrize(
    "conditions",
    [
        Conditions(costs={"d": 1}),
        Conditions(proportions={"d": 1}),
        Conditions(mistakes={"a": {"d": 1}}),
        Conditions(caps={"d": 1}),
    ],
    ids=["costs", "proportions", "mistakes", "caps"],
)
def test_a_label_that_is_no_class_is_refused(conditions):
    with pytest.raises(ValueError, match=r"name 'd', which is not one of the classes .*; correct"):
        PALACS().query(X, Y, conditions=conditions)


def test_conditions_of_another_kind_or_size_are_refused():
    unread: Any = {"max_repeat": 2}
    with pytest.raises(ValueError, match=r"are no palacs.Conditions; Conditions.from_dict reads"):
        PALACS().query(X, Y, conditions=unread)
    with pytest.raises(ValueError, match=r"shape \(2, 2\), but there are 3 classes"):
        PALACS().query(X, Y, conditions=Conditions(mistakes=[[0, 1], [1, 0]]))
    with pytest.raises(ValueError, match=r"name 'cost', which is no field; the fields are costs"):
        Conditions.from_dict({"cost": {"a": 1}})
    with pytest.raises(ValueError, match=r"both proportions and dirichlet"):
        Conditions.from_dict({"proportions": {"a": 1}, "dirichlet": {"a": 1}})
    with pytest.raises(ValueError, match=r"concentration\['a'\] must be a finite number, positive"):
        DirichletGuess({"a": 0})
