"""Markers arrive as they were sent, at the time that was said."""

from __future__ import annotations

import threading
import time

import numpy as np
import pylsl
import pytest

from palacs.lsl import Marker, MarkerOutlet, as_lsl_time, lsl_now, stay_on_this_machine


def listen(outlet: MarkerOutlet) -> pylsl.StreamInlet:
    (info,) = pylsl.resolve_byprop("source_id", outlet.source_id, timeout=5)
    inlet = pylsl.StreamInlet(info)
    inlet.open_stream(5)
    assert outlet.wait_for_listener()
    return inlet


def test_a_marker_arrives_with_its_class_its_request_and_the_time_that_was_said() -> None:
    with MarkerOutlet("cues") as markers:
        inlet = listen(markers)
        painted = lsl_now() - 0.25
        markers.send("onset", label="links, früh", request=17, at=painted)
        markers.send("offset", label=np.int64(3), request=18, attrs={"screen": 2})
        (first,), at = inlet.pull_sample(5)
        (second,), later = inlet.pull_sample(5)
    assert Marker.read(first) == Marker("onset", "links, früh", 17)
    assert at == painted
    assert Marker.read(second) == Marker("offset", 3, 18, {"screen": 2})
    assert painted < later <= lsl_now()


def test_threads_may_send_at_once() -> None:
    with MarkerOutlet("cues") as markers:
        inlet = listen(markers)
        send = [threading.Thread(target=markers.send, args=(f"e{n}",)) for n in range(20)]
        for thread in send:
            thread.start()
        got = [Marker.read(inlet.pull_sample(5)[0][0]) for _ in send]
    assert {marker.event for marker in got if marker} == {f"e{n}" for n in range(20)}


@pytest.mark.parametrize("text", ["", "S  1", "[1]", '{"class": "left"}', '{"event": 4}'])
def test_markers_of_other_programs_are_left_alone(text: str) -> None:
    assert Marker.read(text) is None


def test_times_of_other_clocks_are_moved_to_the_one_of_lsl() -> None:
    for clock in (time.time, time.monotonic, time.perf_counter, lambda: time.time() - 4e8):
        assert as_lsl_time(clock() - 2, clock) == pytest.approx(lsl_now() - 2, abs=0.05)


def test_what_cannot_be_sent_is_refused() -> None:
    markers = MarkerOutlet("cues")
    for at in (float("nan"), -1.0, 0.0):
        with pytest.raises(ValueError, match=r"as_lsl_time"):
            markers.send("onset", at=at)
    with pytest.raises(TypeError, match="JSON serializable"):
        markers.send("onset", attrs={"what": object()})
    markers.close()
    markers.close()
    with pytest.raises(ValueError, match="closed; make a new MarkerOutlet"):
        markers.send("onset")
    assert not markers.wait_for_listener(0)
    with pytest.raises(ValueError, match="give it a name"):
        MarkerOutlet("")


def test_a_process_stays_in_the_session_that_it_began() -> None:
    with pytest.raises(ValueError, match="already and cannot change to 'other'"):
        stay_on_this_machine("other")
    with pytest.raises(ValueError, match="letters, digits"):
        stay_on_this_machine("a b")
