"""Over many instances each pair of classes is worked out once, and nothing is lost by that."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

from palacs.checks import Bandwidth
from palacs.evidence import (
    LEFT_OUT,
    WIDER,
    LabelledSet,
    Origin,
    evidence_of_many,
    latest_of_each,
    no_evidence,
    tally,
)
from palacs.evidence._held import _shelf
from palacs.evidence._product_threads import threads_of_one_product_each
from palacs.evidence._settled import Halves
from palacs.kernel import Members, choose_members, squared_distances

NOBODY = np.zeros(0, dtype=np.int64)
N_CLASSES = 12
_rng = np.random.default_rng(0)
Y = _rng.integers(0, N_CLASSES, 900)
X = _rng.normal(size=(900, 30)) + (_rng.normal(size=(N_CLASSES, 30)) * 0.9)[Y]
X[40] = X[41]  # copies count as one place
PRIOR = np.full(N_CLASSES, 1.0 / N_CLASSES)


class Store:
    """Stands for where instances come from."""


def labelled(rows, y=Y, store: Store | None = None, n_classes: int = N_CLASSES) -> LabelledSet:
    places = np.array(rows)
    origin = None if store is None else Origin(store, places)
    return LabelledSet(X[places], y[places], np.arange(n_classes), NOBODY, origin=origin)


def same(one, other) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("prior", [PRIOR, np.arange(1.0, N_CLASSES + 1)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_decisions_are_those_of_the_whole_matrix_of_distances(prior, dtype) -> None:
    everyone = labelled(range(len(Y)))
    found = evidence_of_many(LabelledSet(X.astype(dtype), Y, everyone.classes, NOBODY), 2.0, prior)
    chosen: Members = choose_members(Y, N_CLASSES, 400, LEFT_OUT)
    order = np.sort(chosen.members)
    half = chosen.half[np.argsort(chosen.members)]
    y = Y[order]
    in_half = np.stack([np.bincount(y[half[:, s]], minlength=N_CLASSES) for s in (0, 1)], axis=1)
    counts = np.bincount(y, minlength=N_CLASSES)
    assert np.array_equal(in_half, np.stack([counts // 2] * 2, axis=1))
    rows = latest_of_each(y, N_CLASSES, LEFT_OUT)
    wanted = no_evidence(N_CLASSES)
    squared = squared_distances(X[order][rows], X[order], 2.0 * WIDER)
    tally(squared, rows, Halves(y, counts, half, in_half), (2.0 * WIDER, prior), wanted)
    close = {np.float64: 1e-9, np.float32: 1e-4}[dtype]
    for mine, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=close, atol=close)


def test_the_bandwidth_of_float32_numbers_is_that_of_float64() -> None:
    everyone = labelled(range(len(Y)))
    single = LabelledSet(X.astype(np.float32), Y, everyone.classes, NOBODY)
    found, wanted = (evidence_of_many(each, "auto", PRIOR) for each in (single, everyone))
    for mine, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-3, atol=1e-3)


steps = st.lists(
    st.one_of(
        st.tuples(st.just("tell"), st.integers(1, 3)),
        st.tuples(st.just("retract"), st.integers(0, 10**6)),
        st.tuples(st.just("relabel"), st.integers(0, 10**6)),
        st.tuples(st.just("class"), st.just(0)),
        st.tuples(st.just("bandwidth"), st.sampled_from(["auto", 1.5, 3.0])),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=15, deadline=None)
@given(steps)
@example([("tell", 1), ("tell", 1), ("tell", 2), ("relabel", 1)])  # a class has a row less
def test_what_is_held_changes_no_bit_of_any_decision(steps) -> None:
    store, y = Store(), Y.copy()
    rows, ahead, n_classes = list(range(300)), 300, N_CLASSES
    bandwidth: Bandwidth = "auto"
    for what, how in [("tell", 0), *steps]:
        if what == "tell":
            rows += range(ahead, ahead + how)
            ahead += how
        elif what == "retract":
            rows.pop(how % len(rows))
        elif what == "relabel":
            # A label that was wrong: its row leaves, and comes again under another number.
            rows.pop(how % len(rows))
            y[ahead] = how % n_classes
            rows.append(ahead)
            ahead += 1
        elif what == "class":
            n_classes += 1
            y[ahead] = n_classes - 1
            rows.append(ahead)
            ahead += 1
        else:
            bandwidth = how
        prior = np.full(n_classes, 1.0 / n_classes)
        held = evidence_of_many(labelled(rows, y, store, n_classes), bandwidth, prior)
        fresh = evidence_of_many(labelled(rows, y, None, n_classes), bandwidth, prior)
        assert same(held, fresh)


def test_only_the_class_that_changed_is_worked_out(monkeypatch) -> None:
    store, rows = Store(), list(range(500))
    evidence_of_many(labelled(rows, store=store), "auto", PRIOR)
    held = _shelf.held[store]
    sums = held.sums
    assert sums is not None
    sums.logs[:] = np.nan  # whoever worked these out again would notice
    evidence_of_many(labelled([*rows, 500], store=store), held.bandwidth / WIDER, PRIOR)
    changed = np.isfinite(sums.logs[:, 0, :])
    wanted = np.zeros((N_CLASSES, N_CLASSES), dtype=bool)
    wanted[Y[500]] = wanted[:, Y[500]] = True
    assert np.array_equal(changed, wanted)


def test_what_is_held_goes_with_the_store() -> None:
    store = Store()
    evidence_of_many(labelled(range(400), store=store), "auto", PRIOR)
    assert store in _shelf.held
    n_held = len(_shelf.held)
    del store
    assert len(_shelf.held) == n_held - 1


def test_a_bandwidth_holds_still_while_a_few_instances_come() -> None:
    store, found = Store(), set()
    for n in range(600, 640):
        evidence_of_many(labelled(range(n), store=store), "auto", PRIOR)
        found.add(_shelf.held[store].bandwidth)
    assert len(found) <= 2


def test_products_get_their_threads_back_whichever_decision_ends_first() -> None:
    def taken() -> set[int]:
        return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}

    with threadpool_limits(limits=2, user_api="blas"):
        before = taken()
        one, other = threads_of_one_product_each(), threads_of_one_product_each()
        one.__enter__()
        other.__enter__()
        one.__exit__(None, None, None)
        assert taken() <= {1}
        other.__exit__(None, None, None)
        assert taken() == before
