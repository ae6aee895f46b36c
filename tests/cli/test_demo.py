"""``palacs demo bci`` runs the whole chain in one command: streams, epochs, features, accuracy."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import palacs
from palacs.extractors import read_recording
from palacs.lsl import ELECTRODES, MOVEMENTS


def test_a_simulated_participant_is_recorded_kept_and_learned_from(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "palacs", "demo", "bci", "--out", "out", "--trials", "4"]
    done = subprocess.run(
        [*command, "--no-studio"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    lines = re.findall(r"^ +(\d+)  (\w+) +(?:(\d+)%)?", done.stdout, re.MULTILINE)
    assert [number for number, _, _ in lines] == ["1", "2", "3", "4"]
    assert {label for _, label, _ in lines} == set(MOVEMENTS)
    assert 0 <= int(lines[-1][2]) <= 100
    said = [line for line in done.stderr.splitlines() if "compiling for this machine" not in line]
    assert said == []
    out = tmp_path / "out"
    assert (out / "accuracy.png").stat().st_size > 10_000
    with palacs.load_campaign("bci", storage=f"sqlite:///{out}/palacs.db") as campaign:
        assert campaign.labelled_set()[0].shape == (4, len(ELECTRODES))
        assert {check.state for check in campaign.check_recordings()} == {"intact"}
        assert str(campaign.extractor).startswith("palacs.extractors.BandPower")
    for path in (out / "epochs").iterdir():
        assert read_recording(path).shape == (len(ELECTRODES), 375)
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert again.stderr == "palacs: the folder 'out' is not empty; give a new one with --out.\n"
