"""What the README shows must run as it stands, and print what it says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_every_python_example_in_the_readme_runs(block, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for promised in re.findall(r"print\(.*\)\s+# (\[.*?\])", block):
        assert promised in done.stdout


def test_the_readme_has_examples_to_run():
    assert len(BLOCKS) >= 2


def test_every_local_link_in_the_readme_leads_somewhere():
    links = re.findall(r"\]\((?!https?://)([^)#]+)\)", README.read_text(encoding="utf-8"))
    assert links
    for link in links:
        assert (README.parent / link).exists(), link
