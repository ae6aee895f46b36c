"""Names that come with the data: the first ones hold, and later values are put in their order.

A table says what its columns are, so does a file with a line of names and a pandas Series. Taken by
position, a second one with its columns in another order would be wrong data that nobody notices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from palacs.campaign._campaign_errors import DoesNotFit
from palacs.campaign._features import check_named
from palacs.storage import Draft

if TYPE_CHECKING:
    from palacs.campaign._ledger import Ledger
    from palacs.campaign._operations import Answer

_WHY = "so called by the first instances that came with names"
_WHY_NOT = "the instances that came with names are gone, and others came without"
_SHOWN = 120


class Named(list[float]):
    """Numbers of one instance that came under names."""

    def __init__(self, values: Iterable[float], names: Sequence[str]) -> None:
        super().__init__(values)
        self.names = tuple(names)


def names_of(x: Any) -> tuple[str, ...] | None:
    """Return what a mapping, a pandas Series or a file calls its values; None without names.

    Examples
    --------
    >>> names_of({"alpha": 1.0, "beta": 2.0}), names_of([1.0, 2.0])
    (('alpha', 'beta'), None)
    """
    index = x if isinstance(x, Mapping) else getattr(x, "index", None)
    if isinstance(x, Named):
        index = x.names
    # A list's index is a method; numbers of rows are no names.
    names = () if index is None or callable(index) else tuple(index)
    if not names or not all(isinstance(name, str) for name in names):
        return None
    return tuple(check_named(names) or ())


def order_of(found: Sequence[str], wanted: Sequence[str] | None, name: str) -> list[int] | None:
    """Return which value comes first, second, ...; None where all stand as they should.

    Parameters
    ----------
    found, wanted : sequence of str
        The names that came, and the campaign's, where it has some.
    name : str
        What brought them, for messages.

    Examples
    --------
    >>> order_of(["beta", "alpha"], ["alpha", "beta"], "mine.csv")
    [1, 0]
    >>> order_of(["beta", "gamma"], None, "mine.csv") is None
    True
    """
    if wanted is None or list(found) == list(wanted):
        return None
    places = {each: place for place, each in enumerate(found)}
    if len(places) != len(wanted) or places.keys() != set(wanted):
        raise DoesNotFit(
            f"{name}: its features are {_shown(found)}, but this campaign's are {_shown(wanted)}; "
            "name the columns like these, leave out what is no feature, or start a campaign of its "
            "own for them."
        )
    return [places[each] for each in wanted]


def _shown(names: Sequence[str]) -> str:
    text = ", ".join(names)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}... ({len(names)} of them)"


def in_order(
    plan: Callable[[Ledger, Sequence[Answer]], list[Draft]],
) -> Callable[[Ledger, Sequence[Answer]], list[Draft]]:
    """Return a plan that gets its answers in the campaign's order, and keeps names with values."""

    def ordered(ledger: Ledger, answers: Sequence[Answer]) -> list[Draft]:
        wanted = ledger.names
        new = wanted is None
        known: tuple[str, ...] | None = None
        order: list[int] | None = None
        found: list[Answer] = []
        for given in answers:
            # The rows of a table share their names, which are looked at once.
            if given.names is not None and given.names is not known:
                known, wanted = given.names, list(given.names) if wanted is None else wanted
                order = order_of(known, wanted, "x")
            turn = given.names is not None and order is not None
            found.append(replace(given, x=given.vector[order]) if turn else given)
        drafts = plan(ledger, found)
        # Names that came with instances which are all gone are not those of numbers without names.
        if not (new and drafts) or not (wanted or ledger.settings.named):
            return drafts
        return [naming(wanted, before=len(ledger.labelled)), *drafts]

    return ordered


def naming(names: Sequence[str] | None, before: int) -> Draft:
    """Return the event that names the features as they came, or takes their names away.

    Parameters
    ----------
    names : sequence of str or None
        What they are called from here on.
    before : int
        How many instances were told by position.
    """
    if names is None:
        return Draft("changed", payload={"named": None, "reason": _WHY_NOT})
    told = f"; {before} that came before, by position, are taken to be in this order"
    return Draft("changed", payload={"named": list(names), "reason": _WHY + told * (before > 0)})
