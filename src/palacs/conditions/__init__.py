"""What is wanted: costs, proportions in use, costs of mistakes, limits, and what was spent.

One value, `Conditions`, is understood by every strategy, comparison and campaign; laid out in the
order of the classes it is a `ClassConditions`. A `Limit` of your own joins by a subclass.
"""

from palacs.conditions._class_conditions import ClassConditions
from palacs.conditions._conditions import DURATIONS, Conditions, class_conditions
from palacs.conditions._dirichlet import DirichletGuess
from palacs.conditions._learned_costs import costs_from_totals, learn_costs
from palacs.conditions._limits import Limit, LimitReached, Requests, apply_limits
from palacs.conditions._spending import Spending

__all__ = [
    "DURATIONS",
    "ClassConditions",
    "Conditions",
    "DirichletGuess",
    "Limit",
    "LimitReached",
    "Requests",
    "Spending",
    "apply_limits",
    "class_conditions",
    "costs_from_totals",
    "learn_costs",
]
