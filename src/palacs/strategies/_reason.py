"""Why a class was picked, as the rest of a sentence such as "left is asked for".

Nothing is claimed that the strategy did not use: where chance decided, it says so. A strategy
that has no words of its own is described by its line in the table.
"""

from __future__ import annotations

import numpy as np

from palacs.strategies._base import Strategy
from palacs.strategies._pick import Pick
from palacs.strategies._table import find, name_of
from palacs.strategies._words import listing


def because(strategy: Strategy, pick: Pick) -> str:
    """Return why the class was picked, from "because" or "by chance" on, without a full stop.

    Parameters
    ----------
    strategy : Strategy
    pick : Pick
        What the strategy decided, where utilities decided.

    Examples
    --------
    >>> import numpy as np
    >>> from palacs import UniformSelection
    >>> from palacs.conditions import ClassConditions
    >>> from palacs.evidence import check_labelled_set
    >>> from palacs.strategies import Pick, Stream, because
    >>> labelled = check_labelled_set([[0.0], [0.1], [1.0]], ["a", "a", "b"], None, None)
    >>> utilities = np.array([0.2, 0.33])
    >>> stream = Stream(np.uint64(0), np.uint64(3))
    >>> pick = Pick(labelled, 1, utilities, ClassConditions(), stream)
    >>> because(UniformSelection(random_state=0), pick)
    'because it has the fewest instances (1, with those under way)'
    """
    info = find(name_of(strategy))
    if strategy.drawn:
        utilities = np.nan_to_num(pick.utilities, nan=0.0)
        share = utilities[pick.code] / max(utilities.sum(), 1e-300)
        return f"by chance, with a probability of {share:.0%} ({info.title}: {info.summary})"
    reason = strategy.reason(pick)
    if reason is None and pick.conditions.weighing:
        reason = f"because its utility under the conditions is the highest ({info.title})"
    elif reason is None:
        reason = f"because its utility is the highest ({info.title}: {info.summary})"
    if len(pick.ties) > 1 and not reason.startswith("by chance"):
        tied = listing([pick.labelled.classes[code].item() for code in pick.ties])
        reason = f"{reason}; chance picked it among {tied}, which tie"
    return reason
