"""From the columns of a table to features: what is left out, filled in and turned into numbers.

Every decision becomes one `Column`, printed before a comparison runs and in its report. Filling in
looks at all instances of a column but never at the classes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from palacs.datasets._dataset import Codes, Column
from palacs.datasets._table_notices import (
    Notice,
    Values,
    holds_several,
    look_at_numbers,
    look_at_text,
)
from palacs.datasets._table_numbers import is_number, looks_like_number
from palacs.datasets._table_options import TableOptions
from palacs.datasets._table_words import free_name, listing

Texts = list[str | None]
# A number with its unit, 5.1 cm, $ 5.10, (5.10) or < 0.5: no category, and no id where all are
# different.
_MEASURE = re.compile(
    r"[-+]?(?:[<>~≤≥=(]|(?:EUR|USD|GBP|CHF)\s|[A-Z]{0,2}[$€£¥])?\s*"
    r"[-+]?\d+(?:[.,]\d{3})*(?:[.,]\d+)?(?:[dDeE][-+]?\d+)?"
    r"(?:\s*[^\d\s]{0,4}|\s+[^\d\s]\S{0,11}|\s*(?:±|\+/-)\s*\d+(?:[.,]\d+)?)"
)
# One column per value; beyond so many it is no category any more.
_MOST_VALUES = 50


@dataclass
class Raw:
    """A column as it was read: numbers (n_instances,), NaN where missing, or text."""

    name: str
    values: Values | Texts
    how: str = ""
    unnamed: bool = False

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Where a value is missing, shape (n_instances,)."""
        if isinstance(self.values, np.ndarray):
            return np.isnan(self.values)
        return np.array([value is None for value in self.values], dtype=np.bool_)

    def only(self, rows: NDArray[np.bool_]) -> Raw:
        """Return the column with some rows."""
        if isinstance(self.values, np.ndarray):
            return replace(self, values=self.values[rows])
        kept = [value for value, row in zip(self.values, rows, strict=True) if row]
        return replace(self, values=kept)


@dataclass
class Features:
    """Features (n_kept, n_features) with their names, which rows were kept, and what was done."""

    X: Values
    names: list[str]
    rows: NDArray[np.bool_]
    columns: list[Column]


def make_features(raws: Sequence[Raw], y: Codes, options: TableOptions, where: str) -> Features:
    """Turn columns into features, or say what to do about those that cannot be.

    Parameters
    ----------
    raws : sequence of Raw
        Without the classes and groups.
    y : ndarray of shape (n_instances,)
        The classes, to notice columns that copy them.
    options : TableOptions
    where : str
        What to call the table in messages.
    """
    noticed = [_look(raw, y, options) for raw in raws]
    used = [raw for raw, column in zip(raws, noticed, strict=True) if column.use == "feature"]
    told = {column.name: column for column in noticed}
    _note_twins(used, told)
    _refuse_text(used, options, where)
    rows = _complete_rows(used, options, where)
    columns: list[Values] = []
    names: list[str] = []
    taken = {raw.name for raw in used}
    for raw in used:
        filled, filling = _fill(raw.only(rows), options)
        made, labels, coding = _encode(filled, options, where)
        columns += made
        for label in labels:
            # A column may be called as an encoded one: a=b.
            names.append(label if label == raw.name else free_name(label, taken))
            taken.add(names[-1])
        said = "; ".join(word for word in (told[raw.name].note, raw.how, filling, coding) if word)
        told[raw.name] = replace(told[raw.name], note=said)
    if not columns:
        out = [f"{c.name!r} ({c.note})" for c in told.values()]
        raise ValueError(
            f"{where} has no feature left: {listing(out, quote=False)}. Add features, or keep a "
            "column with --keep."
        )
    return Features(np.column_stack(columns), names, rows, list(told.values()))


def _look(raw: Raw, y: Codes, options: TableOptions) -> Column:
    numbers = isinstance(raw.values, np.ndarray)
    holds = "numbers" if numbers else "text"
    if raw.name in options.drop:
        return Column(raw.name, holds, "left out", "as asked")
    if isinstance(raw.values, np.ndarray):
        notice = look_at_numbers(raw.name, raw.values, y)
    elif _among_numbers(raw, options.decimal):
        notice = Notice("text")  # refused below: as text it would pass for an id
    else:
        notice = look_at_text(raw.name, raw.values, y)
    if raw.name in options.keep:
        note = f"kept as asked ({notice.note})" if notice.note else "kept as asked"
        return Column(raw.name, holds, "feature", note)
    if raw.unnamed:
        return Column(raw.name, notice.holds, "left out", "has no name of its own", warning=True)
    use: Literal["feature", "left out"] = "left out" if notice.leave_out else "feature"
    return Column(raw.name, notice.holds, use, notice.note, warning=bool(notice.note))


def _note_twins(used: Sequence[Raw], told: dict[str, Column]) -> None:
    """Warn of columns that hold the same numbers as one before: they count twice."""
    seen: dict[bytes, str] = {}
    for raw in used:
        if not isinstance(raw.values, np.ndarray) or len(raw.values) < 2:
            continue
        twin = seen.setdefault(raw.values.tobytes(), raw.name)
        if twin != raw.name:
            note = f"the same as {twin!r}, so that it counts twice; --drop one"
            told[raw.name] = replace(told[raw.name], note=note, warning=True)


