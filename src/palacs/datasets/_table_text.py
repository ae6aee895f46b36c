"""From the bytes of a text file to cells under names: encodings, separators, lines of no use.

What people's programs write is taken as it comes; what was found is told in `Cells.remarks`, and
what can be read in two ways is refused. pandas cuts the text into cells.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from palacs.datasets._table_needs import import_pandas
from palacs.datasets._table_words import check_target, listing

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|", "space": " "}
_SHOWN = {mark: f"{word} ({mark!r})" for word, mark in SEPARATORS.items()}
_MARKS = (",", ";", "\t", "|")
# Rows looked at for the separator, and lines for the names below a title.
_LOOKED_AT, _LINES = 60, 20
_FITTING = 0.9
_FORMULA = re.compile(r'="([^"]*)"')
_COMMENT = ("#", "%", "//")


@dataclass
class Cells:
    """A table as text: cells without blanks around them, empty where nothing stands.

    ``columns`` are as many as ``names``, each with one cell per row; ``remarks`` say what was
    left out or made of the file on the way.
    """

    names: list[str]
    columns: list[list[str]]
    remarks: list[str] = field(default_factory=list)


def check_separator(sep: str | None) -> str | None:
    """Return the mark that ``sep`` names, such as ``";"`` for "semicolon"."""
    if sep is None:
        return None
    mark = SEPARATORS.get(sep.casefold(), {"\\t": "\t"}.get(sep, sep))
    if mark not in SEPARATORS.values():
        raise ValueError(
            f"sep={sep!r} is no separator; give one of {', '.join(SEPARATORS)}, or the mark itself."
        )
    return mark


def decode(content: bytes, encoding: str | None, where: str) -> tuple[str, str]:
    """Return the text and the name of its encoding.

    Examples
    --------
    >>> decode("Größe;k".encode("cp1252"), None, "a.csv")
    ('Größe;k', 'cp1252')
    """
    names = [encoding] if encoding is not None else _likely(content)
    for name in names:
        try:
            text = content.decode(name)
        except LookupError:
            raise ValueError(
                f"{where}: there is no encoding {name!r}; give one such as utf-8, cp1252 or utf-16."
            ) from None
        except UnicodeError as error:
            complaint = error
            continue
        if "\0" in text:
            raise ValueError(
                f"{where} holds no text that can be read as {name}; save it as CSV, or name its "
                "encoding (--encoding)."
            )
        if "\n" not in text:
            text = text.replace("\r", "\n")  # as the first Macs ended their lines
        return text.removeprefix("\ufeff"), name
    raise ValueError(f"{where} cannot be read as {names[-1]}: {complaint}")


def _likely(content: bytes) -> list[str]:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return ["utf-16"]
    head = content[:2000]
    if len(head) > 3 and head[1::2].count(0) > 0.4 * len(head[1::2]):
        return ["utf-16-le"]
    if len(head) > 3 and head[0::2].count(0) > 0.4 * len(head[0::2]):
        return ["utf-16-be"]
    # Every byte is some character in Latin-1, so it comes last.
    return ["utf-8-sig", "cp1252", "latin-1"]


def read_cells(
    text: str, where: str, target: str | None, sep: str | None
) -> tuple[Cells, str, str]:
    """Cut a text into cells; also return the target's name and the separator."""
    lines_before = text.count("\n")
    text, sep, remarks = _without_preamble(text, target, sep)
    skipped = lines_before - text.count("\n")
    sep = _find_separator(text, where, target) if sep is None else sep
    rows = _rows(text, sep)
    names = _trimmed([name.strip() for name in next(rows, [])])
    if not names:
        raise ValueError(f"{where} is empty.")
    body, short = _body(text, sep, len(names), (where, skipped))
    check_target(target, names, where)
    assert target is not None
    columns = [[cell.strip() for cell in body[i]] for i in range(body.shape[1])]
    names, columns = _without_formulas(names, columns, remarks)
    cells = Cells(names + [""] * (len(columns) - len(names)), columns, remarks + short)
    return _without_empty_rows(cells), target, sep


def _without_preamble(
    text: str, target: str | None, sep: str | None
) -> tuple[str, str | None, list[str]]:
    """Leave out what stands before the header: comments, titles, Excel's ``sep=;``."""
    left_out: list[str] = []
    while text:
        line, _, rest = text.partition("\n")
        bare = line.strip()
        said = re.fullmatch(r'"?sep=(.)"?', bare, re.IGNORECASE)
        if said:
            sep = sep or {"\\": "\t"}.get(said[1], said[1])
        elif bare.startswith(_COMMENT):
            names = bare.lstrip("#%/ ")
            if target is not None and _is_header(names, target) and not _is_header(rest, target):
                # numpy.savetxt puts a mark before the names.
                return f"{names}\n{rest}", sep, _told(left_out)
        elif bare and not _stands_before(line, rest, target, sep):
            break
        if bare and not said:
            left_out.append(bare)
        text = rest
    return text, sep, _told(left_out)


def _stands_before(line: str, rest: str, target: str | None, sep: str | None) -> bool:
    """Whether a line is a title: one cell where others have several, or fewer than the names."""
    if line.count('"') % 2:
        return False  # a name that goes on in the next line
    below = rest.splitlines()[:_LINES]
    if _alone(line, sep) and any(map(_marks, below[:3])) and not _by_blanks(line, below, target):
        return True
    if target is None or _is_header(line, target):
        return False
    names = next((other for other in below if _is_header(other, target)), "")
    return any(line.count(mark) < names.count(mark) for mark in _MARKS if _has(names, mark, target))


