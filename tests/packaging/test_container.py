"""The container without an engine: what its two files say is done in an empty environment.

The commands, the variables and the health check are read from ``Dockerfile`` and ``compose.yaml``;
only what the engine would provide is replaced: the port, the database's host, the folders.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from palacs.campaign import load_campaign

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
STUDIO = COMPOSE["services"]["studio"]
TOKEN = "a-token-for-the-container"


def instructions(text: str) -> list[tuple[str, str]]:
    """The instructions of a Dockerfile with what follows each."""
    lines = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    return [
        (word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines) if word
    ]


DOCKERFILE = instructions((ROOT / "Dockerfile").read_text(encoding="utf-8"))


def last(word: str) -> str:
    return [rest for name, rest in DOCKERFILE if name == word][-1]


def test_it_runs_without_root_and_keeps_what_is_written_in_volumes() -> None:
    user = last("USER")
    assert user.isdigit()
    assert int(user) > 0
    assert DOCKERFILE.index(("USER", user)) < DOCKERFILE.index(("CMD", last("CMD")))
    assert json.loads(last("VOLUME")) == ["/data", "/reports"]
    mounted = [place.split(":")[0] for s in COMPOSE["services"].values() for place in s["volumes"]]
    assert sorted(mounted) == sorted(COMPOSE["volumes"])


def test_it_is_published_on_this_machine_only() -> None:
    (published,) = STUDIO["ports"]
    address, outside, inside = published.split(":")
    assert address == "127.0.0.1"
    # Requests that name another port than the studio's own are refused.
    assert outside == inside == last("EXPOSE")
    assert "ports" not in COMPOSE["services"]["database"]


@pytest.fixture
def container(
    tmp_path: Path, install_wheel: Callable[..., Path], new_postgresql: Callable[[], str]
) -> Iterator[tuple[subprocess.Popen[str], dict[str, str], str]]:
    """The studio's process, its environment, and the port that stands for 8765."""
    extras = re.search(r"\.whl\)\[([\w,]+)\]", " ".join(rest for _, rest in DOCKERFILE))
    assert extras
    binaries = install_wheel(tmp_path / "image", *extras[1].split(","))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    variables = dict(pair.split("=", 1) for pair in shlex.split(last("ENV")))
    variables |= {
        **STUDIO["environment"],
        "PALACS_STORAGE": new_postgresql(),
        "PALACS_STUDIO_TOKEN": TOKEN,
        "NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR", str(tmp_path / "compiled")),
        "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
    }
    variables.pop("PGPASSWORD")
    (tmp_path / "reports").mkdir()
    instead = {"0.0.0.0": "127.0.0.1", "8765": port, "/reports": str(tmp_path / "reports")}
    command = [instead.get(word, word) for word in json.loads(last("CMD"))]
    process = subprocess.Popen(
        command, env=variables, cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    yield process, variables, port
    process.kill()
    process.communicate()


def test_what_the_image_starts_is_healthy_and_keeps_campaigns_in_postgresql(
    container: tuple[subprocess.Popen[str], dict[str, str], str],
) -> None:
    process, variables, port = container
    assert process.stdout
    assert f"http://127.0.0.1:{port}/?token={TOKEN}" in process.stdout.readline()
    health = json.loads(last("HEALTHCHECK").partition("CMD ")[2].replace("8765", port))
    checked = subprocess.run(health, env=variables, check=False)
    assert checked.returncode == 0
    call = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/v1/campaigns",
        json.dumps({"name": "in a container", "classes": ["a", "b"]}).encode(),
        {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"},
    )
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(call) as answer:
        assert answer.status in (200, 201)
    with load_campaign("in a container", storage=variables["PALACS_STORAGE"]) as campaign:
        assert list(campaign.classes) == ["a", "b"]
    process.kill()
    process.wait()
    assert subprocess.run(health, env=variables, stderr=subprocess.DEVNULL, check=False).returncode


def test_what_the_files_name_is_what_palacs_knows() -> None:
    assert STUDIO["environment"]["PALACS_STORAGE"].startswith(
        "postgresql+psycopg://palacs@database/"
    )
    assert COMPOSE["services"]["database"]["environment"]["POSTGRES_USER"] == "palacs"
    assert STUDIO["depends_on"] == {"database": {"condition": "service_healthy"}}
    # While it is being set up, the server answers on its socket, and then restarts.
    assert "--host=127.0.0.1" in COMPOSE["services"]["database"]["healthcheck"]["test"]


def test_the_image_brings_what_decisions_are_compiled_to() -> None:
    (compiling,) = (rest for word, rest in DOCKERFILE if word == "RUN" and "compile" in rest)
    command = [sys.executable, "-m", *shlex.split(compiling), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (found,) = (row for row in json.loads(done.stdout) if row["about"] == "compiled")
    assert found["state"] == "ok"
