"""Four well-known data sets that scikit-learn already carries.

They come through its loaders, so nothing is shipped twice, and need no network.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from palacs.datasets._dataset import Dataset


def load_digits() -> Dataset:
    """Load digits: 1797 handwritten digits of 8 x 8 pixels, ten classes."""
    from sklearn.datasets import load_digits

    return _from_bunch(
        "digits",
        load_digits(),
        "Handwritten digits as 8 x 8 images with grey values from 0 to 16.",
        "Alpaydin, E. and Kaynak, C. (1998): Optical Recognition of Handwritten Digits, test "
        "part. UCI Machine Learning Repository, https://doi.org/10.24432/C50P49",
    )


def load_wine() -> Dataset:
    """Load wine: 178 wines of three cultivars, 13 features."""
    from sklearn.datasets import load_wine

    return _from_bunch(
        "wine",
        load_wine(),
        "Chemical analyses of wines grown in one region from three cultivars.",
        "Aeberhard, S. and Forina, M. (1992): Wine. UCI Machine Learning Repository, "
        "https://doi.org/10.24432/C5PC7J",
    )


def load_breast_cancer() -> Dataset:
    """Load breast-cancer: 569 tumours, 30 features, two classes."""
    from sklearn.datasets import load_breast_cancer

    return _from_bunch(
        "breast-cancer",
        load_breast_cancer(),
        "Measures of cell nuclei in images of breast tumours, malignant or benign.",
        "Wolberg, W., Mangasarian, O., Street, N. and Street, W. (1993): Breast Cancer Wisconsin "
        "(Diagnostic). UCI Machine Learning Repository, https://doi.org/10.24432/C5DW2B",
    )


def load_iris() -> Dataset:
    """Load iris: 150 flowers of three species, 4 features."""
    from sklearn.datasets import load_iris

    return _from_bunch(
        "iris",
        load_iris(),
        "Lengths and widths of sepals and petals of three species of iris.",
        "Fisher, R. (1936): Iris. UCI Machine Learning Repository, https://doi.org/10.24432/C56C76",
    )


def _from_bunch(name: str, bunch: Any, description: str, source: str) -> Dataset:
    return Dataset(
        name=name,
        X=np.asarray(bunch.data, dtype=np.float64),
        y=np.asarray(bunch.target, dtype=np.int64),
        class_names=tuple(str(label) for label in bunch.target_names),
        feature_names=tuple(str(feature) for feature in bunch.feature_names),
        description=description,
        source=f"{source}. Through scikit-learn.",
        license="CC BY 4.0",
    )