def _by_blanks(line: str, below: list[str], target: str | None) -> bool:
    """Whether a line names columns between blanks, of numbers with decimal commas."""
    names = line.split()
    return target in names and len(names) == len(below[0].split()) > 1


def _told(lines: list[str]) -> list[str]:
    if not lines:
        return []
    count = "1 line" if len(lines) == 1 else f"{len(lines)} lines"
    return [f"{count} before the names of the columns left out: {listing(lines, limit=3)}."]


def _alone(line: str, sep: str | None) -> bool:
    """Whether a line is one cell; a table has at least two columns."""
    return sep not in line if sep else not _marks(line)


def _marks(line: str) -> bool:
    return any(mark in line for mark in _MARKS)


def _is_header(text: str, target: str) -> bool:
    line = text.partition("\n")[0]
    return any(_has(line, mark, target) for mark in SEPARATORS.values())


def _has(line: str, mark: str, target: str) -> bool:
    return target in [cell.strip() for cell in next(csv.reader([line], delimiter=mark), [])]


def _rows(text: str, sep: str) -> Any:
    """Yield rows that are not empty; quotes may hold separators and new lines."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=sep, skipinitialspace=True)
    try:
        yield from (row for row in reader if any(cell.strip() for cell in row))
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num}: {error}") from error


def _trimmed(row: list[str]) -> list[str]:
    while row and not row[-1].strip():
        row = row[:-1]
    return row


def _find_separator(text: str, where: str, target: str | None) -> str:
    """Return what separates the columns: it parts the names, and the rows into as many."""
    fits: dict[str, tuple[float, int]] = {}
    named: dict[str, list[str]] = {}
    for mark in SEPARATORS.values():
        rows = [_trimmed(row) for row in islice(_rows(text, mark), _LOOKED_AT)]
        names = [name.strip() for name in rows[0]] if rows else []
        if len(names) < 2:
            continue
        body = [len(row) <= len(names) and len(row) > 1 for row in rows[1:]] or [True]
        fits[mark], named[mark] = (sum(body) / len(body), len(names)), names
    if target is not None and any(target in names for names in named.values()):
        fits = {mark: fit for mark, fit in fits.items() if target in named[mark]}
    usable = {mark: fit for mark, fit in fits.items() if fit[0] >= _FITTING} or fits
    if len(usable) > 1:
        # Blanks are also in the text between other marks.
        usable.pop(" ", None)
    if not usable:
        return ","
    best = max(usable.values())
    found = [mark for mark, fit in usable.items() if fit == best]
    if len(found) > 1:
        readings = " or by ".join(f"{_SHOWN[m]}: {listing(named[m], limit=4)}" for m in found)
        raise ValueError(
            f"{where}: its columns can be separated by {readings}; say which with --sep."
        )
    return found[0]


def _body(text: str, sep: str, width: int, place: tuple[str, int]) -> tuple[Any, list[str]]:
    """Return the rows below the names as text, at least ``width`` columns; tell of short ones."""
    pandas = import_pandas(f"Reading {place[0]}")
    # A quick look at all rows, for pandas would cut what is too long without a word.
    widths: Counter[int] = Counter()
    short = []
    for number, row in enumerate(islice(_rows(text, sep), 1, None), 2):
        filled = len(_trimmed(row))
        widths[len(row)] += 1
        if len(row) < width:
            short.append(number + place[1])
        if filled > width:
            raise ValueError(
                f"{place[0]}: its rows do not match its header: there are {width} names, but row "
                f"{number + place[1]} has {filled} cells ({_brief(sep.join(row))!r}). Decimal "
                "commas need another separator or quotes, and row names a name of their own."
            )
    try:
        frame = pandas.read_csv(
            io.StringIO(text),
            sep=sep,
            header=None,
            names=range(max([width, *widths])),
            index_col=False,
            dtype=str,
            na_filter=False,
            skipinitialspace=True,
        )
    except pandas.errors.ParserError as error:
        raise ValueError(f"{place[0]}: a quote is opened and never closed ({error}).") from error
    return frame.fillna("").iloc[1:], _short_told(short, width)


def _short_told(rows: list[int], width: int) -> list[str]:
    if not rows:
        return []
    count = "1 row has" if len(rows) == 1 else f"{len(rows)} rows have"
    return [
        f"{count} fewer cells than the {width} names (row {listing(rows, limit=3)}): their last "
        "cells count as missing; look whether a separator is missing there."
    ]


def _without_formulas(
    names: list[str], columns: list[list[str]], remarks: list[str]
) -> tuple[list[str], list[list[str]]]:
    """Read ``="007"``, by which spreadsheets keep what looks like a number, as ``007``."""
    if found := next((c for cs in (names, *columns) for c in cs if _FORMULA.fullmatch(c)), None):
        bare = _FORMULA.sub(r"\1", found).strip()
        remarks.append(f"Cells such as {found!r} were read as {bare!r}.")
        names, *columns = [[_FORMULA.sub(r"\1", c).strip() for c in cs] for cs in (names, *columns)]
    return names, columns


def _brief(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def _without_empty_rows(cells: Cells) -> Cells:
    """Leave out rows of separators only, and columns without name and cells."""
    used = [i for i, column in enumerate(cells.columns) if cells.names[i] or any(column)]
    columns = [cells.columns[i] for i in used]
    filled = [any(row) for row in zip(*columns, strict=True)]
    if not all(filled):
        count = len(filled) - sum(filled)
        cells.remarks.append(
            f"{count} {'row' if count == 1 else 'rows'} without any cell left out."
        )
        columns = [[c for c, kept in zip(col, filled, strict=True) if kept] for col in columns]
    return Cells([cells.names[i] for i in used], columns, cells.remarks)
