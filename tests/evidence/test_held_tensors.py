"""Decisions on many rows of a tensor: what is kept changes no bit, whatever was done to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palacs.evidence import WIDER, ClassEvidence, LabelledSet, evidence_of_many
from palacs.evidence._held_tensors import HeldTensors, held_tensors
from palacs.kernel import choose_places

torch = pytest.importorskip("torch")

NOBODY = np.zeros(0, dtype=np.int64)
N_CLASSES, MOST, LEFT_OUT = 4, 12, 6
_rng = np.random.default_rng(0)
Y = _rng.integers(0, N_CLASSES, 120)
X = _rng.normal(size=(120, 30)) + (_rng.normal(size=(6, 30)) * 0.9)[Y]
X[7] = X[3]  # copies count as one place


def decided(held: HeldTensors, X: Any, y: np.ndarray, bandwidth: Any = "auto") -> ClassEvidence:
    n_classes = held.cells.counts.shape[0]
    places = choose_places(y, n_classes, held.cells.most, held.cells.most_left_out)
    found = held.evidence(X, places, bandwidth, np.full(n_classes, 1.0 / n_classes))
    assert found is not None
    return found


def same(one: ClassEvidence, other: ClassEvidence) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("prior", [np.full(6, 1.0 / 6.0), np.arange(1.0, 7.0) / 21.0])
def test_decisions_are_those_on_arrays(prior: np.ndarray) -> None:
    random = np.random.default_rng(1)
    y = random.permutation(np.arange(4_100) % 6)
    features = random.normal(size=(4_100, 30)) + random.normal(size=(6, 30))[y]
    labelled = LabelledSet(features, y, np.arange(6), NOBODY)
    held = HeldTensors(torch.tensor(features), 6, 4_000 // 6, 25)
    places = choose_places(y, 6, 4_000 // 6, 25)
    found = held.evidence(torch.tensor(features), places, "auto", prior)
    assert found is not None
    for mine, theirs in zip(found, evidence_of_many(labelled, "auto", prior), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-10)


steps = st.lists(
    st.one_of(
        st.tuples(st.just("tell"), st.integers(1, 3)),
        st.tuples(st.just("retract"), st.integers(0, 10**6)),
        st.tuples(st.just("relabel"), st.integers(0, 10**6)),
        st.tuples(st.just("edit"), st.integers(0, 10**6)),
        st.tuples(st.just("copy"), st.just(0)),
        st.tuples(st.just("class"), st.just(0)),
        st.tuples(st.just("bandwidth"), st.sampled_from(["auto", 1.5, 3.0])),
    ),
    min_size=1,
    max_size=6,
)


class Keeper:
    """Stands for a strategy that is asked again."""


@settings(max_examples=15, deadline=None)
@given(steps, st.sampled_from([torch.float64, torch.float32]))
def test_what_is_kept_changes_no_bit_of_any_decision(steps: Any, dtype: Any) -> None:
    keeper, told = Keeper(), torch.tensor(X, dtype=dtype)
    rows, y, ahead, n_classes = list(range(60)), Y.copy(), 60, N_CLASSES
    bandwidth: Any = "auto"
    for what, how in [("tell", 0), *steps]:
        if what == "tell":
            rows += range(ahead, ahead + how)
            ahead += how
        elif what == "retract":
            rows.pop(how % len(rows))
        elif what == "relabel":
            y[rows[how % len(rows)]] = how % n_classes
        elif what == "edit":
            # In place: neither its address nor its size tells.
            told[rows[how % len(rows)], how % 30] += 0.5
        elif what == "copy":
            told = torch.cat([told, told[:1]])
        elif what == "class":
            n_classes += 1
            y[rows[-1]] = n_classes - 1
        else:
            bandwidth = how
        form = (told, n_classes, MOST, LEFT_OUT)
        kept = decided(held_tensors(keeper, *form), told[rows], y[rows], bandwidth)
        fresh = decided(HeldTensors(*form), told[rows], y[rows], bandwidth)
        assert same(kept, fresh)


def test_only_the_class_that_changed_is_worked_out() -> None:
    told = torch.tensor(X)
    held = HeldTensors(told, N_CLASSES, MOST, LEFT_OUT)
    decided(held, told[:100], Y[:100])
    width = held.bandwidth / WIDER
    held.around.sums[:] = torch.nan  # whoever worked these out again would notice
    decided(held, told[:101], Y[:101], width)
    rows = held.around.sums[:, 0].view(N_CLASSES, N_CLASSES, LEFT_OUT)
    changed = ~torch.isnan(rows[:, :, 0]).numpy()
    wanted = np.zeros((N_CLASSES, N_CLASSES), dtype=bool)
    wanted[Y[100]] = wanted[:, Y[100]] = True
    assert np.array_equal(changed, wanted)


def test_products_on_another_centre_are_all_made_anew() -> None:
    first = int(np.argmax(Y == 0))
    told, y = torch.tensor(X[first:]), Y[first:]
    held = HeldTensors(told, N_CLASSES, MOST, LEFT_OUT)
    others = y > 0  # without its class the next one's first is the centre
    decided(held, told, y, 1.5)
    told[0] += 0.5  # in place
    for rows in (np.ones(len(y), dtype=bool), others):
        held.around.sums[:] = torch.nan  # whoever worked these out again would notice
        decided(held, told[rows], y[rows], 1.5)
        assert not torch.isnan(held.around.sums).any()
        where = int(np.argmax(y == y[rows].min()))
        assert torch.equal(held.split.centre, told[where])


def test_what_is_kept_goes_with_the_keeper_and_fits_what_is_asked() -> None:
    keeper, told = Keeper(), torch.tensor(X)
    held = held_tensors(keeper, told, N_CLASSES, MOST, LEFT_OUT)
    assert held_tensors(keeper, torch.cat([told, told]), N_CLASSES, MOST, LEFT_OUT) is held
    assert held_tensors(keeper, told[:, :3], N_CLASSES, MOST, LEFT_OUT) is not held
    assert held_tensors(Keeper(), told, N_CLASSES, MOST, LEFT_OUT) is not held


def test_one_place_for_each_class_takes_other_steps() -> None:
    told = torch.arange(N_CLASSES).repeat(3)[:, None].double()
    held = HeldTensors(told, N_CLASSES, MOST, LEFT_OUT)
    y = np.tile(np.arange(N_CLASSES), 3)
    places = choose_places(y, N_CLASSES, MOST, LEFT_OUT)
    assert held.evidence(told, places, "auto", np.full(N_CLASSES, 1.0 / N_CLASSES)) is None
