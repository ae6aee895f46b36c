"""Experiments: many trials compared, on the paper's data sets or on your own.

`paper_experiment` and `comparison_experiment` say what to play, `run` plays it, and its `Results`
are data frames throughout.
"""

from palacs.experiments._comparison import Comparison, compare_strategies
from palacs.experiments._experiment import Experiment, Task
from palacs.experiments._publish import (
    ComparisonSummary,
    summarise,
    write_comparison_report,
    write_paper_report,
)
from palacs.experiments._results import Results, run
from palacs.experiments._runner import Execution
from palacs.experiments._setup import (
    DEFAULT_COMPARED,
    classifier_from_path,
    comparison_experiment,
    paper_experiment,
)
from palacs.experiments._spending import spending_sentences
from palacs.experiments._split import Split, make_split
from palacs.experiments._stopping import stopping_sentences, what_stopping_saves
from palacs.experiments._store import SettingsConflict
from palacs.experiments._trial import Trial, TrialRules, run_trial
from palacs.experiments._verdict import (
    Finding,
    comparison_sentences,
    few_trials,
    paper_differences,
    paper_findings,
)

__all__ = [
    "DEFAULT_COMPARED",
    "Comparison",
    "ComparisonSummary",
    "Execution",
    "Experiment",
    "Finding",
    "Results",
    "SettingsConflict",
    "Split",
    "Task",
    "Trial",
    "TrialRules",
    "classifier_from_path",
    "compare_strategies",
    "comparison_experiment",
    "comparison_sentences",
    "few_trials",
    "make_split",
    "paper_differences",
    "paper_experiment",
    "paper_findings",
    "run",
    "run_trial",
    "spending_sentences",
    "stopping_sentences",
    "summarise",
    "what_stopping_saves",
    "write_comparison_report",
    "write_paper_report",
]
