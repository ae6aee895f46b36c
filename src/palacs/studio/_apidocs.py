"""The OpenAPI page: the schema as plain HTML, since a lab PC may be offline.

The usual viewers load scripts from elsewhere or need a looser Content-Security-Policy; a list
of operations with their fields needs neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from palacs.studio._openapi import ERRORS
from palacs.studio._page_templates import templates

router = APIRouter(include_in_schema=False)

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter or a field of a body, as the page lists it."""

    name: str
    place: str
    kind: str
    required: bool
    default: str
    description: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One method on one path."""

    method: str
    path: str
    tag: str
    summary: str
    fields: list[Field]
    answer: str


@router.get("/api/v1/docs", response_class=HTMLResponse)
def api_docs(request: Request) -> HTMLResponse:
    """Show the REST interface for people."""
    operations = list(operations_of(request.app.openapi()))
    tags = sorted({operation.tag for operation in operations})
    groups = {tag: [o for o in operations if o.tag == tag] for tag in tags}
    errors = {status: answer["description"] for status, answer in ERRORS.items()}
    content = {"groups": groups, "errors": errors, "origin": request.app.state.config.origin}
    return templates.TemplateResponse(request, "apidocs.html", content)


def operations_of(schema: Schema) -> Iterator[Operation]:
    """Yield what an OpenAPI schema offers, in its order."""
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield Operation(
                method=method.upper(),
                path=path,
                tag=(operation.get("tags") or ["other"])[0],
                summary=operation.get("description") or operation.get("summary", ""),
                fields=[*_parameters(operation, schema), *_body(operation, schema)],
                answer=_answer(operation),
            )


def _answer(operation: Schema) -> str:
    """Return the status and the media types of success."""
    status, answer = min(operation["responses"].items())
    return f"{status} {', '.join(answer.get('content', ()))}"


def _parameters(operation: Schema, schema: Schema) -> Iterator[Field]:
    for given in operation.get("parameters", ()):
        parameter = _resolve(given, schema)
        kind, default = parameter["schema"], parameter["schema"].get("default")
        yield Field(
            parameter["name"],
            parameter["in"],
            _kind(kind),
            parameter.get("required", False),
            "" if default is None else str(default),
            parameter.get("description") or "",
        )


def _body(operation: Schema, schema: Schema) -> Iterator[Field]:
    for content in operation.get("requestBody", {}).get("content", {}).values():
        model = _resolve(content["schema"], schema)
        needed = model.get("required", ())
        for name, kind in model.get("properties", {}).items():
            default = kind.get("default")
            yield Field(
                name,
                "body",
                _kind(kind),
                name in needed,
                "" if default is None else str(default),
                kind.get("description") or "",
            )


def _resolve(part: Schema, schema: Schema) -> Schema:
    for choice in part.get("anyOf", ()):
        if "$ref" in choice:
            return _resolve(choice, schema)
    if "$ref" not in part:
        return part
    _, room, name = part["$ref"].rsplit("/", 2)
    found: Schema = schema["components"][room][name]
    return found


def _kind(part: Schema) -> str:
    """Return a type in words.

    Examples
    --------
    >>> _kind({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}})
    'list of string or integer'
    """
    if "anyOf" in part:
        return " or ".join(dict.fromkeys(_kind(choice) for choice in part["anyOf"]))
    if "enum" in part:
        return " or ".join(map(str, part["enum"]))
    if part.get("type") == "array":
        return f"list of {_kind(part['items'])}"
    if part.get("contentMediaType") or part.get("format") == "binary":
        return "file"
    return str(part.get("type", "object"))
