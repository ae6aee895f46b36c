"""The classifier a campaign has earned so far, with its scaling in front."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import validate_data

from palacs.campaign._conditions import class_prior
from palacs.campaign._errors import CampaignError
from palacs.campaign._labelled import scale
from palacs.campaign._ledger import Ledger


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


def fit_model(ledger: Ledger, classifier: Any) -> Pipeline:
    """Fit a classifier on the labelled set; see ``Campaign.model``."""
    labelled = ledger.labelled
    if len(labelled) == 0:
        raise CampaignError("nothing was acquired yet, so there is no model; ask and tell first.")
    classes = np.array(ledger.classes)
    if classifier is None:
        from palacs import ParzenWindowClassifier

        # The model sees neighbourhoods as the strategy that chose the instances does.
        bandwidth = ledger.settings.strategy.get("params", {}).get("bandwidth", "auto")
        prior = class_prior(ledger)
        classifier = ParzenWindowClassifier(bandwidth, classes=classes.tolist(), class_prior=prior)
    lower, upper = labelled.limits()
    pipeline = Pipeline(
        [("scale", BoundsScaler(lower.copy(), upper.copy())), ("classifier", clone(classifier))]
    )
    return pipeline.fit(labelled.X.copy(), classes[labelled.codes])
