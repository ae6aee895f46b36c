"""Gaussian similarities, kernel frequencies (the paper's Eq. 1), pseudo-instances, bandwidths.

The first names check their input; those behind them take clean arrays and are for code that has
checked already. Classes are codes 0, ..., C - 1 here.
"""

from palacs.kernel._bandwidth import (
    auto_bandwidth,
    bandwidth_from_squared,
    chosen_rows,
    fitting_bandwidth,
    fitting_reach,
    reach_from_squared,
    resolve_bandwidth,
    spanned_dimensions,
)
from palacs.kernel._noise import Noise, draw_along_instances, draw_pending_along, fitting_noise
from palacs.kernel._pseudo import draw_pending, draw_pseudo_instances, sample_pseudo_instances
from palacs.kernel._relative import (
    effective_counts,
    effective_counts_at,
    relative_frequencies,
    renew_relative,
)
from palacs.kernel._similarity import (
    BLOCK,
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
from palacs.kernel._vanishing import VanishingKernelWarning, warn_if_vanished

__all__ = [
    "BLOCK",
    "LOOP_FEATURES",
    "Noise",
    "VanishingKernelWarning",
    "auto_bandwidth",
    "bandwidth_from_squared",
    "chosen_rows",
    "draw_along_instances",
    "draw_pending",
    "draw_pending_along",
    "draw_pseudo_instances",
    "effective_counts",
    "effective_counts_at",
    "fitting_bandwidth",
    "fitting_noise",
    "fitting_reach",
    "frequencies",
    "frequency_loop",
    "kernel_frequencies",
    "reach_from_squared",
    "relative_frequencies",
    "renew_relative",
    "resolve_bandwidth",
    "sample_pseudo_instances",
    "similarities",
    "similarity_loop",
    "similarity_matrix",
    "spanned_dimensions",
    "squared_distance",
    "squared_distances",
    "squared_loop",
    "warn_if_vanished",
]
