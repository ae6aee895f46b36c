"""Acquiring elsewhere: in processes of its own, on a Dask cluster, in any executor.

Each is a source around the source, so that the loop need not know. A process that hangs is ended
and one that dies fails its attempt alone. Processes end with the loop, also where that is killed:
they notice that its end of their pipe is gone.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from palacs.campaign._acquired import Source
from palacs.campaign._records import Request
from palacs.campaign._values import brief
from palacs.campaign._workers import Failure, attempt
from palacs.objects import packed

_START_S = 120.0


def elsewhere(source: Source, workers: Any) -> Source:
    """Return the source as the loop is to call it: itself, or where its work is done.

    Parameters
    ----------
    source : Source
    workers : str or executor
        "threads", "processes", or anything with ``submit``, such as Dask's client.
    """
    if workers == "threads":
        return source
    if workers == "processes":
        return _InProcesses(source)
    return _Submitted(source, workers)


def check_workers(workers: Any) -> None:
    """Refuse what cannot acquire."""
    if workers not in ("threads", "processes") and not callable(getattr(workers, "submit", None)):
        raise ValueError(
            f"workers={brief(workers)} cannot acquire; give 'threads', 'processes', or an "
            "executor with submit, such as Dask's client."
        )


class _Around:
    """A source around another one, which keeps its hooks."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def __getattr__(self, name: str) -> Any:
        if name in ("open", "unasked"):
            return getattr(self._source, name)
        raise AttributeError(name)


class _Submitted(_Around):
    """Acquires in an executor; what it does not begin can be cancelled."""

    def __init__(self, source: Source, executor: Any) -> None:
        super().__init__(source)
        self._executor, self._futures, self._number = executor, dict[str, Any](), 0
        self._lock = threading.Lock()

    def acquire(self, request: Request) -> Any:
        with self._lock:
            # The number keeps Dask from taking a further try for the one before.
            self._number += 1
            future = self._executor.submit(_numbered, self._number, self._source, request)
            self._futures[request.id] = future
        try:
            return future.result()
        finally:
            self._futures.pop(request.id, None)

    def cancel(self, request: Request) -> None:
        future = self._futures.get(request.id)
        if future is not None:
            future.cancel()

    def close(self) -> None:
        if hasattr(self._source, "close"):
            self._source.close()


def _numbered(number: int, source: Source, request: Request) -> Any:
    return attempt(source, request)


class _InProcesses(_Around):
    """Acquires in processes, as many as are needed at a time."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        try:
            self._packed = packed(source)
        except Exception as error:
            raise ValueError(
                f"the source cannot travel to other processes ({type(error).__name__}: {error}); "
                "open devices and files in acquire, or use threads."
            ) from error
        self._idle: list[_Worker] = []
        self._busy: dict[str, _Worker] = {}
        self._cancelled: set[str] = set()
        self._lock = threading.Lock()
        self._closed = False

    def prepare(self, request: Request) -> None:
        """Have a process ready, which takes a moment that is not the source's."""
        with self._lock:
            worker = self._idle.pop() if self._idle else None
        worker = worker or _Worker.begin(self._packed)
        with self._lock:
            self._busy[request.id] = worker
            over = self._closed or request.id in self._cancelled
        if over:
            worker.end()

    def acquire(self, request: Request) -> Any:
        worker = self._busy[request.id]
        answer = worker.acquire(request)
        with self._lock:
            self._busy.pop(request.id, None)
            if worker.process.poll() is None and not self._closed:
                self._idle.append(worker)
        return answer

    def cancel(self, request: Request) -> None:
        with self._lock:
            self._cancelled.add(request.id)
            worker = self._busy.get(request.id)
        if worker is not None:
            worker.end()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            workers = [*self._idle, *self._busy.values()]
        for worker in workers:
            worker.end()
        if hasattr(self._source, "close"):
            self._source.close()


@dataclass
class _Worker:
    """One process, and the pipes to it."""

    process: subprocess.Popen[bytes]
    to: Connection
    back: Connection

    @classmethod
    def begin(cls, packed: bytes) -> _Worker:
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        code = (
            f"import sys; sys.path[:] = {sys.path!r}; from palacs.campaign import _elsewhere; "
            f"_elsewhere.serve({theirs_in}, {theirs_out})"
        )
        # A session of its own: Ctrl-C is for the loop, and its children end with it.
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.DEVNULL,
            pass_fds=(theirs_in, theirs_out),
            start_new_session=True,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        worker = cls(
            process, Connection(ours_out, readable=False), Connection(ours_in, writable=False)
        )
        with suppress(OSError, EOFError):  # it died: the first attempt says so
            worker.to.send_bytes(packed)
            if worker.back.poll(_START_S):
                worker.back.recv_bytes()
            else:
                worker.end()
        return worker

    def acquire(self, request: Request) -> Any:
        try:
            self.to.send_bytes(pickle.dumps(request))
            return pickle.loads(self.back.recv_bytes())
        except (EOFError, OSError):
            return Failure(f"the process that acquired died ({_how(self.process.wait())})")

    def end(self) -> None:
        if self.process.poll() is None:  # else its number may be another's by now
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def _how(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    with suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"


def serve(inbox: int, outbox: int) -> None:
    """Acquire for a loop in another process, until that is gone."""
    requests, answers = Connection(inbox, writable=False), Connection(outbox, readable=False)
    source = pickle.loads(requests.recv_bytes())
    answers.send_bytes(b"ready")
    waiting: list[bytes] = []
    came = threading.Semaphore(0)

    def listen() -> None:
        while True:
            try:
                waiting.append(requests.recv_bytes())
            except (EOFError, OSError):
                # Not a polite end: acquire may hang. What it started ends with it.
                os.killpg(os.getpgrp(), signal.SIGKILL)
            came.release()

    threading.Thread(target=listen, daemon=True).start()
    while True:
        came.acquire()
        answer = attempt(source, pickle.loads(waiting.pop(0)))
        answers.send_bytes(_for_pipe(answer))


def _for_pipe(answer: Any) -> bytes:
    try:
        return pickle.dumps(answer)
    except Exception as error:
        return pickle.dumps(Failure(f"its answer cannot travel ({error})", final=True))
