"""The decision: strategies that say which class to request next.

>>> from palacs.strategies import available
>>> sorted(available())[:3]
['balanced-gain', 'improvement', 'inverse']
"""

from palacs._random import Stream
from palacs.strategies._accuracy import (
    AccuracyImprovement,
    InverseAccuracy,
    Redistricting,
    Risk,
    Sensitivity,
)
from palacs.strategies._balanced_gain import BalancedGain
from palacs.strategies._base import Strategy
from palacs.strategies._conditions import Conditions, DirichletGuess, learn_costs
from palacs.strategies._counts import ProportionalSelection, RandomSelection, UniformSelection
from palacs.strategies._labelled import LabelledSet
from palacs.strategies._limits import LimitReached
from palacs.strategies._palacs import PALACS, Explanation
from palacs.strategies._registry import (
    DEFAULT_STRATEGY,
    StrategyInfo,
    available,
    find,
    make,
    name_of,
)
from palacs.strategies._spec import from_spec, to_spec

__all__ = [
    "DEFAULT_STRATEGY",
    "PALACS",
    "AccuracyImprovement",
    "BalancedGain",
    "Conditions",
    "DirichletGuess",
    "Explanation",
    "InverseAccuracy",
    "LabelledSet",
    "LimitReached",
    "ProportionalSelection",
    "RandomSelection",
    "Redistricting",
    "Risk",
    "Sensitivity",
    "Strategy",
    "StrategyInfo",
    "Stream",
    "UniformSelection",
    "available",
    "find",
    "from_spec",
    "learn_costs",
    "make",
    "name_of",
    "to_spec",
]
