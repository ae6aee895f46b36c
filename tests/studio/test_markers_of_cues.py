"""A cue in a real browser comes out as a marker of a real lab stream, when it was painted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from palacs.lsl import Marker, MarkerReader, lsl_now

from .conftest import TOKEN, Studio, free_port
from .visitor import visiting

_LOOPBACK = """[multicast]
ResolveScope = machine
ListenAddress = 127.0.0.1
AddressesOverride = {127.0.0.1}
[lab]
KnownPeers = {127.0.0.1}
SessionID = %s
[ports]
IPv6 = disable
PortRange = 64
"""


@pytest.fixture(scope="module")
def marking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A studio that sends markers to the streams of this test run alone."""
    tmp_path = tmp_path_factory.mktemp("marking")
    (tmp_path / "lsl_api.cfg").write_text(_LOOPBACK % f"palacs-{os.getpid()}")
    studio = Studio(f"sqlite:///{tmp_path}/lab.db", tmp_path, free_port())
    options = ["--no-browser", "--port", str(studio.port), "--storage", studio.storage, "--markers"]
    palacs = str(Path(sys.executable).with_name("palacs"))
    process = subprocess.Popen(
        [palacs, "studio", *options],
        env={
            **os.environ,
            "PALACS_STUDIO_TOKEN": TOKEN,
            "LSLAPICFG": str(tmp_path / "lsl_api.cfg"),
        },
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(3)]
    assert "lab stream 'palacs-studio'" in said[-1], said
    yield studio
    process.send_signal(signal.SIGINT)
    process.wait(30)
    process.stdout.close()


def read(markers: MarkerReader, n: int) -> list[tuple[float, Marker]]:
    found: list[tuple[float, Marker]] = []
    end = time.monotonic() + 20
    while len(found) < n and time.monotonic() < end:
        found += markers.wait(0.2)
    return found


def test_a_marker_carries_the_class_the_request_and_when_the_cue_was_painted(
    browser: Browser, marking: Any
) -> None:
    marking.post("/campaigns", {"name": "marked", "classes": ["left", "right"], "budget": 2})
    timeline = {"fixation": 0.2, "cue": 0.2, "performing": 0.3, "rest": 0.2}
    marking.post("/campaigns/marked/change", {"session": timeline, "reason": "quick"})
    with MarkerReader("palacs-studio") as markers, visiting(browser, marking) as visitor:
        assert markers.wait_until_connected()
        page = visitor.open("/campaigns/marked/session")
        expect(page.locator("[data-stage]")).to_have_attribute("data-ready", "")
        page.get_by_label("Full screen").uncheck()
        page.get_by_role("button", name="Begin").click()
        found = read(markers, 6)
        lsl_ahead = lsl_now() - time.time()
        expect(page.locator("[data-says]")).to_have_text("Done")  # and all of it is recorded
    found.sort(key=lambda marked: marked[0])
    assert [marker.event for _, marker in found] == ["onset", "performing", "offset"] * 2
    rows = marking.get("/campaigns/marked/history")["rows"]
    for row, (at, onset) in zip(rows, found[::3], strict=True):
        assert (onset.request, onset.label) == (row["id"], row["asked"])
        onsets = row["attrs"]["onsets"]
        assert onset.attrs is not None
        assert 0 < onset.attrs["uncertainty"] < 0.5
        # The same moment in the record and on LSL's clock, however late the message came.
        recorded = onsets["cue"] + onsets["offset"] + lsl_ahead
        assert abs(at - recorded) < 0.05 + onset.attrs["uncertainty"]
    assert found[2][0] - found[0][0] > 0.45


def test_the_cue_with_keys_sends_markers_too(browser: Browser, marking: Any) -> None:
    marking.post("/campaigns", {"name": "keys", "classes": ["left", "right"]})
    with MarkerReader("palacs-studio") as markers, visiting(browser, marking) as visitor:
        assert markers.wait_until_connected()
        page = visitor.open("/campaigns/keys/cue")
        page.keyboard.press("Space")
        expect(page.locator("[data-word]")).to_have_class("word asked")
        page.keyboard.press("Space")
        # By when things were seen: of two messages the later may come first.
        found = sorted(read(markers, 3), key=lambda marked: marked[0])
        page.keyboard.press("f")
        failed = [marker for _, marker in read(markers, 2)]
    rows = marking.get("/campaigns/keys/history")["rows"]
    told = [(marker.event, marker.request) for _, marker in found]
    assert told[:1] == [("onset", rows[0]["id"])]
    assert set(told[1:]) == {("offset", rows[0]["id"]), ("onset", rows[1]["id"])}
    assert ("offset", rows[1]["id"]) in {(marker.event, marker.request) for marker in failed}
