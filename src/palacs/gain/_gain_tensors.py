"""The performance gain of many points at once, for tensors where they lie.

The same sums as in `palacs.gain._gain`, over classes in descending order: what one to three labels
promote over the leader. Loops over classes become running sums.
"""

from __future__ import annotations

from palacs.arrays import Tensor, torch_of

# So many numbers are looked at at a time: about ten tensors of that size are held.
_AT_A_TIME = 2**24


def gain_tensor(k: Tensor, max_labels: int, prior: float) -> Tensor:
    """Return the gains (n_points,) of frequencies k (n_points, n_classes) for max_labels <= 3."""
    torch = torch_of(k)
    gains = k.new_empty(len(k))
    step = max(1, _AT_A_TIME // max(k.shape[1], 1))
    for first in range(0, len(k), step):
        rows = slice(first, first + step)
        ordered = torch.sort(k[rows], dim=1, descending=True).values
        gains[rows] = _gain_of(ordered, max_labels, prior)
    return gains


def _gain_of(ordered: Tensor, max_labels: int, prior: float) -> Tensor:
    torch = torch_of(ordered)
    behind = ordered[:, :1] - ordered
    alpha = ordered + prior
    # suffix[:, c] is Σ_{z >= c} α_z, with a column of zeros behind the last class.
    suffix = torch.nn.functional.pad(alpha.flip(1).cumsum(1).flip(1), (0, 1))
    total = suffix[:, 0]
    per_first, per_second = (1.0 / total)[:, None], (1.0 / (total + 1.0))[:, None]
    challengers = behind.new_ones(behind.shape[1])
    challengers[0] = 0.0
    first = alpha * per_first * challengers
    second = first * ((alpha + 1.0) * per_second)
    lead = (1.0 - behind).clamp_(min=0.0)
    gain = (first * lead).sum(1) / (total + 1.0)
    if max_labels >= 2:
        after = suffix[:, 1:] * per_second
        two = (2.0 * first * lead * after + second * (2.0 - behind).clamp_(min=0.0)).sum(1)
        gain = torch.maximum(gain, two / (2.0 * (total + 2.0)))
    if max_labels >= 3:
        three = _three(alpha, behind, suffix, (first, second, lead))
        gain = torch.maximum(gain, three / (3.0 * (total + 3.0)))
    return gain


def _three(
    alpha: Tensor, behind: Tensor, suffix: Tensor, terms: tuple[Tensor, Tensor, Tensor]
) -> Tensor:
    """Return the expected lead after three labels, shape (n_points,)."""
    torch = torch_of(alpha)
    first, second, lead = terms
    total = suffix[:, :1]
    per_second, per_third = 1.0 / (total + 1.0), 1.0 / (total + 2.0)
    # Three different challengers: Σ_{y<z} α_y α_z over those after each class.
    pairs = (alpha * per_second) * (suffix[:, 1:] * per_third)
    after = torch.nn.functional.pad(pairs.flip(1).cumsum(1).flip(1)[:, 1:], (0, 1))
    three = (6.0 * first * lead * after).sum(1)
    # One class twice with the leader, and three times.
    three += (3.0 * second * lead * (alpha[:, :1] * per_third)).sum(1)
    three += (second * ((alpha + 2.0) * per_third) * (3.0 - behind).clamp_(min=0.0)).sum(1)
    # y twice and z once: z decides if it is more than one label ahead of y.
    ahead = torch.searchsorted(behind, (behind - 1.0).clamp_(max=1.0)).clamp_(min=1)
    leads = alpha * lead
    leads[:, 0] = 0.0
    decided = torch.nn.functional.pad(leads.cumsum(1), (1, 0)).gather(1, ahead)
    three += (3.0 * second * (decided * per_third)).sum(1)
    others = (suffix.gather(1, ahead) - suffix[:, :-1]) + suffix[:, 1:]
    return three + (3.0 * second * (2.0 - behind).clamp_(min=0.0) * (others * per_third)).sum(1)
