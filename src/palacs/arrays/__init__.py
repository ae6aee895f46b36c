"""Arrays that stay where they are: torch tensors on a CPU or a GPU, computed there.

Who they are, how they are checked, and the few operations that the mathematics on them is made
of: similarities a block at a time, sums by class, the random numbers of a decision. Nothing here
imports torch: whoever passes a tensor has done so.
"""

from palacs.arrays._by_class import ByClass, by_class
from palacs.arrays._class_cells import (
    Around,
    Cells,
    Split,
    Tables,
    Wide,
    decision_steps,
    empty_around,
    empty_cells,
    empty_split,
    has_kernels,
    pair_steps,
)
from palacs.arrays._exponents import LOST_DIGITS, Exponents
from palacs.arrays._random_blocks import draws
from palacs.arrays._similar_sums import similar_sums
from palacs.arrays._tensors import (
    Tensor,
    check_tensor,
    is_tensor,
    like,
    on_host,
    scaled_tensor,
    torch_of,
)
from palacs.compiled import LOOP_FEATURES

__all__ = [
    "LOOP_FEATURES",
    "LOST_DIGITS",
    "Around",
    "ByClass",
    "Cells",
    "Exponents",
    "Split",
    "Tables",
    "Tensor",
    "Wide",
    "by_class",
    "check_tensor",
    "decision_steps",
    "draws",
    "empty_around",
    "empty_cells",
    "empty_split",
    "has_kernels",
    "is_tensor",
    "like",
    "on_host",
    "pair_steps",
    "scaled_tensor",
    "similar_sums",
    "torch_of",
]
