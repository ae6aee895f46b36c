"""A log that a killed process left behind: cut off it opens, damaged it is refused."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from palacs.campaign import create_campaign, load_campaign
from palacs.storage import StorageDamaged, StorageUnavailable, give_up_log, open_storage

FLIPS = 100

_TELL_AND_DIE = """
import os, signal, sys
from palacs.campaign import load_campaign
campaign = load_campaign("lab", storage=sys.argv[1])
for i in range(int(sys.argv[2])):
    campaign.tell(campaign.ask(), [float(i)] * 8)
print(len(campaign.events()), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def _left_by_a_killed_process(warm, url: str, turns: int) -> int:
    ran = warm(_TELL_AND_DIE, url, str(turns))
    assert ran.returncode == -9, ran.stderr
    return int(ran.stdout)


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory, warm) -> tuple[Path, int]:
    """A file with the log of a process that was killed, and how many events both hold."""
    file = tmp_path_factory.mktemp("left") / "lab.db"
    url = f"sqlite:///{file}"
    create_campaign("lab", ["a", "b"], strategy="uniform", storage=url, seed=0).close()
    return file, _left_by_a_killed_process(warm, url, 12)


def _copied(left: Path, log: bytes, folder: Path) -> Path:
    copy = folder / "copy.db"
    for old in folder.glob("copy.db*"):
        old.unlink()
    shutil.copyfile(left, copy)
    folder.joinpath("copy.db-wal").write_bytes(log)
    return copy


def _log(file: Path) -> bytes:
    return file.with_name(f"{file.name}-wal").read_bytes()


def _n_events(file: Path) -> int:
    with load_campaign("lab", storage=f"sqlite:///{file}") as campaign:
        return len(campaign.events())


