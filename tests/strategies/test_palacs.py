"""PAL-ACS is the paper's Fig. 3, line by line, and shows how it decided."""

import warnings
from math import exp
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from palacs import PALACS, SpareSettled, VanishingKernelWarning, perf_gain

# The paper's Fig. 2: one class alone, two that overlap.
X = np.array([[0.10], [0.12], [0.14], [0.70], [0.76], [0.82], [0.72], [0.78], [0.80]])
Y = np.array(["rest"] * 3 + ["left"] * 3 + ["right"] * 3)


def kernel_frequency(x, instances, sigma):
    """Eq. 1 for one class."""
    return sum(
        exp(-sum((a - b) ** 2 for a, b in zip(x, other, strict=True)) / (2 * sigma**2))
        for other in instances
    )


def figure_3(X_pseudo, labelled, classes, sigma=0.05, M=3):
    """Lines 4-13 of the paper's pseudo code, transcribed."""
    k, pg = [], []
    for x in X_pseudo:
        k_vector = [
            kernel_frequency(x, [xi for xi, yi in labelled if yi == y], sigma) for y in classes
        ]
        k.append(k_vector)
        pg.append(perf_gain([k_vector], max_labels=M)[0] / len(X_pseudo))
    g = {}
    for y, label in enumerate(classes):
        g[label] = 0.0
        for i in range(len(X_pseudo)):
            g[label] += pg[i] * k[i][y] / sum(k[j][y] for j in range(len(X_pseudo)))
    return g


def labelled_set(seed, n_features, n_classes):
    rng = np.random.default_rng(seed)
    y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, 12)]
    return rng.normal(y[:, None] * 0.1, 0.1, (len(y), n_features)), y


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 1000),
    n_features=st.sampled_from([1, 2, 30]),
    n_classes=st.integers(2, 5),
    max_labels=st.integers(1, 4),
)
def test_utilities_are_those_of_the_papers_pseudo_code(seed, n_features, n_classes, max_labels):
    features, labels = labelled_set(seed, n_features, n_classes)
    strategy = PALACS(n_pseudo=5, max_labels=max_labels, bandwidth=0.2, random_state=seed)
    points = strategy.explain(features, labels).pseudo_instances
    literal = figure_3(
        points, list(zip(features, labels, strict=True)), range(n_classes), 0.2, max_labels
    )
    picks, utilities = strategy.query(features, labels, return_utilities=True)
    np.testing.assert_allclose(utilities, list(literal.values()), rtol=1e-9)
    assert literal[picks[0]] == pytest.approx(max(literal.values()))


@pytest.mark.parametrize("sampling", ["monte-carlo", "grid"])
@pytest.mark.parametrize("pending", [None, ["left", "rest", "left"]])
@pytest.mark.parametrize("seed", [0, 1])
def test_an_explanation_adds_up_to_the_utilities_of_the_query(sampling, pending, seed):
    strategy = PALACS(bandwidth=0.05, sampling=sampling, random_state=seed)
    classes = ["rest", "left", "right"]
    told = strategy.explain(X, Y, classes=classes, pending=pending)
    _, utilities = strategy.query(X, Y, classes=classes, pending=pending, return_utilities=True)
    np.testing.assert_allclose(told.utilities, utilities, rtol=1e-12)
    np.testing.assert_allclose(
        told.utilities, (told.gains * told.density_weights) @ told.class_weights, rtol=1e-12
    )
    assert told.classes.tolist() == classes
    np.testing.assert_allclose(told.class_weights.sum(axis=0), 1)
    np.testing.assert_allclose(told.density_weights.sum(), 1)
    np.testing.assert_allclose(told.gains, perf_gain(told.frequencies))
    assert told.frequencies.shape == (len(told.pseudo_instances), 3)


def test_pseudo_instances_are_drawn_from_every_class_alike():
    told = PALACS(bandwidth=0.05, random_state=0).explain(X, Y)
    assert np.bincount(told.drawn_from).tolist() == [25, 25, 25]
    for code, label in enumerate(told.classes):
        drawn = told.pseudo_instances[told.drawn_from == code]
        assert abs(drawn - X[label == Y].mean()).max() < 0.3


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("sampling", ["monte-carlo", "grid"])
def test_overlapping_classes_are_preferred_once_all_are_known(seed, sampling):
    strategy = PALACS(bandwidth=0.05, sampling=sampling, random_state=seed)
    assert strategy.query(X, Y)[0] in ("left", "right")


