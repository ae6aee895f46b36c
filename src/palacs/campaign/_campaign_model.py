"""The model of a campaign: one definition, and the fitted one with its scaling in front.

The bench's accuracy and confusion, the advice to stop and the drawing demo speak about the
same model as ``Campaign.model``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_array, validate_data

from palacs.campaign._campaign_errors import CampaignError
from palacs.campaign._growing_set import scale
from palacs.campaign._settings import Settings
from palacs.campaign._snapshot import Snapshot
from palacs.checks import Bandwidth
from palacs.evidence import default_model
from palacs.storage import Label

if TYPE_CHECKING:
    from palacs.classifier import ParzenWindowClassifier
    from palacs.conditions import Conditions


class BoundsScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Scale each feature from its bounds to [0, 1], as the campaign does.

    Parameters
    ----------
    lower, upper : array-like of shape (n_features,)
        The bounds; a feature whose bounds are equal becomes 0 there.

    Examples
    --------
    >>> from palacs.campaign import BoundsScaler
    >>> BoundsScaler(lower=[0.0], upper=[10.0]).fit_transform([[5.0]])
    array([[0.5]])
    """

    def __init__(self, lower: npt.ArrayLike, upper: npt.ArrayLike) -> None:
        self.lower = lower
        self.upper = upper

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Check that `X`, shape (n, n_features), fits the bounds."""
        n_features = validate_data(self, X, dtype=np.float64).shape[1]
        if np.shape(self.lower) != (n_features,) or np.shape(self.upper) != (n_features,):
            raise ValueError(
                f"X has {n_features} features, but the bounds have shapes "
                f"{np.shape(self.lower)} and {np.shape(self.upper)}; give one pair per feature."
            )
        self.lower_ = np.asarray(self.lower, dtype=np.float64)
        self.upper_ = np.asarray(self.upper, dtype=np.float64)
        return self

    def transform(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Scale `X`, shape (n, n_features)."""
        checked = validate_data(self, X, dtype=np.float64, reset=False)
        return scale(checked, self.lower_, self.upper_)


class NamedBoundsScaler(BoundsScaler):
    """A scaler whose features have names; a table with other columns is refused.

    Parameters
    ----------
    lower, upper : array-like of shape (n_features,)
        As in `BoundsScaler`.
    names : sequence of str
        One for each feature. Plain arrays are taken to have the features in this order.
    """

    def __init__(self, lower: npt.ArrayLike, upper: npt.ArrayLike, names: Sequence[str]) -> None:
        super().__init__(lower, upper)
        self.names = names

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Check that `X`, shape (n, n_features), fits the bounds and the names."""
        super().fit(X)
        self.feature_names_in_ = np.array(self.names, dtype=object)
        return self

    def transform(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Scale `X`, shape (n, n_features)."""
        if hasattr(X, "columns"):
            return super().transform(X)
        # As in super, but nobody has to be warned that an array has no names.
        checked = check_array(X, dtype=np.float64)
        if checked.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {checked.shape[1]} features instead of {self.n_features_in_}.")
        return scale(checked, self.lower_, self.upper_)


def model_of(
    settings: Settings, classes: Sequence[Label], conditions: Conditions | None
) -> ParzenWindowClassifier:
    """Return the one model of a campaign, unfitted.

    Parameters
    ----------
    settings : Settings
        Names the strategy.
    classes : sequence of labels
        All of them, also those without an instance.
    conditions : Conditions or None
        Their proportions in use are the prior.
    """
    labels = np.array(classes)
    prior: Any = "uniform"
    if conditions is not None and conditions.proportions is not None:
        # The classifier counts classes in sorted order.
        prior = conditions.share_of(np.sort(labels))
    bandwidth = _bandwidth_of(settings.strategy)
    return default_model(bandwidth=bandwidth, class_prior=prior, classes=labels.tolist())


def _bandwidth_of(spec: Mapping[str, Any]) -> Bandwidth:
    # The model sees neighbourhoods as the strategy that chose the instances does.
    params = spec.get("params", {})
    classifier = params.get("classifier") or {}
    found: Bandwidth | None = params.get("bandwidth")
    if found is None:
        found = classifier.get("params", {}).get("bandwidth")
    return "auto" if found is None else found


def fit_model(now: Snapshot, classifier: Any) -> Pipeline:
    """Fit a classifier on the labelled set; see ``Campaign.model``."""
    if len(now.codes) == 0:
        raise CampaignError("nothing was acquired yet, so there is no model; ask and tell first.")
    lower, upper = (limit.copy() for limit in now.limits)
    names = now.settings.names
    scaler = BoundsScaler(lower, upper) if names is None else NamedBoundsScaler(lower, upper, names)
    chosen = now.model() if classifier is None else clone(classifier)
    pipeline = Pipeline([("scale", scaler), ("classifier", chosen)])
    searching = isinstance(chosen, (GridSearchCV, RandomizedSearchCV))
    groups = now.groups if searching else None
    y = np.array(now.classes)[now.codes]
    if groups is None:
        return pipeline.fit(now.X, y)
    try:
        return pipeline.fit(now.X, y, classifier__groups=groups)
    except ValueError as error:
        names = list(dict.fromkeys(groups))
        raise CampaignError(
            f"{error} The groups so far are {', '.join(map(repr, names[:12]))}."
        ) from error
