"""Tables as people have them: exported by spreadsheets, with ids, dates and gaps."""

import gzip

import numpy as np
import pandas as pd
import pytest

from palacs.datasets import load, load_any, read_table
from palacs.datasets._table_columns import Raw, make_features
from palacs.datasets._table_options import TableOptions

ROWS = 24
LABELS = ["mint", "rose", "rest"] * (ROWS // 3)
U = np.round(np.random.default_rng(0).normal(size=ROWS), 3)
V = np.round(np.random.default_rng(1).normal(5, 2, size=ROWS), 2)


@pytest.fixture
def read(tmp_path):
    """Write a text, or bytes, and read it back as a data set with the class in 'smell'."""

    def write_and_read(content, name="nose.csv", target="smell", **options):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_table(path, target, **options)

    return write_and_read


def table(sep=",", decimal=".", before="", **columns):
    """Lay out two features and the class, other columns before them."""
    columns = {**columns, "u": U, "v": V, "smell": LABELS}
    rows = [sep.join(columns)]
    for values in zip(*columns.values(), strict=True):
        rows.append(sep.join(str(v).replace(".", decimal) for v in values))
    return before + "\n".join(rows) + "\n"


def used(dataset, name):
    return next(column for column in dataset.reading.columns if column.name == name)


def said(dataset):
    return " ".join(dataset.reading.remarks)


def same(dataset):
    assert dataset.feature_names == ("u", "v")
    np.testing.assert_array_equal(dataset.X, np.column_stack([U, V]))
    assert dataset.labels.tolist() == LABELS


# -- separators and encodings --------------------------------------------------------------


@pytest.mark.parametrize("sep", [",", ";", "\t", "|", " "])
@pytest.mark.parametrize("name", ["nose.csv", "nose.txt", "nose.tsv"])
def test_whatever_separates_the_columns_is_found(read, sep, name):
    same(read(table(sep), name))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_whatever_the_encoding_names_keep_their_letters(read, encoding):
    text = table(";").replace("u;v", "Größe;v").replace("rose", "Rosé")
    dataset = read(text.encode(encoding))
    assert dataset.feature_names == ("Größe", "v")
    assert "Rosé" in dataset.class_names


def test_an_encoding_that_was_found_wrongly_can_be_named(read):
    text = table().replace("rose", "ő").encode("cp1250")
    assert "ő" in read(text, encoding="cp1250").class_names
    with pytest.raises(ValueError, match="there is no encoding 'cp9999'"):
        read(text, encoding="cp9999")


def test_a_workbook_called_csv_is_refused(read):
    with pytest.raises(ValueError, match="save it as CSV"):
        read(b"PK\x03\x04\x14\x00\x06\x00" + bytes(200))


@pytest.mark.parametrize(
    ("cell", "readings"),
    [
        ("1,5", r"'1,5' can be read as 1.5 .--decimal ,. or as text"),
        ("1,500", r"'1,500' can be read as 1.500 .--decimal ,. or as 1500 .--decimal .."),
        ("1.234,5", r"'1.234,5' can be read as 1234.5 .--decimal ,. or as text"),
    ],
)
def test_a_comma_in_a_number_is_refused_with_both_readings(read, cell, readings):
    rows = "\n".join(f"{cell};{i % 7};{label}" for i, label in enumerate(LABELS))
    with pytest.raises(ValueError, match=f"in column 'u' {readings}"):
        read(f"u;v;smell\n{rows}\n")


def test_a_decimal_comma_that_was_asked_for_is_one(read):
    same(read(table(";", ",").encode("utf-8-sig"), decimal=","))
    same(read(table("\t", ","), decimal=","))


def test_marks_between_thousands_are_read(read):
    cells = ["1.234,5", "12", "1.000.000", "0,25"] * 6
    rows = "\n".join(f"{c};{x};{y}" for c, x, y in zip(cells, U, LABELS, strict=True))
    text = f"big;u;smell\n{rows}\n"
    with pytest.raises(ValueError, match="'u' holds"):
        read(text, decimal=",")  # u has decimal points: it cannot be both
    dataset = read(text, decimal=",", drop=["u"])
    assert dataset.X[:4, 0].tolist() == [1234.5, 12.0, 1e6, 0.25]
    assert "thousands" in used(dataset, "big").note


def test_commas_between_thousands_are_read_where_the_point_was_asked_for(read):
    quoted = [f'"{cell}"' for cell in ["1,234.5", "1,000"] * 12]
    dataset = read(table(big=quoted), decimal=".")
    assert dataset.X[:2, 0].tolist() == [1234.5, 1000.0]


# -- lines that are no instances -----------------------------------------------------------


@pytest.mark.parametrize(
    "before",
    [
        "# made by the nose, 3.2.2024\n",
        "sep=;\n",
        "Messung 12\nFrau Müller\n\n",
        "Messung 12; Raum 4\n",
        "\n\n",
    ],
)
def test_lines_before_the_names_are_left_out(read, before):
    dataset = read(table(";", before=before))
    same(dataset)
    assert ("left out" in said(dataset)) == (before.strip() not in ("", "sep=;"))


def test_names_behind_a_comment_mark_are_names(read):
    same(read("# " + table()))


def test_a_row_of_units_is_left_out_and_told(read):
    dataset = read(table().replace("smell\n", "smell\n[mm],V,\n", 1))
    same(dataset)
    assert "A row of units left out: '[mm]', 'V'." in said(dataset)


def test_trailing_separators_and_empty_rows_are_left_out(read):
    text = "\r\n".join(line + ";;" for line in table(";").splitlines()) + "\r\n;;;;\r\n\r\n\r\n"
    dataset = read(text)
    same(dataset)
    assert "1 row without any cell left out." in said(dataset)


def test_quotes_may_hold_separators_and_new_lines(read):
    text = table().replace("rose", '"rose,\nred"').replace('"rose,\nred"', '"rose,\nred "', 1)
    dataset = read(text)
    assert dataset.class_names == ("mint", "rest", "rose,\nred")
    assert dataset.n_instances == ROWS


def test_a_name_may_go_on_in_the_next_line(read):
    assert read(table().replace("u,", '"u\n(mm)",', 1)).feature_names == ("u\n(mm)", "v")


def test_a_quote_that_is_never_closed_is_told(read):
    with pytest.raises(ValueError, match=r"nose.csv: a quote is opened and never closed"):
        read(table().replace("mint", '"mint', 1))


def test_rows_that_are_too_long_are_named_with_their_line(read):
    text = table(before="# by hand\n").replace("mint\n", "mint,7\n", 1)
    with pytest.raises(ValueError, match=r"there are 3 names, but row 3 has 4 cells .*mint,7"):
        read(text)


def test_a_file_without_names_is_told_to_be(read):
    body = table().split("\n", 1)[1]
    with pytest.raises(ValueError, match="a line with the names of the columns missing"):
        read(body)


def test_columns_of_the_same_name_are_told_apart(read):
    dataset = read(table(u2=V[::-1]).replace("u2,", "u,", 1))
    assert dataset.feature_names == ("u", "u (2)", "v")
    assert "Another column 'u' is called 'u (2)' here." in said(dataset)
    with pytest.raises(ValueError, match="2 columns are called 'smell'"):
        read(table(x=V).replace("x,", "smell,", 1))


# -- values ---------------------------------------------------------------------------------


def test_numbers_in_other_writings_are_numbers(read):
    share = [f"{i % 7} %" for i in range(ROWS)]
    on = ["True", "false"] * (ROWS // 2)
    minus = [f"\u2212{i % 5}" for i in range(ROWS)]
    dataset = read(table(share=share, on=on, minus=minus))
    assert dataset.X[:3, :3].tolist() == [[0, 1, 0], [1, 0, -1], [2, 1, -2]]
    assert used(dataset, "share").note == "percents"
    assert used(dataset, "on").note == "true and false as 1 and 0"


def test_words_for_a_missing_value_are_missing_and_named(read):
    words = ["?", "NaN", "n/a", "", "#DIV/0!", "NULL"]
    w = [words[i] if i < 6 else str(i % 5) for i in range(ROWS)]
    with pytest.raises(ValueError, match=r"6 missing values in 6 of 24 rows .'w': 6"):
        read(table(w=w))
    dataset = read(table(w=w), impute="median")
    known = np.array([i % 5 for i in range(6, ROWS)], dtype=float)
    assert dataset.X[:6, 0].tolist() == [np.median(known)] * 6
    note = used(dataset, "w").note
    assert "'#DIV/0!'" in note
    assert "6 missing, filled with the median 2" in note


@pytest.mark.parametrize(
    ("impute", "value"), [("mean", 5 / 3), ("median", 1.0), ("most-frequent", 0.0)]
)
def test_missing_values_are_filled_as_asked(read, impute, value):
    w = ["", *["0", "0", "1", "1", "0", "9", "1", "0", "3"] * 2, *["0"] * 5]
    w[20:] = ["1", "5", "3", "1"]
    known = np.array([float(cell) for cell in w if cell])
    expected = {"mean": known.mean(), "median": np.median(known), "most-frequent": 0.0}[impute]
    assert read(table(w=w), impute=impute).X[0, 0] == expected


def test_rows_with_gaps_can_be_left_out(read):
    dataset = read(table(w=["", "?", *map(str, range(1, 12)), *map(str, range(11))]),
                   impute="drop-rows")  # fmt: skip
    assert dataset.n_instances == ROWS - 2
    assert dataset.labels.tolist() == LABELS[2:]
    assert "2 rows with a missing value left out." in said(dataset)


def test_text_becomes_numbers_on_request(read):
    colour = ["red", "blue", "red", "grün"] * 6
    with pytest.raises(ValueError, match=r"not numbers: 'colour' .*--encode one-hot"):
        read(table(colour=colour))
    one_hot = read(table(colour=colour), encode="one-hot")
    assert one_hot.feature_names[:3] == ("colour=blue", "colour=grün", "colour=red")
    assert one_hot.X[:2, :3].tolist() == [[0, 0, 1], [1, 0, 0]]
    ordinal = read(table(colour=colour), encode="ordinal")
    assert ordinal.X[:4, 0].tolist() == [2, 0, 2, 1]
    assert "in this order: 'blue', 'grün', 'red'" in used(ordinal, "colour").note


def test_a_typing_error_among_numbers_is_no_category(read):
    w = [str(i % 9) for i in range(ROWS)]
    w[4] = "O.5"
    with pytest.raises(ValueError, match=r"'w' holds 'O.5' .1 times. among numbers"):
        read(table(w=w), encode="one-hot")


@pytest.mark.parametrize("form", ["{} cm", "{} €", "< {}", "{}%"])
def test_numbers_with_units_are_neither_categories_nor_ids(read, form):
    w = [form.format(x) if i else x for i, x in enumerate(U)]
    with pytest.raises(ValueError, match=r"'w' holds .* among numbers"):
        read(table(w=w), encode="one-hot")


def test_too_many_different_texts_are_no_categories(read):
    many = [f"word {i // 2}" for i in range(120)]
    rows = "\n".join(f"{m},{i % 11},{LABELS[i % 3]}" for i, m in enumerate(many))
    with pytest.raises(ValueError, match="'w' holds 60 different texts"):
        read(f"w,u,smell\n{rows}\n", encode="one-hot")


# -- columns that are no features -----------------------------------------------------------

PERMUTED = np.random.default_rng(2).permutation(ROWS)


@pytest.mark.parametrize(
    ("name", "values", "holds"),
    [
        ("n", range(1, ROWS + 1), "a counter"),
        ("n", 1000 + PERMUTED, "row numbers"),
        ("sample_id", PERMUTED * 7 + 13, "an id"),
        ("t", np.cumsum(PERMUTED + 1), "an id"),
        ("seconds", np.arange(ROWS) * 0.004, "a counter"),
        ("who", [f"{i:08x}-1111-2222-3333-444444444444" for i in PERMUTED], "an id"),
        ("comment", [f"text {i}" for i in PERMUTED], "an id"),
        ("day", [f"2024-01-{i % 28 + 1:02d}" for i in PERMUTED], "dates"),
        ("day", [f"{i % 28 + 1}.1.2024 12:30" for i in PERMUTED], "dates"),
        ("day", [20240100 + i % 28 + 1 for i in PERMUTED], "dates"),
        ("clock", ["12:30:01", "12:31:02"] * 12, "times"),
        ("version", [3] * ROWS, "numbers"),
        ("site", ["Kiel"] * ROWS, "text"),
        ("empty", [""] * ROWS, "nothing"),
        ("code", [{"mint": 4, "rose": 2, "rest": 9}[label] for label in LABELS], "numbers"),
        ("Klasse", [label.upper() for label in LABELS], "text"),
    ],
)
def test_what_is_no_feature_is_left_out_told_and_can_be_kept(read, name, values, holds):
    text = table(**{name: values})
    dataset = read(text)
    same(dataset)
    column = used(dataset, name)
    assert (column.holds, column.use) == (holds, "left out")
    assert column.note
    same(read(text, drop=name))
    assert used(read(text, drop=[name]), name).note == "as asked"
    if column.holds not in ("dates", "times", "nothing", "text") and name not in ("who", "comment"):
        kept = read(text, keep=[name])
        assert kept.feature_names == (name, "u", "v")
        assert "kept as asked" in used(kept, name).note


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("grams", PERMUTED * 7 + 13, "--drop it if it is an id"),
        ("u2", np.sort(U), "--drop it if it is a time"),
        ("subject", [i // 4 for i in range(ROWS)], "--group 'subject'"),
        ("kind", [LABELS.index(label) * 2 + i // 12 for i, label in enumerate(LABELS)],
         "each value in one class only"),
        ("w", U, "counts twice"),
    ],
)  # fmt: skip
def test_what_may_be_no_feature_is_kept_with_a_warning(read, name, values, words):
    dataset = read(table(**{name: values}))
    assert dataset.n_features == 3
    warned = [column for column in dataset.reading.columns if column.warning]
    assert [words in column.note for column in warned] == [True]


def test_ordinary_features_are_not_suspected():
    for name in ("iris", "wine", "Vehicle", "Yeast", "digits"):
        built_in = load(name)
        frame = pd.DataFrame(built_in.X, columns=list(built_in.feature_names))
        raws = [Raw(str(c), frame[c].to_numpy()) for c in frame]
        features = make_features(raws, built_in.y, TableOptions(), name)
        kept = {c.name for c in features.columns if c.use == "feature"}
        varied = {c for c in frame if frame[c].nunique() > 1}
        assert kept == varied
        assert not [c for c in features.columns if c.warning and c.name in kept]


# -- classes --------------------------------------------------------------------------------


def test_rows_without_a_class_are_left_out_and_told(read):
    dataset = read(table().replace("rose", " ", 2))
    assert dataset.n_instances == ROWS - 2
    assert "2 rows without a class left out." in said(dataset)


def test_classes_that_look_alike_or_missing_are_warned_of(read):
    dataset = read(table().replace("rose", "Mint ", 2).replace("rest", "?", 3))
    assert set(dataset.class_names) == {"mint", "Mint", "rose", "rest", "?"}
    column = used(dataset, "smell")
    assert column.warning
    assert "'Mint' and 'mint' are two classes" in column.note
    assert "'?' counts as a class" in column.note


# -- options --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"drop": ["w"]}, "has no column 'w' to drop"),
        ({"keep": ["U"]}, "Did you mean 'u'?"),
        ({"drop": ["smell"]}, "holds the classes or groups"),
        ({"drop": ["u"], "keep": ["u"]}, "both dropped and kept"),
        ({"impute": "zero"}, "impute='zero' must be one of mean, median"),
        ({"encode": "hash"}, "encode='hash' must be one of one-hot, ordinal"),
        ({"decimal": ";"}, "decimal=';' must be one of"),
        ({"sep": "::"}, "sep='::' is no separator"),
    ],
)
def test_options_that_cannot_be_followed_are_told(read, options, words):
    with pytest.raises(ValueError, match=words.replace("?", r"\?")):
        read(table(), **options)


def test_built_in_sets_and_arrays_refuse_what_is_about_text(tmp_path):
    with pytest.raises(ValueError, match="'iris' is a built-in data set and needs no drop"):
        load_any("iris", drop=["x"])
    np.savez(tmp_path / "a.npz", X=np.eye(3), y=[0, 1, 1])
    with pytest.raises(ValueError, match="sep is for text files"):
        read_table(tmp_path / "a.npz", sep=";")
    np.savez(tmp_path / "a.npz", X=np.array([[1, np.nan], [2, 3], [4, 5]]), y=[0, 1, 1])
    assert read_table(tmp_path / "a.npz", impute="mean").X[0, 1] == 4.0
    assert read_table(tmp_path / "a.npz", drop=["x2"]).feature_names == ("x1",)


def test_a_compressed_text_is_read_like_any_other(read):
    same(read(gzip.compress(table(";", ",").encode("cp1252")), "nose.txt.gz", decimal=","))


def test_three_hundred_features_are_read(read):
    X = np.random.default_rng(3).normal(size=(ROWS, 300))
    columns = {f"x{i}": X[:, i] for i in range(300)}
    assert read(table(";", **columns)).n_features == 302