@pytest.mark.parametrize("sampling", ["monte-carlo", "grid"])
def test_the_least_known_class_is_requested_while_it_is_the_least_known(sampling):
    # As in the two columns of Fig. 2: what is known little is worth more than what overlaps.
    overlap = np.linspace(0.7, 0.9, 24)
    features = np.r_[0.1, overlap, 0.09, 0.11, 0.12][:, None]
    labels = np.array(["rest", *["left", "right"] * 12, "rest", "rest", "rest"])
    strategy = PALACS(200, bandwidth=0.05, sampling=sampling, random_state=0)
    assert strategy.query(features[:-3], labels[:-3]).tolist() == ["rest"]
    assert strategy.query(features, labels)[0] in ("left", "right")


@pytest.mark.parametrize("n_features", [1, 2, 3])
def test_the_grid_form_is_equation_6(n_features):
    features, labels = labelled_set(3, n_features, 3)
    strategy = PALACS(n_pseudo=7, bandwidth=0.2, sampling="grid")
    told = strategy.explain(features, labels)
    assert told.pseudo_instances.shape == (7**n_features, n_features)
    np.testing.assert_allclose(told.pseudo_instances.min(axis=0), features.min(axis=0) - 0.6)
    np.testing.assert_allclose(told.pseudo_instances.max(axis=0), features.max(axis=0) + 0.6)
    sets = [[x for x, y in zip(features, labels, strict=True) if y == c] for c in range(3)]
    k = np.array([[kernel_frequency(x, L, 0.2) for L in sets] for x in told.pseudo_instances])
    utilities = np.zeros(3)
    for i in range(len(k)):
        given_class = k[i] / k.sum(axis=0)  # P(x | L_y)
        density = given_class.mean()  # P(x | L), every class as important as any other
        utilities += density * given_class * perf_gain(k[i : i + 1])[0]
    np.testing.assert_allclose(told.utilities, utilities, rtol=1e-9)


def test_drawing_many_pseudo_instances_approaches_integrals_on_a_fine_grid():
    grid = PALACS(3_000, bandwidth=0.05, sampling="grid").explain(X, Y)
    # Fig. 3 divides by the column sum of points that already fall by density: its class weights
    # are P(x | L_y) relative to the average of P(x | L_y) over the density.
    integrals = grid.utilities / (grid.density_weights @ grid.class_weights)
    drawn = PALACS(20_000, bandwidth=0.05, random_state=0).explain(X, Y).utilities * 60_000
    np.testing.assert_allclose(drawn, integrals, rtol=0.02)


def test_what_is_pending_counts_as_if_it_had_arrived():
    strategy = PALACS(random_state=0)
    _, before = strategy.query(X, Y, return_utilities=True)
    _, after = strategy.query(X, Y, pending=["left"] * 5, return_utilities=True)
    assert after[0] < before[0]  # classes in sorted order: left, rest, right
    batch = PALACS(random_state=0).query(X, Y, batch_size=12).tolist()
    assert batch.count("left") >= 3
    assert batch.count("right") >= 3


def test_a_class_that_is_only_pending_has_no_density_and_no_utility():
    picks, utilities = PALACS(random_state=0).query(
        X, Y, classes=["rest", "left", "right", "new"], pending=["new"], return_utilities=True
    )
    assert utilities[3] == 0
    assert picks[0] != "new"


def test_in_ten_thousand_dimensions_utilities_stay_equal_and_finite():
    wide, labels = np.random.default_rng(0).random((9, 10_000)), np.arange(9) % 3
    _, utilities = PALACS(random_state=0).query(wide, labels, return_utilities=True)
    assert (utilities > 0).all()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_pseudo": 0}, r"'n_pseudo' .* in the range \[1, inf\). Got 0 instead"),
        ({"max_labels": 0}, r"'max_labels' .* in the range \[1, 1000\]. Got 0 instead"),
        ({"bandwidth": 0}, r"'bandwidth' .* in the range .* Got 0 instead"),
        ({"bandwidth": -1.0}, r"'bandwidth' .* in the range .* Got -1.0 instead"),
        ({"bandwidth": np.inf}, r"'bandwidth' .* in the range .* Got inf instead"),
        ({"sampling": "hexagonal"}, r"'sampling' .*'monte-carlo'.* Got 'hexagonal' instead"),
        ({"random_state": "seed"}, r"'random_state' .* Got 'seed' instead"),
    ],
)
def test_bad_parameters_are_refused_when_asked(params, message):
    for ask in (PALACS(**params).query, PALACS(**params).explain):
        with pytest.raises(ValueError, match=message):
            ask(X, Y)


def test_the_grid_refuses_many_features_and_names_the_other_form():
    with pytest.raises(ValueError, match=r'up to 3 features and X has 4; use sampling="monte'):
        PALACS(sampling="grid").query(np.zeros((2, 4)), ["a", "b"])


def test_there_is_nothing_to_explain_before_the_first_instance():
    with pytest.raises(ValueError, match="labelled set is empty; there is nothing to explain"):
        PALACS().explain([], [], classes=["a", "b"])


