"""From recordings to features: reading the raw material, and what turns it into `x`.

An extractor is any scikit-learn transformer or pipeline, or a function of one recording. Those
that are shipped go by a name; what they need beyond SciPy is an extra each. Nothing here knows of
campaigns: `palacs.campaign` writes down which extractor is in force.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from palacs.extractors._extractor import Extractor, extractor_from
from palacs.extractors._reading import RecordedArray, read_recording, with_rate
from palacs.extractors._shipped import EXTRACTORS, ExtractorInfo, is_shipped

if TYPE_CHECKING:
    from palacs.extractors._embedding import Embedding
    from palacs.extractors._pictures import HOG
    from palacs.extractors._signals import BandPass, BandPower, MelBands

__all__ = [
    "EXTRACTORS",
    "HOG",
    "BandPass",
    "BandPower",
    "Embedding",
    "Extractor",
    "ExtractorInfo",
    "MelBands",
    "RecordedArray",
    "extractor_from",
    "is_shipped",
    "read_recording",
    "with_rate",
]


_HOMES = {
    "BandPass": "_signals",
    "BandPower": "_signals",
    "Embedding": "_embedding",
    "HOG": "_pictures",
    "MelBands": "_signals",
}


def __getattr__(name: str) -> Any:
    # scikit-learn takes a second to import, which reading a recording need not wait for.
    if name in _HOMES:
        return getattr(import_module(f"palacs.extractors.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
