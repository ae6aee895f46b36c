"""Own files: what was written is read back, and what cannot be used is explained."""

import gzip
import sys

import numpy as np
import pandas as pd
import pytest

from palacs.datasets import read_table


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "s1": [0.1, 0.25, 1e-9, 3.0],
            "s2": [1, 2, 3, 4],
            "smell": ["rose", "mint", "rose", "None"],
            "on": [True, False, True, True],
        }
    )


def write(frame, path):
    if path.name.endswith((".csv", ".csv.gz")):
        frame.to_csv(path, index=False)
    elif path.name.endswith((".tsv", ".tsv.gz")):
        frame.to_csv(path, index=False, sep="\t")
    else:
        frame.to_parquet(path)
    return path


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "tsv", "tsv.gz", "parquet", "CSV"])
def test_a_table_is_read_back_as_it_was_written(frame, tmp_path, suffix):
    path = tmp_path / f"nose.2.{suffix}"
    write(frame, tmp_path / path.name.lower()).rename(path)
    dataset = read_table(path, "smell")
    np.testing.assert_array_equal(dataset.X, frame[["s1", "s2", "on"]].to_numpy(dtype=float))
    assert dataset.labels.tolist() == frame["smell"].tolist()
    assert dataset.class_names == ("None", "mint", "rose")
    assert dataset.feature_names == ("s1", "s2", "on")
    assert dataset.name == "nose.2"
    assert str(path) in dataset.description


def test_arrays_are_read_back_as_they_were_written(tmp_path):
    X = np.random.default_rng(0).normal(size=(5, 3))
    np.savez_compressed(tmp_path / "a.npz", X=X, y=np.array(list("bbaca")))
    dataset = read_table(tmp_path / "a.npz")
    np.testing.assert_array_equal(dataset.X, X)
    assert dataset.class_names == ("a", "b", "c")
    assert dataset.y.tolist() == [1, 1, 0, 2, 0]


def test_the_array_with_the_classes_can_have_another_name(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.eye(3), finger=[7, 5, 7], y=[1, 1, 1])
    assert read_table(tmp_path / "a.npz", "finger").class_names == ("5", "7")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_numbered_classes_are_in_numerical_order(tmp_path, suffix):
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "k": [10, 9, 1]})
    dataset = read_table(write(frame, tmp_path / f"a.{suffix}"), "k")
    assert dataset.class_names == ("1", "9", "10")
    assert dataset.y.tolist() == [2, 1, 0]


def test_whole_floats_name_classes_like_whole_numbers(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.eye(3), y=[2.0, 1.0, 2.0])
    assert read_table(tmp_path / "a.npz").class_names == ("1", "2")


