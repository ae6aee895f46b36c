"""The command line as a whole: what it lists, and what it says where something is missing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import palacs
from palacs import Conditions
from palacs.cli import BRINGS, _rooms
from palacs.cli._app import COMMANDS, build_app, load_command
from palacs.experiments import DEFAULT_COMPARED, paper
from palacs.strategies import available

app = build_app()

MAIN = "from palacs.cli import main; main()"


def palacs_without(missing: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command on a machine where a package is not installed."""
    # None in sys.modules makes its import fail as if the package were not there.
    block = f"import sys; sys.modules[{missing!r}] = None; " if missing else ""
    return subprocess.run(
        [sys.executable, "-c", block + MAIN, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "80"},
    )


def test_the_version_is_printed() -> None:
    ran = palacs_without("", "--version")
    assert (ran.returncode, ran.stdout) == (0, f"palacs {palacs.__version__}\n")


def test_help_explains_every_condition() -> None:
    said = CliRunner().invoke(app, ["compare", "--help"], env={"COLUMNS": "2000"}).output
    for name, text in Conditions.help_texts().items():
        assert f"{name}, {text}" in said


def test_help_lists_every_command_with_its_own_words() -> None:
    said = CliRunner().invoke(app, ["-h"], env={"COLUMNS": "200"}).output
    for name, row in COMMANDS.items():
        assert f"{name} " in said
        assert row.help in said
        assert load_command(name).help.split("\n\n")[0].replace("\n", " ") == row.help


def test_defaults_written_down_for_a_quick_start_are_those_of_the_rooms() -> None:
    assert _rooms.DEFAULT_URL == palacs.storage.DEFAULT_URL
    assert _rooms.DEFAULT_PORT == palacs.studio.DEFAULT_PORT
    assert ",".join(DEFAULT_COMPARED) == _rooms.COMPARED
    assert ",".join(paper.DATASETS) == _rooms.PAPER_DATASETS
    assert ",".join(paper.STRATEGIES) == _rooms.PAPER_STRATEGIES
    explained = (f"{name}, {text}" for name, text in Conditions.help_texts().items())
    assert "; ".join(explained) == _rooms.CONDITIONS


@pytest.mark.parametrize(
    "arguments",
    [
        ["-h"],
        ["campaign", "ask", "--help"],
        ["studio", "-h"],
        ["compare", "-h"],
        ["reproduce", "-h"],
    ],
    ids=" ".join,
)
def test_help_imports_nothing_that_decides_keeps_or_serves(arguments: list[str]) -> None:
    code = (
        "import sys\n"
        "from palacs.cli import main\n"
        "try:\n    main()\n"
        "except SystemExit:\n    pass\n"
        "heavy = ('numpy', 'numba', 'sklearn', 'pandas', 'sqlalchemy', 'fastapi')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    assert "Usage:" in ran.stdout
    assert ran.stdout.splitlines()[-1] == "[]"


def test_a_command_that_is_nearly_right_is_suggested() -> None:
    ran = CliRunner().invoke(app, ["campain", "ask"])
    assert ran.exit_code == 2
    assert "campaign" in ran.output


def test_python_m_palacs_is_the_command() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "palacs", "--version"], capture_output=True, text=True, check=True
    )
    assert ran.stdout == f"palacs {palacs.__version__}\n"


def test_every_strategy_is_listed_by_the_name_that_commands_take() -> None:
    said = CliRunner(env={"COLUMNS": "80"}).invoke(app, ["strategies"]).output
    listed = [line.split()[0] for line in said.splitlines()[1:]]
    assert listed == list(available())
    assert max(map(len, said.splitlines())) <= 80


def test_strategies_are_listed_for_scripts_too() -> None:
    rows = json.loads(CliRunner().invoke(app, ["strategies", "--json"]).output)
    assert [row["name"] for row in rows] == list(available())
    assert rows[0] == {
        "name": "pal-acs",
        "title": "PAL-ACS",
        "summary": available()["pal-acs"].summary,
    }


@pytest.mark.parametrize(
    ("missing", "command", "extra"),
    [
        ("pandas", "reproduce", "experiments"),
        ("matplotlib", "compare", "experiments"),
        ("sqlalchemy", "campaign", "campaign"),
        ("sqlalchemy", "studio", "studio"),
        ("python_multipart", "studio", "studio"),
    ],
)
def test_a_command_whose_extra_is_missing_says_so_before_any_work(
    missing: str, command: str, extra: str
) -> None:
    ran = palacs_without(missing, command, "my.csv", "--budget", "5")
    assert ran.returncode == 1
    assert ran.stderr == (
        f"palacs {command} needs '{missing}', which is not installed; "
        f"run: pip install 'palacs[{extra}]'\n"
    )


def test_commands_that_need_nothing_more_still_work() -> None:
    assert "pip install 'palacs[campaign]'" in palacs_without("sqlalchemy", "--help").stdout
    ran = palacs_without("pandas", "strategies")
    assert ran.returncode == 0, ran.stderr
    assert "pal-acs" in ran.stdout


def test_without_typer_the_command_itself_says_what_to_install() -> None:
    ran = palacs_without("typer", "strategies")
    assert ran.returncode == 1
    assert ran.stderr == (
        "palacs: this command needs 'typer', which is not installed; "
        "run: pip install 'palacs[cli]'\n"
    )


def test_without_typer_the_extra_that_is_named_brings_the_whole_command() -> None:
    for name, row in COMMANDS.items():
        assert BRINGS.get(name, "cli") == row.extra
    done = palacs_without("typer", "compare", "my.csv")
    assert done.returncode == 1
    assert done.stderr.endswith("run: pip install 'palacs[experiments]'\n")


def test_a_shell_completes_commands_and_campaigns(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path}/palacs.db"
    palacs.create_campaign("alpha", ["a", "b"], storage=address)
    for words, expected in {"palacs cam": "campaign", "palacs campaign ask al": "alpha"}.items():
        ran = subprocess.run(
            [sys.executable, "-c", "import sys; sys.argv[0] = 'palacs'; " + MAIN],
            capture_output=True,
            text=True,
            check=False,
            env={
                **os.environ,
                "PALACS_STORAGE": address,
                "_PALACS_COMPLETE": "complete_bash",
                "COMP_WORDS": words,
                "COMP_CWORD": str(words.count(" ")),
            },
        )
        assert ran.stdout.split() == [expected], ran.stderr
