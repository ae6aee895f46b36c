"""Opening a file again, in the same process, takes no lock from those who work with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from palacs.campaign import create_campaign, load_campaign

_TRY_TO_WRITE = """
import sqlite3, sys
other = sqlite3.connect(sys.argv[1], timeout=0.2, isolation_level=None)
try:
    other.execute("BEGIN IMMEDIATE")
except sqlite3.OperationalError as error:
    print(error)
else:
    print("got in")
"""


def test_opening_it_again_does_not_let_another_process_write_in_between(tmp_path: Path) -> None:
    address, file = f"sqlite:///{tmp_path / 'lab.db'}", tmp_path / "lab.db"
    campaign = create_campaign("one", classes=["a", "b"], storage=address)
    with campaign.storage.write(1):
        # As a studio does for every page: another storage object on the same file.
        load_campaign("one", storage=address).close()
        answer = subprocess.run(
            [sys.executable, "-c", _TRY_TO_WRITE, str(file)],
            capture_output=True,
            text=True,
            check=True,
        )
    assert answer.stdout.strip() == "database is locked"
    campaign.close()


def test_what_another_process_writes_is_seen_after_opening_it_again(tmp_path: Path, warm) -> None:
    address = f"sqlite:///{tmp_path / 'lab.db'}"
    campaign = create_campaign("one", classes=["a", "b"], storage=address)
    for round_ in range(5):
        load_campaign("one", storage=address).close()
        code = (
            "import sys; from palacs.campaign import load_campaign\n"
            "c = load_campaign('one', storage=sys.argv[1]); c.add([1.0], 'a'); c.close()"
        )
        assert warm(code, address).returncode == 0
        assert campaign.status().instances == round_ + 1
    campaign.close()
