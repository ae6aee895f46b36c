"""One instance from whatever a file, a terminal or standard input holds."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from palacs.campaign import read_instance

EXPECTED = [0.5, 1.25, -3.0]


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        "0.5,1.25,-3",
        "0.5, 1.25, -3",
        "0.5 ,1.25 ,-3",
        "0.5;1.25;-3\r\n",
        "0.5; 1.25; -3;",
        "0.5 1.25 -3",
        "0.5\t1.25\t-3",
        "0.5\n1.25\n-3\n",
        "alpha;beta;gamma\n0.5;1.25;-3",
        "\ufeff0.5,1.25,-3".encode(),
        "[0.5, 1.25, -3]",
        "[[0.5, 1.25, -3]]",
        '{"x": [0.5, 1.25, -3]}',
        npy(np.array(EXPECTED)),
        npy(np.array([EXPECTED])),
        npy(np.array([EXPECTED]).T),
        npy(np.array([[EXPECTED]])),
    ],
)
def test_every_way_to_write_one_instance_is_understood(content: bytes | str) -> None:
    assert read_instance(content) == EXPECTED


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        ("0,5;1,25", "0, 5, 1, 25", "0.5, 1.25"),
        ("0,5 1,25", "0, 5, 1, 25", "0.5, 1.25"),
        ("0,5\t2", "0, 5, 2", "0.5, 2"),
        ("0,5; 1,25; 3", "0, 5, 1, 25, 3", "0.5, 1.25, 3"),
        ("-0,5;1,2e3", "-0, 5, 1, 2e3", "-0.5, 1.2e3"),
        ("1,234.5;2", "1, 234.5, 2", "1234.5, 2"),
        ("a;b\n0,5;1,25", "0, 5, 1, 25", "0.5, 1.25"),
        ("0,5", "0, 5", "0.5"),
        ("1,234", "1, 234", "1.234"),
        ("1,234,567", "1, 234, 567", "1234567"),
        ("1.234,5", "1.234, 5", "1234.5"),
        ("1.234,5;0,5", "1.234, 5, 0, 5", "1234.5, 0.5"),
        ("1.234,5\t7", "1.234, 5, 7", "1234.5, 7"),
        ("0,5\n1,25", "0, 5 / 1, 25", "0.5, 1.25"),
        ("0,5\n1\n2", "0, 5 / 1 / 2", "0.5, 1, 2"),
        ("alpha\n0,5", "0, 5", "0.5"),
    ],
)
def test_numbers_that_can_be_read_in_two_ways_are_refused_with_both(
    text: str, one: str, other: str
) -> None:
    with pytest.raises(ValueError, match="can be read as") as refusal:
        read_instance(text, "trial.csv")
    assert f"read as {one} or as {other};" in str(refusal.value)
    assert str(refusal.value).startswith("trial.csv: ")


@pytest.mark.parametrize("text", ["0, 5", "0 ,5", "0;5", "0 5", "0.0,5.0", "low,high\n0,5"])
def test_two_numbers_that_are_clearly_two_are_read(text: str) -> None:
    assert read_instance(text) == [0.0, 5.0]


def test_the_number_of_features_tells_two_numbers_from_a_decimal_comma() -> None:
    assert read_instance("0,5", n_features=2) == [0.0, 5.0]
    assert read_instance("100,200,300", n_features=3) == [100.0, 200.0, 300.0]
    for text, n_features in [("0,5", 1), ("0,5", None), ("0,5;1,25", 4), ("0,5;1,25", 2)]:
        with pytest.raises(ValueError, match="can be read as"):
            read_instance(text, n_features=n_features)


@given(some.lists(some.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=6))
def test_what_python_writes_comes_back_whatever_separates_it(values: list[float]) -> None:
    for separator in (",", ", ", ";", " ", "\t", "\n"):
        text = separator.join(map(repr, values))
        assert read_instance(text, n_features=len(values)) == values
    assert read_instance(json.dumps(values)) == values
    assert read_instance(npy(np.array(values))) == values


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "no numbers found"),
        (" ;,\n", "no numbers found"),
        ("1.5,2\n3,4", r"shape \(2, 2\) is not one row of numbers; give one instance at a time"),
        ("0,5\n1,25;3", r"shape \(2, 3\)"),
        ("[[1], [2]]", r"shape \(2, 1\)"),
        ("[]", "no flat list"),
        ("[[]]", "no flat list"),
        ('{"x": "1"}', "no flat list"),
        ("one two", "'one' at position 0 is not a number"),
        (npy(np.array([1j])), "complex128"),
        (npy(np.array([1.0, 2.0]))[:-3], "NPY"),
    ],
)
def test_what_holds_no_instance_is_refused(content: bytes | str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read_instance(content)


@pytest.mark.parametrize(
    "content",
    ["mu C3,mu C4\n0.5,1.25", '"mu C3","mu C4"\n0.5,1.25', "mu C3; mu C4\n0.5; 1.25", "0.5 1.25"],
)
def test_names_in_the_file_may_be_those_of_the_campaign(content: str) -> None:
    assert read_instance(content, "x.csv", 2, ["mu C3", "mu C4"]) == [0.5, 1.25]


def test_numbers_are_put_in_order_by_their_names_and_others_are_refused() -> None:
    assert read_instance("C4,C3\n0.5,1.25", "x.csv", 2, ["C3", "C4"]) == [1.25, 0.5]
    with pytest.raises(ValueError, match="are alpha, beta, but this campaign's are C3, C4; name"):
        read_instance("alpha,beta\n0.5,1.25", "x.csv", 2, ["C3", "C4"])


@pytest.mark.parametrize("content", ["1,5;", ";1,5", "a;b\n1,5;", "a;b\n;1,5", "a\tb\n1,5\t"])
def test_a_decimal_comma_beside_an_empty_cell_is_not_taken_for_two_numbers(content: str) -> None:
    with pytest.raises(ValueError, match=r"can be read as 1, 5 or as 1\.5"):
        read_instance(content, "x.csv", 2)


@pytest.mark.parametrize("content", ["1.5,,2.5", ",1.5,2.5", "1.5;;2.5", "1.5, ,2.5"])
def test_an_empty_cell_is_not_passed_over(content: str) -> None:
    with pytest.raises(ValueError, match="a value is missing in"):
        read_instance(content, "x.csv", 2)
