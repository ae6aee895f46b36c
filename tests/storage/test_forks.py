"""A process that forks: the child goes on with the campaign, and neither takes from the other."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Callable

import pytest
import sqlalchemy as sa

from palacs.campaign import load_campaign

_PREAMBLE = """
import os, sys, threading, time, traceback, warnings
import palacs.campaign, palacs.strategies
from palacs.campaign import create_campaign, load_campaign
from palacs.storage import Draft, StorageError, StorageUnavailable
warnings.simplefilter("ignore")  # about threads in a process that forks
url = sys.argv[1]

def child(work):
    number = os.fork()
    if number == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return number

def wait(numbers, seconds=60):
    deadline = time.monotonic() + seconds
    codes = []
    for number in numbers:
        while True:
            ended, status = os.waitpid(number, os.WNOHANG)
            if ended:
                codes.append(os.waitstatus_to_exitcode(status))
                break
            if time.monotonic() > deadline:
                os.kill(number, 9)
                os.waitpid(number, 0)
                codes.append("hangs")
                break
            time.sleep(0.002)
    return codes
"""


Run = Callable[[str, str], list[str]]


@pytest.fixture
def run(warm: Callable[..., subprocess.CompletedProcess[str]]) -> Run:
    """Runs a script; returns the lines it printed."""

    def lines(script: str, url: str) -> list[str]:
        ran = warm(_PREAMBLE + script, url)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.splitlines()

    return lines


def _assert_sound(url: str) -> None:
    if "sqlite" in url:
        file = sqlite3.connect(str(sa.make_url(url).database))
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        file.close()


def test_what_children_tell_while_others_write_is_all_there(url: str, run: Run) -> None:
    answers = run(
        """
create_campaign("c", ["a", "b"], strategy="uniform", storage=url).close()
campaign = load_campaign("c", storage=url)
campaign.add([0.0, 0.0], "a")  # so that connections are open

def add(who, n):
    for i in range(n):
        campaign.add([1.0, float(i)], "a", id=f"{who}-{i}")

for round_ in range(2):
    before = campaign.status().instances
    # One that opened the campaign itself, and a thread of the parent, write meanwhile.
    other = child(lambda: [
        load_campaign("c", storage=url).add([2.0, 0.0], "b", id=f"{round_}-o{i}")
        for i in range(10)
    ])
    thread = threading.Thread(target=add, args=(f"{round_}-parent", 20))
    thread.start()
    children = [child(lambda k=k: add(f"{round_}-{k}", 25)) for k in range(4)]
    codes = wait([other, *children])
    thread.join()
    print(codes, campaign.status().instances - before)
""",
        url,
    )
    assert answers == ["[0, 0, 0, 0, 0] 130"] * 2
    with load_campaign("c", storage=url) as campaign:
        assert campaign.status().instances == 261
    _assert_sound(url)


def test_a_child_does_not_wait_for_locks_of_threads_it_does_not_have(
    any_url: str, run: Run
) -> None:
    answers = run(
        """
campaign = create_campaign("c", ["a", "b"], strategy="uniform", storage=url)
campaign.tell(campaign.ask(), [0.0, 0.0])
done = threading.Event()
told = []
def keep_writing():
    while not done.is_set():
        told.append(campaign.add([1.0, 2.0], "a"))
def keep_looking():
    while not done.is_set():
        campaign.history(); campaign.snapshot()
threads = [threading.Thread(target=f) for f in (keep_writing, keep_writing, keep_looking)]
for thread in threads:
    thread.start()

def work():
    assert campaign.status().instances >= 1
    if url != "memory":
        campaign.tell(campaign.ask(), [0.5, 0.5])

codes = []
for _ in range(12):
    codes += wait([child(work)], seconds=30)
done.set()
for thread in threads:
    thread.join()
print(codes.count(0), campaign.status().instances - len(told))
""",
        any_url,
    )
    assert answers == ["12 1" if any_url == "memory" else "12 13"]


def test_a_pool_of_forked_workers_shares_one_campaign(url: str, run: Run) -> None:
    answers = run(
        """
import multiprocessing
campaign = create_campaign("c", ["a", "b"], strategy="uniform", storage=url)
def tell(i):
    return campaign.tell(campaign.ask(), [float(i)]).id
with multiprocessing.get_context("fork").Pool(4) as pool:
    ids = pool.map(tell, range(100))
print(len(set(ids)), campaign.status().instances, campaign.replay().ok)
""",
        url,
    )
    assert answers == ["100 100 True"]
    _assert_sound(url)


def test_a_turn_is_finished_by_the_process_that_began_it(url: str, run: Run) -> None:
    answers = run(
        """
storage = create_campaign("c", ["a", "b"], storage=url).storage
key = storage.find("c").key

def go_on():
    for action in (lambda: turn.append([Draft("paused", label="a")]), lambda: turn.events(0)):
        try:
            action()
            print("went on")
        except Exception as error:
            print(type(error).__name__, "began" in str(error))
    sys.stdout.flush()

me = os.getpid()
try:
    with storage.write(key) as turn:
        turn.append([Draft("paused", label="b")])
        if os.fork() == 0:
            go_on()  # and leaves the block, as if it were its own
        else:
            os.wait()
except Exception as error:
    assert os.getpid() != me
finally:
    if os.getpid() != me:
        sys.stdout.flush()
        os._exit(0)