def _flipped(log: bytes, place: int) -> bytes:
    damaged = bytearray(log)
    damaged[place // 8] ^= 1 << place % 8
    return bytes(damaged)


def test_no_flipped_bit_of_a_log_makes_a_shorter_record(
    left: tuple[Path, int], tmp_path: Path
) -> None:
    file, events = left
    log, chance = _log(file), random.Random(0)
    frame = 24 + 4096
    last = len(log) - frame
    places = [chance.randrange(8 * len(log)) for _ in range(FLIPS)]
    places += [chance.randrange(8 * 32) for _ in range(20)]  # in front of all frames
    places += [8 * last + chance.randrange(8 * 24) for _ in range(20)]  # the last commit
    places += [8 * last + chance.randrange(8 * frame) for _ in range(20)]
    # The end of a page, where a wrong bit looks like one of the checksum itself.
    ends = [len(log) - back * frame for back in range(6)]
    places += [8 * end - 1 - bit for end in ends for bit in range(0, 64, 5)]
    for place in places:
        copy = _copied(file, _flipped(log, place), tmp_path)
        with pytest.raises(StorageDamaged, match=r"copy\.db-wal' is damaged"):
            load_campaign("lab", storage=f"sqlite:///{copy}")
    assert _n_events(_copied(file, log, tmp_path)) == events


def test_a_damaged_stretch_is_noticed_by_what_was_written_after_it(
    left: tuple[Path, int], tmp_path: Path
) -> None:
    file, _ = left
    log = _log(file)
    for start, n in ((0, 32), (40, 300), (5000, 4096), (len(log) // 2, 20_000)):
        broken = log[:start] + os.urandom(n) + log[start + n :]
        copy = _copied(file, broken, tmp_path)
        with pytest.raises(StorageDamaged, match="transactions"):
            load_campaign("lab", storage=f"sqlite:///{copy}")
        assert copy.with_name("copy.db-wal").read_bytes() == broken


def test_a_log_that_cannot_be_read_is_named(left: tuple[Path, int], tmp_path: Path) -> None:
    copy = _copied(left[0], b"", tmp_path)
    log = copy.with_name("copy.db-wal")
    log.unlink()
    log.mkdir()
    with pytest.raises(StorageUnavailable, match=r"copy\.db-wal', .* cannot be read \(Is a dir"):
        open_storage(f"sqlite:///{copy}")
    log.rmdir()


def test_a_log_that_was_cut_off_opens_with_what_was_committed(
    left: tuple[Path, int], tmp_path: Path
) -> None:
    file, events = left
    log, chance = _log(file), random.Random(1)
    found = []
    for _ in range(20):
        cut = chance.randrange(len(log))
        found.append((cut, _n_events(_copied(file, log[:cut], tmp_path))))
    found.sort()
    counts = [n for _, n in found]
    assert counts == sorted(counts)
    assert 1 <= counts[0] < counts[-1] <= events


def test_a_last_write_that_power_loss_tore_opens_without_it(
    left: tuple[Path, int], tmp_path: Path, warm
) -> None:
    file, events = left
    log, frame = _log(file), 24 + 4096
    for end in (512, 2048, 3584):
        # The frame's head and a part of its page are there, the rest is what was there before.
        torn = log[: -frame + 24 + end] + bytes(4096 - end)
        assert _n_events(_copied(file, torn, tmp_path)) == events - 1


def test_what_is_left_of_a_torn_write_behind_shorter_ones_is_no_damage(
    left: tuple[Path, int], tmp_path: Path, warm
) -> None:
    file, events = left
    log, frame = _log(file), 24 + 4096
    torn = log[: -frame + 600] + os.urandom(frame - 600)
    copy = _copied(file, torn, tmp_path)
    # Killed again: SQLite went on in the same log, over a part of what was torn.
    again = _left_by_a_killed_process(warm, f"sqlite:///{copy}", 1)
    assert again == events - 1 + 2
    assert _n_events(copy) == again


def test_a_damaged_log_can_be_given_up_on_purpose_and_is_kept(
    left: tuple[Path, int], tmp_path: Path
) -> None:
    file, events = left
    damaged = _flipped(_log(file), 4 * len(_log(file)))
    copy = _copied(file, damaged, tmp_path)
    url = f"sqlite:///{copy}"
    kept = give_up_log(url)
    assert kept is not None
    assert kept.read_bytes() == damaged
    assert 1 <= _n_events(copy) < events
    with open_storage(url) as storage:
        assert storage.verify() == []
    assert give_up_log(url) is None
    header = _copied(file, _flipped(_log(file), 130), tmp_path)
    check = [sys.executable, "-m", "palacs", "storage", "check", "--storage", f"sqlite:///{header}"]
    refused = subprocess.run(check, capture_output=True, text=True, timeout=60)
    assert refused.returncode != 0
    assert "check --give-up-log --storage sqlite:///" in refused.stderr
    done = subprocess.run([*check, "--give-up-log"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, "set aside as" in done.stderr) == (0, True)
    assert "all is as it was written" in done.stdout
    assert _n_events(header) == 1


_WRITE_UNTIL_TOLD = """
import sys
from palacs.campaign import load_campaign
campaign = load_campaign("lab", storage=sys.argv[1])
print("ready", flush=True)
i = 0
while i < 4000:
    campaign.add([float(i)] * 64, "a")
    i += 1
"""


@pytest.fixture
def writers(tmp_path: Path) -> Iterator[str]:
    """The address of a file that several processes write to all the time."""
    url = f"sqlite:///{tmp_path / 'busy.db'}"
    create_campaign("lab", ["a", "b"], strategy="uniform", storage=url).close()
    command = [sys.executable, "-c", _WRITE_UNTIL_TOLD, url]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(3)]
    for process in started:
        assert process.stdout is not None
        process.stdout.readline()
    yield url
    for process in started:
        process.kill()
        process.communicate()


def test_opening_beside_writers_is_no_false_alarm(writers: str) -> None:
    heads = []
    for _ in range(100):
        with open_storage(writers) as storage:
            heads.append(storage.find("lab").head)
    assert heads == sorted(heads)
    assert heads[-1] > heads[0]


def test_opening_gives_up_no_lock_of_this_process(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'lab.db'}"
    campaign = create_campaign("lab", ["a", "b"], strategy="uniform", storage=url)
    told = 0

    def open_and_close() -> None:
        for _ in range(30):
            open_storage(url).close()

    looking = threading.Thread(target=open_and_close)
    looking.start()
    while looking.is_alive():
        campaign.add(np.ones(4), "a")
        told += 1
    looking.join()
    assert campaign.status().instances == told
    with open_storage(url) as storage:
        assert storage.verify() == []


def test_a_file_may_be_reached_by_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "disk" / "lab.db", tmp_path / "link.db"
    real.parent.mkdir()
    create_campaign("lab", ["a", "b"], strategy="uniform", storage=f"sqlite:///{real}").close()
    link.symlink_to(real)
    with load_campaign("lab", storage=f"sqlite:///{link}") as campaign:
        campaign.tell(campaign.ask(), [1.0])
        assert campaign.status().instances == 1
