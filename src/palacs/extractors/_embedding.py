"""Embeddings: what a torch model, found by its path, makes of recordings.

The model is code and weights of somebody's own, so the version holds a digest of both.
"""

from __future__ import annotations

import hashlib
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin

from palacs.extras import need
from palacs.objects import describe_object, object_at

_AT_A_TIME = 64


class Embedding(TransformerMixin, BaseEstimator):
    """What a torch model makes of recordings, as features.

    Parameters
    ----------
    model : str
        FILE.py:NAME or MODULE:NAME of a `torch.nn.Module`, or of a function that returns one. It
        is handed recordings of one shape as one float tensor, (n_recordings, ...), and what it
        returns is flattened to (n_recordings, n_features).
    """

    def __init__(self, model: str = "") -> None:
        self.model = model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Return itself."""
        return self

    @property
    def identity(self) -> str:
        """What tells it from another one of the same name: code and weights."""
        module, digest = self._module(), hashlib.sha256()
        for name, tensor in sorted(module.state_dict().items()):
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(tensor.detach().cpu().numpy()).tobytes())
        code = describe_object(module, type(module).__qualname__)
        return f" of {code} weights {digest.hexdigest()[:12]}"

    def transform(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the features of recordings, shape (n_recordings, n_features)."""
        module = self._module()
        import torch

        stack = np.asarray(X, dtype=np.float32)
        parts = []
        with torch.no_grad():
            for first in range(0, len(stack), _AT_A_TIME):
                part = module(torch.from_numpy(stack[first : first + _AT_A_TIME]))
                parts.append(part.flatten(1).double().cpu().numpy())
        found: npt.NDArray[np.float64] = np.concatenate(parts)
        return found

    def _module(self) -> Any:
        need("torch", "The extractor embedding")
        import torch

        if not self.model:
            raise ValueError("an embedding needs a model, as in embedding(model='nets.py:encoder')")
        known = getattr(self, "_found", None)
        if known is not None and known[0] == self.model:
            return known[1]
        found = object_at(self.model, "a torch model")
        if not isinstance(found, torch.nn.Module) and callable(found):
            found = found()
        if not isinstance(found, torch.nn.Module):
            raise ValueError(f"{self.model!r} is no torch.nn.Module, nor makes one")
        found.eval()
        self._found = self.model, found
        return found
