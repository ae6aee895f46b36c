"""``palacs campaign`` and ``palacs storage``, as a shell script meets them."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa
from typer.testing import CliRunner, Result

from palacs import __version__
from palacs.cli._app import build_app

app = build_app()

FIRST_SCHEMA = Path(__file__).parents[1] / "storage" / "fixtures" / "schema-0001.sqlite"


class Shell:
    """Runs commands in a folder of its own."""

    def __call__(self, *arguments: str, code: int = 0, stdin: str | None = None) -> Result:
        result = CliRunner().invoke(app, list(arguments), input=stdin)
        assert result.exit_code == code, (result.output, result.exception)
        return result

    def json(self, *arguments: str, stdin: str | None = None):
        return json.loads(self(*arguments, "--json", stdin=stdin).stdout)


@pytest.fixture
def palacs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PALACS_STORAGE", raising=False)
    return Shell()


@pytest.fixture
def demo(palacs: Shell) -> Shell:
    palacs("campaign", "create", "demo", "--classes", "a,b,c", "--seed", "0")
    return palacs


def test_what_create_says_to_do_next_can_be_done(
    palacs: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def next_of(*arguments: str) -> list[str]:
        said = palacs("campaign", "create", *arguments, "--classes", "a,b").stdout
        return shlex.split(said.partition("next: palacs ")[2])

    elsewhere = ["--storage", "sqlite:///lab.db"]
    assert next_of("plain") == ["campaign", "ask", "plain"]
    assert next_of("year two", *elsewhere) == ["campaign", "ask", "year two", *elsewhere]
    palacs("campaign", "ask", "year two", *elsewhere)
    monkeypatch.setenv("PALACS_STORAGE", "sqlite:///lab.db")
    assert next_of("third") == ["campaign", "ask", "third"]


def test_a_shell_loop_over_ask_and_tell_works(tmp_path: Path) -> None:
    script = """
    set -eu
    palacs campaign create demo --classes a,b,c --seed 0
    for i in 1 2 3; do
        answer=$(palacs campaign ask demo --json)
        id=$(echo "$answer" | python -c 'import json, sys; print(json.load(sys.stdin)["id"])')
        palacs campaign tell demo "$id" 0.$i -0.2
    done
    palacs campaign replay demo
    palacs campaign status demo --json
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path}
    environment.pop("PALACS_STORAGE", None)
    ran = subprocess.run(
        ["sh", "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    assert "3 of 3 requests came out the same again" in ran.stdout
    assert json.loads(ran.stdout.splitlines()[-1])["instances"] == 3
    assert (tmp_path / "palacs.db").exists()


def test_ask_prints_the_request_as_json(demo: Shell) -> None:
    answer = demo.json("campaign", "ask", "demo")
    assert {"id", "label", "expires_at", "utilities"} <= set(answer)
    assert answer["label"] in ("a", "b", "c")
    assert answer["utilities"] == {"a": None, "b": None, "c": None}  # infinite: none is there yet
    several = demo.json("campaign", "ask", "demo", "--count", "2")
    assert [len(several), several[0]["id"] != several[1]["id"]] == [2, True]


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        (["0.5", "-0.25", "-1e-3"], None),
        (["0.5,-0.25,-1e-3"], None),
        (["-"], "0.5 -0.25 -1e-3\n"),
        (["-"], "0.5\n-0.25\n-1e-3\n"),
        (["-"], "[0.5, -0.25, -1e-3]"),
        (["--file", "x.csv"], None),
        (["--file", "x.json"], None),
        (["--file", "x.npy"], None),
        (["--file", "row.npy"], None),
        (["--file", "-"], "0.5;-0.25;-1e-3"),
    ],
)
def test_tell_reads_numbers_from_arguments_files_and_standard_input(
    demo: Shell, arguments: list[str], stdin: str | None
) -> None:
    Path("x.csv").write_text("0.5,-0.25,-1e-3\n")
    Path("x.json").write_text("[0.5, -0.25, -0.001]")
    np.save("x.npy", np.array([0.5, -0.25, -1e-3]))
    np.save("row.npy", np.array([[0.5, -0.25, -1e-3]]))
    request = demo.json("campaign", "ask", "demo")
    told = demo.json("campaign", "tell", "demo", request["id"], *arguments, stdin=stdin)
    assert told["x"] == [0.5, -0.25, -0.001]
    assert told["label"] == request["label"]


