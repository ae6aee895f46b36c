"""Torch tensors: the same answers as NumPy's, in the caller's namespace, on the caller's device."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from palacs import PALACS, ParzenWindowClassifier, SpareSettled, kernel_frequencies, perf_gain
from palacs.arrays import draws
from palacs.arrays._exponents import split_instances, split_queries
from palacs.conditions import Conditions
from palacs.evidence import learning_curve, normalise
from palacs.kernel import VanishingKernelWarning, auto_bandwidth, similarities
from palacs.strategies import BalancedGain, Strategy
from palacs.stream import PENDING, Stream, fill_normal, uniform

torch = pytest.importorskip("torch")
Instances = tuple[np.ndarray, np.ndarray]

# Sizes where something ends or begins: one instance, one per class, more classes than instances,
# few and many features, fewer directions than features, more instances than a bandwidth rests on.
SIZES = [(1, 2, 1), (3, 2, 3), (40, 2, 4), (9, 1, 2), (30, 24, 5), (30, 25, 5), (60, 300, 60)]
SIZES += [(40, 24, 20), (700, 40, 3)]
ANY = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


@st.composite
def labelled_sets(draw: Any) -> Instances:
    n, n_features, n_classes = draw(st.sampled_from(SIZES))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = np.concatenate([np.arange(n_classes), random.integers(0, n_classes, n - n_classes)])
    y = random.permutation(y)
    # Beyond that products of rows lose digits, NumPy's as well; few features do without them.
    spread = draw(st.sampled_from([0.0, 0.3, 3.0] + [1e4] * (n_features <= 24)))
    X = spread * random.normal(size=(n_classes, n_features))[y] + random.normal(
        size=(n, n_features)
    )
    X = X * draw(st.sampled_from([1.0, 1e-6, 1e6]))
    copies = draw(st.integers(0, min(n, 4)))
    X[n - copies :] = X[0]
    return X, y


def keeps_its_digits(X: np.ndarray, bandwidth: float) -> bool:
    """Whether products of rows leave ten digits of the exponents; else NumPy errs by up to 1e-6."""
    spread = float(((X - X.mean(axis=0)) ** 2).sum(axis=1).max())
    return X.shape[1] <= 24 or spread / bandwidth**2 < 1e5


def alike(found: Any, expected: np.ndarray) -> None:
    assert isinstance(found, torch.Tensor)
    assert found.dtype == torch.float64
    largest = float(np.abs(expected).max(initial=0.0))
    assert_allclose(found.numpy(), expected, rtol=1e-10, atol=1e-10 * largest)


@ANY
@given(st.integers(1, 40), st.sampled_from([1, 2, 3]), st.integers(0, 2**32 - 1))
def test_gains_of_a_tensor_are_those_of_the_array(n_classes: int, labels: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    k = random.exponential(3.0, (30, n_classes))
    k[10:20] = random.integers(0, 4, (10, n_classes))
    k[0], k[1, 0] = 0.0, 1e12
    alike(perf_gain(torch.tensor(k), max_labels=labels), perf_gain(k, max_labels=labels))


def test_gains_of_many_labels_or_under_costs_of_mistakes_are_those_of_the_array() -> None:
    k, mistakes = np.array([[2.0, 1.0], [0.0, 0.5]]), [[0.0, 3.0], [1.0, 0.0]]
    expected = perf_gain(k, mistakes=mistakes)
    alike(perf_gain(torch.tensor(k), mistakes=mistakes), expected)
    alike(perf_gain(torch.tensor(k), mistakes=torch.tensor(mistakes)), expected)
    alike(perf_gain(torch.tensor(k), max_labels=4), perf_gain(k, max_labels=4))


@ANY
@given(labelled_sets(), st.sampled_from([0.3, 2.0, 50.0]))
def test_kernel_frequencies_of_a_tensor_are_those_of_the_array(
    instances: Instances, bandwidth: float
) -> None:
    X, y = instances
    assume(keeps_its_digits(X, bandwidth))
    n_classes = int(y.max()) + 2  # the last has no instance
    near = X[:7] + 0.1
    expected = kernel_frequencies(near, X, y, n_classes=n_classes, bandwidth=bandwidth)
    for codes in (y, torch.tensor(y)):
        found = kernel_frequencies(
            torch.tensor(near), torch.tensor(X), codes, n_classes=n_classes, bandwidth=bandwidth
        )
        alike(found, expected)
    alike(
        similarities(torch.tensor(near), X, bandwidth=bandwidth),
        similarities(near, X, bandwidth=bandwidth),
    )


@pytest.mark.filterwarnings("ignore:The number of unique classes")
@ANY
@given(labelled_sets(), st.sampled_from(["auto", 1.0]), st.sampled_from([None, "uniform"]))
def test_a_parzen_window_of_tensors_answers_as_one_of_arrays(
    instances: Instances, bandwidth: Any, prior: Any
) -> None:
    X, y = instances
    near = np.concatenate([X[:9] + 0.5 * X.std(), X[:2] + 30.0 * X.std()])
    assume(bandwidth == "auto" or keeps_its_digits(near, bandwidth))
    weights = 1.0 + np.arange(len(y)) % 3
    weights[1::5] = 0.0
    for sample_weight in (None, weights):
        model = ParzenWindowClassifier(bandwidth=bandwidth, class_prior=prior)
        expected = model.fit(X, y, sample_weight)
        proba, freq, answers = (
            getattr(expected, f"predict{of}")(near) for of in ("_proba", "_freq", "")
        )
        width = expected.bandwidth_
        fitted = model.fit(torch.tensor(X), torch.tensor(y), sample_weight)
        assert fitted.bandwidth_ == pytest.approx(width, rel=1e-10)
        alike(fitted.predict_proba(torch.tensor(near)), proba)
        alike(fitted.predict_freq(torch.tensor(near)), freq)
        assert fitted.predict(torch.tensor(near)).tolist() == answers.tolist()


STRATEGIES: list[Strategy] = [
    PALACS(random_state=3),
    PALACS(random_state=3, bandwidth=1.5, n_pseudo=5),
    PALACS(random_state=3, max_labels=5, n_pseudo=5),
    SpareSettled(random_state=3),
    SpareSettled(ParzenWindowClassifier(bandwidth=1.0), random_state=3),
]


@pytest.mark.filterwarnings("ignore::palacs.VanishingKernelWarning")
@ANY
@given(labelled_sets(), st.sampled_from(STRATEGIES), st.booleans(), st.booleans())
def test_a_strategy_decides_on_a_tensor_as_on_the_array(
    instances: Instances, strategy: Strategy, waiting: bool, scale: bool
) -> None:
    X, y = instances
    assume(keeps_its_digits(normalise(X) if scale else X, 1.0))
    classes = np.arange(max(int(y.max()) + 1, 2))
    pending = [0, 0, 1] if waiting else ([1] if len(np.unique(y)) == 1 else None)
    picked, expected = strategy.query(
        X, y, classes=classes, pending=pending, scale=scale, return_utilities=True
    )
    for labels in (y, torch.tensor(y)):
        again, found = strategy.query(
            torch.tensor(X),
            labels,
            classes=torch.tensor(classes),
            pending=pending,
            scale=scale,
            return_utilities=True,
        )
        assert isinstance(again, np.ndarray)
        alike(found, expected)
        assert again.tolist() == picked.tolist()


@ANY
@given(st.integers(0, 2**32 - 1))
@example(17)
def test_a_factor_of_fewer_directions_than_features_is_the_same(seed: int) -> None:
    # What rounding leaves of a covariance without full rank once was a direction here, not there.
    random = np.random.default_rng(seed)
    y = np.concatenate([np.arange(20), random.integers(0, 20, 20)])
    X = random.normal(size=(40, 24))
    strategy = PALACS(random_state=seed)
    picked, expected = strategy.query(X, y, return_utilities=True)
    again, found = strategy.query(torch.tensor(X), y, return_utilities=True)
    alike(found, expected)
    assert again == picked


def test_a_kernel_that_is_far_too_narrow_still_knows_the_nearest() -> None:
    # Nothing that it reaches can be added to the squared distance of the nearest.
    random = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = 1e9 * (random.normal(size=(60, 2)) + y[:, None])
    strategy = SpareSettled(ParzenWindowClassifier(bandwidth=1.0), random_state=0)
    _, expected = strategy.query(X, y, return_utilities=True)
    _, found = strategy.query(torch.tensor(X), y, return_utilities=True)
    alike(found, expected)


def test_a_subclass_of_tensor_is_a_tensor() -> None:
    annotated = type("Annotated", (torch.Tensor,), {"__module__": "of_somebody"})
    random = np.random.default_rng(0)
    X, y = random.normal(size=(30, 3)), np.arange(30) % 3
    for strategy in (PALACS(random_state=0), SpareSettled(random_state=0)):
        _, expected = strategy.query(X, y, return_utilities=True)
        _, found = strategy.query(torch.tensor(X).as_subclass(annotated), y, return_utilities=True)
        alike(found, expected)


def test_of_many_instances_the_same_are_looked_at() -> None:
    random = np.random.default_rng(4)
    y = random.permutation(np.arange(4_200) % 30)
    X = random.normal(size=(30, 30))[y] + random.normal(size=(4_200, 30))
    strategy = SpareSettled(random_state=2)
    picked, expected = strategy.query(X, y, return_utilities=True)
    again, found = strategy.query(torch.tensor(X), y, return_utilities=True)
    alike(found, expected)
    assert again.tolist() == picked.tolist()


@pytest.mark.parametrize("strategy", [PALACS(random_state=0), SpareSettled(random_state=0)])
def test_float32_stays_float32_and_decides_alike(strategy: Strategy) -> None:
    random = np.random.default_rng(5)
    for n_features in (2, 64):
        y = np.arange(90) % 6
        X = (random.normal(size=(6, n_features))[y] + random.normal(size=(90, n_features))).astype(
            np.float32
        )
        picked, expected = strategy.query(X.astype(np.float64), y, return_utilities=True)
        found: Any
        again, found = strategy.query(torch.tensor(X), y, return_utilities=True)
        assert found.dtype == torch.float32
        assert_allclose(found.numpy(), expected, rtol=1e-3)
        assert again.tolist() == picked.tolist()


@pytest.mark.parametrize("strategy", [PALACS(random_state=1), SpareSettled(random_state=1)])
def test_few_float32_numbers_of_any_size_decide_as_those_of_an_array(strategy: Strategy) -> None:
    random = np.random.default_rng(6)
    for n_features in (2, 25):
        y = np.arange(40) % 20
        X = random.normal(size=(40, n_features)) * 10.0 ** random.integers(-6, 7, n_features)
        X[7] *= 1e5
        X = X.astype(np.float32)
        expected, utilities = strategy.query(X, y, batch_size=5, return_utilities=True)
        picked, found = strategy.query(torch.tensor(X), y, batch_size=5, return_utilities=True)
        assert picked.tolist() == expected.tolist()
        assert_allclose(np.asarray(found), utilities, rtol=1e-6)


def test_float32_keeps_its_digits_far_from_the_origin_and_with_a_narrow_kernel() -> None:
    random = np.random.default_rng(6)
    X = (1e3 + random.normal(size=(50, 40))).astype(np.float32)
    near, y = X + np.float32(1e-3), np.arange(50) % 2
    exact = kernel_frequencies(near, X, y, n_classes=2, bandwidth=0.01)
    found = kernel_frequencies(torch.tensor(near), torch.tensor(X), y, n_classes=2, bandwidth=0.01)
    assert_allclose(found, exact, rtol=1e-4)


def test_products_of_halves_are_as_exact_as_float32() -> None:
    random = torch.Generator().manual_seed(0)
    for unit in (1e-5, 1.0, 1e5):
        X, near = (torch.randn(200, 768, generator=random) * unit for _ in range(2))
        scale = 0.3 / unit**2
        norms = X.square().sum(1)
        left = split_instances(X * scale**0.5, -0.5 * scale * norms)
        right = split_queries(near * scale**0.5, left.shape[1])
        assert left.shape[1] % 8 == 0
        wide = scale * (X.double() @ near.double().T - 0.5 * norms.double()[:, None])
        plain = scale * (X @ near.T - 0.5 * norms[:, None])
        # The sums are float32's on a GPU, and are here.
        found = left.float() @ right.float().T
        assert (found - wide).abs().max() <= 2.0 * (plain - wide).abs().max()


def test_random_numbers_beside_a_tensor_are_those_of_the_stream() -> None:
    for seed, step in ((0, 1), (2**64 - 1, 2**63), (987654321987654321, 100_000)):
        stream = Stream(np.uint64(seed), np.uint64(step))
        for n in (0, 1, 4, 7):
            first, weights, picked = draws(stream, PENDING, torch.tensor([5, 2**40]), n, 3)
            for row, block in enumerate((5, 2**40)):
                assert float(first[row]) == uniform(stream, PENDING, block)
                out = np.empty(n)
                after = fill_normal(stream, PENDING, block + 1, out)
                assert_allclose(weights[row], out, rtol=1e-14)
                expected = [uniform(stream, PENDING, after + t) for t in range(3)]
                assert picked[row].tolist() == expected


def test_explanations_and_conditions_work_on_tensors() -> None:
    random = np.random.default_rng(1)
    y = np.arange(30) % 3
    X = random.normal(size=(30, 30)) + y[:, None]
    tensor = torch.tensor(X)
    conditions = Conditions(proportions={0: 5, 1: 1, 2: 1}, costs={0: 1.0, 1: 2.0, 2: 1.0})
    strategy = PALACS(random_state=1)
    for given_conditions in (None, conditions):
        shown, expected = (
            strategy.explain(of, y, conditions=given_conditions) for of in (tensor, X)
        )
        assert_allclose(shown.pseudo_instances, expected.pseudo_instances, rtol=1e-10, atol=1e-10)
        assert_allclose(shown.utilities, expected.utilities, rtol=1e-10)
    needs, same = (SpareSettled(random_state=1).explain(of, y) for of in (tensor, X))
    assert needs.reason == same.reason
    assert strategy.quotas(tensor, y, 4) == strategy.quotas(X, y, 4)


def test_a_strategy_that_takes_no_tensors_gets_arrays() -> None:
    random = np.random.default_rng(2)
    X, y = random.normal(size=(20, 3)), np.arange(20) % 4
    for strategy in (BalancedGain(random_state=0), PALACS(sampling="grid", n_pseudo=4)):
        expected = strategy.query(X, y, return_utilities=True)[1]
        alike(strategy.query(torch.tensor(X), y, return_utilities=True)[1], expected)


def test_what_computes_on_the_cpu_takes_tensors_as_arrays() -> None:
    random = np.random.default_rng(7)
    X, y = random.normal(size=(30, 3)), np.arange(30) % 3
    tensor = torch.tensor(X, requires_grad=True)
    width = auto_bandwidth(tensor, torch.tensor(y), n_classes=3)
    assert width == auto_bandwidth(X, y, n_classes=3)
    curve, same = (learning_curve(of, y) for of in (tensor, X))
    assert repr(curve) == repr(same)


def test_a_kernel_that_vanishes_is_said_of_tensors_too() -> None:
    X, y = torch.randn(40, 30, generator=torch.Generator().manual_seed(1)), np.arange(40) % 2
    with pytest.warns(VanishingKernelWarning, match="bandwidths of 0.01"):
        PALACS(bandwidth=0.01, random_state=0).query(X, y)


def test_a_bandwidth_fits_instances_without_any_distance() -> None:
    X, y = np.ones((6, 30)), np.arange(6) % 2
    model = ParzenWindowClassifier(bandwidth="auto").fit(torch.tensor(X), y)
    assert model.bandwidth_ == auto_bandwidth(X, y, n_classes=2)
    assert PALACS(random_state=0).query(torch.tensor(X), y) == PALACS(random_state=0).query(X, y)


def test_labels_stay_in_their_namespace_and_text_is_text() -> None:
    X = torch.tensor([[0.0], [0.1], [1.0]])
    model = ParzenWindowClassifier(bandwidth=0.1).fit(X, ["a", "a", "b"])
    assert model.predict(X).tolist() == ["a", "a", "b"]
    assert isinstance(model.classes_, np.ndarray)
    numbers = model.fit(X, torch.tensor([5, 5, 7]))
    assert torch.equal(numbers.predict(X), torch.tensor([5, 5, 7]))
    assert numbers.predict_proba(X).dtype == X.dtype
    assert torch.equal(numbers.class_count_, torch.tensor([2.0, 1.0]))


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (lambda: torch.tensor([[0.0, float("nan")]]), "row 0, column 1"),
        (lambda: torch.tensor([1.0, 2.0]), "shape"),
        (lambda: torch.eye(2).to_sparse(), "to_dense"),
        (lambda: torch.eye(2, dtype=torch.complex64), "real"),
    ],
)
def test_what_cannot_be_features_is_refused_by_name(bad: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        kernel_frequencies(bad(), torch.eye(2), [0, 1], n_classes=2, bandwidth=1.0)
    with pytest.raises(ValueError, match=said):
        SpareSettled().query(bad(), [0, 1])


def test_bad_counts_and_mixed_places_are_refused() -> None:
    with pytest.raises(ValueError, match="k holds -1 in row 0, column 1"):
        perf_gain(torch.tensor([[0.0, -1.0]]))
    with pytest.raises(ValueError, match="max_labels must be a whole number"):
        # Wrong on purpose: types do not stop a caller.
        perf_gain(torch.ones(1, 2), max_labels="3")  # type: ignore[arg-type]
    X = torch.eye(3)
    model = ParzenWindowClassifier().fit(X, [0, 1, 2])
    with pytest.raises(ValueError, match="a NumPy array and the classifier was fitted on a torch"):
        model.predict(X.numpy())
    with pytest.raises(ValueError, match=r"X\.cpu\(\)\.numpy\(\)"):
        ParzenWindowClassifier().fit(X.numpy(), [0, 1, 2]).predict(X)


def test_gradients_and_half_precision_do_not_get_in_the_way() -> None:
    X = torch.randn(12, 30, generator=torch.Generator().manual_seed(3), requires_grad=True)
    y = np.arange(12) % 3
    found: Any
    for tensor in (X, X.detach().bfloat16(), X.detach().half()):
        picked, found = SpareSettled(random_state=0).query(tensor, y, return_utilities=True)
        assert found.dtype == torch.float32  # utilities may be too small for less
        assert not found.requires_grad
        assert picked.shape == (1,)


@example(0)
@given(st.integers(0, 3))
@settings(max_examples=4, deadline=None)
def test_an_empty_labelled_set_asks_for_what_is_missing(n_features: int) -> None:
    X = torch.zeros(0, n_features)
    assert SpareSettled(random_state=0).query(X, [], classes=["a", "b"]).item() in ("a", "b")


def test_deciding_on_arrays_never_imports_torch() -> None:
    code = (
        "import sys, palacs; from palacs import PALACS, SpareSettled\n"
        "X, y = [[0.0], [0.1], [1.0], [1.1]], [0, 0, 1, 1]\n"
        "PALACS().query(X, y); SpareSettled().query(X, y); palacs.perf_gain([[1.0, 2.0]])\n"
        "print('torch' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
