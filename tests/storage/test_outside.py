"""A storage from another package: found by its scheme, held to the same contract."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

MODULE = Path(__file__).parent / "outside" / "filed_storage.py"


def install(folder: Path, *points: str) -> None:
    """Lay out what pip would: a module, and a dist-info folder with its entry points."""
    shutil.copy(MODULE, folder)
    info = folder / "filed_storage-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: filed-storage\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("\n".join(["[palacs.storages]", *points]))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where packages are installed; only what a test installs is in it."""
    made = tmp_path / "site-packages"
    made.mkdir()
    return made


def run(folder: Path, code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
        env={**os.environ, "PYTHONPATH": path},
    )


def test_a_storage_from_outside_keeps_the_contract(folder: Path, tmp_path: Path) -> None:
    install(folder, "filed = filed_storage:FiledStorage")
    done = run(
        folder,
        """
import sys
from palacs.storage import open_storage
from palacs.testing import check_storage
with open_storage(sys.argv[1], create=True) as storage:
    check_storage(storage)
    print(type(storage).__name__, len(storage.campaigns()) > 5)
""",
        f"filed:///{tmp_path}/contract.json",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "FiledStorage True\n"


def test_a_campaign_on_it_is_continued_by_another_process_and_from_the_command_line(
    folder: Path, tmp_path: Path
) -> None:
    install(folder, "filed = filed_storage:FiledStorage")
    url = f"filed:///{tmp_path}/lab.json"
    began = run(
        folder,
        """
import sys, palacs
with palacs.create_campaign("c", ["a", "b"], storage=sys.argv[1], seed=0, lease=None) as campaign:
    for i in range(6):
        request = campaign.ask()
        campaign.tell(request, [float(i), float(request.label == "a")])
    campaign.fail(campaign.ask(), "moved")
    campaign.ask()
""",
        url,
    )
    assert began.returncode == 0, began.stderr
    went_on = run(
        folder,
        """
import json, sys, palacs
with palacs.load_campaign("c", storage=sys.argv[1]) as campaign:
    campaign.tell(campaign.pending()[0], [0.5, 0.5])
    states = campaign.history()["state"].value_counts().to_dict()
    print(json.dumps([states, campaign.replay().ok]))
""",
        url,
    )
    assert went_on.returncode == 0, went_on.stderr
    assert json.loads(went_on.stdout) == [{"delivered": 7, "failed": 1}, True]

    command = "import sys; from palacs.cli import main; sys.argv[0] = 'palacs'; main()"
    shown = run(folder, command, "storage", "info", "--storage", url, "--json")
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout)["campaigns"] == [{"name": "c", "events": 17}]


def test_opening_looks_first_and_upgrading_is_asked_for(folder: Path, tmp_path: Path) -> None:
    install(folder, "filed = filed_storage:FiledStorage")
    for schema in ("draft", "9"):
        made: dict[str, object] = {"schema": schema, "campaigns": []}
        (tmp_path / f"{schema}.json").write_text(json.dumps(made))
    done = run(
        folder,
        """
import sys
from palacs.storage import StorageError, open_storage, upgrade_storage
def attempt(action, name, **options):
    try:
        print(action(f"filed:///{sys.argv[1]}/{name}.json", **options))
    except StorageError as error:
        print(type(error).__name__, error)
attempt(open_storage, "typo")
attempt(upgrade_storage, "typo")
attempt(open_storage, "draft", create=True)
attempt(upgrade_storage, "draft")
attempt(upgrade_storage, "draft")
attempt(open_storage, "9")
""",
        tmp_path,
    )
    assert done.returncode == 0, done.stderr
    typo, no_typo, outdated, upgraded, again, too_new = done.stdout.splitlines()
    assert typo.startswith("StorageNotFound there is no file")
    assert no_typo.startswith("StorageNotFound there is no palacs storage to upgrade")
    assert not (tmp_path / "typo.json").exists()
    assert outdated.startswith("StorageOutdated")
    assert outdated.endswith(f"palacs storage upgrade --storage filed:///{tmp_path}/draft.json")
    assert upgraded == "('draft', '1')"
    assert again == "('1', '1')"
    assert too_new.startswith("StorageTooNew")
    assert too_new.endswith("pip install --upgrade filed-storage")


OPEN = """
import sys
from palacs.storage import open_storage
for address in sys.argv[1:]:
    try:
        print(type(open_storage(address)).__name__)
    except Exception as error:
        print(type(error).__name__, error)
"""


def test_an_unknown_scheme_is_answered_with_the_known_ones(folder: Path) -> None:
    install(folder, "filed = filed_storage:FiledStorage")
    unknown, bare, malformed = run(
        folder, OPEN, "mongo://ada:secret@host/lab", "lab.json", "filed://lab"
    ).stdout.splitlines()
    known = (
        "use sqlite:///FILE.db, postgresql+psycopg://USER@HOST/DATABASE, memory or filed://...; "
    )
    assert unknown == (
        f"ValueError 'mongo://ada:***@host/lab' is no storage address: {known}"
        "for another scheme, install the package that brings its storage."
    )
    assert bare.endswith(f"{known}did you mean 'sqlite:///lab.json'?")
    assert malformed.endswith("'filed://lab' is no storage address: use filed:///FILE.json.")


def test_a_broken_package_harms_only_its_own_scheme(folder: Path) -> None:
    install(folder, "gone = no_such_module:Storage", "odd = filed_storage:PATIENCE_S")
    gone, odd, memory = run(folder, OPEN, "gone://x", "odd://x", "memory").stdout.splitlines()
    assert gone.startswith("StorageUnavailable the storage for gone:// cannot be loaded from")
    assert gone.endswith("install the package that brings it again.")
    assert odd.startswith("TypeError entry point 'filed_storage:PATIENCE_S' gives 60.0; it must")
    assert memory == "MemoryStorage"


def test_a_scheme_that_is_taken_is_refused(folder: Path) -> None:
    install(folder, "sqlite = filed_storage:FiledStorage")
    assert run(folder, OPEN, "memory").stdout.strip() == (
        "ValueError entry point 'filed_storage:FiledStorage' brings a storage for the scheme "
        "'sqlite', which is taken; rename it."
    )
