"""The day in the laboratory that docs/campaigns.md describes happens as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from palacs.campaign import load_campaign

DOCS = Path(__file__).parents[2] / "docs" / "campaigns.md"


def test_the_worked_example_runs(tmp_path: Path) -> None:
    text = DOCS.read_text(encoding="utf-8")
    section = text.split("## What a laboratory writes down")[1]
    block = re.findall(r"```python\n(.*?)```", section, re.DOTALL)[0]
    done = subprocess.run(
        [sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^(s0\d) +8 ", done.stdout, re.MULTILINE) == ["s01", "s02", "s03"]
    assert "No advice to stop" in done.stdout
    assert done.stdout.rstrip().endswith("{'intact'}")
    with load_campaign("motor-imagery", storage=f"sqlite:///{tmp_path}/lab.db") as c:
        assert set(c.history()["told_by"]) == {"Anna"}
