"""Real processes killed in the middle: what was finished is kept, and the end is the same.

Each test lets a run begin, waits until some of its trials are on disk, strikes, and compares the
bytes in the end with those of a run that nobody disturbed.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from distributed import Client

from palacs.experiments import Execution, paper_experiment, run

# Risk is played step by step and takes long enough to be caught.
COMMAND = ("reproduce", "--datasets", "3Clusters", "--strategies", "risk,random", "--jobs", "2")
TRIALS = ("--trials", "24")
PALACS = (sys.executable, "-c", "from palacs.cli import main; main()")

RUN = """
import sys
from palacs.experiments import Execution, paper_experiment, run
if __name__ == "__main__":
    out, address = sys.argv[1:]
    execution = Execution(2, "dask", address) if address else Execution(2)
    experiment = paper_experiment(["3Clusters"], ["risk", "random"], trials=24)
    run(experiment, execution=execution, out=out)
"""


def start(command: Sequence[str], **options: object) -> subprocess.Popen[str]:
    """Start a command in a process group of its own, so that all of it can be struck at once."""
    return subprocess.Popen(  # type: ignore[call-overload,no-any-return]
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        # Whoever started the tests may have had interrupts ignored, which children inherit.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **options,
    )


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, f"ended too early:\n{process.communicate()[0]}"
        assert time.monotonic() < deadline, "nothing happened for a minute"
        time.sleep(0.01)


def parts(out: Path) -> list[Path]:
    return sorted((out / "unfinished").glob("*.npz"))


def strike(process: subprocess.Popen[str], out: Path, sign: signal.Signals) -> str:
    """Send a signal to the whole group once a few trials are on disk; return what it said."""
    wait_until(lambda: len(parts(out)) >= 3, process)
    os.killpg(process.pid, sign)
    said, _ = process.communicate(timeout=30)
    assert not (out / "trials.parquet").exists(), "too late: the run was over"
    return said


def script(tmp_path: Path) -> Path:
    path = tmp_path / "play.py"
    path.write_text(RUN)
    return path


def play(out: Path) -> bytes:
    """Go on to the end in this process; return the trials."""
    experiment = paper_experiment(["3Clusters"], ["risk", "random"], trials=24)
    run(experiment, execution=Execution(jobs=1), out=out)
    return (out / "trials.parquet").read_bytes()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The trials of a run that nobody disturbed."""
    return play(tmp_path_factory.mktemp("undisturbed"))


def test_a_run_killed_twice_goes_on_to_the_same_end(undisturbed: bytes, tmp_path: Path) -> None:
    path, out = script(tmp_path), tmp_path / "out"
    strike(start([sys.executable, str(path), str(out), ""]), out, signal.SIGKILL)
    kept = parts(out)
    assert kept
    before = [part.read_bytes() for part in kept]
    second = start([sys.executable, str(path), str(out), ""])
    wait_until(lambda: len(parts(out)) >= len(kept) + 3, second)
    os.killpg(second.pid, signal.SIGKILL)
    second.communicate()
    assert [part.read_bytes() for part in kept] == before
    assert play(out) == undisturbed
    assert not (out / "unfinished").exists()


def test_ctrl_c_says_how_to_go_on_and_the_same_command_does(
    undisturbed: bytes, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    command = [*PALACS, *COMMAND, *TRIALS, "--out", str(out)]
    process = start(command)
    said = strike(process, out, signal.SIGINT)
    assert process.returncode == 130
    assert f"what was finished is kept in {out}" in said.replace("\n", " ").replace("  ", " ")
    assert "Traceback" not in said
    kept = len(parts(out))
    assert kept >= 3
    assert play(out) == undisturbed


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def dask(*arguments: str) -> subprocess.Popen[str]:
    code = "from dask.__main__ import main; main()"
    return start([sys.executable, "-c", code, *arguments, "--host", "127.0.0.1", "--no-dashboard"])


def stop(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


@contextmanager
def cluster() -> Iterator[tuple[str, list[subprocess.Popen[str]]]]:
    """A Dask scheduler and two workers, each a process of its own."""
    address = f"tcp://127.0.0.1:{free_port()}"
    processes = [dask("scheduler", "--port", address.rpartition(":")[2])]
    try:
        # Without a nanny nobody starts a killed worker again.
        processes += [
            dask("worker", address, "--nthreads", "1", "--no-nanny", "--name", name)
            for name in ("one", "two")
        ]
        with Client(address, timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
        yield address, processes[1:]
    finally:
        for process in reversed(processes):
            stop(process)


def test_a_dask_worker_killed_in_the_middle_costs_time_only(
    undisturbed: bytes, tmp_path: Path
) -> None:
    path, out = script(tmp_path), tmp_path / "out"
    with cluster() as (address, workers):
        process = start([sys.executable, str(path), str(out), address])
        wait_until(lambda: len(parts(out)) >= 3, process)
        os.killpg(workers[0].pid, signal.SIGKILL)
        assert not (out / "trials.parquet").exists()
        said, _ = process.communicate(timeout=120)
        assert process.returncode == 0, said
        assert workers[1].poll() is None
    assert (out / "trials.parquet").read_bytes() == undisturbed