@pytest.mark.parametrize(
    ("file", "shape"),
    [("rows.csv", "(2, 3)"), ("rows.json", "(2, 3)"), ("rows.npy", "(2, 3)"), ("deep.npy", "1, 3")],
)
def test_a_file_of_several_instances_is_refused(demo: Shell, file: str, shape: str) -> None:
    Path("rows.csv").write_text("1,2,3\n4,5,6\n")
    Path("rows.json").write_text("[[1, 2, 3], [4, 5, 6]]")
    np.save("rows.npy", np.arange(6.0).reshape(2, 3))
    np.save("deep.npy", np.zeros((2, 1, 3)))
    request = demo.json("campaign", "ask", "demo")
    refused = demo("campaign", "tell", "demo", request["id"], "--file", file, code=1)
    assert shape in refused.stderr
    assert "one instance at a time" in refused.stderr
    assert demo.json("campaign", "status", "demo")["instances"] == 0


def test_decimal_commas_are_refused_with_both_readings_and_numbers_are_echoed(
    demo: Shell,
) -> None:
    Path("x.csv").write_text("0,5;1,25\n")
    id_ = demo.json("campaign", "ask", "demo")["id"]
    for arguments in (["--file", "x.csv"], ["0,5", "1,25"]):
        refused = demo("campaign", "tell", "demo", id_, *arguments, code=1)
        assert "can be read as 0, 5, 1, 25 or as 0.5, 1.25" in refused.stderr
    told = demo("campaign", "tell", "demo", id_, "0.5,1.25")
    assert told.stdout.split("\t")[2] == "2 features: 0.5, 1.25\n"


def test_a_file_may_hold_names_or_an_object(demo: Shell) -> None:
    Path("named.csv").write_text("alpha;beta\n0.5;1.25\n")
    Path("object.json").write_text('{"x": [0.5, 1.25]}')
    for file in ("named.csv", "object.json"):
        added = demo.json("campaign", "add", "demo", "--file", file, "--label", "a")
        assert added["x"] == [0.5, 1.25]


def test_undo_and_the_latest_rows(demo: Shell) -> None:
    assert demo("campaign", "undo", "demo").stdout == "nothing to undo\n"
    request = demo.json("campaign", "ask", "demo")
    demo("campaign", "tell", "demo", request["id"], "1.0")
    demo("campaign", "add", "demo", "2.0", "--label", "b", "--id", "mine")
    undone = demo.json("campaign", "undo", "demo", "--reason", "slipped")
    assert undone == {"id": "mine", "state": "retracted"}
    rows = demo.json("campaign", "history", "demo", "--last", "1")
    assert [(row["id"], row["reason"]) for row in rows] == [("mine", "slipped")]


def test_broken_files_end_in_one_line(demo: Shell) -> None:
    np.save("x.npy", np.arange(3.0))
    whole = Path("x.npy").read_bytes()
    Path("header.npy").write_bytes(whole.replace(b"}", b"("))
    Path("short.npy").write_bytes(whole[:-3])
    Path("empty.npy").write_bytes(b"")
    Path("zip.npy").write_bytes(b"PK\x03\x04 and no more")
    np.save("text.npy", np.array(["a", "b"]))
    Path("huge.json").write_text("[1" + "0" * 400 + "]")
    request = demo.json("campaign", "ask", "demo")
    for file in ("header.npy", "short.npy", "empty.npy", "zip.npy", "text.npy", "huge.json"):
        refused = demo("campaign", "tell", "demo", request["id"], "--file", file, code=1)
        assert refused.stderr.startswith(f"palacs: {file}: ")
        assert refused.stderr.count("\n") == 1


