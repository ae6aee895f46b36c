"""Recordings as XDF files, the format of LSL's own recorder: a small writer of its own.

A file holds the epoch as an extractor sees it, then the stream as it came, then the markers. The
same epoch gives the same bytes, so that its hash is that of the data.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
import numpy.typing as npt

from palacs.lsl._epochs import Epoch
from palacs.lsl._markers import Marker

Array = npt.NDArray[np.float64]

_FILE_HEADER, _STREAM_HEADER, _SAMPLES, _CLOCK_OFFSET, _STREAM_FOOTER = 1, 2, 3, 4, 6


def write_xdf(
    path: str | os.PathLike[str], epoch: Epoch, markers: Sequence[tuple[float, Marker]] = ()
) -> Path:
    """Write an epoch as an XDF file, whole or not at all.

    Parameters
    ----------
    path : path
    epoch : Epoch
    markers : sequence of (time, Marker)
        Times by LSL's clock.

    Returns
    -------
    path : Path
    """
    streams = [
        _signal(1, "epoch", epoch.samples, epoch.times, epoch),
        _signal(2, "raw", epoch.raw, epoch.raw_times, epoch),
        _texts(3, "markers", [(time, marker.text) for time, marker in markers]),
    ]
    version = '<?xml version="1.0"?><info><version>1.0</version></info>'
    path = Path(path)
    beside = path.with_name(f".{path.name}.part")
    with beside.open("wb") as file:
        file.write(b"XDF:" + _chunk(_FILE_HEADER, version.encode()) + b"".join(streams))
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)
    return path


def _signal(number: int, name: str, samples: Array, times: Array, epoch: Epoch) -> bytes:
    labels = "".join(
        f"<channel><label>{escape(label)}</label></channel>" for label in epoch.channels
    )
    head = _header(name, "EEG", len(samples), epoch.rate, "double64")
    head = head.replace("<desc />", f"<desc><channels>{labels}</channels></desc>")
    rows = np.empty(len(times), [("has", "u1"), ("at", "<f8"), ("x", "<f8", (len(samples),))])
    rows["has"], rows["at"], rows["x"] = 8, times, samples.T
    return _stream(number, head, times, rows.tobytes())


def _texts(number: int, name: str, texts: Sequence[tuple[float, str]]) -> bytes:
    rows = b"".join(
        b"\x08" + struct.pack("<d", time) + _length(len(text.encode())) + text.encode()
        for time, text in texts
    )
    times = np.array([time for time, _ in texts])
    return _stream(number, _header(name, "Markers", 1, 0.0, "string"), times, rows)


def _header(name: str, kind: str, n_channels: int, rate: float, form: str) -> str:
    return (
        f'<?xml version="1.0"?><info><name>{name}</name><type>{kind}</type>'
        f"<channel_count>{n_channels}</channel_count><nominal_srate>{rate!r}</nominal_srate>"
        f"<channel_format>{form}</channel_format><desc /></info>"
    )


def _stream(number: int, head: str, times: Array, rows: bytes) -> bytes:
    n = len(times)
    first, last = (float(times[0]), float(times[-1])) if n else (0.0, 0.0)
    foot = (
        f'<?xml version="1.0"?><info><first_timestamp>{first!r}</first_timestamp>'
        f"<last_timestamp>{last!r}</last_timestamp><sample_count>{n}</sample_count></info>"
    )
    mark = struct.pack("<I", number)
    chunks = [_chunk(_STREAM_HEADER, mark + head.encode())]
    if n:
        chunks.append(_chunk(_SAMPLES, mark + _length(n) + rows))
        # The times are all by one clock already; readers ask for it to be said.
        clocks = [struct.pack("<dd", at, 0.0) for at in (first, last + 1)]
        chunks += [_chunk(_CLOCK_OFFSET, mark + clock) for clock in clocks]
    return b"".join([*chunks, _chunk(_STREAM_FOOTER, mark + foot.encode())])


def _chunk(tag: int, content: bytes) -> bytes:
    return _length(len(content) + 2) + struct.pack("<H", tag) + content


def _length(count: int) -> bytes:
    """Return a length as XDF writes it: how many bytes it takes, then the length."""
    return b"\x01" + struct.pack("<B", count) if count < 256 else b"\x04" + struct.pack("<I", count)
