"""Active class selection: which class should I collect next.

The names below are the public interface. Each is imported when it is first used: deciding needs
NumPy, SciPy, scikit-learn and numba alone, and a shell loop that tells a number waits for none
of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from palacs._version import __version__

if TYPE_CHECKING:
    from palacs.campaign import Campaign as Campaign
    from palacs.campaign import create_campaign as create_campaign
    from palacs.campaign import load_campaign as load_campaign
    from palacs.classifier import ParzenWindowClassifier
    from palacs.conditions import Conditions, DirichletGuess, learn_costs
    from palacs.experiments import compare as compare
    from palacs.gain import perf_gain
    from palacs.kernel import VanishingKernelWarning, kernel_frequencies, sample_pseudo_instances
    from palacs.strategies import (
        PALACS,
        AccuracyImprovement,
        BalancedGain,
        InverseAccuracy,
        ProportionalSelection,
        RandomSelection,
        Redistricting,
        Risk,
        Sensitivity,
        SpareSettled,
        Strategy,
        UniformSelection,
    )

# Names of the rooms above the decision are left out: a star import must not need an extra.
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
    "SpareSettled",
    "Strategy",
    "UniformSelection",
    "VanishingKernelWarning",
    "__version__",
    "kernel_frequencies",
    "learn_costs",
    "perf_gain",
    "sample_pseudo_instances",
]

_HOMES = {
    "Campaign": "campaign",
    "Conditions": "conditions",
    "DirichletGuess": "conditions",
    "ParzenWindowClassifier": "classifier",
    "VanishingKernelWarning": "kernel",
    "compare": "experiments",
    "create_campaign": "campaign",
    "kernel_frequencies": "kernel",
    "learn_costs": "conditions",
    "load_campaign": "campaign",
    "perf_gain": "gain",
    "sample_pseudo_instances": "kernel",
}
_ROOMS = (
    "arrays",
    "campaign",
    "checks",
    "classifier",
    "cluster",
    "compiled",
    "conditions",
    "datasets",
    "evidence",
    "experiments",
    "extractors",
    "extras",
    "gain",
    "kernel",
    "lsl",
    "objects",
    "plots",
    "progress",
    "sources",
    "storage",
    "strategies",
    "stream",
    "studio",
    "testing",
    "ties",
    "views",
)


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"palacs.{name}")
    if name not in __all__ and name not in _HOMES:
        raise AttributeError(f"module 'palacs' has no attribute {name!r}")
    # What has no home of its own is a strategy.
    value = getattr(import_module(f"palacs.{_HOMES.get(name, 'strategies')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_HOMES, *_ROOMS})
