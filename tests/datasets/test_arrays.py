"""Arrays and data frames become data sets, or an error that says what to mend."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from palacs.datasets import from_arrays

X = np.arange(12.0).reshape(6, 2)
Y = ["b", "a", "b", "a", "b", "a"]
FRAME = pd.DataFrame(X, columns=["width", "height"], index=[7, 7, 3, 2, 1, 0])


@pytest.mark.parametrize(
    ("given", "labels"),
    [
        (X, Y),
        (X.tolist(), np.array(Y)),
        (X.astype(int), pd.Series(Y, index=range(10, 16))),
        (FRAME, pd.Categorical(Y)),
        (FRAME.astype(object), Y),
        (FRAME.assign(kind=Y), "kind"),
        (pl.DataFrame(X, schema=["width", "height"]), pl.Series(Y)),
        (pl.DataFrame({"width": X[:, 0], "kind": Y, "height": X[:, 1]}), "kind"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_whatever_holds_the_values_the_data_set_is_the_same(given: Any, labels: Any) -> None:
    dataset = from_arrays(given, labels)
    assert dataset.X.tolist() == X.tolist()
    assert dataset.labels.tolist() == Y
    named = hasattr(given, "columns")
    assert dataset.feature_names == (("width", "height") if named else ("x1", "x2"))


def test_groups_come_as_values_or_as_a_column_and_are_no_feature() -> None:
    who = [1, 1, 2, 2, 3, 3]
    for dataset in (
        from_arrays(X, Y, groups=who),
        from_arrays(FRAME.assign(who=who), Y, groups="who"),
    ):
        assert dataset.n_features == 2
        assert dataset.groups is not None
        assert dataset.groups.tolist() == who


def test_text_becomes_columns_of_its_values_only_where_that_was_asked_for() -> None:
    frame = FRAME.assign(colour=list("rgrgrg"))
    with pytest.raises(ValueError, match=r"not numbers: 'colour' \(e\.g\. 'r'\).*get_dummies"):
        from_arrays(frame, Y)
    dataset = from_arrays(frame, Y, one_hot=True)
    assert dataset.feature_names == ("width", "height", "colour=g", "colour=r")
    assert dataset.X[0].tolist() == [0.0, 1.0, 0.0, 1.0]
    many = pd.DataFrame({"note": [f"text {i}" for i in range(60)]})
    with pytest.raises(ValueError, match="'note' holds 60 different texts"):
        from_arrays(many, ["a", "b"] * 30, one_hot=True)
    with pytest.raises(ValueError, match="not numbers: 'day'"):
        from_arrays(FRAME.assign(day=pd.Timestamp("2020-01-01")), Y, one_hot=True)
    pairs: Any = [[1, 2]] * 6
    with pytest.raises(ValueError, match=r"not numbers: 'pair' .* turn them into numbers\.$"):
        from_arrays(FRAME.assign(pair=pairs), Y, one_hot=True)


@pytest.mark.parametrize(
    ("given", "labels", "message"),
    [
        (X, Y[:4], "y has 4 entries for 6 instances"),
        (X, None, "y must be a flat list of labels, one per instance, got None"),
        (X, [[1], [2], [1], [2], [1], [2]], "flat list"),
        (X, "kind", "'kind' names a column, but X is no data frame"),
        (FRAME, "kind", "no column 'kind'"),
        (X, ["a"] * 6, "only the class 'a'"),
        (X, [1, "1", 2, 2, 2, 2], "the text '1' and the number 2"),
        (X, ["a", None, "a", "b", "a", "b"], r"missing label \(None\)"),
        (X[:, 0], Y, r"X has shape \(6,\)"),
        ([[1, 2], [3]], ["a", "b"], "rows of different lengths"),
        (pl.LazyFrame({"a": X[:, 0]}), Y, r"X is a lazy frame; give X\.collect\(\)"),
        (FRAME[[]], Y, "6 rows and no feature"),
        (np.where(X == 3, np.nan, X), Y, r"1 missing values \('x2': 1\).*SimpleImputer"),
        (FRAME.replace(3.0, np.inf), Y, "X holds inf in row 1, column 'height'"),
        (pd.concat([FRAME, FRAME], axis=1), Y, "two columns 'width'"),
        (pl.DataFrame({"a": [1, None, 3, 4, 5, 6]}), Y, r"missing values \('a': 1\)"),
    ],
    ids=str,
)
def test_what_cannot_be_used_is_named(given: Any, labels: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        from_arrays(given, labels)


def test_what_looks_like_an_id_is_kept_with_a_warning() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=20), "id": np.arange(100, 120), "flat": 1.0})
    with pytest.warns(UserWarning, match="column 'id' looks like a counter") as caught:
        dataset = from_arrays(frame, ["a", "b"] * 10)
    assert len(caught) == 1
    assert dataset.feature_names == ("size", "id", "flat")


def test_one_group_is_none() -> None:
    with pytest.raises(ValueError, match="groups holds one group only, 's1'"):
        from_arrays(X, Y, groups=["s1"] * 6)


def test_classes_in_another_order_than_the_rows_are_refused():
    frame = pd.DataFrame({"u": [1.0, 2.0, 3.5, 4.0]})
    labels = pd.Series(["a", "b", "a", "b"])
    with pytest.raises(ValueError, match=r"y\.loc\[X\.index\]"):
        from_arrays(frame, labels[::-1])
    assert len(from_arrays(frame, labels[::-1].reset_index(drop=True))) == 4
    assert len(from_arrays(frame, labels.set_axis(list("wxyz")))) == 4


def test_a_column_is_not_mistaken_for_one_of_a_text():
    frame = pd.DataFrame({"a=b": [1.0, 2.0, 3.0, 4.0], "a": ["b", "c", "b", "c"]})
    with pytest.raises(ValueError, match="two columns would be called 'a=b'"):
        from_arrays(frame, [0, 0, 1, 1], one_hot=True)
    kept = from_arrays(frame.rename(columns={"a=b": "a_b"}), [0, 0, 1, 1], one_hot=True)
    assert kept.feature_names == ("a_b", "a=b", "a=c")


def test_an_index_of_numbers_and_text_in_another_order_is_noticed() -> None:
    index = [0, 1, 2, 3, 4, "last"]
    frame = pd.DataFrame(X, index=index)
    assert from_arrays(frame, pd.Series(Y, index=index)).labels.tolist() == Y
    with pytest.raises(ValueError, match="index of X in another order"):
        from_arrays(frame, pd.Series(Y, index=index[::-1]))
