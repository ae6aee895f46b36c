"""Experiments: many trials compared, on the paper's data sets or on your own.

`paper_experiment` and `comparison_experiment` say what to play, `run` plays it, and its `Results`
are data frames throughout.
"""

from palacs.experiments._comparison import Comparison, compare_strategies
from palacs.experiments._experiment import Experiment, Task
from palacs.experiments._results import Results, run
from palacs.experiments._runner import Execution
from palacs.experiments._setup import (
    classifier_from_path,
    comparison_experiment,
    paper_experiment,
)
from palacs.experiments._split import Split, make_split
from palacs.experiments._store import SettingsConflict
from palacs.experiments._trial import Trial, run_trial

__all__ = [
    "Comparison",
    "Execution",
    "Experiment",
    "Results",
    "SettingsConflict",
    "Split",
    "Task",
    "Trial",
    "classifier_from_path",
    "compare_strategies",
    "comparison_experiment",
    "make_split",
    "paper_experiment",
    "run",
    "run_trial",
]