def test_an_unsolicited_instance_has_a_cost_and_a_duration(demo: Shell) -> None:
    amounts = ("--cost", "2.5", "--duration", "30")
    demo("campaign", "add", "demo", "1", "2", "--label", "b", *amounts)
    (row,) = demo.json("campaign", "history", "demo")
    assert (row["cost"], row["duration"]) == (2.5, 30.0)


def test_a_request_can_be_reported_as_performed(demo: Shell) -> None:
    request = demo.json("campaign", "ask", "demo")
    done = demo.json("campaign", "performed", "demo", request["id"])
    assert done == {"id": request["id"], "state": "performed"}
    (row,) = demo.json("campaign", "history", "demo")
    assert row["performed_at"] is not None
    assert row["state"] == "pending"
    demo("campaign", "performed", "demo", "r9-none", code=3)


def test_every_operation_has_a_command(demo: Shell) -> None:
    first, second = demo.json("campaign", "ask", "demo", "--count", "2")
    demo("campaign", "tell", "demo", first["id"], "1", "2", "--label", "c")
    demo("campaign", "fail", "demo", second["id"], "--reason", "=refused")
    added = demo.json("campaign", "add", "demo", "-3", "4", "--label", "b")
    demo("campaign", "retract", "demo", added["id"], "--reason", "blink")
    demo("campaign", "pause", "demo", "a")
    demo("campaign", "pause", "demo", "b")
    demo("campaign", "resume", "demo", "b")
    demo("campaign", "add-class", "demo", "d")
    rows = demo.json("campaign", "history", "demo", "--features")
    assert [row["state"] for row in rows] == ["delivered", "failed", "retracted"]
    assert [row["x1"] for row in rows] == [2.0, None, 4.0]
    status = demo.json("campaign", "status", "demo")
    assert [c["label"] for c in status["classes"]] == ["a", "b", "c", "d"]
    assert [c["paused"] for c in status["classes"]] == [True, False, False, False]
    assert demo.json("campaign", "replay", "demo")["ok"] is True
    assert [row["name"] for row in demo.json("campaign", "list")] == ["demo"]
    assert demo.json("storage", "info")["campaigns"] == [{"name": "demo", "events": 11}]


def test_a_replay_that_differs_says_which_palacs_had_asked(demo: Shell) -> None:
    request = demo.json("campaign", "ask", "demo")
    demo("campaign", "export", "demo", "out.json")
    exported = json.loads(Path("out.json").read_text()) | {"version": 1}
    del exported["count"], exported["checksum"]  # without a seal
    asked = exported["events"][1]
    asked["label"] = next(label for label in "abc" if label != request["label"])
    asked["payload"]["palacs"] = "0.0.1"
    Path("out.json").write_text(json.dumps(exported))
    demo("campaign", "import", "out.json", "--name", "older")
    said = demo("campaign", "replay", "older", code=7).stdout
    assert "by palacs 0.0.1" in said
    assert "0 of 1 requests came out the same again" in said
    assert f"this is palacs {__version__}: a rule may have changed since" in said


@pytest.mark.parametrize("suffix", ["csv", "parquet", "json"])
def test_export_and_import_keep_everything(demo: Shell, suffix: str) -> None:
    request = demo.json("campaign", "ask", "demo")
    demo("campaign", "tell", "demo", request["id"], "0.1", "0.2")
    demo("campaign", "export", "demo", f"out.{suffix}")
    demo("campaign", "import", f"out.{suffix}", "--name", "copy")
    assert demo.json("campaign", "history", "copy") == demo.json("campaign", "history", "demo")


