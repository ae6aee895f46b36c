"""``palacs studio`` from a shell: what it prints, where it listens and how it refuses."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from palacs.cli._app import build_app

Start = Callable[..., subprocess.Popen[str]]
PALACS = str(Path(sys.executable).with_name("palacs"))


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts ``palacs studio`` with options and ends it after the test."""
    running: list[subprocess.Popen[str]] = []

    def new(*options: str, **variables: str) -> subprocess.Popen[str]:
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("PALACS_")}
        process = subprocess.Popen(
            [PALACS, "studio", *options],
            env={**inherited, **variables},
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        return process

    yield new
    for process in running:
        process.kill()
        process.communicate()


def address_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    found = re.search(r"http://\S+", process.stdout.readline())
    assert found, process.communicate()[1]
    return found[0]


def refused(*options: str, **variables: str) -> str:
    """Return the message with which the command refuses to start."""
    ran = CliRunner(env={"PALACS_STORAGE": None, "PALACS_STUDIO_TOKEN": None, **variables}).invoke(
        build_app(), ["studio", "--no-browser", "--port", "0", *options]
    )
    assert ran.exit_code in (1, 3, 5), ran.exception
    return " ".join(ran.stderr.split())


def test_it_prints_a_link_with_a_new_token_and_stops_on_ctrl_c(
    start: Start, tmp_path: Path
) -> None:
    process = start("--no-browser", "--port", "0", BROWSER=fake_browser(tmp_path))
    address = address_of(process)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{40,}", address)
    with urllib.request.build_opener(urllib.request.HTTPCookieProcessor()).open(address) as page:
        assert page.status == 200
        assert "token" not in page.url
    assert (tmp_path / "palacs.db").is_file()
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=20)
    assert process.returncode in (0, 130, -signal.SIGINT)
    assert "Traceback" not in error
    assert not (tmp_path / "opened").exists()


def fake_browser(folder: Path) -> str:
    """Return a command that notes the address it was to open."""
    browser = folder / "browser"
    # Moved into place, so that nobody reads half of it.
    browser.write_text(
        f'#!/bin/sh\necho "$1" > {folder}/note && mv {folder}/note {folder}/opened\n'
    )
    browser.chmod(0o755)
    return f"{browser} %s"


def test_it_opens_the_browser(start: Start, tmp_path: Path) -> None:
    address = address_of(start("--port", "0", BROWSER=fake_browser(tmp_path)))
    deadline = time.monotonic() + 20
    while not (tmp_path / "opened").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    opened = (tmp_path / "opened").read_text().strip()
    # Everybody on the machine sees what a browser was opened with.
    assert address.partition("token=")[2] not in opened
    page = Path(opened.removeprefix("file://"))
    assert address in page.read_text()
    assert page.parent.stat().st_mode & 0o077 == 0


def test_token_and_storage_come_from_the_environment_and_nobody_outside_is_heard(
    start: Start, tmp_path: Path
) -> None:
    storage = f"sqlite:///{tmp_path}/lab.db"
    token = "a-token-from-outside"
    process = start(
        "--no-browser", "--port", "0", PALACS_STUDIO_TOKEN=token, PALACS_STORAGE=storage
    )
    address = address_of(process)
    assert address.endswith(f"?token={token}")
    assert (tmp_path / "lab.db").is_file()
    if sys.platform == "linux":  # elsewhere only root may see who listens
        assert listening_at(int(address.split(":")[2].split("/")[0])) == ["127.0.0.1"]


def test_results_of_reproduce_and_compare_are_found_where_they_are_written(
    start: Start, tmp_path: Path
) -> None:
    for folder in ("results/paper", "comparison"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "report.html").write_text(folder)
    address, _, token = address_of(start("--no-browser", "--port", "0")).partition("/?token=")
    request = urllib.request.Request(
        f"{address}/api/v1/reports", headers={"Authorization": f"Bearer {token}"}
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        names = {row["name"] for row in json.load(answer)["reports"]}
    assert names == {"results/paper", "comparison"}


def listening_at(port: int) -> list[str]:
    """Return the addresses of this machine on which somebody listens at a port."""
    rows = [
        line.split()
        for table in ("/proc/net/tcp", "/proc/net/tcp6")
        for line in Path(table).read_text().splitlines()[1:]
    ]
    listening = [row[1].split(":") for row in rows if row[3] == "0A"]
    own = [bytes.fromhex(address)[::-1] for address, at in listening if int(at, 16) == port]
    return [".".join(map(str, address)) for address in own]


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder the command is run in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_busy_port_is_named_with_the_remedy(in_folder: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        message = refused("--port", str(port))
    assert f"port {port} is already in use" in message
    assert "--port" in message
    assert list(in_folder.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "variables", "says"),
    [
        (("--storage", "lab.db"), {}, "did you mean 'sqlite:///lab.db'"),
        (("--storage", "sqlite:///missing/lab.db"), {}, "does not exist"),
        ((), {"PALACS_STUDIO_TOKEN": "short"}, "at least 16"),
        (("--reports", "nowhere"), {}, "nowhere"),
    ],
)
def test_what_cannot_work_is_refused_with_a_message(
    in_folder: Path, options: tuple[str, ...], variables: dict[str, str], says: str
) -> None:
    assert says in refused(*options, **variables)
    assert list(in_folder.iterdir()) == []


def test_a_file_of_another_program_is_left_alone(in_folder: Path) -> None:
    (in_folder / "notes.db").write_text("my notes")
    assert "left untouched" in refused("--storage", "sqlite:///notes.db")
    assert (in_folder / "notes.db").read_text() == "my notes"


def test_an_address_of_another_machine_cannot_be_listened_on() -> None:
    assert "'203.0.113.9' is no address of this machine" in refused("--listen", "203.0.113.9")
    assert "'nowhere.invalid' is no address" in refused("--listen", "nowhere.invalid")
