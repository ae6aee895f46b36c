"""The simulated participant as a lab stream, in a process of its own as an amplifier's would be.

It listens to the markers of palacs, imagines what an onset asks for until its offset, and sends
what is seen meanwhile. It ends with the process that started it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from queue import SimpleQueue
from typing import Self

import numpy as np
import pylsl

from palacs.lsl._lsl_clock import lsl_now
from palacs.lsl._marker_reader import MarkerReader
from palacs.lsl._simulated_eeg import ELECTRODES, SimulatedParticipant
from palacs.lsl._this_machine import stay_on_this_machine

_EVERY_S = 0.02
_IN_A_PROCESS = "import sys, json; from palacs.lsl import stream_participant; "
_IN_A_PROCESS += "stream_participant(**json.loads(sys.argv[1]))"


def stream_participant(session: str, seed: int, name: str, markers: str) -> None:
    """Send what a simulated participant shows until standard input ends.

    Parameters
    ----------
    session : str
        As in `stay_on_this_machine`.
    seed : int
    name : str
        Of the stream.
    markers : str
        The name of the stream of markers.
    """
    stay_on_this_machine(session)
    ended = threading.Event()
    threading.Thread(target=_wait_for_the_end, args=(ended,), daemon=True).start()
    somebody = SimulatedParticipant(seed)
    info = pylsl.StreamInfo(
        name, "EEG", len(ELECTRODES), somebody.rate, pylsl.cf_float32, f"{name}-{seed}"
    )
    info.set_channel_labels(list(ELECTRODES))
    outlet = pylsl.StreamOutlet(info)
    asked: SimpleQueue[str | None] = SimpleQueue()
    threading.Thread(target=_follow, args=(markers, asked, ended), daemon=True).start()
    began, sent = lsl_now(), 0
    while not ended.wait(_EVERY_S):
        while not asked.empty():
            somebody.imagine(asked.get())
        due = int((lsl_now() - began) * somebody.rate)
        if due > sent:
            samples = somebody.samples(due - sent).astype(np.float32)
            outlet.push_chunk(samples, list(began + np.arange(sent, due) / somebody.rate))
            sent = due


def _wait_for_the_end(ended: threading.Event) -> None:
    sys.stdin.buffer.read()
    ended.set()


def _follow(markers: str, asked: SimpleQueue[str | None], ended: threading.Event) -> None:
    with MarkerReader(markers) as reader:
        while not ended.is_set():
            for _, marker in reader.wait(0.5):
                asked.put(str(marker.label) if marker.event == "onset" else None)


class ParticipantProcess:
    """A simulated participant in a process of its own.

    Parameters
    ----------
    session : str
        As in `stay_on_this_machine`.
    seed : int
        Another one is another person.
    name : str
        What the stream is called; its type is ``"EEG"``.
    markers : str
        The name of the stream of markers that it reacts to.
    """

    def __init__(
        self, session: str, seed: int = 0, name: str = "participant", markers: str = "palacs"
    ) -> None:
        said = json.dumps({"session": session, "seed": seed, "name": name, "markers": markers})
        command = [sys.executable, "-c", _IN_A_PROCESS, said]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE)

    def close(self) -> None:
        """End it. Closing twice is harmless."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
