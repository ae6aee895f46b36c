"""Kernels for a GPU do what torch's steps do: interpreted here, where there is Triton but no GPU.

``TRITON_INTERPRET=1 pytest tests/arrays/test_pair_kernels.py`` after ``pip install triton``; it has
to be said before Triton is imported, and no other test wants it.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from palacs.arrays import _class_cells
from palacs.evidence import _held_tensors
from palacs.evidence._held_tensors import HeldTensors
from palacs.kernel import choose_places

torch = pytest.importorskip("torch")
if os.environ.get("TRITON_INTERPRET") != "1":
    pytest.skip("kernels are interpreted with TRITON_INTERPRET=1", allow_module_level=True)
# Before that its interpreter does not take the present NumPy's arrays.
pytest.importorskip("triton", minversion="3.8")

N_CLASSES, MOST, LEFT_OUT = 3, 70, 4
_rng = np.random.default_rng(0)
Y = np.concatenate([np.zeros(68, int), np.arange(30) % 3])
X = torch.tensor(_rng.normal(size=(98, 20)) + _rng.normal(size=(3, 20))[Y], dtype=torch.float32)


@pytest.fixture(autouse=True)
def _kernels_on_the_cpu(monkeypatch: Any) -> None:
    """Have kernels look at float32, and torch's steps at float64."""
    for place in (_class_cells, _held_tensors):
        monkeypatch.setattr(place, "has_kernels", lambda X: X.dtype == torch.float32)


def decided(held: HeldTensors, X: Any, y: np.ndarray) -> Any:
    places = choose_places(y, N_CLASSES, MOST, LEFT_OUT)
    return held.evidence(X, places, "auto", np.full(N_CLASSES, 1.0 / N_CLASSES))


def test_kernels_do_what_torchs_steps_do_and_renew_the_very_same_bits() -> None:
    one = HeldTensors(X, N_CLASSES, MOST, LEFT_OUT)
    exact = HeldTensors(X.double(), N_CLASSES, MOST, LEFT_OUT)
    decided(one, X[:-1], Y[:-1])
    for mine, theirs in zip(decided(one, X, Y), decided(exact, X.double(), Y), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)
    assert one.bandwidth == exact.bandwidth
    fresh = HeldTensors(X, N_CLASSES, MOST, LEFT_OUT)
    decided(fresh, X, Y)
    for mine, theirs in zip(one.around, fresh.around, strict=True):
        assert torch.equal(mine, theirs)
    assert torch.equal(one.widths.wide.logs, fresh.widths.wide.logs)


def test_products_that_would_lose_digits_take_other_steps() -> None:
    far = X.clone()
    far[0] += 1e4
    assert decided(HeldTensors(far, N_CLASSES, MOST, LEFT_OUT), far, Y) is None


def test_what_was_edited_or_taken_back_leaves_no_trace() -> None:
    told, y = X.clone(), Y.copy()
    held = HeldTensors(told, N_CLASSES, MOST, LEFT_OUT)
    decided(held, told, y)
    for edit, rows in ((1.0, slice(None)), (1e4, slice(None)), (0.0, slice(1, None))):
        # The first is the centre, and lies in all empty cells.
        told[0] += edit
        kept = decided(held, told[rows], y[rows])
        fresh = decided(HeldTensors(told, N_CLASSES, MOST, LEFT_OUT), told[rows], y[rows])
        assert (kept is None) == (fresh is None) == (edit == 1e4)
        for mine, theirs in zip(kept or (), fresh or (), strict=True):
            assert np.array_equal(mine, theirs)
