"""A recording as an array, by the suffix of its file: signals, sounds, pictures, streams.

Signals and sounds have the shape (n_channels, n_samples), pictures (height, width) or (height,
width, 3); arrays of NumPy stay as they are. Files that know their sampling rate hand it on.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from palacs.extras import need

Array = npt.NDArray[Any]


class RecordedArray(np.ndarray[Any, Any]):
    """An array that knows its sampling rate.

    Attributes
    ----------
    rate : float or None
        In Hz, where the file said it.
    """

    rate: float | None = None

    def __array_finalize__(self, obj: Any) -> None:
        self.rate = getattr(obj, "rate", None)


def with_rate(array: npt.ArrayLike, rate: float | None) -> RecordedArray:
    """Return an array that knows its sampling rate.

    Parameters
    ----------
    array : array-like
    rate : float or None
        In Hz.
    """
    seen = np.asarray(array).view(RecordedArray)
    seen.rate = None if rate is None else float(rate)
    return seen


def read_recording(
    source: str | os.PathLike[str] | bytes, name: str | None = None
) -> RecordedArray:
    r"""Read a recording.

    Parameters
    ----------
    source : path or bytes
        The file, or what it holds.
    name : str or None
        What the file is called, for messages; its suffix tells the format. Bytes need one.

    Returns
    -------
    RecordedArray
        Of NPY, NPZ (one array, or the one called ``x`` with a ``rate`` beside it) and JSON as it
        is; of CSV (one row per sample, one column per channel), WAV, XDF (the first stream
        of numbers), FIF, EDF, BDF and GDF of shape (n_channels, n_samples); of PNG, JPEG and the
        like of shape (height, width) or (height, width, 3). Its ``rate`` is the sampling rate in
        Hz, or None.

    Raises
    ------
    ValueError
        The format is unknown, or this is not a whole file of it.
    ModuleNotFoundError
        The format needs an extra; it says which.

    Examples
    --------
    >>> from palacs.extractors import read_recording
    >>> read_recording(b"left,right\n1,2\n3,4\n5,6", "trial.csv").shape
    (2, 3)
    """
    if not isinstance(source, bytes):
        path = Path(source)
        return _read(path.read_bytes(), str(path) if name is None else name)
    if name is None:
        raise ValueError("the bytes of a recording need a name, whose suffix tells the format.")
    return _read(source, name)


def _read(content: bytes, name: str) -> RecordedArray:
    suffix = Path(name).suffix.lower()
    reader = _READERS.get(suffix)
    if reader is None:
        raise ValueError(
            f"the recording {name!r:.200} has the suffix {suffix!r}; those that can be read are "
            f"{' '.join(sorted(_READERS))}: save it as one of these."
        )
    try:
        array = reader(content, suffix)
    except ModuleNotFoundError:
        raise
    except Exception as error:
        # What somebody else wrote can be broken in all the ways a program can.
        raise ValueError(
            f"the recording {name!r:.200} is no whole {suffix} file ({_brief(error)}); record it "
            "again, or save it as another format."
        ) from error
    if array.dtype.kind not in "biuf" or array.size == 0:
        raise ValueError(
            f"the recording {name!r:.200} holds {array.dtype} of shape {array.shape}; numbers are "
            "wanted."
        )
    return array


def _brief(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 200 else f"{text[:197]}..."


def _npy(content: bytes, _: str) -> RecordedArray:
    return with_rate(np.load(io.BytesIO(content), allow_pickle=False), None)


def _npz(content: bytes, _: str) -> RecordedArray:
    if not zipfile.is_zipfile(io.BytesIO(content)):
        raise ValueError("it is no archive of arrays")
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        names = [key for key in arrays.files if key != "rate"]
        if "x" not in names and len(names) != 1:
            raise ValueError(f"it holds {', '.join(names) or 'nothing'}; call one array x")
        rate = float(arrays["rate"]) if "rate" in arrays.files else None
        return with_rate(arrays["x" if "x" in names else names[0]], rate)


def _json(content: bytes, _: str) -> RecordedArray:
    return with_rate(np.array(json.loads(content)), None)


def _text(content: bytes, suffix: str) -> RecordedArray:
    lines = [line for line in content.decode("utf-8-sig").splitlines() if line.strip()]
    if not lines:
        raise ValueError("it is empty")
    marks = ";\t," if suffix != ".tsv" else "\t"
    mark = next((mark for mark in marks if mark in lines[0]), None)
    rows = [[cell.strip() for cell in line.rstrip(f"{mark}").split(mark)] for line in lines]
    named = not any(map(_is_number, rows[0]))
    samples = [[float(cell) for cell in row] for row in rows[named:]]
    if len({len(row) for row in samples}) > 1:
        raise ValueError("its rows have several lengths")
    return with_rate(np.array(samples).T, None)


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))  # a decimal comma is a number too, if not one to be read
    except ValueError:
        return False
    return True


def _wav(content: bytes, _: str) -> RecordedArray:
    from scipy.io import wavfile

    rate, samples = wavfile.read(io.BytesIO(content))
    if samples.dtype.kind == "u":  # 8 bits are unsigned, around 128
        samples = (samples.astype(np.float64) - 128) / 128
    elif samples.dtype.kind == "i":
        samples = samples / -float(np.iinfo(samples.dtype).min)
    return with_rate(np.atleast_2d(samples.T), rate)


def _picture(content: bytes, _: str) -> RecordedArray:
    need("pictures", "A picture as a recording")
    from PIL import Image, ImageOps

    with Image.open(io.BytesIO(content)) as opened:
        upright = ImageOps.exif_transpose(opened)  # as the phone that took it was held
    wide = upright.mode in ("I", "I;16", "F")
    grey = upright.mode in ("L", "LA", "1")
    return with_rate(np.asarray(upright if wide else upright.convert("L" if grey else "RGB")), None)


def _xdf(content: bytes, _: str) -> RecordedArray:
    need("lsl", "A lab stream as a recording")
    from pyxdf import load_xdf

    # Only the samples are wanted, and comparing clocks takes longer than reading.
    as_is = {"synchronize_clocks": False, "dejitter_timestamps": False}
    streams, _header = load_xdf(io.BytesIO(content), **as_is)
    for stream in sorted(streams, key=lambda one: int(one["info"]["stream_id"])):
        samples = stream["time_series"]
        if isinstance(samples, np.ndarray) and len(samples):
            rate = float(stream["info"]["nominal_srate"][0])
            return with_rate(samples.T, rate or None)
    raise ValueError("it holds no stream of numbers")


def _by_mne(content: bytes, suffix: str) -> RecordedArray:
    need("mne", f"A {suffix} file as a recording")
    from mne.io import read_raw

    with TemporaryDirectory() as folder:  # MNE reads files alone
        file = Path(folder) / f"recording_raw{suffix}"
        file.write_bytes(content)
        raw = read_raw(file, preload=True, verbose="error")
        return with_rate(raw.get_data(), raw.info["sfreq"])


_READERS: dict[str, Callable[[bytes, str], RecordedArray]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".json": _json,
    ".csv": _text,
    ".tsv": _text,
    ".txt": _text,
    ".wav": _wav,
    ".xdf": _xdf,
    **dict.fromkeys((".fif", ".edf", ".bdf", ".gdf"), _by_mne),
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp"), _picture),
}
