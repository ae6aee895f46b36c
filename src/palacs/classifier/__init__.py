"""The Parzen window classifier (the paper's Eq. 1 and Eq. 5), and its compiled loops."""

from palacs.classifier._classifier import (
    ClassPrior,
    ParzenWindowClassifier,
    check_class_prior,
    prior_or_none,
)
from palacs.classifier._parzen import (
    NOTHING_NEAR,
    add_instance,
    add_squared,
    expected_error,
    parzen_out_of_fold,
    renew_frequencies,
)

__all__ = [
    "NOTHING_NEAR",
    "ClassPrior",
    "ParzenWindowClassifier",
    "add_instance",
    "add_squared",
    "check_class_prior",
    "expected_error",
    "parzen_out_of_fold",
    "prior_or_none",
    "renew_frequencies",
]
