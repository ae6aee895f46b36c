"""The three UCI data sets of the paper, shipped as small compressed files.

The promise: what is loaded is, byte for byte, what was checked when the package was made. A
SHA-256 sum is verified on every load; ``data/ATTRIBUTION.md`` says whose work the rows are, and
``tools/make_uci_files.py`` rebuilds the files.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from importlib.resources import files
from importlib.resources.abc import Traversable

import numpy as np

from palacs.datasets._dataset import Dataset

# Sums of the uncompressed text: compressed bytes differ between zlib builds.
SHA256 = {
    "vehicle.csv.gz": "28f34baa522808bc150e751ce028e95d6b3ac7a6e6e9c137c6778de5c635b4a5",
    "vertebral.csv.gz": "26dfb1f1a22342a0f9d6e5592006a12adddc6a150fd29ea3baa2433733dcf6c7",
    "yeast.csv.gz": "bea9f4cf4b1d6afa69185c692390431e55816e4e23a277e095ac11c530bb5490",
}
DATA = files("palacs.datasets") / "data"
LICENSE = "CC BY 4.0"


def load_vehicle() -> Dataset:
    """Load Vehicle: silhouettes of four model vehicles, 846 instances of 18 features."""
    return _load(
        "Vehicle",
        "vehicle.csv.gz",
        {name: (name,) for name in ("opel", "saab", "bus", "van")},
        description=(
            "Shape measures of the silhouettes of four model vehicles, seen from many angles: "
            "two cars that are hard to tell apart, a double-decker bus and a van."
        ),
        source=(
            "Mowforth, P. and Shepherd, B.: Statlog (Vehicle Silhouettes). UCI Machine Learning "
            "Repository, https://doi.org/10.24432/C5HG6N. From the Turing Institute, Glasgow."
        ),
    )


def load_vertebral() -> Dataset:
    """Load Vertebral: the spines of 310 patients, 6 features, three classes."""
    return _load(
        "Vertebral",
        "vertebral.csv.gz",
        {name: (name,) for name in ("Normal", "Hernia", "Spondylolisthesis")},
        description=(
            "Six measures of shape and orientation of pelvis and lumbar spine, from patients "
            "with a disk hernia, with spondylolisthesis, or with neither."
        ),
        source=(
            "Barreto, G. and Neto, A. (2005): Vertebral Column. UCI Machine Learning Repository, "
            "https://doi.org/10.24432/C5K89B."
        ),
    )


def load_yeast() -> Dataset:
    """Load Yeast as the paper uses it: four classes, ME1 and ME2 taken together."""
    return _load(
        "Yeast",
        "yeast.csv.gz",
        {"CYT": ("CYT",), "NUC": ("NUC",), "ME1+ME2": ("ME1", "ME2"), "ME3": ("ME3",)},
        description=(
            "Where in the cell a yeast protein lives, from eight scores of its sequence; only "
            "the classes of the paper. The paper names five but prints four proportions, and "
            "ME1 is too small for its test set: ME1 and ME2 taken together is our reading."
        ),
        source=_YEAST_SOURCE,
    )


def load_yeast_all() -> Dataset:
    """Load Yeast with all ten classes and all 1484 instances."""
    names = ("CYT", "NUC", "MIT", "ME3", "ME2", "ME1", "EXC", "VAC", "POX", "ERL")
    return _load(
        "yeast-all",
        "yeast.csv.gz",
        {name: (name,) for name in names},
        description=(
            "Where in the cell a yeast protein lives, from eight scores of its sequence; all ten "
            "classes, very unequal in size. 22 rows are repetitions of others, as in the original."
        ),
        source=_YEAST_SOURCE,
    )


_YEAST_SOURCE = (
    "Nakai, K. (1991): Yeast. UCI Machine Learning Repository, https://doi.org/10.24432/C5KG68."
)


def _load(
    name: str,
    filename: str,
    members: dict[str, tuple[str, ...]],
    *,
    description: str,
    source: str,
) -> Dataset:
    """Build a data set of the classes in `members`; rows of any other class are left out."""
    text = read_verified(DATA / filename, SHA256[filename])
    header, *rows = (line.split(",") for line in text.splitlines())
    code_of = {label: code for code, labels in enumerate(members.values()) for label in labels}
    kept = [row for row in rows if row[-1] in code_of]
    return Dataset(
        name=name,
        X=np.array([row[:-1] for row in kept], dtype=np.float64),
        y=np.array([code_of[row[-1]] for row in kept], dtype=np.int64),
        class_names=tuple(members),
        feature_names=tuple(header[:-1]),
        description=description,
        source=source,
        license=LICENSE,
    )


def read_verified(file: Traversable, sha256: str) -> str:
    """Return the text of a compressed file, or refuse it if a single byte has changed."""
    try:
        content = gzip.decompress(file.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise OSError(
            f"The data file {file} that comes with palacs cannot be read ({error}); "
            "reinstall palacs: pip install --force-reinstall palacs"
        ) from error
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise OSError(
            f"The data file {file} that comes with palacs was altered (SHA-256 {found[:12]}..., "
            f"expected {sha256[:12]}...); reinstall palacs: pip install --force-reinstall palacs"
        )
    return content.decode("ascii")
