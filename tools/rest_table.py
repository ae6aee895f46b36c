"""Write the table of REST operations in docs/rest.md from the schema that the studio serves.

python tools/rest_table.py --write
"""

from __future__ import annotations

import sys
from pathlib import Path

from palacs.studio import StudioConfig, create_app

PAGE = Path(__file__).parents[1] / "docs" / "rest.md"
BEGIN, END = "<!-- operations: begin -->\n", "<!-- operations: end -->\n"


def table() -> str:
    """Return the table: what to send where, under which id a generated client has it."""
    schema = create_app(StudioConfig(storage="memory")).openapi()
    rows = ["| id | | |", "|---|---|---|"]
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            says = operation["description"].split("\n")[0]
            place = path.removeprefix("/api/v1")
            rows.append(f"| `{operation['operationId']}` | `{method.upper()} {place}` | {says} |")
    return "\n".join(rows) + "\n"


def written() -> str:
    """Return the page with the table as it should be."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return before + BEGIN + "\n" + table() + "\n" + END + rest.partition(END)[2]


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(written(), encoding="utf-8")
    else:
        print(table(), end="")