def test_status_fits_a_terminal_of_eighty_columns(palacs: Shell) -> None:
    long = "a-class-with-a-very-long-name-that-nobody-would-type"
    palacs("campaign", "create", "demo", "--classes", f"[b]odd[/b],{long},right", "--budget", "9")
    for number in range(5):
        request = palacs.json("campaign", "ask", "demo")
        palacs("campaign", "tell", "demo", request["id"], str(number), "0")
    shown = palacs("campaign", "status", "demo").stdout
    assert max(len(line) for line in shown.splitlines()) <= 80
    for word in ("class", "asked", "got", "pending", "share", "utility", "[b]odd[/b]", "4 of 9"):
        assert word in shown
    history = palacs("campaign", "history", "demo").stdout
    assert max(len(line) for line in history.splitlines()) <= 80
    assert history.count("delivered") == 5


def test_long_notes_leave_ids_and_classes_to_be_read(demo: Shell) -> None:
    added = demo.json(
        "campaign", "add", "demo", "--label", "a", "1", "2", "--attr", f"q={'z' * 90}"
    )
    history = demo("campaign", "history", "demo").stdout
    assert max(len(line) for line in history.splitlines()) <= 80
    for word in ("id", "asked", "label", "reason", added["id"], " a ", "delivered"):
        assert word in history


def test_exit_codes_tell_scripts_what_happened(demo: Shell) -> None:
    request = demo.json("campaign", "ask", "demo")
    demo("campaign", "tell", "demo", request["id"], "1", "2")
    for code, arguments in {
        1: ["campaign", "tell", "demo", request["id"], "nan", "2"],
        2: ["campaign", "ask"],
        3: ["campaign", "ask", "nobody"],
        5: ["campaign", "ask", "demo", "--storage", "sqlite:///text.db"],
        6: ["campaign", "tell", "demo", request["id"], "1", "3"],
    }.items():
        Path("text.db").write_text("This is no database at all.\n" * 50)
        result = demo(*arguments, code=code)
        assert result.stdout == ""
        if code != 2:
            assert result.stderr.startswith("palacs: ")
            assert result.stderr.count("\n") == 1
    demo("campaign", "tell", "demo", "r9-none", "1", "2", code=3)
    demo("campaign", "ask", "demo", "--storage", "sqlite:///none.db", code=3)
    demo("campaign", "create", "demo", "--classes", "a,b", code=6)
    demo("campaign", "tell", "demo", request["id"], "--lable", "b", code=1)
    demo("campaign", "tell", "demo", request["id"], code=1)
    demo("campaign", "tell", "demo", request["id"], "--file", "none.csv", code=1)
    demo("campaign", "export", "demo", "out.xlsx", code=1)
    demo("campaign", "create", "new", "--classes", "a,b", "--params", "[1]", code=1)
    demo("campaign", "create", "new", "--classes", "a,b", "--bounds", "0", code=1)
    demo("campaign", "create", "new", "--classes", "a,b", "--strategy", "nonsense", code=1)
    assert not Path("none.db").exists()


def test_nothing_to_ask_has_an_exit_code_of_its_own(palacs: Shell) -> None:
    palacs("campaign", "create", "small", "--classes", "a,b", "--budget", "1")
    palacs("campaign", "ask", "small")
    assert "budget of 1" in palacs("campaign", "ask", "small", code=4).stderr
    palacs("campaign", "create", "paused", "--classes", "a,b")
    palacs("campaign", "pause", "paused", "a")
    palacs("campaign", "pause", "paused", "b")
    assert "resume one" in palacs("campaign", "ask", "paused", code=4).stderr


def test_create_passes_every_setting_on(palacs: Shell) -> None:
    made = palacs.json(
        *("campaign", "create", "demo", "--classes", "a, b", "--strategy", "pal-acs"),
        *("--params", '{"n_pseudo": 7}', "--budget", "5", "--lease", "0"),
        *("--bounds", "-1:1,0:5", "--seed", "3", "--storage", "sqlite:///lab.db"),
    )
    assert made["classes"] == ["a", "b"]
    assert made["strategy"]["params"]["n_pseudo"] == 7
    assert (made["budget"], made["lease"], made["seed"]) == (5, None, 3)
    assert made["bounds"] == [[-1.0, 1.0], [0.0, 5.0]]


