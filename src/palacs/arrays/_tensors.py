"""What is a tensor, what a tensor of features must be, and the way to the host and back."""

from __future__ import annotations

import sys
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

# torch.Tensor; torch is an extra, so that its types are not known here.
Tensor = Any


def is_tensor(value: Any) -> TypeGuard[Tensor]:
    """Whether a value is a torch tensor; torch is not imported to find out."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def torch_of(value: Tensor) -> Any:
    """Return the module torch, which whoever made the tensor has imported."""
    return sys.modules["torch"]


def on_host(value: Any) -> Any:
    """Return a tensor as a NumPy array; anything else as it is."""
    if not is_tensor(value):
        return value
    torch = torch_of(value)
    value = value.detach()
    if value.dtype == torch.bfloat16:  # NumPy has no such numbers
        value = value.to(torch.float32)
    return value.cpu().numpy()


def like(values: npt.ArrayLike, tensor: Tensor, *, keep: bool = False) -> Tensor:
    """Return values as a tensor where ``tensor`` lies, of its type or, with ``keep``, of theirs.

    Theirs too where the tensor's is no floating-point type; float32 where that is a shorter one,
    which could not hold what is small.
    """
    torch = torch_of(tensor)
    made = torch.as_tensor(np.ascontiguousarray(values), device=tensor.device)
    if keep or not tensor.is_floating_point():
        return made
    return made.to(tensor.dtype if tensor.element_size() >= 4 else torch.float32)


def check_tensor(X: Tensor, name: str = "X", *, allow_empty: bool = False) -> Tensor:
    """Return X as a contiguous tensor (n, d) of float32 or float64, all finite, where it lies."""
    torch = torch_of(X)
    if X.layout != torch.strided:
        raise ValueError(f"{name} is sparse; palacs takes dense tensors: {name}.to_dense().")
    if X.is_complex():
        raise ValueError(f"{name} holds {X.dtype} numbers; features are real: {name}.real.")
    if allow_empty and X.ndim >= 1 and X.shape[0] == 0:
        X = X.reshape(0, X.shape[1] if X.ndim == 2 else 0)
    elif X.ndim != 2 or 0 in X.shape:
        raise ValueError(
            f"{name} has shape {tuple(X.shape)}; give one row of features per instance, shape "
            "(n_instances, n_features)."
        )
    wide = not X.is_floating_point() or X.dtype == torch.float64
    X = X.detach().to(torch.float64 if wide else torch.float32).contiguous()
    # A sum is finite only where all are; it costs no memory.
    if not torch.isfinite(X.sum()):
        wrong = torch.nonzero(~torch.isfinite(X))
        if len(wrong):
            row, column = wrong[0].tolist()
            raise ValueError(
                f"{name} holds {X[row, column].item()} in row {row}, column {column}; "
                "remove or repair that instance first (palacs accepts finite numbers only)."
            )
    return X


def scaled_tensor(X: Tensor) -> Tensor:
    """Scale each feature to [0, 1], as `palacs.evidence.normalise` does arrays."""
    low = X.amin(dim=0)
    extent = X.amax(dim=0) - low
    extent[extent == 0] = 1.0
    return (X - low) / extent
