"""The extractors that come with palacs, by name, with parameters where some are given.

``"band-power(rate=250)"`` is a name and plain values, never code that is run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Any

_WRITTEN = re.compile(r"([a-z][a-z0-9-]*)(\(.*\))?", re.DOTALL)


@dataclass(frozen=True)
class ExtractorInfo:
    """A shipped extractor.

    Parameters
    ----------
    name : str
        By which it is asked for.
    makes : str
        Module and class, imported when it is asked for.
    about : str
        What it makes, in a line.
    runs_code : bool
        Whether a parameter leads to code of somebody's own.
    """

    name: str
    makes: str
    about: str
    runs_code: bool = False

    def make(self, **params: Any) -> Any:
        """Return the extractor, unfitted."""
        module, _, name = self.makes.partition(":")
        made: Callable[..., Any] = getattr(import_module(f"palacs.extractors.{module}"), name)
        return made(**params)


EXTRACTORS: tuple[ExtractorInfo, ...] = (
    ExtractorInfo("band-power", "_signals:BandPower", "log power in bands, for each channel"),
    ExtractorInfo("csp", "_eeg:csp", "common spatial patterns of EEG, fitted"),
    ExtractorInfo("tangent-space", "_eeg:tangent_space", "covariances of EEG as vectors, fitted"),
    ExtractorInfo("mel-bands", "_signals:MelBands", "log energy in mel bands of a sound"),
    ExtractorInfo("hog", "_pictures:HOG", "histograms of oriented gradients of a picture"),
    ExtractorInfo("embedding", "_embedding:Embedding", "what a torch model makes of it", True),
)


def is_shipped(written: str) -> bool:
    """Say whether a name, maybe with parameters, leads to code of palacs alone.

    Examples
    --------
    >>> from palacs.extractors import is_shipped
    >>> is_shipped("band-power(rate=250)"), is_shipped("mine.py:spread")
    (True, False)
    """
    match = _WRITTEN.fullmatch(written.strip())
    safe = {row.name for row in EXTRACTORS if not row.runs_code}
    return match is not None and match[1] in safe


def shipped(written: str) -> Any:
    """Return the extractor of that name, with its parameters; None where it is no such name."""
    match = _WRITTEN.fullmatch(written.strip())
    if match is None or ":" in match[1]:
        return None
    rows = {row.name: row for row in EXTRACTORS}
    name, arguments = match[1], match[2] or "()"
    if name not in rows:
        near = get_close_matches(name, rows, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(rows)}."
        raise ValueError(f"there is no extractor {name!r}: {hint} One of your own is FILE.py:NAME.")
    try:
        call = ast.parse(f"f{arguments}", mode="eval").body
        assert isinstance(call, ast.Call)
        params = {str(key.arg): ast.literal_eval(key.value) for key in call.keywords}
        if call.args or None in [key.arg for key in call.keywords]:
            raise ValueError("parameters have names")
        return rows[name].make(**params)
    except ModuleNotFoundError:
        raise
    except (SyntaxError, ValueError, TypeError, AssertionError) as error:
        raise ValueError(
            f"the extractor {written!r:.200} cannot be made ({error}); write {name} or "
            f"{name}(parameter=value)."
        ) from error
