"""What is known: the labelled set, left-out decisions, the learning curve, when to stop.

Strategies decide from it, the studio shows it, campaigns advise by it; all three mean the same
numbers.
"""

from palacs.evidence._advice import LEAST_PER_CLASS, Advice, advise_stopping
from palacs.evidence._crossval import (
    CrossValidator,
    assign_folds,
    cross_validator,
    prior_of_evidence,
)
from palacs.evidence._default_model import default_model
from palacs.evidence._held_tensors import evidence_of_held
from palacs.evidence._labelled_set import (
    MANY,
    LabelledSet,
    Labels,
    Origin,
    check_labelled_set,
    encode,
    normalise,
)
from palacs.evidence._learning_curve import LearningCurve, learning_curve
from palacs.evidence._left_out import CurvePoint, LeftOut, left_out_decisions
from palacs.evidence._many import evidence_of_many, select_of_many
from palacs.evidence._out_of_fold import out_of_fold_evidence
from palacs.evidence._screen import VERY_MANY, Screened, screen
from palacs.evidence._settled import (
    LEFT_OUT,
    NEGLIGIBLE,
    SPLITS,
    WIDER,
    ClassEvidence,
    Halves,
    add_similar,
    closest,
    decide_left_out,
    halve,
    latest_of_each,
    left_beside,
    no_evidence,
    tally,
)
from palacs.evidence._settled_tensors import evidence_of_tensor

__all__ = [
    "LEAST_PER_CLASS",
    "LEFT_OUT",
    "MANY",
    "NEGLIGIBLE",
    "SPLITS",
    "VERY_MANY",
    "WIDER",
    "Advice",
    "ClassEvidence",
    "CrossValidator",
    "CurvePoint",
    "Halves",
    "LabelledSet",
    "Labels",
    "LearningCurve",
    "LeftOut",
    "Origin",
    "Screened",
    "add_similar",
    "advise_stopping",
    "assign_folds",
    "check_labelled_set",
    "closest",
    "cross_validator",
    "decide_left_out",
    "default_model",
    "encode",
    "evidence_of_held",
    "evidence_of_many",
    "evidence_of_tensor",
    "halve",
    "latest_of_each",
    "learning_curve",
    "left_beside",
    "left_out_decisions",
    "no_evidence",
    "normalise",
    "out_of_fold_evidence",
    "prior_of_evidence",
    "screen",
    "select_of_many",
    "tally",
]
