"""Gaussian similarities, kernel frequencies (the paper's Eq. 1), pseudo-instances, bandwidths.

The first names check their input; those behind them take clean arrays and are for code that has
checked already. Classes are codes 0, ..., C - 1 here.
"""

from palacs.arrays import LOOP_FEATURES
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
from palacs.kernel._class_sums import ENOUGH, Members, Sums, choose_members, fill_sums
from palacs.kernel._class_widths import (
    Widths,
    fill_nearest,
    fill_widths,
    halved,
    no_widths,
    widest_bandwidth,
    width_rows,
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
from palacs.kernel._tensor_fit import fitting_reach_tensor, resolve_bandwidth_tensor
from palacs.kernel._tensor_noise import (
    TensorNoise,
    draw_pending_tensors,
    draw_tensors,
    fitting_noise_tensor,
    noise_in_all_directions,
)
from palacs.kernel._tensor_sums import (
    effective_tensor,
    frequencies_tensor,
    similarity_tensor,
)
from palacs.kernel._vanishing import VanishingKernelWarning, warn_if_vanished

__all__ = [
    "BLOCK",
    "ENOUGH",
    "LOOP_FEATURES",
    "Members",
    "Noise",
    "Sums",
    "TensorNoise",
    "VanishingKernelWarning",
    "Widths",
    "auto_bandwidth",
    "bandwidth_from_squared",
    "choose_members",
    "chosen_rows",
    "draw_along_instances",
    "draw_pending",
    "draw_pending_along",
    "draw_pending_tensors",
    "draw_pseudo_instances",
    "draw_tensors",
    "effective_counts",
    "effective_counts_at",
    "effective_tensor",
    "fill_nearest",
    "fill_sums",
    "fill_widths",
    "fitting_bandwidth",
    "fitting_noise",
    "fitting_noise_tensor",
    "fitting_reach",
    "fitting_reach_tensor",
    "frequencies",
    "frequencies_tensor",
    "frequency_loop",
    "halved",
    "kernel_frequencies",
    "no_widths",
    "noise_in_all_directions",
    "reach_from_squared",
    "relative_frequencies",
    "renew_relative",
    "resolve_bandwidth",
    "resolve_bandwidth_tensor",
    "sample_pseudo_instances",
    "similarities",
    "similarity_loop",
    "similarity_matrix",
    "similarity_tensor",
    "spanned_dimensions",
    "squared_distance",
    "squared_distances",
    "squared_loop",
    "warn_if_vanished",
    "widest_bandwidth",
    "width_rows",
]