def test_the_environment_names_the_storage(palacs: Shell, monkeypatch, new_postgresql) -> None:
    monkeypatch.setenv("PALACS_STORAGE", new_postgresql())
    palacs("campaign", "create", "demo", "--classes", "a,b")
    request = palacs.json("campaign", "ask", "demo")
    palacs("campaign", "tell", "demo", request["id"], "-1")
    assert palacs.json("campaign", "status", "demo")["instances"] == 1
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("place", ["user", "query"])
def test_a_password_is_never_printed(palacs: Shell, new_postgresql, place: str) -> None:
    url = sa.make_url(new_postgresql())
    if place == "user":
        url = url.set(username=url.username or "postgres", password="hush-hush")
    else:
        url = url.update_query_dict({"password": "hush-hush"})
    storage = ("--storage", url.render_as_string(hide_password=False))
    create = ("campaign", "create")
    for arguments in (
        (*create, "one", "--classes", "a,b"),
        (*create, "two", "--classes", "a,b", "--json"),
        ("storage", "upgrade"),
        ("storage", "upgrade", "--json"),
        ("storage", "info", "--json"),
    ):
        shown = palacs(*arguments, *storage).output
        assert "postgresql+psycopg://" in shown
        assert "hush" not in shown
    assert "hush" not in palacs("campaign", "ask", "nobody", *storage, code=3).output


@pytest.mark.parametrize(
    "address",
    [
        "mysql://ada:hush@host/lab",
        "postgresql//ada:hush@host/lab",
        "postgresql://ada:hush@host:port/lab",
    ],
)
def test_a_wrong_address_is_quoted_without_its_password(palacs: Shell, address: str) -> None:
    refused = palacs("campaign", "ask", "demo", "--storage", address, code=1)
    assert "ada:***@host" in refused.stderr
    assert "hush" not in refused.stderr


@pytest.mark.parametrize(
    ("strategy", "params", "message"),
    [
        ("pal-acs", '{"foo": 1}', "no parameter 'foo'; it has: n_pseudo"),
        ("uniform", '{"name": 1}', "no parameter 'name'"),
        ("proportional", "{}", "needs the parameter 'proportions'"),
    ],
)
def test_wrong_parameters_end_in_one_line(
    palacs: Shell, strategy: str, params: str, message: str
) -> None:
    create = ("campaign", "create", "demo", "--classes", "a,b", "--strategy", strategy)
    refused = palacs(*create, "--params", params, code=1)
    assert message in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert not Path("palacs.db").exists()


def test_an_older_file_says_how_to_upgrade_and_the_command_does_it(palacs: Shell) -> None:
    shutil.copy(FIRST_SCHEMA, "old.db")
    storage = ("--storage", "sqlite:///old.db")
    refused = palacs("campaign", "ask", "subject-07", *storage, code=5)
    assert "palacs storage upgrade --storage sqlite:///old.db" in refused.stderr
    upgraded = palacs.json("storage", "upgrade", *storage)
    assert (upgraded["before"], upgraded["after"]) == ("0001", "0003")
    assert palacs.json("campaign", "ask", "subject-07", *storage)["label"] == "tongue"
    assert "already" in palacs("storage", "upgrade", *storage).stdout


def test_a_command_that_is_repeated_with_its_id_happens_once(demo: Shell) -> None:
    request = demo.json("campaign", "ask", "demo", "--op", "1")
    assert demo.json("campaign", "ask", "demo", "--op", "1") == request
    for _ in range(2):
        demo("campaign", "tell", "demo", request["id"], "0.1", "0.2", "--op", "2")
        added = demo.json("campaign", "add", "demo", "1", "2", "--label", "a", "--op", "3")
    assert demo.json("campaign", "status", "demo")["instances"] == 2
    for _ in range(2):
        demo("campaign", "undo", "demo", "--op", "4")
    assert demo.json("campaign", "status", "demo")["instances"] == 1
    history = demo.json("campaign", "history", "demo")
    assert [row["id"] for row in history] == [request["id"], added["id"]]
    demo("campaign", "pause", "demo", "a", "--op", "3", code=6)
