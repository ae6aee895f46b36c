"""The decision: strategies that say which class to request next.

>>> from palacs.strategies import available
>>> sorted(available())[:3]
['balanced-gain', 'improvement', 'inverse']
"""

from palacs.conditions import Conditions, DirichletGuess, LimitReached, learn_costs
from palacs.evidence import LabelledSet
from palacs.strategies._ahead import compile_ahead
from palacs.strategies._balanced_gain import BalancedGain
from palacs.strategies._base import Strategy
from palacs.strategies._compiled_form import (
    AUTO,
    Acquired,
    as_number,
    bandwidth_for,
    decides_for,
    form_utilities,
)
from palacs.strategies._counts import ProportionalSelection, RandomSelection, UniformSelection
from palacs.strategies._lomasky import (
    AccuracyImprovement,
    InverseAccuracy,
    Redistricting,
    Risk,
    Sensitivity,
)
from palacs.strategies._needs import Needs
from palacs.strategies._palacs import PALACS, Explanation
from palacs.strategies._pick import Pick, Utilities, pick_class
from palacs.strategies._reason import because
from palacs.strategies._spare_settled import SpareSettled, open_classes
from palacs.strategies._spec import from_spec, to_spec
from palacs.strategies._table import (
    DEFAULT_STRATEGY,
    StrategyInfo,
    available,
    find,
    make,
    name_of,
)
from palacs.strategies._words import listing, named
from palacs.stream import Stream

__all__ = [
    "AUTO",
    "DEFAULT_STRATEGY",
    "PALACS",
    "AccuracyImprovement",
    "Acquired",
    "BalancedGain",
    "Conditions",
    "DirichletGuess",
    "Explanation",
    "InverseAccuracy",
    "LabelledSet",
    "LimitReached",
    "Needs",
    "Pick",
    "ProportionalSelection",
    "RandomSelection",
    "Redistricting",
    "Risk",
    "Sensitivity",
    "SpareSettled",
    "Strategy",
    "StrategyInfo",
    "Stream",
    "UniformSelection",
    "Utilities",
    "as_number",
    "available",
    "bandwidth_for",
    "because",
    "compile_ahead",
    "decides_for",
    "find",
    "form_utilities",
    "from_spec",
    "learn_costs",
    "listing",
    "make",
    "name_of",
    "named",
    "open_classes",
    "pick_class",
    "to_spec",
]
