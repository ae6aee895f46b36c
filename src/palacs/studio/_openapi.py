"""The OpenAPI schema as machines want it: short ids, and everything that repeats by reference.

What a campaign checks itself (`palacs.campaign`) is written down here a second time, as far as
JSON Schema has words for it, so that a client need not find out by trying.
"""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from palacs.studio._models import PRINTABLE
from palacs.studio._schema_parts import PARTS

Schema = dict[str, Any]

_MEANINGS = {
    400: ("BadRequest", "Wrong Host, or a body that cannot be read."),
    401: ("NoToken", "The token is missing or wrong."),
    403: ("NotAllowed", "The request comes from another web page."),
    404: ("NotFound", "No such campaign, request or report."),
    409: ("Conflict", "The record says otherwise, or nothing can be asked."),
    413: ("TooLarge", "The request is too large."),
    422: ("Invalid", "A value cannot be used."),
    503: ("Unavailable", "The storage does not answer."),
    507: ("Full", "The storage has no room left."),
}
ERRORS: dict[int | str, Schema] = {
    status: {"description": meaning} for status, (_, meaning) in _MEANINGS.items()
}
"""What every operation can answer besides what it is for."""

_TEXT = {"type": "string"}
_PLAIN: list[Schema] = [
    {"type": "null"},
    {"type": "boolean"},
    {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1},
    {"type": "number"},
    {"type": "string", "pattern": r"^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$", "maxLength": 1000},
]


def _object(values: Schema) -> Schema:
    names = {"minLength": 1, "maxLength": 100, **PRINTABLE}
    limits = {"maxProperties": 64, "propertyNames": names}
    return {"type": "object", "additionalProperties": values, **limits}


def _nested(values: Schema, inner: Schema) -> Schema:
    return {"anyOf": [*_PLAIN, {"type": "array", "items": values}, inner]}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


_PLAIN_VALUE: Schema = {"anyOf": _PLAIN}
_NUMBERS: Schema = {"type": "array", "items": {"type": "number"}}
_GRID: Schema = {"anyOf": [_NUMBERS, {"type": "array", "items": _NUMBERS}]}
_COMPONENTS: dict[str, Schema] = {
    "Error": {
        "type": "object",
        "required": ["error"],
        "properties": {"error": _ref("ErrorDetail")},
    },
    "ErrorDetail": {
        "type": "object",
        "required": ["message", "kind"],
        "properties": {
            "message": {**_TEXT, "description": "What was wrong and what to do."},
            "kind": {**_TEXT, "description": "For programs."},
        },
    },
    "Attrs": {
        **_object(_nested(_nested(_PLAIN_VALUE, _ref("AttrsDeepest")), _ref("AttrsInside"))),
        "description": "What to note: subject, session, device; 16,384 bytes at most.",
        "examples": [{"subject": "s01", "session": 2}],
    },
    "AttrsInside": _object(_nested(_PLAIN_VALUE, _ref("AttrsDeepest"))),
    "AttrsDeepest": _object(_PLAIN_VALUE),
    "Object": {"type": "object", "additionalProperties": True},
    "Utilities": {"type": "object", "additionalProperties": {"type": ["number", "null"]}},
    "Counts": {"type": "object", "additionalProperties": {"type": "integer"}},
    "Grids": {"type": "object", "additionalProperties": _GRID},
    **PARTS,
}


def operation_id(route: APIRoute) -> str:
    """Return the id of an operation: the name of its function."""
    return route.name


def write_schema(app: FastAPI) -> None:
    """Let the app's schema be ours, made once."""

    def openapi() -> Schema:
        if app.openapi_schema is None:
            made = get_openapi(
                title=app.title, summary=app.summary, version=app.version, routes=app.routes
            )
            app.openapi_schema = _by_reference(made)
        return app.openapi_schema

    # How FastAPI lets a schema of one's own be given; mypy sees a method replaced.
    app.openapi = openapi  # type: ignore[method-assign]


def _by_reference(schema: Schema) -> Schema:
    content = {"application/json": {"schema": _ref("Error")}}
    components = schema["components"]
    _refer(schema)
    components["schemas"] |= _COMPONENTS
    components["responses"] = {
        name: {"description": meaning, "content": content} for name, meaning in _MEANINGS.values()
    }
    components["parameters"] = {}
    for methods in schema["paths"].values():
        for operation in methods.values():
            _share_parameters(operation, components["parameters"])
            for status, (name, _) in _MEANINGS.items():
                operation["responses"][str(status)] = {"$ref": f"#/components/responses/{name}"}
    for model in components["schemas"].values():
        for field in model.get("properties", {}).values():
            if "contentMediaType" in field:
                field["format"] = "binary"  # which generators of clients look for
    return schema


def _refer(part: Any) -> None:
    """Let what `is_a` marked be references; with a default they would be no plain ones."""
    for each in part.values() if isinstance(part, dict) else part:
        if isinstance(each, dict) and "x-is" in each:
            each |= _ref(each.pop("x-is"))
            each.pop("default", None)
        if isinstance(each, dict) and each.get("type") == "integer":
            # Written as floats, the largest ones are no longer exact.
            each |= {key: int(value) for key, value in each.items() if isinstance(value, float)}
        if isinstance(each, (dict, list)):
            _refer(each)


def _share_parameters(operation: Schema, shared: dict[str, Schema]) -> None:
    """Write a parameter that several operations have once."""
    found = operation.get("parameters", [])
    for place, parameter in enumerate(found):
        if parameter["in"] != "query":
            name = parameter["name"]
            if shared.setdefault(name, parameter) == parameter:
                found[place] = {"$ref": f"#/components/parameters/{name}"}
