"""Whether the model itself is the problem, in words: beside guessing and a simple other model.

Where the model hardly beats guessing, no choice of classes shows much; where another model does
clearly better on the same instances, that is worth knowing before anything is collected.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from palacs.experiments._class_errors import OtherModel, try_other_model
from palacs.experiments._comparison import LEVEL
from palacs.experiments._results import Results
from palacs.experiments.report._verdict import UNIFORM

# An error above this part of that of guessing is called hardly better.
_HARDLY = 0.8
# A certain difference below this part of the error is not worth a sentence.
_MUCH = 0.1


@dataclass(frozen=True)
class ModelCheck:
    """How the judged model does at the end of the budget.

    Attributes
    ----------
    error : float
        The lowest mean error that a strategy has at the end.
    guessing : float
        The error of guessing: every class is tested on equally often.
    other : OtherModel or None
        A simple model beside it; None where it was not tried.
    """

    error: float
    guessing: float
    other: OtherModel | None

    @property
    def near_guessing(self) -> bool:
        """Whether the error is hardly below that of guessing."""
        return self.error > _HARDLY * self.guessing

    @property
    def other_is_better(self) -> bool:
        """Whether the other model's error is lower with certainty, and by a tenth at least."""
        other = self.other
        if other is None or other.p_value >= LEVEL:
            return False
        return other.error < (1.0 - _MUCH) * other.judged_error

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {**asdict(self), "near_guessing": self.near_guessing,
                "other_is_better": self.other_is_better}  # fmt: skip


def check_model(results: Results) -> ModelCheck | None:
    """Look at the judged model; None under conditions, where guessing has another price."""
    conditions = results.experiment.conditions
    if conditions is not None and conditions.weighing:
        return None
    final: pd.DataFrame = results.trials
    final = final[final["acquired"] == final["acquired"].max()]
    lowest = float(final.groupby("strategy", observed=True)["error"].mean().min())
    n_classes = results.experiment.tasks[0].dataset.n_classes
    return ModelCheck(lowest, 1.0 - 1.0 / n_classes, try_other_model(results, UNIFORM))


def model_sentences(check: ModelCheck | None) -> list[str]:
    """Say what is wrong with the model, if anything is.

    Examples
    --------
    >>> model_sentences(ModelCheck(0.6, 0.667, None))[0]
    'The model hardly beats guessing: its error at the end is 0.600, that of guessing 0.667.'
    >>> model_sentences(ModelCheck(0.1, 0.667, None))
    []
    """
    if check is None or not (check.near_guessing or check.other_is_better):
        return []
    beats = "hardly beats" if _below(check.error, check.guessing) else "does not beat"
    hardly = (
        f"The model {beats} guessing: its error at the end is {check.error:.3f}, that of "
        f"guessing {check.guessing:.3f}."
    )
    if check.other is None:
        return [hardly]
    if check.other_is_better:
        better = _beside(check.other)
        return [f"The model itself is the problem. {hardly} {better}" if check.near_guessing
                else f"Another model does better: {better[0].lower()}{better[1:]}"]  # fmt: skip
    return [
        f"{hardly} {_also(check)} does {check.other.name}, whose error on the same instances is "
        f"{check.other.error:.3f}: after so few acquisitions these features tell the classes "
        "hardly apart, whichever are asked for."
        if check.other.error > _HARDLY * check.guessing
        else hardly
    ]


def _also(check: ModelCheck) -> str:
    """Begin the sentence on another model that is not better than this one."""
    assert check.other is not None
    beats = _below(check.error, check.guessing)
    if _below(check.other.error, check.guessing):
        return "So" if beats else "Hardly more"
    return "Not even that" if beats else "Nor"


def _below(error: float, guessing: float) -> bool:
    """Whether an error is below another as they are printed."""
    return round(error, 3) < round(guessing, 3)


def _beside(other: OtherModel) -> str:
    remedy = (
        "leave out --classifier, in Python model"
        if other.option is None
        else f"--classifier {other.option}, in Python model={other.option!r}"
    )
    return (
        f"On the instances that {other.strategy} got, {other.name} has an error of "
        f"{other.error:.3f} where this model has {other.judged_error:.3f} (95 % interval of the "
        f"difference {other.low:+.3f} to {other.high:+.3f}); to compare with it: {remedy}."
    )