print([event.kind for event in storage.events(key)])
""",
        url,
    )
    assert answers[-1] == "['created', 'paused']"
    assert "went on" not in answers
    _assert_sound(url)


def test_a_child_of_a_turn_says_why_it_cannot_use_the_file(new_sqlite, run: Run) -> None:
    answers = run(
        """
campaign = create_campaign("c", ["a", "b"], storage=url)
def look():
    for action in (campaign.status, lambda: load_campaign("c", storage=url)):
        try:
            action()
        except StorageUnavailable as error:
            print(error, flush=True)
with campaign.storage.write(1) as turn:
    turn.append([Draft("paused", label="a")])
    codes = wait([child(look)])
print(codes, campaign.status().classes[0].paused)
""",
        new_sqlite(),
    )
    assert len(answers) == 3
    assert all("forked it in the middle of a turn. Fork between" in said for said in answers[:2])
    assert answers[2] == "[0] True"


def test_a_fork_in_a_turn_does_not_spoil_the_ones_after_it(new_sqlite, run: Run) -> None:
    answers = run(
        """
campaign = create_campaign("c", ["a", "b"], storage=url)
with campaign.storage.write(1) as turn:
    turn.append([Draft("paused", label="a")])
    wait([child(lambda: None)])
held, done = threading.Event(), threading.Event()
def hold():
    with campaign.storage.write(1):
        held.set()
        done.wait()
import palacs.storage._forking as forking
forking.PATIENCE_S = 0.2
thread = threading.Thread(target=hold)
thread.start()
held.wait()
first = wait([child(lambda: None)])
done.set()
thread.join()
print(wait([child(lambda: campaign.add([1.0], "b")) for _ in range(3)]))
print(len(campaign.history()))
""",
        new_sqlite(),
    )
    assert answers == ["[0, 0, 0]", "3"]


def test_a_fork_that_python_does_not_hear_of_damages_nothing(url: str, run: Run) -> None:
    answers = run(
        """
import ctypes
campaign = create_campaign("c", ["a", "b"], storage=url)
campaign.add([1.0], "a")
for _ in range(5):
    if ctypes.PyDLL(None).fork() == 0:
        try:
            campaign.add([2.0], "b")
            print("kept", flush=True)
        except StorageUnavailable as error:
            print("refused", "forked it" in str(error), flush=True)
        finally:
            os._exit(0)
    os.wait()
    campaign.add([1.0], "a")
print(campaign.status().instances)
""",
        url,
    )
    if "sqlite" in url:
        assert answers == ["refused True"] * 5 + ["6"]
    else:
        assert answers == ["kept"] * 5 + ["11"]
    _assert_sound(url)


def test_what_is_in_memory_can_be_read_in_a_child_but_not_written(run: Run) -> None:
    answers = run(
        """
campaign = create_campaign("c", ["a", "b"], storage=url)
campaign.add([1.0], "a")
def work():
    print(campaign.status().instances)
    try:
        campaign.add([2.0], "b")
    except StorageUnavailable as error:
        print(error)
    own = create_campaign("own", ["a", "b"], storage="memory")
    own.add([3.0], "a")
    print(own.status().instances, flush=True)
codes = wait([child(work)])
campaign.add([2.0], "b")
print(codes, campaign.status().instances)
""",
        "memory",
    )
    assert answers[0] == "1"
    assert "would be lost" in answers[1]
    assert answers[2:] == ["1", "[0] 2"]


@pytest.mark.parametrize("holds", ["turn", "ledger"])
def test_what_another_thread_never_finishes_is_given_up_in_the_child(
    new_sqlite, run: Run, holds: str
) -> None:
    answers = run(
        """
campaign = create_campaign("c", ["a", "b"], storage=url)
campaign.add([1.0], "a")
held, done = threading.Event(), threading.Event()
def hold():
    with HELD:
        held.set()
        done.wait()
thread = threading.Thread(target=hold)
thread.start()
held.wait()
def work():
    try:
        print(campaign.status().instances, campaign.settings.classes)
    except StorageUnavailable as error:
        print("forked it in the middle of a turn" in str(error))
    sys.stdout.flush()
codes = wait([child(work)], seconds=30)
done.set()
thread.join()
print(codes, campaign.status().instances)
""".replace("HELD", {"turn": "campaign.storage.write(1)", "ledger": "campaign._mutex"}[holds]),
        new_sqlite(),
    )
    assert answers == [{"turn": "True", "ledger": "1 ('a', 'b')"}[holds], "[0] 1"]


def test_a_child_forked_while_a_thread_waits_for_its_turn_uses_the_file(
    new_sqlite, run: Run
) -> None:
    answers = run(
        """
create_campaign("c", ["a", "b"], strategy="uniform", storage=url).close()

import palacs.storage._forking as forking
forking.PATIENCE_S = 1.5
read, write = os.pipe()
def hold():
    with load_campaign("c", storage=url).storage.write(1):
        os.write(write, b"holds")
        time.sleep(3)  # longer than a fork waits for turns under way

holder = child(hold)
os.read(read, 5)
campaign = load_campaign("c", storage=url)
thread = threading.Thread(target=lambda: campaign.add([1.0], "a"))
thread.start()
time.sleep(0.3)
forked = time.monotonic()
user = child(lambda: campaign.add([2.0], "b"))
print(time.monotonic() - forked < 1)
print(wait([holder, user]))
thread.join()
print(campaign.status().instances)
""",
        new_sqlite(),
    )
    assert answers == ["True", "[0, 0]", "2"]
