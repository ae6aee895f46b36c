"""A child that was forked while another thread was deciding decides as well."""

from __future__ import annotations

import subprocess
import sys

_SCRIPT = """
import os, sys, threading, time, warnings
import numpy as np
from palacs.evidence import LabelledSet

warnings.simplefilter("ignore")  # about threads in a process that forks
begun, done = threading.Event(), threading.Event()

class Slow:
    def __array__(self, *args, **kwargs):
        begun.set()
        done.wait()
        return np.zeros(3, dtype=np.int64)

def counts(y):
    nothing = np.zeros(0, dtype=np.int64)
    return LabelledSet(np.zeros((3, 1)), y, np.arange(2), nothing, nothing).counts

thread = threading.Thread(target=counts, args=(Slow(),))
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    os._exit(0 if counts(np.array([0, 1, 1])).tolist() == [1, 2] else 1)
ended, deadline = 0, time.monotonic() + 20
while not ended and time.monotonic() < deadline:
    ended, status = os.waitpid(child, os.WNOHANG)
    time.sleep(0.01)
if not ended:
    os.kill(child, 9)
    os.waitpid(child, 0)
done.set()
thread.join()
print("hangs" if not ended else os.waitstatus_to_exitcode(status))
"""


def test_counting_in_a_thread_holds_no_forked_child_up() -> None:
    command = [sys.executable, "-c", _SCRIPT]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ran.stdout.split() == ["0"], ran.stdout + ran.stderr
