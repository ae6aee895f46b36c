"""What a user may ask of the reading of a table, checked before the file is opened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from palacs.datasets._table_text import check_separator
from palacs.datasets._table_words import listing, meant

IMPUTE = ("mean", "median", "most-frequent", "drop-rows")
ENCODE = ("one-hot", "ordinal")


@dataclass(frozen=True)
class TableOptions:
    """How to read a table; see `palacs.datasets.read_table` for what each means."""

    drop: Sequence[str] = ()
    keep: Sequence[str] = ()
    impute: str | None = None
    encode: str | None = None
    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        for name in ("drop", "keep"):
            if isinstance(getattr(self, name), str):
                object.__setattr__(self, name, (getattr(self, name),))
        for name, allowed in (("impute", IMPUTE), ("encode", ENCODE), ("decimal", (".", ","))):
            value = getattr(self, name)
            if value is not None and value not in allowed:
                raise ValueError(f"{name}={value!r} must be one of {', '.join(allowed)}.")
        both = [name for name in self.drop if name in self.keep]
        if both:
            raise ValueError(f"{listing(both)}: both dropped and kept; choose one.")
        object.__setattr__(self, "sep", check_separator(self.sep))

    def check_columns(self, names: Sequence[str], used: Iterable[str | None], where: str) -> None:
        """Refuse columns that are not there, and dropping what was named for a use."""
        for option, columns in (("drop", self.drop), ("keep", self.keep)):
            for name in columns:
                if name not in names:
                    raise ValueError(
                        f"{where} has no column {name!r} to {option}.{meant(name, names)} It has "
                        f"{listing(names)}."
                    )
        taken = [name for name in used if name in (*self.drop, *self.keep)]
        if taken:
            raise ValueError(
                f"{where}: {listing(taken)} holds the classes or groups; it cannot be dropped or "
                "kept as a feature."
            )

    def refuse_for_numbers(self, where: str) -> None:
        """Refuse what is about text where the file holds numbers already."""
        for name in ("sep", "decimal", "encoding"):
            if getattr(self, name) is not None:
                raise ValueError(f"{where}: {name} is for text files; leave it out.")
