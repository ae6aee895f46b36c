"""Lab streaming (LSL): markers out, epochs in.

`MarkerOutlet` says what was asked for and when; times are those of LSL's clock (`lsl_now`,
`as_lsl_time`). `stay_on_this_machine` keeps streams off the network.
"""

from palacs.extras import need

need("lsl", "palacs.lsl")

from palacs.lsl._lsl_clock import as_lsl_time, lsl_now
from palacs.lsl._markers import Marker, MarkerOutlet
from palacs.lsl._this_machine import stay_on_this_machine

__all__ = ["Marker", "MarkerOutlet", "as_lsl_time", "lsl_now", "stay_on_this_machine"]
