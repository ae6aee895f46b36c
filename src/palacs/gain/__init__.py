"""What one more label near a point is worth: the paper's performance gain, exact (Eq. 3-5).

`perf_gain` checks its input; the functions behind it, for code that has checked already, take
clean arrays. `check_mistakes` reads a table of what mistakes cost.
"""

from palacs.gain._gain import (
    MOST_LABELS,
    cost_gain_rows,
    gain_rows,
    gain_rows_up_to_three,
    perf_gain,
)
from palacs.gain._gain_tensors import gain_tensor
from palacs.gain._mistakes import check_mistakes, check_work, zero_one

__all__ = [
    "MOST_LABELS",
    "check_mistakes",
    "check_work",
    "cost_gain_rows",
    "gain_rows",
    "gain_rows_up_to_three",
    "gain_tensor",
    "perf_gain",
    "zero_one",
]
