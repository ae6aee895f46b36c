"""Gaussian similarities, kernel frequencies (the paper's Eq. 1), pseudo-instances, bandwidths.

The first names check their input; those behind them take clean arrays and are for code that has
checked already. Classes are codes 0, ..., C - 1 here.
"""

from palacs.kernel._bandwidth import (
    add_to_nearest,
    auto_bandwidth,
    bandwidth_from_nearest,
    fitting_bandwidth,
    resolve_bandwidth,
)
from palacs.kernel._pseudo import draw_pending, draw_pseudo_instances, sample_pseudo_instances
from palacs.kernel._similarity import (
    LOOP_FEATURES,
    frequencies,
    frequency_loop,
    kernel_frequencies,
    similarities,
    similarity_loop,
    similarity_matrix,
    squared_distance,
    squared_distances,
    squared_loop,
)

__all__ = [
    "LOOP_FEATURES",
    "add_to_nearest",
    "auto_bandwidth",
    "bandwidth_from_nearest",
    "draw_pending",
    "draw_pseudo_instances",
    "fitting_bandwidth",
    "frequencies",
    "frequency_loop",
    "kernel_frequencies",
    "resolve_bandwidth",
    "sample_pseudo_instances",
    "similarities",
    "similarity_loop",
    "similarity_matrix",
    "squared_distance",
    "squared_distances",
    "squared_loop",
]
