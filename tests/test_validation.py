"""Checks shared by the public functions let good input through unchanged."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from palacs.checks import check_bandwidth, check_codes, check_count, check_features


def test_good_features_are_not_copied_and_keep_their_values():
    X = np.arange(6.0).reshape(3, 2)
    assert check_features(X) is X
    assert check_features([[1, 2], [3, 4]]).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert check_features(np.asfortranarray(X)).flags.c_contiguous


def test_nothing_has_as_many_features_as_it_says():
    assert check_features([], allow_empty=True).shape == (0, 0)
    assert check_features(np.zeros((0, 5)), allow_empty=True).shape == (0, 5)


def test_instances_without_features_are_not_taken_for_no_instances():
    with pytest.raises(ValueError, match=r"0 feature\(s\) \(shape=\(3, 0\)\)"):
        check_features(np.zeros((3, 0)), allow_empty=True)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_the_message_says_where_a_bad_number_stands(value):
    X = np.zeros((3, 4))
    X[2, 1] = value
    with pytest.raises(ValueError, match=rf"X holds {value} in row 2, column 1; remove or repair"):
        check_features(X)


def test_sparse_features_are_refused_with_the_way_to_make_them_dense():
    with pytest.raises(ValueError, match=r"X is sparse; palacs takes dense arrays: X.toarray\(\)"):
        check_features(csr_array(np.eye(3)))


def test_a_masked_value_is_missing():
    X = np.ma.array(np.ones((2, 2)), mask=[[False, False], [False, True]])
    with pytest.raises(ValueError, match=r"X has a masked value at \[1, 1\]; fill it"):
        check_features(X)
    X.mask = False
    assert check_features(X).tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_codes_become_whole_numbers_of_one_type():
    assert check_codes(np.array([0, 1], dtype=np.uint8), 2, 2).dtype == np.int64
    assert check_codes([], 0, 2).shape == (0,)


@pytest.mark.parametrize("bandwidth", [1, 0.05, np.float32(0.5), 1e-100, 1e100])
def test_any_positive_number_is_a_bandwidth(bandwidth):
    assert check_bandwidth(bandwidth) == float(bandwidth)


@pytest.mark.parametrize("bandwidth", [True, None, "0.05", [0.05]])
def test_what_is_no_number_is_no_bandwidth(bandwidth):
    with pytest.raises(ValueError, match=r"bandwidth must be a number, got .*; the paper's is"):
        check_bandwidth(bandwidth)


def test_counts_are_whole_numbers_from_the_minimum_on():
    assert check_count(np.int32(4), "folds") == 4
    assert check_count(0, "folds", minimum=0) == 0
    for wrong in (0, -1, 1.0, True, "3", None):
        with pytest.raises(ValueError, match=rf"folds must be .* at least 1, got {wrong!r}"):
            check_count(wrong, "folds")
