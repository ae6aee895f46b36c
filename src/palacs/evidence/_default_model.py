"""The model that stands behind every number unless another is named: one definition.

Campaign, bench, stopping and drawing demo all speak about this one.
"""

from __future__ import annotations

import numpy.typing as npt

from palacs.checks import Bandwidth
from palacs.classifier import ClassPrior, ParzenWindowClassifier


def default_model(
    *,
    bandwidth: Bandwidth = "auto",
    class_prior: ClassPrior = "uniform",
    classes: npt.ArrayLike | None = None,
) -> ParzenWindowClassifier:
    """Return the Parzen window with a fitting bandwidth, corrected for class sizes, unfitted.

    Class selection makes class sizes uneven on purpose, so the model must not take them for how
    often classes occur.

    Parameters
    ----------
    bandwidth : float or "auto", default="auto"
    class_prior : "uniform", array-like of shape (n_classes,) or None, default="uniform"
        How often each class occurs in use, in sorted order of the classes.
    classes : array-like of shape (n_classes,) or None, default=None
        All class labels, also those that no instance has yet.

    Examples
    --------
    >>> from palacs.evidence import default_model
    >>> default_model()
    ParzenWindowClassifier(bandwidth='auto', class_prior='uniform')
    """
    return ParzenWindowClassifier(bandwidth, classes=classes, class_prior=class_prior)
