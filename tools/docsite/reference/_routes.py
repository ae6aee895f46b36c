"""Every operation of the REST interface, read from the schema that the studio serves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from docsite.markdown import code, plain, table
from palacs.studio import StudioConfig, create_app

_PREFIX = "/api/v1"
_LONGEST_CHOICES = 12
_LARGEST = 2**53
Schema = Mapping[str, Any]


def schema() -> dict[str, Any]:
    """Return the studio's OpenAPI schema."""
    return dict(create_app(StudioConfig(storage="memory")).openapi())


def operations(whole: Schema) -> Iterator[tuple[str, str, Schema]]:
    """Yield method, path and description of each operation."""
    for path, methods in whole["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def routes() -> str:
    """Return a table of all operations and a section for each."""
    whole = schema()
    rows, sections = [], []
    for method, path, operation in sorted(operations(whole), key=lambda each: each[1]):
        name, says = operation["operationId"], operation["description"]
        place = path.removeprefix(_PREFIX)
        rows.append((code(name), code(f"{method} {place}"), plain(says.split("\n")[0])))
        sections.append(_section(whole, f"{method} {place}", operation))
    listed = table(["id", f"below `{_PREFIX}`", "does"], rows)
    return "\n\n".join([listed, *sections, "## Objects", *_objects(whole)])


def _objects(whole: Schema) -> Iterator[str]:
    """Yield a section for each object that is sent or answered."""
    for name, part in sorted(whole["components"]["schemas"].items()):
        if part.get("properties"):
            rows = [(code(field), kind, about) for field, kind, about in _fields(whole, part)]
            yield f"### {code(name)}\n\n{table(['field', 'value', 'meaning'], rows)}"


def _section(whole: Schema, title: str, operation: Schema) -> str:
    parts = [f"## {code(title)}", *map(plain, operation["description"].split("\n\n"))]
    given = [_resolved(whole, each) for each in operation.get("parameters", ())]
    rows = [
        (code(each["name"]), each["in"], _kind(whole, each.get("schema", {})), _about(each))
        for each in given
    ]
    body = _body(whole, operation)
    rows += [(code(name), "body", kind, about) for name, kind, about in body]
    if rows:
        parts.append(table(["field", "in", "value", "meaning"], rows))
    answer = _answer(whole, operation)
    if answer:
        parts.append(f"Answers {answer}.")
    return "\n\n".join(parts)


def _resolved(whole: Schema, part: Schema) -> Schema:
    while "$ref" in part:
        found: Any = whole
        for step in part["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        part = found
    return part


def _about(part: Schema) -> str:
    text = part.get("description") or part.get("schema", {}).get("description") or ""
    default = part.get("schema", part).get("default")
    words = plain(str(text).split("\n\n")[0])
    return words if default in (None, "") else f"{words} Default: {code(default)}."


def _body(whole: Schema, operation: Schema) -> Iterator[tuple[str, str, str]]:
    for content in operation.get("requestBody", {}).get("content", {}).values():
        yield from _fields(whole, _resolved(whole, content["schema"]))


def _fields(whole: Schema, part: Schema) -> Iterator[tuple[str, str, str]]:
    needed = part.get("required", ())
    for name, field in part.get("properties", {}).items():
        kind = _kind(whole, field)
        yield name, kind if name in needed else f"{kind}, optional", _about(field)


def _kind(whole: Schema, part: Schema) -> str:
    """Return in a few words which values a schema allows."""
    name = str(part.get("$ref", "")).rsplit("/", 1)[-1]
    part = _resolved(whole, part)
    if "enum" in part or "const" in part:
        choices = part.get("enum", [part.get("const")])
        shown = ", ".join(code(each) for each in choices[:_LONGEST_CHOICES])
        return shown + (", ..." if len(choices) > _LONGEST_CHOICES else "")
    for several in ("anyOf", "oneOf"):
        if several in part:
            return " or ".join(dict.fromkeys(_kind(whole, each) for each in part[several]))
    kind = str(part.get("format") or part.get("type") or "any value")
    if kind == "array":
        return f"list of {_kind(whole, part.get('items', {}))}"
    if part.get("properties") and name:
        return code(name)
    low, high = (_worth_saying(part.get(bound)) for bound in ("minimum", "maximum"))
    between = [f"from {low}" if low is not None else "", f"to {high}" if high is not None else ""]
    return " ".join([kind, *filter(None, between)])


def _worth_saying(bound: float | None) -> float | None:
    """Leave out what is only as large as a number can be."""
    return None if bound is None or abs(bound) > _LARGEST else bound


def _answer(whole: Schema, operation: Schema) -> str:
    for status, answer in operation["responses"].items():
        if not status.startswith("2"):
            continue
        for media, content in answer.get("content", {}).items():
            found = _resolved(whole, content.get("schema", {}))
            fields = ", ".join(code(name) for name in found.get("properties", {}))
            return f"{status}, `{media}`" + (f": {fields}" if fields else "")
    return ""