def test_spaces_around_a_class_do_not_make_another_class(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,k\n1,a\n2, a\n3,b \n")
    assert read_table(path, "k").class_counts == {"a": 2, "b": 1}


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("k,x\r\na,1\r\nb,2\r\n", encoding="utf-8-sig")
    assert read_table(path, "k").class_names == ("a", "b")


def test_blank_lines_do_not_shift_classes_against_features(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,k\n\n1,a\n\n2,NA\n\n")
    dataset = read_table(path, "k")
    assert dataset.X.ravel().tolist() == [1.0, 2.0]
    assert dataset.labels.tolist() == ["a", "NA"]


def test_columns_named_by_numbers_can_be_the_target(tmp_path):
    frame = pd.DataFrame({0: [1.0, 2.0], 1: ["a", "b"]})
    path = tmp_path / "a.parquet"
    frame.to_parquet(path)
    assert read_table(path, "1").class_names == ("a", "b")


def complaint(text, tmp_path, target="k", name="a.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=r".") as error:
        read_table(path, target)
    assert str(path) in str(error.value)
    return str(error.value)


def test_a_missing_target_column_names_the_available_ones(tmp_path):
    message = complaint("x,Label\n1,a\n2,b\n", tmp_path, "lable")
    assert "has no column 'lable'. Did you mean 'Label'? It has 'x', 'Label'." in message


def test_no_target_names_the_available_columns(tmp_path):
    message = complaint("x,k\n1,a\n2,b\n", tmp_path, None)
    assert "say which column holds the class (target); it has 'x', 'k'" in message


def test_many_columns_are_not_all_listed(tmp_path):
    header = ",".join(f"x{i}" for i in range(300))
    message = complaint(f"{header}\n", tmp_path, "k")
    assert "'x9' and 290 more" in message


def test_text_features_are_named_with_an_example_and_a_remedy(tmp_path):
    message = complaint("x,colour,w,k\n1,red,low,a\n2,blue,high,b\n", tmp_path)
    assert "not numbers: 'colour' (e.g. 'red'), 'w' (e.g. 'low')" in message
    assert "--drop 'colour,w'" in message
    assert "--encode one-hot" in message


def test_missing_values_are_counted_per_column(tmp_path):
    message = complaint("x,w,k\n1,,a\n,3,b\n?,4,b\n2,5,b\n", tmp_path)
    assert "3 missing values in 3 of 4 rows ('x': 2, 'w': 1)" in message
    assert "--impute median" in message


def test_a_feature_without_any_value_is_left_out(tmp_path):
    empty = pd.Series([None, None], dtype=object)
    frame = pd.DataFrame({"x": empty, "z": [1.0, 2.0], "k": ["a", "b"]})
    assert read_table(write(frame, tmp_path / "a.parquet"), "k").feature_names == ("z",)
    frame[["x", "k"]].to_parquet(tmp_path / "b.parquet")
    with pytest.raises(ValueError, match=r"has no feature left: 'x' .empty."):
        read_table(tmp_path / "b.parquet", "k")


def test_infinite_values_are_counted_per_column(tmp_path):
    message = complaint("x,w,k\n1,inf,a\n2,-inf,b\n", tmp_path)
    assert "2 infinite values ('w': 2)" in message


def test_a_single_class_is_refused(tmp_path):
    message = complaint("x,k\n1,a\n2,a\n", tmp_path)
    assert "only the class 'a' in 'k'; choosing between classes needs at least two" in message


def test_a_table_of_classes_only_is_refused(tmp_path):
    assert "no column but the target 'k'; add features" in complaint("k\na\nb\n", tmp_path)


def test_a_column_without_a_name_is_no_feature(tmp_path):
    frame = pd.DataFrame({"x": [1.0, 2.0], "k": ["a", "b"]})
    (tmp_path / "a.csv").write_text(frame.to_csv())
    dataset = read_table(tmp_path / "a.csv", "k")
    assert dataset.feature_names == ("x",)
    assert dataset.reading is not None
    assert dataset.reading.columns[0].use == "left out"
    kept = read_table(tmp_path / "a.csv", "k", keep=["column 1"])
    assert kept.feature_names == ("column 1", "x")


@pytest.mark.parametrize("row", ["1,2,a", "1,2,3,4,a"])
def test_rows_longer_than_the_header_are_refused(tmp_path, row):
    assert "its rows do not match its header" in complaint(f"x,k\n{row}\n{row}\n", tmp_path)


@pytest.mark.parametrize("text", ["", "\n", "\n\n"])
def test_an_empty_file_is_called_empty(tmp_path, text):
    assert "is empty" in complaint(text, tmp_path)


def test_an_empty_compressed_file_is_called_empty(tmp_path):
    assert "is empty" in complaint(gzip.compress(b""), tmp_path, name="a.csv.gz")


def test_a_header_without_rows_is_refused(tmp_path):
    assert "a header but no rows" in complaint("x,k\n", tmp_path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.parquet", b"this is no parquet file"),
        ("a.csv.gz", b"this is no gzip file"),
        ("a.csv.gz", gzip.compress(b"x,k\n1,a\n2,b\n" * 99, mtime=0)[:40]),
        ("a.csv", "x,k\n1,\xe4\n".encode("latin-1")),
        ("a.npz", b"PK\x03\x04 this is no zip file"),
        ("a.npz", b"this is no npz file"),
    ],
)
def test_files_that_are_not_what_they_are_called_are_refused(tmp_path, name, content):
    complaint(content, tmp_path, name=name)


@pytest.mark.parametrize(
    ("name", "remedy"), [("a.xlsx", "as CSV"), ("a.dat", "rename it to .txt"), ("a.zip", "Unpack")]
)
def test_an_unknown_suffix_names_the_known_ones(tmp_path, name, remedy):
    known = r"cannot tell the format.*\.csv.*\.parquet, \.npz"
    with pytest.raises(ValueError, match=f"{known}.*{remedy}"):
        read_table(tmp_path / name, "k")


def test_a_missing_file_is_not_found(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no file .*nowhere.csv"):
        read_table(tmp_path / "nowhere.csv", "k")


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(ValueError, match="is a folder"):
        read_table(tmp_path / "a.csv", "k")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": np.eye(2)}, "no array 'y'; it has 'X'"),
        ({"a": np.eye(2), "y": [0, 1]}, "no array 'X'; it has 'a', 'y'"),
        ({"X": np.eye(2), "y": [0, 1, 2]}, r"y has shape \(3,\) but X has 2 rows"),
        ({"X": np.zeros(2), "y": [0, 1]}, r"X has shape \(2,\).*X.reshape"),
        ({"X": np.zeros((0, 2)), "y": []}, "no rows"),
        ({"X": np.array([["a"], ["b"]]), "y": [0, 1]}, "dtype <U1; features must be numbers"),
        (
            {"X": np.array([[1.0], [np.nan], [2.0]]), "y": [0, 1, 1]},
            "1 missing values in 1 of 3 rows .'x1': 1",
        ),
        ({"X": np.eye(2), "y": [0, np.nan]}, "only the class '0'"),
        ({"X": np.eye(2), "y": ["a", ""]}, "only the class 'a'"),
        ({"X": np.array([[1.0], [np.inf]]), "y": [0, 1]}, "1 infinite values .'x1': 1"),
        ({"X": np.eye(2), "y": [4, 4]}, "only the class '4'"),
        ({"X": np.eye(2), "y": np.array(["a", None], dtype=object)}, "holds Python objects"),
    ],
)
def test_unusable_arrays_are_explained(tmp_path, arrays, message):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(ValueError, match=message):
        read_table(tmp_path / "a.npz")


def test_without_pandas_the_error_names_the_extra(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("x,k\n1,a\n2,b\n")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"needs 'pandas'.*pip install 'palacs\[tables\]'"):
        read_table(tmp_path / "a.csv", "k")


def test_npz_needs_no_pandas(tmp_path, monkeypatch):
    np.savez(tmp_path / "a.npz", X=np.eye(2), y=[0, 1])
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert read_table(tmp_path / "a.npz").n_instances == 2
