"""Whole numbers as JSON writes them: 3.0 is 3, since JSON has one kind of number."""

from __future__ import annotations

from typing import Any

from pydantic import BeforeValidator


def _as_whole(value: Any) -> Any:
    """Take 3.0 for 3, as JSON Schema does and as programs without integers send it."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


AS_WHOLE = BeforeValidator(_as_whole)


def _with_wholes(given: Any) -> Any:
    """Take 3.0 for 3 also inside conditions and timelines, which are read elsewhere."""
    if not isinstance(given, dict):
        return given
    counted = {key: _as_whole(given[key]) for key in _COUNTED if key in given}
    caps = given.get("caps")
    if isinstance(caps, dict):
        counted["caps"] = {label: _as_whole(cap) for label, cap in caps.items()}
    elif isinstance(caps, list):
        counted["caps"] = [
            [_as_whole(each) for each in pair] if isinstance(pair, list) else pair for pair in caps
        ]
    return {**given, **counted}


_COUNTED = ("max_repeat", "at_least_every", "block")
WITH_WHOLES = BeforeValidator(_with_wholes)
