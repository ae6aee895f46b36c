"""The Parzen window's answers where instances are tensors: in their namespace, on their device."""

from __future__ import annotations

from typing import Any

from palacs.arrays import Tensor, is_tensor, on_host, torch_of
from palacs.ties import TIE


def proba_tensor(scores: Tensor, prior: Tensor) -> Tensor:
    """Return class probabilities (n_query, n_classes) of scores; the prior where all are zero."""
    torch = torch_of(scores)
    # Dividing by the largest first keeps the sum of denormal scores from losing its digits.
    largest = scores.amax(dim=1, keepdim=True)
    scores = torch.where(largest > 0, scores / largest, prior)
    return scores / scores.sum(dim=1, keepdim=True)


def best_labels(proba: Tensor, classes: Any) -> Any:
    """Return the first of the best labels of each row, beside the labels it was fitted with."""
    torch = torch_of(proba)
    best = proba.amax(dim=1, keepdim=True)
    winners = (proba >= best - TIE * best.abs()).to(torch.int8).argmax(dim=1)
    return classes[winners] if is_tensor(classes) else classes[on_host(winners)]


def check_same_place(X: Any, fitted: Any) -> None:
    """Refuse instances that do not lie where those of `fit` did."""
    given, there = _place(X), _place(fitted)
    if given != there:
        raise ValueError(
            f"X is {given} and the classifier was fitted on {there}; pass both alike, "
            f"{'X.cpu().numpy()' if there == 'a NumPy array' else 'torch.as_tensor(X)'} for "
            "instance, as in scikit-learn."
        )


def _place(X: Any) -> str:
    return f"a torch tensor on {X.device}" if is_tensor(X) else "a NumPy array"
