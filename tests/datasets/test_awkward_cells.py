"""Cells that look like something else: ids in disguise, words for gaps, two numbers in one."""

import numpy as np
import pandas as pd
import pytest

from palacs.datasets import read_table

ROWS = 24
LABELS = ["mint", "rose", "rest"] * (ROWS // 3)
U = np.round(np.random.default_rng(0).normal(size=ROWS), 3)
COLOURS = ["red", "red", "blue", "red", "blue", "blue"] * (ROWS // 6)
LONG = [str(10**18 + int(i)) for i in np.random.default_rng(1).permutation(ROWS)]
PRESSURES = [f"{120 + i}/{80 + i}" for i in range(ROWS)]


@pytest.fixture
def read(tmp_path):
    def write_and_read(u=U, smell=LABELS, more=(), **columns):
        path = tmp_path / "nose.csv"
        columns = {"smell": smell, "u": u, **columns, **dict(more)}
        rows = [columns, *zip(*columns.values(), strict=True)]
        path.write_text("\n".join(";".join(map(str, row)) for row in rows))
        return lambda **options: read_table(path, "smell", **options)

    return write_and_read


def fate(dataset, name):
    return next(column for column in dataset.reading.columns if column.name == name)


def told(dataset):
    return " ".join(dataset.reading.remarks)


@pytest.mark.parametrize("encode", ["ordinal", "one-hot"])
def test_text_that_is_nearly_always_different_is_an_id(read, encode):
    names = [f"probe {i:03d}" for i in range(ROWS - 1)]
    dataset = read(probe=[*names, names[0]])(encode=encode)
    assert dataset.feature_names == ("u",)
    assert fate(dataset, "probe").holds == "an id"


def test_text_that_is_mostly_different_is_kept_with_a_warning(read):
    dataset = read(probe=[f"probe {i * 2 // 3}" for i in range(ROWS)])(encode="ordinal")
    assert fate(dataset, "probe").use == "feature"
    assert fate(dataset, "probe").warning


@pytest.mark.parametrize("word", ["NA", "?", "n/a", "#N/A", "NULL"])
def test_words_for_a_gap_are_no_category(read, word):
    open_table = read(colour=[word, *COLOURS[1:]])
    with pytest.raises(ValueError, match=r"1 missing values in 1 of 24 rows .'colour': 1"):
        open_table(encode="one-hot")
    dataset = open_table(encode="one-hot", impute="most-frequent")
    assert dataset.feature_names == ("u", "colour=blue", "colour=red")
    assert f"missing: {word!r}" in fate(dataset, "colour").note


def test_none_is_an_answer_and_a_class_may_be_called_na(read):
    smell = ["NA" if label == "rest" else label for label in LABELS]
    dataset = read(smell=smell, drinks=["none", *["much", "little"] * 11, "none"])(encode="one-hot")
    assert "drinks=none" in dataset.feature_names
    assert "NA" in dataset.class_names


def test_words_for_a_gap_in_a_parquet_file_are_gaps(tmp_path):
    frame = pd.DataFrame({"u": U, "colour": ["NA", *COLOURS[1:]], "smell": LABELS})
    frame.to_parquet(tmp_path / "nose.parquet")
    dataset = read_table(
        tmp_path / "nose.parquet", "smell", encode="one-hot", impute="most-frequent"
    )
    assert dataset.feature_names == ("u", "colour=blue", "colour=red")


def test_numbers_that_a_spreadsheet_keeps_as_text_are_numbers(read):
    dataset = read(v=[f'="{value}"' for value in U[::-1]], smell=[f'="{k}"' for k in LABELS])()
    assert dataset.X[:, 1].tolist() == U[::-1].tolist()
    assert dataset.class_names == ("mint", "rest", "rose")
    assert "Cells such as '=\"mint\"' were read as 'mint'" in told(dataset)


def test_two_numbers_in_a_cell_are_neither_an_id_nor_a_category(read):
    for options in ({}, {"encode": "ordinal"}):
        with pytest.raises(ValueError, match=r"'bp' holds several numbers in a cell, .*'120/80'"):
            read(bp=PRESSURES)(**options)
    assert read(bp=PRESSURES)(drop=["bp"]).feature_names == ("u",)
    assert read(bp=PRESSURES)(keep=["bp"], encode="ordinal").n_features == 2
    genes = read(gene=["0/1", "1/1", "0/0", "1/1", "0/1", "0/0"] * 4)(encode="one-hot")
    assert genes.feature_names[1:] == ("gene=0/0", "gene=0/1", "gene=1/1")


def test_ids_too_long_for_floats_are_ids(read, tmp_path):
    assert fate(read(probe=LONG)(), "probe").holds == "an id"
    frame = pd.DataFrame({"u": U, "probe": [int(i) for i in LONG], "smell": LABELS})
    frame.to_parquet(tmp_path / "nose.parquet")
    assert fate(read_table(tmp_path / "nose.parquet", "smell"), "probe").holds == "an id"
    with pytest.raises(ValueError, match=r"not numbers: 'probe' .e.g. '10000000000000000"):
        read(probe=[LONG[i % 6] for i in range(ROWS)])()
    X = np.column_stack([np.arange(ROWS) ** 2 % 7, np.array(LONG, dtype=np.int64)])
    np.savez(tmp_path / "nose.npz", X=X, y=LABELS)
    assert fate(read_table(tmp_path / "nose.npz"), "x2").holds == "an id"


def test_large_numbers_that_stay_different_are_numbers(read):
    large = [str(10**18 + 10**6 * int(i) ** 2) for i in np.random.default_rng(1).permutation(ROWS)]
    assert read(v=large)().X[:, 1].tolist() == [float(value) for value in large]


def test_features_of_one_name_are_told_apart(read):
    numbers, kinds = U[::-1], ["b", "c", "c", "b", "b", "c"] * 4
    dataset = read(a=kinds, more={"a=b": numbers})(encode="one-hot")
    assert dataset.feature_names == ("u", "a=b (2)", "a=c", "a=b")
    assert dataset.X[:, 3].tolist() == numbers.tolist()


def test_a_column_that_is_called_as_another_would_be_keeps_its_name(tmp_path):
    path = tmp_path / "nose.csv"
    V, W = U[::-1], U * 2 + 1
    rows = "\n".join(f"{u};{v};{w};{k}" for u, v, w, k in zip(U, V, W, LABELS, strict=True))
    path.write_text("x;x;x (2);smell\n" + rows)
    dataset = read_table(path, "smell")
    assert dataset.feature_names == ("x", "x (3)", "x (2)")
    assert dataset.X[:, 2] == pytest.approx(W)


def test_rows_shorter_than_the_names_are_told_before_gaps_are_filled(tmp_path):
    path = tmp_path / "nose.csv"
    rows = [f"{k};{u};{u}" for u, k in zip(U, LABELS, strict=True)]
    path.write_text("\n".join(["smell;u;v", *rows[:5], "mint;0.25", *rows[5:]]))
    dataset = read_table(path, "smell", impute="median")
    assert "1 row has fewer cells than the 3 names (row 7)" in told(dataset)
    assert len(dataset) == ROWS + 1


@pytest.mark.parametrize("footer", ["", ";Source: the lab", ";Mean", ";* measured twice;"])
def test_what_stands_below_a_table_makes_no_number_text(read, footer):
    dataset = read(u=[*U, footer[1:]], smell=[*LABELS, ""])()
    np.testing.assert_array_equal(dataset.X[:, 0], U)
    assert dataset.n_instances == ROWS


def test_a_note_below_a_table_makes_no_number_text_in_parquet(tmp_path):
    frame = pd.DataFrame({"u": [*map(str, U), "Source: the lab"], "smell": [*LABELS, None]})
    frame.to_parquet(tmp_path / "nose.parquet")
    np.testing.assert_array_equal(read_table(tmp_path / "nose.parquet", "smell").X[:, 0], U)


@pytest.mark.parametrize(
    "rows",
    [[("mm", "-", "")], [("Which u?", "Which w?", "Which smell?"), ("{Q1}", "{Q2}", "{Q3}")]],
)
def test_rows_of_units_and_questions_are_left_out(read, rows):
    units, more, labels = zip(*rows, strict=True)
    dataset = read(u=[*units, *U], w=[*more, *U[::-1]], smell=[*labels, *LABELS])()
    np.testing.assert_array_equal(dataset.X[:, 0], U)
    assert "of units left out: " in told(dataset)
    assert set(dataset.class_names) == set(LABELS)


def test_a_first_row_of_gaps_or_of_a_class_is_no_row_of_units(read):
    assert read(u=["?", *U], smell=["mint", *LABELS])(impute="mean").n_instances == ROWS + 1
    with pytest.raises(ValueError, match=r"'u' holds 'n\.d\.' .*among numbers"):
        read(u=["n.d.", *U], smell=["mint", *LABELS])()


@pytest.mark.parametrize("word", ["#NV", "#WERT!", "#N/D", "#VALEUR!"])
def test_errors_of_spreadsheets_in_other_languages_are_gaps(read, word):
    assert f"missing: {word!r}" in fate(read(w=[word, *U[1:]])(impute="mean"), "w").note


@pytest.mark.parametrize("code", [-999, 9999, -9, -999.25])
def test_a_number_that_may_mean_a_gap_is_warned_of(read, code):
    column = fate(read(w=[code, code, *U[2:]])(), "w")
    assert (column.use, column.warning) == ("feature", True)
    assert column.note.startswith(f"{code} 2 times")


@pytest.mark.parametrize("w", [[-999, *U[1:]], [-999, -999, *(1000 * U[2:])], [99, 98] * 12])
def test_numbers_among_their_like_are_no_gaps(read, w):
    assert "times" not in fate(read(w=w)(), "w").note


def test_durations_are_called_times_with_a_remedy(read):
    column = fate(read(w=[f"{i}:0{i % 7}.5" for i in range(ROWS)])(), "w")
    assert (column.holds, column.use) == ("times", "left out")
    assert "seconds" in column.note


def test_numbers_with_fortran_exponents_are_no_ids(read):
    with pytest.raises(ValueError, match=r"'w' holds '1\.76\dD\+02' .*among numbers"):
        read(w=[f"{1.764 + i / 1000:.3f}D+02" for i in range(ROWS)])()


def test_a_copy_of_very_many_classes_is_left_out(read):
    names = [f"c{i % 8}" for i in range(ROWS)]
    dataset = read(smell=names, copy=[str(100 + i % 8) for i in range(ROWS)])()
    assert fate(dataset, "copy").use == "left out"


def test_a_column_per_class_is_warned_of(read):
    dataset = read(is_mint=[int(name == "mint") for name in LABELS], w=[0, 1, 1, 0] * (ROWS // 4))()
    assert "sets one class apart" in fate(dataset, "is_mint").note
    assert fate(dataset, "is_mint").use == "feature"
    assert not fate(dataset, "w").note
