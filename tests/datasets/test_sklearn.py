"""scikit-learn's data sets arrive unchanged, with names for classes and features."""

import numpy as np
import pytest
from sklearn import datasets as sklearn_datasets

from palacs.datasets import load


@pytest.mark.parametrize(
    ("name", "loader", "classes"),
    [
        ("digits", "load_digits", tuple("0123456789")),
        ("wine", "load_wine", ("class_0", "class_1", "class_2")),
        ("breast-cancer", "load_breast_cancer", ("malignant", "benign")),
        ("iris", "load_iris", ("setosa", "versicolor", "virginica")),
    ],
)
def test_values_and_classes_are_scikit_learns(name, loader, classes):
    dataset = load(name)
    X, y = getattr(sklearn_datasets, loader)(return_X_y=True)
    np.testing.assert_array_equal(dataset.X, X)
    np.testing.assert_array_equal(dataset.y, y)
    assert dataset.class_names == classes
    assert len(set(dataset.feature_names)) == X.shape[1]
