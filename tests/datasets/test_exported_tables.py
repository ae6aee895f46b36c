"""Tables that somebody exported: what must be neither misread nor left out without need."""

import decimal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from palacs.datasets import read_table

ROWS = 24
LABELS = ["mint", "rose", "rest"] * (ROWS // 3)
U = np.round(np.random.default_rng(0).normal(size=ROWS), 3)
PRICES = np.random.default_rng(1).permutation(np.arange(300, 5000, 100))[:ROWS] + 1


def written(tmp_path, *, ending="\n", sep=";", smell=LABELS, **columns):
    columns = {"u": U, **columns, "smell": smell}
    rows = [columns, *zip(*columns.values(), strict=True)]
    path = tmp_path / "nose.csv"
    path.write_bytes(ending.join(sep.join(map(str, row)) for row in rows).encode())
    return path


def fate(dataset, name):
    return next(column for column in dataset.reading.columns if column.name == name)


def told(dataset):
    return " ".join(dataset.reading.remarks)


def test_points_between_thousands_are_not_taken_for_decimals(tmp_path):
    path = written(tmp_path, price=[f"{price:,}".replace(",", ".") for price in PRICES])
    with pytest.raises(ValueError, match=r"can be read as \d{4} \(--decimal ,\) or as \d\.\d{3}"):
        read_table(path, "smell")
    assert read_table(path, "smell", decimal=".").X[:, 1].min() < 5
    whole = written(tmp_path, u=range(ROWS), price=[f"{p:,}".replace(",", ".") for p in PRICES])
    assert read_table(whole, "smell", decimal=",").X[:, -1].tolist() == PRICES.tolist()


@pytest.mark.parametrize(
    "cells", ["0 1.250 2.125 7.125", "1 1.5 2.125 3", "0.125 950", "1.250 2.500"]
)
def test_decimals_beside_whole_numbers_are_decimals(tmp_path, cells):
    values = cells.split() * ROWS
    read = read_table(written(tmp_path, v=values[:ROWS]), "smell")
    assert read.X[:, 1].tolist() == [float(value) for value in values[:ROWS]]


@pytest.mark.parametrize(
    "form",
    ["${}.50", "US${}.50", "EUR {}.50", "{} mmol/l", "{}.5 m2", "{}e-3 V", "{}.5±0.1", "({}.50)"],
)
def test_amounts_and_long_units_are_no_ids(tmp_path, form):
    with pytest.raises(ValueError, match="not only numbers: 'v' holds"):
        read_table(written(tmp_path, v=[form.format(price) for price in PRICES]), "smell")


@pytest.mark.parametrize("last", [ROWS - 1, 3, ""])
def test_row_numbers_with_a_row_that_stands_twice_or_has_none_are_left_out(tmp_path, last):
    read = read_table(written(tmp_path, probe=[*range(1, ROWS), last]), "smell", impute="median")
    assert fate(read, "probe").holds == "row numbers"
    assert read.feature_names == ("u",)


def test_nearly_unique_numbers_in_the_order_of_the_rows_are_warned_of(tmp_path):
    numbers = [7 * i for i in range(ROWS - 1)]
    read = read_table(written(tmp_path, probe=[*numbers, numbers[-1]]), "smell")
    assert fate(read, "probe").warning
    assert fate(read, "probe").use == "feature"


def test_rows_that_stand_twice_are_told(tmp_path):
    twice = {name: [*values[:12], *values[:12]] for name, values in (("u", U), ("smell", LABELS))}
    read = read_table(written(tmp_path, v=[*U[12:]] * 2, **twice), "smell")
    assert "12 rows are the same as one before" in told(read)


def test_a_class_that_is_left_out_with_its_rows_is_told(tmp_path):
    v = ["" if label == "rest" else value for label, value in zip(LABELS, U, strict=True)]
    read = read_table(written(tmp_path, v=v), "smell", impute="drop-rows")
    assert "every instance of the class 'rest'" in told(read)


@pytest.mark.parametrize("impute", ["mean", "most-frequent"])
def test_an_empty_column_cannot_be_kept(tmp_path, impute):
    path = written(tmp_path, v=[""] * ROWS)
    with pytest.raises(ValueError, match="'v' is empty"):
        read_table(path, "smell", keep=["v"], impute=impute)


def test_classes_called_nan_have_one_order_in_every_process(tmp_path):
    path = written(tmp_path, v=U[::-1], smell=["2", "nan", "1", "3"] * (ROWS // 4))
    read = f"read_table({str(path)!r}, 'smell')"
    program = f"from palacs.datasets import read_table; print({read}.class_names)"
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert found == {"('1', '2', '3', 'nan')\n"}


def test_lines_that_end_as_on_the_first_macs_are_lines(tmp_path):
    assert len(read_table(written(tmp_path, v=U[::-1], ending="\r"), "smell")) == ROWS


def test_names_between_blanks_above_decimal_commas_are_names(tmp_path):
    v = [f"{value:.2f}".replace(".", ",") for value in U[::-1]]
    path = written(tmp_path, sep=" ", u=v[::-1], v=v)
    assert read_table(path, "smell", decimal=",").feature_names == ("u", "v")


@pytest.mark.parametrize(
    "values",
    [list(map(str, U)), [decimal.Decimal(str(u)) for u in U], pd.to_timedelta(U, unit="s")],
    ids=["text", "decimals", "durations"],
)
def test_numbers_in_other_types_of_a_parquet_file_are_numbers(tmp_path, values):
    frame = pd.DataFrame({"v": values, "who": ["01", "1", "2"] * 8, "smell": LABELS})
    frame.to_parquet(tmp_path / "nose.parquet")
    read = read_table(tmp_path / "nose.parquet", "smell", groups="who")
    assert read.X[:, 0] == pytest.approx(U)
    assert set(read.groups if read.groups is not None else ()) == {"01", "1", "2"}
