"""What a folder's settings say about a model: enough to notice that it is another one.

scikit-learn's own words are cut where they are long, and say nothing of the code behind a class
or function of one's own, which may be edited between two runs.
"""

from __future__ import annotations

import re

from sklearn.base import BaseEstimator

from palacs.experiments import paper
from palacs.experiments._as_given import AsGiven
from palacs.objects import describe_object
from palacs.strategies import PALACS


def describe(estimator: BaseEstimator) -> str:
    """Describe an estimator, with all parameters that differ from the defaults.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> describe(KNeighborsClassifier(n_neighbors=3))
    'sklearn.neighbors._classification.KNeighborsClassifier(n_neighbors=3)'
    """
    if isinstance(estimator, AsGiven):
        return ("" if estimator.given.scaled else "not scaled: ") + describe(estimator.model)
    text = _as_first_recorded(estimator) if type(estimator) is PALACS else None
    return public_names(describe_object(estimator, text))


def public_names(text: str) -> str:
    """Name this package's classes without private modules, which may move.

    Examples
    --------
    >>> public_names("palacs.strategies._palacs.PALACS(bandwidth='auto')")
    "palacs.strategies.PALACS(bandwidth='auto')"
    """
    return re.sub(r"\b(palacs(?:\.[a-z]\w*)*)(?:\._\w+)+\.(?=[A-Z])", r"\1.", text)


def _as_first_recorded(strategy: PALACS) -> str:
    """Describe PAL-ACS as folders do since 0.05 was its default bandwidth, or none would go on."""
    defaults = {**PALACS().get_params(deep=False), "bandwidth": paper.BANDWIDTH}
    params = sorted(strategy.get_params(deep=False).items())
    changed = [f"{key}={value!r}" for key, value in params if value != defaults[key]]
    return f"PALACS({', '.join(changed)})"
