"""The wheel and the source archive: what is in them, and that an installed palacs works."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from email.message import Message
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "palacs"
LEFT_OUT = re.compile(r"__pycache__|\.nb[ci]$|\.pyc$")
Run = Callable[..., str]
Install = Callable[..., Path]


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    expected = {
        f"palacs/{path.relative_to(PACKAGE).as_posix()}"
        for path in PACKAGE.rglob("*")
        if path.is_file() and not LEFT_OUT.search(path.as_posix())
    }
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    assert {name for name in held if ".dist-info/" not in name} == expected
    assert {"palacs/py.typed", "palacs/datasets/data/ATTRIBUTION.md"} <= held
    assert any(name.startswith("palacs/studio/templates/") for name in held)
    licences = {name.rsplit("/licenses/")[-1] for name in held if "/licenses/" in name}
    assert licences == {"LICENSE", "src/palacs/datasets/data/ATTRIBUTION.md"}


def test_the_source_archive_builds_and_tests(dist: Path) -> None:
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        held = {name.split("/", 1)[-1] for name in archive.getnames()}
    tracked = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split("\n")
    present = {name for name in tracked if name and (ROOT / name).is_file()}
    left_out = {name for name in present - held if not name.startswith((".ci/", ".gitignore"))}
    assert not left_out
    assert {"Makefile", "CITATION.cff", "tools/setup", "tests/conftest.py"} <= held


def test_an_index_takes_both_and_shows_the_readme(dist: Path, metadata: Message, run: Run) -> None:
    run(sys.executable, "-m", "twine", "check", "--strict", *dist.iterdir(), cwd=dist)
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {metadata['Version']}\n" in cited
    assert "\nlicense: BSD-3-Clause " in cited  # several would be read as a choice
    assert metadata["Author"] == "The palacs developers"
    assert metadata["License-Expression"] == "BSD-3-Clause AND CC-BY-4.0 AND MIT"
    shown = str(metadata.get_payload())
    assert "Which class should I collect next?" in shown
    # An index has no folder beside the text: what leads into the repository would be broken.
    assert not re.findall(r"\]\((?!https?://|#)[^)]+\)", shown)


SMOKE = """
import json, sys
import palacs
X = [[0.1], [0.12], [0.7], [0.76], [0.72], [0.78]]
y = ["rest"] * 2 + ["left"] * 2 + ["right"] * 2
asked = palacs.SpareSettled(random_state=0).query(X, y)[0]
from palacs.datasets import load
sizes = [len(load(name).y) for name in ("vehicle", "vertebral", "yeast")]
foreign = [m for m in ("pandas", "typer", "sqlalchemy", "matplotlib") if m in sys.modules]
print(json.dumps([palacs.__file__, str(asked), sizes, foreign]))
"""


def test_without_extras_the_wheel_decides(install_wheel: Install, run: Run, tmp_path: Path) -> None:
    python = install_wheel(tmp_path / "empty") / "python"
    said = run(python, "-c", SMOKE, cwd=tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "compiled"))
    file, asked, sizes, foreign = json.loads(said)
    assert file.startswith(str(tmp_path))
    assert asked in ("left", "right")
    assert sizes == [846, 310, 1150]
    assert foreign == []


def test_with_its_extra_the_wheel_keeps_campaigns(
    install_wheel: Install, metadata: Message, run: Run, tmp_path: Path
) -> None:
    palacs = install_wheel(tmp_path / "empty", "campaign") / "palacs"
    campaign = [palacs, "campaign"]
    assert metadata["Version"] in run(palacs, "--version", cwd=tmp_path)
    run(*campaign, "create", "one", "--classes", "a,b", cwd=tmp_path)
    request = run(*campaign, "ask", "one", cwd=tmp_path).split("\t")[0]
    run(*campaign, "tell", "one", request, "0.5", cwd=tmp_path)
    assert "1 instance" in run(*campaign, "status", "one", cwd=tmp_path)
