"""Parts of the OpenAPI schema for what campaigns check themselves: timelines and conditions.

The rules are those of `palacs.campaign` and `palacs.Conditions`, in the words of JSON Schema, so
that a client need not find out by trying.
"""

from __future__ import annotations

from typing import Any

from palacs.campaign import SESSIONS

Schema = dict[str, Any]
_PHASES = ("fixation", "cue", "performing", "rest")
_NULL: Schema = {"type": "null"}
_LABEL: Schema = {"anyOf": [{"type": "string", "minLength": 1}, {"type": "integer"}]}
_SECONDS: Schema = {"type": "number", "minimum": 0, "maximum": 3600}
_PAIR: Schema = {"type": "array", "items": _SECONDS, "minItems": 2, "maxItems": 2}
_POSITIVE: Schema = {"type": "number", "exclusiveMinimum": 0, "maximum": 1e300}
_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1e300}


def _medium(kind: str) -> Schema:
    return {"type": "string", "pattern": f"^data:{kind}/", "maxLength": 200_000}


def _object(properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _optional(schema: Schema) -> Schema:
    return {"anyOf": [schema, _NULL]}


def _whole(least: int) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": 10**9}


def _by_label(values: Schema) -> Schema:
    """Return the schema of an object, or of pairs where labels are no text."""
    pair = {"type": "array", "prefixItems": [_LABEL, values], "minItems": 2, "maxItems": 2}
    named = {"type": "object", "additionalProperties": values, "minProperties": 1}
    return {"anyOf": [named, {"type": "array", "items": pair, "minItems": 1}]}


_MATRIX: Schema = {"type": "array", "minItems": 2, "items": {"type": "array", "items": _SHARE}}
_PITCH: Schema = {"type": "number", "minimum": 20, "maximum": 20_000}

PARTS: dict[str, Schema] = {
    "Timeline": {
        **_object(
            {
                **{phase: {"anyOf": [_SECONDS, _PAIR]} for phase in _PHASES},
                "block": _optional(_whole(1)),
                "break": _optional(_SECONDS),
                "pictures": {"type": "object", "additionalProperties": _medium("image")},
                "sounds": {
                    "type": "object",
                    "additionalProperties": {"anyOf": [_PITCH, _medium("audio")]},
                },
            }
        ),
        "description": "One trial, in seconds or pairs between which each trial draws its own.",
        "examples": [SESSIONS["motor-imagery"]],
    },
    "Conditions": {
        **_object(
            {
                "costs": _optional({"anyOf": [{"const": "durations"}, _by_label(_POSITIVE)]}),
                "proportions": _optional(_by_label(_SHARE)),
                "dirichlet": _optional(_by_label(_POSITIVE)),
                "mistakes": _optional({"anyOf": [_by_label(_by_label(_SHARE)), _MATRIX]}),
                "caps": _optional(_by_label(_whole(0))),
                "max_repeat": _optional(_whole(1)),
                "at_least_every": _optional(_whole(2)),
            }
        ),
        "description": "Costs, proportions in use, mistakes and limits, see palacs.Conditions.",
        "examples": [{"costs": [["left", 2.0], ["right", 1.0]], "max_repeat": 3}],
    },
}
"""By the names of their components."""
