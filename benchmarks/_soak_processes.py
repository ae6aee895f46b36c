"""Processes for a soak: a fresh one to fork from, forked workers, and waiting for them in time."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any

from _soak_diary import CLASSES
from _soak_tally import Advance
from palacs.campaign import create_campaign

PATIENCE_S = 120.0
"""After so long a worker that has little to do counts as hanging."""


def warm_up() -> None:
    """Import and load everything that workers need, so that they are at work at once.

    A worker that first has to import and load compiled code would mostly be interrupted while
    it does that, which tests nothing.
    """
    with create_campaign("warm", CLASSES, strategy="uniform", storage="memory") as warm:
        for _ in range(5):
            warm.tell(warm.ask(), [0.0])


def in_a_fresh_process(function: Callable[..., Any], *arguments: object, advance: Advance) -> Any:
    """Run ``function(advance, *arguments)`` in a process that has no threads and is warmed up."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_run, args=(theirs, function, arguments))
    process.start()
    theirs.close()
    try:
        while True:
            what, value = ours.recv()
            if what == "done":
                return value
            if what == "error":
                raise RuntimeError(value)
            advance(value)
    except EOFError:
        raise RuntimeError(f"{function.__name__} ended without an answer") from None
    finally:
        process.join(10)
        if process.is_alive():
            process.kill()
            process.join()


def _run(pipe: Connection, function: Callable[..., Any], arguments: Sequence[object]) -> None:
    try:
        warm_up()
        value = function(lambda n: pipe.send(("advance", n)), *arguments)
        pipe.send(("done", value))
    except BaseException:
        pipe.send(("error", traceback.format_exc()))


def fork(work: Callable[[], None]) -> int:
    """Run `work` in a forked child that ends afterwards; return its process id."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def wait_for(children: Sequence[int], patience: float = PATIENCE_S) -> int:
    """Wait until all children have ended; return how many did so badly or had to be killed."""
    deadline = time.monotonic() + patience
    waiting, bad = set(children), 0
    while waiting:
        for child in list(waiting):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                waiting.remove(child)
                bad += status != 0
        if waiting and time.monotonic() > deadline:
            for child in waiting:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            return bad + len(waiting)
        time.sleep(0.005)
    return bad
