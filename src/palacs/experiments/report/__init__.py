"""What a run leaves for people: the verdict in words, tables and figures, one page to read.

`summarise` says what a comparison comes to; `write_comparison_report` and `write_paper_report`
write everything into a folder. A figure of a report is one line in ``_figures.py``.
"""

from palacs.experiments.report._ceiling_sentence import ceiling_sentence
from palacs.experiments.report._comparison_report import (
    ComparisonSummary,
    summarise,
    write_comparison_report,
)
from palacs.experiments.report._model_sentence import ModelCheck
from palacs.experiments.report._paper_findings import (
    Finding,
    few_trials,
    paper_differences,
    paper_findings,
)
from palacs.experiments.report._paper_report import write_paper_report
from palacs.experiments.report._record import comparison_record
from palacs.experiments.report._savings import spending_sentences
from palacs.experiments.report._verdict import (
    DataFacts,
    Verdict,
    comparison_sentences,
    give_verdict,
)

__all__ = [
    "ComparisonSummary",
    "DataFacts",
    "Finding",
    "ModelCheck",
    "Verdict",
    "ceiling_sentence",
    "comparison_record",
    "comparison_sentences",
    "few_trials",
    "give_verdict",
    "paper_differences",
    "paper_findings",
    "spending_sentences",
    "summarise",
    "write_comparison_report",
    "write_paper_report",
]