def _refuse_text(used: Sequence[Raw], options: TableOptions, where: str) -> None:
    texts = [raw for raw in used if not isinstance(raw.values, np.ndarray)]
    for raw in texts:
        odd = _among_numbers(raw, options.decimal)
        if odd:
            raise ValueError(
                f"{where} has a feature that is not only numbers: {raw.name!r} holds {odd[0]!r} "
                f"({odd.count(odd[0])} times) among numbers. Mend or empty such cells, or leave "
                f"the column out (--drop {raw.name!r})."
            )
        if holds_several(known := _known(raw)) and raw.name not in options.keep:
            raise ValueError(
                f"{where}: {raw.name!r} holds several numbers in a cell, such as {known[0]!r}; "
                f"give each a column of its own, or leave it out (--drop {raw.name!r}). If they "
                "are words, keep them as such (--keep)."
            )
    if texts and options.encode is None:
        shown = [f"{raw.name!r} (e.g. {_odd(raw)!r})" for raw in texts]
        names = ",".join(f'"{r.name}"' if "," in r.name else r.name for r in texts)
        raise ValueError(
            f"{where} has features that are not numbers: {listing(shown, quote=False)}. Leave "
            f"them out (--drop {names!r}), turn them into numbers (--encode one-hot or ordinal), "
            "or name the one that says whom instances belong to (--group)."
        )


def _known(raw: Raw) -> list[str]:
    return [text for text in raw.values if isinstance(text, str)]


def _odd(raw: Raw) -> str:
    known = _known(raw)
    return next((text for text in known if not is_number(text, ".")), known[0])


def _among_numbers(raw: Raw, decimal: str | None) -> list[str]:
    """Return what is no number in a column of text that holds mostly numbers, else nothing."""
    known = _known(raw)
    alike = [text for text in known if looks_like_number(text) or _MEASURE.fullmatch(text)]
    if 2 * len(alike) <= len(known):
        return []
    return [text for text in known if text.endswith("%") or not is_number(text, decimal)]


def _complete_rows(used: Sequence[Raw], options: TableOptions, where: str) -> NDArray[np.bool_]:
    """Return which rows are used; refuse missing values that nobody said how to fill."""
    gaps = {raw.name: raw.missing for raw in used}
    counts = {name: int(gap.sum()) for name, gap in gaps.items() if gap.any()}
    anywhere = np.any(list(gaps.values()), axis=0) if gaps else np.zeros(0, dtype=np.bool_)
    if counts and options.impute is None:
        listed = listing([f"{name!r}: {n}" for name, n in counts.items()], quote=False)
        raise ValueError(
            f"{where} has {sum(counts.values())} missing values in {int(anywhere.sum())} of "
            f"{len(anywhere)} rows ({listed}). Fill them in (--impute median, mean or "
            "most-frequent), leave these rows out (--impute drop-rows) or the columns (--drop)."
        )
    if empty := [name for name, gap in gaps.items() if gap.all()]:
        raise ValueError(
            f"{where}: {listing(empty)} is empty; there is nothing to keep, so leave it out."
        )
    if options.impute == "drop-rows" and gaps:
        if anywhere.all():
            raise ValueError(
                f"{where} has a missing value in every row; fill them in (--impute median), or "
                "leave out the columns that miss most (--drop)."
            )
        return np.asarray(~anywhere)
    return np.ones(len(anywhere), dtype=np.bool_)


def _fill(raw: Raw, options: TableOptions) -> tuple[Raw, str]:
    gaps = raw.missing
    if not gaps.any():
        return raw, ""
    if isinstance(raw.values, np.ndarray) and options.impute != "most-frequent":
        known = raw.values[~gaps]
        value = float(np.mean(known) if options.impute == "mean" else np.median(known))
        said = f"{int(gaps.sum())} missing, filled with the {options.impute} {value:.4g}"
        return replace(raw, values=np.where(gaps, value, raw.values)), said
    counted = Counter(v for v, gap in zip(raw.values, gaps, strict=True) if not gap)
    most = min(counted, key=lambda v: (-counted[v], v))
    shown = f"{most:.4g}" if isinstance(most, float) else repr(most)
    said = f"{int(gaps.sum())} missing, filled with the most frequent {shown}"
    if isinstance(raw.values, np.ndarray):
        return replace(raw, values=np.where(gaps, most, raw.values)), said
    return replace(raw, values=[most if v is None else v for v in raw.values]), said


def _encode(raw: Raw, options: TableOptions, where: str) -> tuple[list[Values], list[str], str]:
    if isinstance(raw.values, np.ndarray):
        return [raw.values], [raw.name], ""
    kinds = sorted({str(value) for value in raw.values})
    if options.encode == "ordinal":
        code_of = {kind: float(code) for code, kind in enumerate(kinds)}
        order = listing(kinds, limit=6)
        codes = np.array([code_of[str(value)] for value in raw.values])
        return [codes], [raw.name], f"numbered from 0 in this order: {order}"
    if len(kinds) > _MOST_VALUES:
        raise ValueError(
            f"{where}: {raw.name!r} holds {len(kinds)} different texts, too many for a column "
            f"each; leave it out (--drop {raw.name!r}), or use --encode ordinal."
        )
    made = [np.array([float(value == kind) for value in raw.values]) for kind in kinds]
    names = [f"{raw.name}={kind}" for kind in kinds]
    return made, names, f"one 0/1 column for each of {len(kinds)} values"
