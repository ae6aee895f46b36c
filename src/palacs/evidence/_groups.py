"""Who or what instances belong to: a subject, a session, a device.

Instances of one subject resemble each other. A model that saw the subject promises an error that a
new one will not see, so whole groups are left out at a time.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from palacs.checks import Codes
from palacs.evidence._labelled_set import Labels, as_labels


def check_groups(groups: npt.ArrayLike, n: int) -> tuple[Codes, Labels]:
    """Return the group of each instance as a code (n,), and the groups' names, first seen first.

    Examples
    --------
    >>> codes, names = check_groups(["s2", "s1", "s2"], 3)
    >>> codes.tolist(), names.tolist()
    ([0, 1, 0], ['s2', 's1'])
    """
    labels = as_labels(groups, "groups")
    if len(labels) != n:
        raise ValueError(f"groups has {len(labels)} entries for {n} instances; give one for each.")
    names, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[codes.reshape(-1)], names[order]


def named_groups(names: Labels, most: int = 8) -> str:
    """Return the names of groups for a message.

    Examples
    --------
    >>> named_groups(np.array(["s1", "s2"]))
    "'s1', 's2'"
    """
    shown = ", ".join(repr(name.item()) for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def too_few_groups(names: Labels) -> str:
    """Return why nothing can be said about a new group while there is only one, else nothing."""
    if len(names) != 1:
        return ""
    return (
        f"all instances belong to {named_groups(names)}; how well a model does on others shows "
        "only when a second one was recorded"
    )