def test_a_model_inside_is_fitted_on_the_labels_so_that_its_parameters_may_name_them():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0.4, 0.1, (10, 1)), rng.normal(0.6, 0.1, (10, 1))])
    y = np.array(["zebra"] * 10 + ["ant"] * 10)

    def utilities(model, classes):
        strategy = PALACS(bandwidth=0.1, sampling="grid", classifier=model)
        _, found = strategy.query(X, y, classes=classes, return_utilities=True)
        return dict(zip(classes, found.tolist(), strict=True))

    # Priors are in the sorted order of the labels: "ant" first, however the classes are listed.
    for model in (
        GaussianNB(priors=[0.9, 0.1]),
        LogisticRegression(class_weight={"zebra": 20.0, "ant": 1.0}),
        make_pipeline(StandardScaler(), GaussianNB(priors=[0.9, 0.1])),
    ):
        one = utilities(model, ["zebra", "ant"])
        assert one == pytest.approx(utilities(model, ["ant", "zebra"]))
    assert one != pytest.approx(utilities(GaussianNB(priors=[0.1, 0.9]), ["zebra", "ant"]))


@pytest.mark.parametrize("value", [True, 2.0, 0])
def test_the_number_of_pseudo_instances_is_a_whole_number(value):
    with pytest.raises(ValueError, match="n_pseudo"):
        PALACS(n_pseudo=value).query([[0.0], [1.0]], ["a", "b"])


# -- units of the features -----------------------------------------------------------------


def in_other_units(n: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """One feature in thousands that says nothing, one in units that tells the classes apart."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    return np.column_stack([rng.normal(size=n) * 5000, y + rng.normal(0, 0.1, n)]), y


def test_the_default_bandwidth_is_the_datas() -> None:
    X, y = in_other_units()
    assert PALACS().bandwidth == "auto"
    for factor in (1e-6, 1e6):
        one = PALACS(random_state=0).query(X, y, return_utilities=True)[1]
        two = PALACS(random_state=0).query(X * factor, y, return_utilities=True)[1]
        np.testing.assert_allclose(one, two)


def test_a_kernel_too_narrow_for_the_data_is_told_with_the_remedy() -> None:
    X, y = in_other_units()
    told = r"bandwidths of 0\.05 away from any other.*bandwidth=\"auto\".*scale=True"
    with pytest.warns(VanishingKernelWarning, match=told) as caught:
        PALACS(bandwidth=0.05).query(X, y)
    assert caught[0].filename == __file__
    with pytest.warns(VanishingKernelWarning):
        PALACS(bandwidth=0.05).query(np.random.default_rng(0).random((30, 900)), y[:30])


@pytest.mark.parametrize("sampling", ["monte-carlo", "grid"])
def test_scaling_is_no_remedy_where_it_would_change_nothing(
    sampling: Literal["monte-carlo", "grid"],
) -> None:
    X, y = in_other_units()
    scaled = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    for features in (X, scaled):
        with pytest.warns(VanishingKernelWarning, match=r"Use bandwidth=\"auto\"\.$") as caught:
            PALACS(bandwidth=1e-9, sampling=sampling, random_state=0).query(features, y)
        assert caught[0].filename == __file__


def test_the_papers_bandwidth_gives_no_warning_where_features_are_scaled() -> None:
    X, y = in_other_units()
    narrow = PALACS(bandwidth=0.05, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in range(3, len(y) + 1):
            narrow.query(X[:n], y[:n], scale=True)
        PALACS(bandwidth=0.05).query(np.zeros((9, 2)), y[:9])
        PALACS(random_state=0).query(X, y)


def test_scaling_on_request_is_by_the_range_of_each_feature() -> None:
    X, y = in_other_units()
    by_hand = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    strategy = PALACS(random_state=0)
    asked = strategy.query(X, y, scale=True, return_utilities=True)[1]
    assert asked.tolist() == strategy.query(by_hand, y, return_utilities=True)[1].tolist()
    assert asked.tolist() != strategy.query(X, y, return_utilities=True)[1].tolist()
    seen = SpareSettled(random_state=0).explain(X, y, scale=True).mistaken
    assert seen.tolist() == SpareSettled(random_state=0).explain(by_hand, y).mistaken.tolist()
    assert seen.tolist() != SpareSettled(random_state=0).explain(X, y).mistaken.tolist()
    assert strategy.quotas(X, y, 9, scale=True) == strategy.quotas(by_hand, y, 9)
    told = PALACS(random_state=0).explain(X, y, scale=True)
    assert told.utilities.tolist() == PALACS(random_state=0).explain(by_hand, y).utilities.tolist()
    spare = SpareSettled(random_state=0)
    assert spare.explain(X, y, scale=True).reason == spare.explain(by_hand, y).reason
