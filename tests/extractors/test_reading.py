"""Recordings are read by their suffix, with their sampling rate where the file knows it."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy.io import wavfile

from palacs.extractors import read_recording


def _npz(**arrays: object) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def test_arrays_stay_as_they_are(tmp_path: Path) -> None:
    epoch = np.arange(12.0).reshape(3, 4)
    np.save(tmp_path / "epoch.npy", epoch)
    assert np.array_equal(read_recording(tmp_path / "epoch.npy"), epoch)
    with_rate = read_recording(_npz(x=epoch, rate=250, other=1), "epoch.npz")
    assert np.array_equal(with_rate, epoch)
    assert with_rate.rate == 250
    assert read_recording(b"[[1, 2], [3, 4]]", "epoch.json").shape == (2, 2)


@pytest.mark.parametrize(
    "text", ["a,b\n1,2\n3,4\n5,6\n", "1;2\n3;4\n5;6", "1 2\n\n3 4\n5 6\n", "\ufeff1\t2\n3\t4\n5\t6"]
)
def test_a_table_has_a_row_per_sample_and_a_column_per_channel(text: str) -> None:
    assert read_recording(text.encode(), "s.csv").tolist() == [[1, 3, 5], [2, 4, 6]]


@pytest.mark.parametrize(("dtype", "full"), [("int16", 2**15), ("int32", 2**31), ("uint8", 128)])
def test_a_sound_lies_between_minus_one_and_one_and_knows_its_rate(dtype: str, full: int) -> None:
    tone = np.sin(np.arange(800) / 5)
    counts = np.round(tone * (full - 1) + (128 if dtype == "uint8" else 0)).astype(dtype)
    file = io.BytesIO()
    wavfile.write(file, 8000, counts)
    sound = read_recording(file.getvalue(), "s.wav")
    assert sound.rate == 8000
    assert np.allclose(sound, tone[np.newaxis], atol=0.02)


def test_pictures_are_upright_and_grey_or_in_colour() -> None:
    for mode, shape in [("L", (4, 6)), ("RGB", (4, 6, 3)), ("P", (4, 6, 3)), ("RGBA", (4, 6, 3))]:
        file = io.BytesIO()
        Image.new(mode, (6, 4)).save(file, "png")
        assert read_recording(file.getvalue(), "p.png").shape == shape
    turned = io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6  # held on its side
    Image.new("RGB", (6, 4)).save(turned, "jpeg", exif=exif)
    assert read_recording(turned.getvalue(), "p.jpg").shape == (6, 4, 3)


@pytest.mark.parametrize(
    ("content", "name", "says"),
    [
        (b"1 2", "s.mat", r"suffix '\.mat'; those that can be read are .*\.npy"),
        (b"1,2\n3", "s.csv", "several lengths"),
        (b"a,b\n1,x", "s.csv", "no whole .csv file"),
        (b"1,5;2,5\n3,0;4,0", "s.csv", "no whole .csv file"),
        (b"", "s.csv", "it is empty"),
        (b"\x93NUMPY", "s.npy", "no whole .npy file"),
        (b"RIFF", "s.wav", "no whole .wav file"),
        (b"\x89PNG", "s.png", "no whole .png file"),
        (_npz(a=1, b=2), "s.npz", "call one array x"),
        (b"[]", "s.json", r"shape \(0,\); numbers are wanted"),
        (b'["a"]', "s.json", "numbers are wanted"),
    ],
)
def test_a_broken_file_is_named_with_what_to_do(content: bytes, name: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read_recording(content, name)


def test_an_array_of_objects_is_not_unpacked(tmp_path: Path) -> None:
    np.save(tmp_path / "code.npy", np.array([{"a": 1}]), allow_pickle=True)
    with pytest.raises(ValueError, match="allow_pickle=False"):
        read_recording(tmp_path / "code.npy")
