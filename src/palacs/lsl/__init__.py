"""Lab streaming (LSL): markers out, epochs in.

`MarkerOutlet` says what was asked for and when. `StreamReader` keeps what a stream sends,
`take_epoch` cuts an epoch around an onset and refuses what nobody should learn from, `write_xdf`
keeps it. `SimulatedParticipant` stands in where there is no amplifier. All times are those of
LSL's clock (`lsl_now`, `as_lsl_time`).
"""

from palacs.extras import need

need("lsl", "palacs.lsl")

from palacs.lsl._epochs import (
    BadEpoch,
    Epoch,
    EpochSettings,
    band_pass,
    check_samples,
    take_epoch,
)
from palacs.lsl._lsl_clock import as_lsl_time, lsl_now
from palacs.lsl._marker_reader import MarkerReader
from palacs.lsl._markers import Marker, MarkerOutlet
from palacs.lsl._participant import ParticipantProcess, stream_participant
from palacs.lsl._segments import StreamFacts
from palacs.lsl._simulated_eeg import ELECTRODES, MOVEMENTS, SimulatedParticipant
from palacs.lsl._stream_reader import NoStream, StreamReader
from palacs.lsl._this_machine import stay_on_this_machine
from palacs.lsl._timeline import Timeline, straighten
from palacs.lsl._xdf import write_xdf

__all__ = [
    "ELECTRODES",
    "MOVEMENTS",
    "BadEpoch",
    "Epoch",
    "EpochSettings",
    "Marker",
    "MarkerOutlet",
    "MarkerReader",
    "NoStream",
    "ParticipantProcess",
    "SimulatedParticipant",
    "StreamFacts",
    "StreamReader",
    "Timeline",
    "as_lsl_time",
    "band_pass",
    "check_samples",
    "lsl_now",
    "stay_on_this_machine",
    "straighten",
    "stream_participant",
    "take_epoch",
    "write_xdf",
]
