"""The shipped UCI files are complete, unaltered and attributed."""

import gzip

import numpy as np
import pytest

from palacs.datasets import load
from palacs.datasets._uci import DATA, SHA256, read_verified


@pytest.mark.parametrize(
    ("name", "n_features", "counts"),
    [
        ("Vehicle", 18, {"opel": 212, "saab": 217, "bus": 218, "van": 199}),
        ("Vertebral", 6, {"Normal": 100, "Hernia": 60, "Spondylolisthesis": 150}),
        ("Yeast", 8, {"CYT": 463, "NUC": 429, "ME1+ME2": 95, "ME3": 163}),
        (
            "yeast-all",
            8,
            {"CYT": 463, "NUC": 429, "MIT": 244, "ME3": 163, "ME2": 51, "ME1": 44}
            | {"EXC": 35, "VAC": 30, "POX": 20, "ERL": 5},
        ),
    ],
)
def test_shapes_and_class_sizes_are_those_of_uci(name, n_features, counts):
    dataset = load(name)
    assert dataset.name == name
    assert dataset.X.shape == (sum(counts.values()), n_features)
    assert list(dataset.class_counts.items()) == list(counts.items())
    assert dataset.license == "CC BY 4.0"
    assert "https://doi.org/10.24432/" in dataset.source


def test_vehicle_holds_whole_numbers_and_its_first_row():
    vehicle = load("vehicle")
    np.testing.assert_array_equal(vehicle.X, np.rint(vehicle.X))
    first = [95, 48, 83, 178, 72, 10, 162, 42, 20, 159, 176, 379, 184, 70, 6, 16, 187, 197]
    assert vehicle.X[0].tolist() == first
    assert vehicle.labels[0] == "van"


def test_yeast_holds_scores_between_0_and_1():
    yeast = load("yeast-all")
    assert yeast.X.min() >= 0
    assert yeast.X.max() <= 1
    assert set(yeast.X[:, yeast.feature_names.index("erl")]) == {0.5, 1.0}


def test_the_papers_yeast_holds_the_same_rows_as_the_full_one():
    paper, full = load("yeast"), load("yeast-all")
    merged = np.isin(full.labels, ["ME1", "ME2"])
    np.testing.assert_array_equal(paper.X[paper.labels == "ME1+ME2"], full.X[merged])
    np.testing.assert_array_equal(paper.X[paper.labels == "ME3"], full.X[full.labels == "ME3"])


def test_vertebral_angles_add_up_and_slipped_vertebrae_are_slipped():
    vertebral = load("vertebral")
    incidence, tilt, _, slope, _, slip = vertebral.X.T
    # Pelvic incidence is the sum of tilt and slope, by geometry.
    np.testing.assert_allclose(incidence, tilt + slope, atol=0.0101)
    mean_slip = {name: slip[vertebral.labels == name].mean() for name in vertebral.class_names}
    slipped = mean_slip.pop("Spondylolisthesis")
    assert slipped > 10 * max(mean_slip.values())


def test_every_shipped_file_matches_its_checksum():
    shipped = {file.name for file in DATA.iterdir() if file.name.endswith(".gz")}
    assert shipped == {*SHA256, "gestures.csv.gz"}
    for name, checksum in SHA256.items():
        assert read_verified(DATA / name, checksum).startswith(("compactness", "pelvic", "mcg"))


def test_every_shipped_file_is_attributed():
    text = (DATA / "ATTRIBUTION.md").read_text(encoding="utf-8")
    assert "CC BY 4.0" in text
    for name in SHA256:
        assert f"`{name}`" in text


def test_an_altered_file_is_refused(tmp_path):
    content = gzip.decompress((DATA / "vehicle.csv.gz").read_bytes())
    altered = tmp_path / "vehicle.csv.gz"
    altered.write_bytes(gzip.compress(content.replace(b"95,48", b"95,49", 1)))
    with pytest.raises(OSError, match=r"vehicle.csv.gz .* was altered .* reinstall palacs"):
        read_verified(altered, SHA256["vehicle.csv.gz"])


@pytest.mark.parametrize("damage", [lambda b: b[:500], lambda b: b"x" + b, lambda b: b""])
def test_a_damaged_file_is_refused(tmp_path, damage):
    damaged = tmp_path / "yeast.csv.gz"
    damaged.write_bytes(damage((DATA / "yeast.csv.gz").read_bytes()))
    with pytest.raises(OSError, match=r"yeast.csv.gz .* reinstall palacs"):
        read_verified(damaged, SHA256["yeast.csv.gz"])


def test_a_file_with_a_flipped_byte_is_refused(tmp_path):
    content = bytearray((DATA / "yeast.csv.gz").read_bytes())
    content[3000] ^= 0xFF
    damaged = tmp_path / "yeast.csv.gz"
    damaged.write_bytes(content)
    with pytest.raises(OSError, match="reinstall palacs"):
        read_verified(damaged, SHA256["yeast.csv.gz"])
