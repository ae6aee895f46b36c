"""Blocks that a script makes: its pictures and what it prints become a part of the page.

A page says ``{made} urn`` with a line ``:alt:`` below it. The build runs ``docs/made/urn.py`` in a
folder of its own; the pictures it leaves there and the Markdown it prints stand in the page, with
the command that made them and its source. Nothing runs again until the code changes.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
KEPT = ROOT / "build" / "made"
LONGEST_S = 240


class ScriptFailed(RuntimeError):
    """A script of docs/made ended with an error."""


def state_of_code() -> str:
    """Return a digest of all that a script may call: its kin, palacs and its stored results."""
    digest = hashlib.sha256()
    for folder in (DOCS / "made", ROOT / "src" / "palacs"):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix in (".py", ".json", ".csv", ".html", ".js"):
                digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def run(name: str, state: str) -> Path:
    """Run a script of docs/made, unless it did for this state of the code; return its folder."""
    script = DOCS / "made" / f"{name}.py"
    if not script.exists():
        raise ScriptFailed(f"there is no {script.relative_to(ROOT)}; write it, or fix the name")
    folder = KEPT / state / name
    printed = folder / "printed.md"
    if printed.exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=folder,
        env={**os.environ, "MPLBACKEND": "agg", "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=False,
    )
    if done.returncode:
        raise ScriptFailed(f"docs/made/{name}.py failed:\n{done.stderr[-2000:]}")
    draft = folder / f"printed-{os.getpid()}"
    draft.write_text(done.stdout, encoding="utf-8")
    draft.replace(printed)  # another page may wait for it in another process
    return folder


def block(name: str, alt: str, page: Path, state: str) -> str:
    """Return what stands in the page instead of the block.

    Parameters
    ----------
    name : str
        The script's name without ``.py``.
    alt : str
        What the pictures show, for whoever does not see them.
    page : Path
        The page it stands in; pictures are addressed from there.
    state : str
        The state of the code, see `state_of_code`.
    """
    folder = run(name, state)
    drawn = {path.stem: path for suffix in ("png", "svg") for path in folder.glob(f"*.{suffix}")}
    pictures = [drawn[stem] for stem in sorted(drawn)]  # of one in both formats, the SVG
    if pictures and not alt:
        raise ScriptFailed(f"docs/made/{name}.py draws a picture; say what it shows, with :alt:")
    shown = [f"![{alt}]({os.path.relpath(path, page.parent)})" for path in pictures]
    source = os.path.relpath(DOCS / "made" / f"{name}.py", page.parent)
    by = (
        f'<details class="made"><summary>Made by <code>python docs/made/{name}.py</code></summary>'
        f"\n\n```{{literalinclude}} {source}\n:language: python\n```\n\n</details>"
    )
    printed = (folder / "printed.md").read_text(encoding="utf-8").strip()
    return "\n\n".join([*shown, printed, by, ""])
