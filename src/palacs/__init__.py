"""Active class selection: which class should I collect next.

The names below are the public interface. The mathematics and the strategies need NumPy, SciPy,
scikit-learn and numba alone; what needs more is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from palacs._version import __version__
from palacs.classifier import ParzenWindowClassifier
from palacs.gain import perf_gain
from palacs.kernel import kernel_frequencies, sample_pseudo_instances
from palacs.strategies import (
    PALACS,
    AccuracyImprovement,
    BalancedGain,
    Conditions,
    DirichletGuess,
    InverseAccuracy,
    ProportionalSelection,
    RandomSelection,
    Redistricting,
    Risk,
    Sensitivity,
    Strategy,
    UniformSelection,
    learn_costs,
)

if TYPE_CHECKING:
    from palacs.campaign import Campaign as Campaign
    from palacs.campaign import create_campaign as create_campaign
    from palacs.campaign import load_campaign as load_campaign

_LAZY = {
    "Campaign": "palacs.campaign",
    "create_campaign": "palacs.campaign",
    "load_campaign": "palacs.campaign",
}

# Lazy names are left out: a star import must not need an extra.
__all__ = [
    "PALACS",
    "AccuracyImprovement",
    "BalancedGain",
    "Conditions",
    "DirichletGuess",
    "InverseAccuracy",
    "ParzenWindowClassifier",
    "ProportionalSelection",
    "RandomSelection",
    "Redistricting",
    "Risk",
    "Sensitivity",
    "Strategy",
    "UniformSelection",
    "__version__",
    "kernel_frequencies",
    "learn_costs",
    "perf_gain",
    "sample_pseudo_instances",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'palacs' has no attribute {name!r}")
    try:
        return getattr(import_module(_LAZY[name]), name)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"palacs.{name} needs {error.name!r}; run: pip install 'palacs[campaign]'",
            name=error.name,
        ) from error


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
