"""Experiments: many trials compared, on the paper's data sets or on your own.

`paper_experiment` and `comparison_experiment` say what to play, `run` plays it, and its `Results`
are data frames throughout.
"""

from palacs.extras import need

need("experiments", "palacs.experiments")

from palacs.evidence import normalise
from palacs.experiments._ceiling import Ceiling, find_ceiling
from palacs.experiments._ceiling_of import ceiling_of, final_gains, why_no_ceiling
from palacs.experiments._class_errors import OtherModel, class_errors
from palacs.experiments._compare_arrays import compare
from palacs.experiments._compared import HINDSIGHT, TRIALS, Compared, run_comparison
from palacs.experiments._comparison import LEVEL, Comparison, compare_strategies, holm, paired_t
from palacs.experiments._experiment import Experiment, Task, strategy_for
from palacs.experiments._model_sources import classifier_from_path, model_from
from palacs.experiments._results import Results, run
from palacs.experiments._runner import Execution
from palacs.experiments._setup import (
    DEFAULT_COMPARED,
    comparison_experiment,
    default_budget,
    paper_experiment,
)
from palacs.experiments._split import Split, make_split
from palacs.experiments._stopping_replayed import stopping_sentences, what_stopping_saves
from palacs.experiments._store import SettingsConflict, folder_of_own
from palacs.experiments._summary import phase_errors
from palacs.experiments._trial import Trial, TrialRules, run_trial
from palacs.experiments.report import (
    ComparisonSummary,
    DataFacts,
    Finding,
    ModelCheck,
    Verdict,
    ceiling_sentence,
    comparison_record,
    comparison_sentences,
    few_trials,
    give_verdict,
    paper_differences,
    paper_findings,
    spending_sentences,
    summarise,
    write_comparison_report,
    write_paper_report,
)

__all__ = [
    "DEFAULT_COMPARED",
    "HINDSIGHT",
    "LEVEL",
    "TRIALS",
    "Ceiling",
    "Compared",
    "Comparison",
    "ComparisonSummary",
    "DataFacts",
    "Execution",
    "Experiment",
    "Finding",
    "ModelCheck",
    "OtherModel",
    "Results",
    "SettingsConflict",
    "Split",
    "Task",
    "Trial",
    "TrialRules",
    "Verdict",
    "ceiling_of",
    "ceiling_sentence",
    "class_errors",
    "classifier_from_path",
    "compare",
    "compare_strategies",
    "comparison_experiment",
    "comparison_record",
    "comparison_sentences",
    "default_budget",
    "few_trials",
    "final_gains",
    "find_ceiling",
    "folder_of_own",
    "give_verdict",
    "holm",
    "make_split",
    "model_from",
    "normalise",
    "paired_t",
    "paper_differences",
    "paper_experiment",
    "paper_findings",
    "phase_errors",
    "run",
    "run_comparison",
    "run_trial",
    "spending_sentences",
    "stopping_sentences",
    "strategy_for",
    "summarise",
    "what_stopping_saves",
    "why_no_ceiling",
    "write_comparison_report",
    "write_paper_report",
]
