"""What is compiled, when, and where it is kept: quick from the first decision on, never stale."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palacs.compiled import insisting
from palacs.compiled._compiled_folder import sources
from palacs.ties import TIE

PACKAGE = Path(__file__).parent.parent / "src" / "palacs"
SETS = [(9, 1, 3), (40, 2, 4), (30, 40, 2)]

DECISIONS = """
import json, sys
import numpy as np
from palacs.strategies import available, make

def decisions(sets):
    found = {}
    for name in available():
        for n, d, k in sets:
            y = np.arange(n) % k
            X = np.random.default_rng(n).normal(size=(n, d)) + 0.5 * y[:, None]
            params = {"proportions": [1.0] * k} if name == "proportional" else {}
            strategy = make(name, random_state=n, **params)
            picks, utilities = strategy.query(X, y, batch_size=3, return_utilities=True)
            found[f"{name} {n}"] = [picks.tolist(), utilities.tolist()]
    return found
"""


def run(code: str, *, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(env or {})},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_before_anything_is_compiled_python_decides_the_same(tmp_path: Path) -> None:
    cold = {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONWARNINGS": "error"}
    # Patience without end: Python decides throughout.
    code = (
        "import palacs.compiled._compiling as c\nc._PATIENCE = 1e9\n"
        f"{DECISIONS}\nprint(json.dumps(decisions({SETS!r})))"
    )
    by_python = json.loads(run(code, env=cold))
    assert list(tmp_path.rglob("*.nbc")) == [], "nothing was compiled"
    space: dict[str, Any] = {}
    exec(DECISIONS, space)
    with insisting():
        by_machine = space["decisions"](SETS)
    assert by_python.keys() == by_machine.keys()
    for which, (picks, utilities) in by_machine.items():
        assert by_python[which][0] == picks, which
        np.testing.assert_allclose(by_python[which][1], utilities, rtol=TIE, err_msg=which)


def test_the_first_decision_waits_for_no_compiler_and_many_do_not_stay_slow(
    tmp_path: Path,
) -> None:
    code = """
import palacs, palacs.compiled._compiling as c
X, y = [[0.1], [0.2], [0.8], [0.9]], ["a", "b", "a", "b"]
palacs.SpareSettled(random_state=0).query(X, y)
print(len(c.kept_functions()), c._spent[0] > 0)
c._spent[0] = c._PATIENCE
from palacs.stream import HALVES, Stream, uniform
uniform(Stream(HALVES, HALVES), HALVES, 3)
"""
    first = run(code, env={"NUMBA_CACHE_DIR": str(tmp_path)})
    assert first == "0 True"
    # Outside a decision, or when patience is at an end, it is compiled and kept.
    names = {path.name.split("-")[0] for path in tmp_path.rglob("*.nbc")}
    assert names == {"stream.philox", "stream.to_unit", "stream.uniform"}


def test_types_compiled_at_the_same_time_do_not_overwrite_each_other(tmp_path: Path) -> None:
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    code = "import sys, palacs.ties, numpy as np; print(*palacs.ties.best_of(np.array({})))"
    cases = {"[0.5, 2.0, 2.0]": "1 2", "[7, 1, 7, 7]": "0 3"}
    for _ in range(2):  # compiled by two processes at once, then read by two more
        started = [
            subprocess.Popen(
                [sys.executable, "-c", code.format(array)],
                env=env,
                stdout=subprocess.PIPE,
                text=True,
            )
            for array in cases
        ]
        said = [process.communicate(timeout=120)[0].strip() for process in started]
        assert said == list(cases.values())
    names = [path.name for path in tmp_path.rglob("*.nbc")]
    assert sum(name.startswith("ties.best_of") for name in names) == 2


def test_machine_code_of_two_processes_never_meets_under_one_name() -> None:
    """numba tells sorting from argsorting by a number; counted from one, they would be mixed up."""
    code = """
import os
import numba, palacs.compiled
forked = os.fork()
function = numba.njit(lambda x: x + 1)  # kept nowhere
function(1)
if forked:  # one after the other: what both write at once runs together
    os.waitpid(forked, 0)
print([made.fndesc.mangled_name for made in function.overloads.values()][0], flush=True)
"""
    names = " ".join(run(code) for _ in range(2)).split()
    assert len(set(names)) == len(names) == 4, names


def test_a_damaged_file_is_compiled_anew_and_never_run(tmp_path: Path) -> None:
    env = {"NUMBA_CACHE_DIR": str(tmp_path)}
    code = "import palacs.ties; print(palacs.ties.as_good(0.1 + 0.2, 0.3))"
    assert run(code, env=env) == "True"
    (file,) = tmp_path.rglob("*.nbc")
    whole = file.read_bytes()
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    for damaged in (flipped, whole[:middle], b"", bytes(len(whole))):
        file.write_bytes(damaged)
        assert run(code, env=env) == "True"
        assert file.read_bytes() != damaged, "it is replaced"


def test_what_another_processor_compiled_hurries_nobody(tmp_path: Path) -> None:
    """As in an image that was made elsewhere, or a home that several machines share."""
    code = """
import palacs.compiled._compiling as c, palacs.ties
c._BRIEF = 0.0
with c.without_compiling(1):
    print(palacs.ties.as_good(0.1 + 0.2, 0.3))
"""
    env = {"NUMBA_CACHE_DIR": str(tmp_path)}
    run("import palacs.ties; palacs.ties.as_good(0.1, 0.2)", env=env)
    assert run(code, env={**env, "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}) == "True"
    assert len(list(tmp_path.rglob("*.nbc"))) == 1, "Python decided"


def test_an_edit_of_any_compiled_file_leads_to_another_folder(tmp_path: Path) -> None:
    copy = tmp_path / "palacs"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "data", "static"))
    code = "from palacs.compiled import folder; print(folder().name)"
    env = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    before = run(code, env=env)
    assert run(code, env=env) == before
    (copy / "cli" / "_app.py").write_text("# nothing is compiled here")
    assert run(code, env=env) == before
    ties = copy / "ties.py"
    ties.write_text(ties.read_text().replace("TIE = 1e-12", "TIE = 1e-9"))
    assert run(code, env=env) != before


def test_constants_in_compiled_functions_come_from_files_that_count() -> None:
    counted = set(sources())
    mark = "from palacs.compiled import compiled"
    assert {p for p in PACKAGE.rglob("*.py") if mark in p.read_text(encoding="utf-8")} <= counted
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}
    assigned = {
        target.id: path
        for path, tree in trees.items()
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id.isupper()
    }
    for path in counted:
        for name in _imported_into_compiled_functions(trees[path]) & assigned.keys():
            assert assigned[name] in counted, f"{path.name} compiles {name}"


def _imported_into_compiled_functions(tree: ast.Module) -> set[str]:
    functions = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and {"compiled", "inlined"} & {ast.unparse(by) for by in node.decorator_list}
    ]
    inside = (node for function in functions for node in ast.walk(function))
    imports = (node for node in tree.body if isinstance(node, ast.ImportFrom))
    imported = {alias.name for node in imports for alias in node.names}
    return imported & {node.id for node in inside if isinstance(node, ast.Name)}


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_a_read_only_installation_without_a_home_keeps_it_in_a_folder_of_its_own(
    tmp_path: Path,
) -> None:
    # A file in the place of each folder refuses everybody, also the superuser.
    copy = tmp_path / "installed" / "palacs"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "data", "static"))
    (copy / "__pycache__").write_text("")
    code = "from palacs.compiled import folder; print(folder())"
    (tmp_path / "tmp").mkdir()
    env = {
        "PYTHONPATH": str(copy.parent),
        "TMPDIR": str(tmp_path / "tmp"),
        "NUMBA_CACHE_DIR": "",
        "HOME": "/dev/null",
        "XDG_CACHE_HOME": "",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    found = Path(run(code, env=env))
    assert found.parent.parent == tmp_path / "tmp"
    assert found.parent.stat().st_mode & 0o077 == 0
    # Where not even a temporary folder can be had, nothing is kept, and everything works.
    nowhere = "import tempfile; tempfile._candidate_tempdir_list = lambda: ['/dev/null/x']"
    assert run(f"{nowhere}\n{code}", env=env) == "None"
    # One that others may write to is not trusted: what is kept there is run.
    found.parent.chmod(0o777)
    assert run(code, env=env) == "None"


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_a_folder_that_others_may_write_to_is_left_alone_and_named(tmp_path: Path) -> None:
    shared, own = tmp_path / "shared", tmp_path / "own"
    shared.mkdir()
    shared.chmod(0o777)
    own.mkdir(mode=0o700)
    code = """
import logging, os
logging.basicConfig(format="%(message)s")
import palacs.compiled as c, palacs.ties
palacs.ties.as_good(0.1, 0.2)
print(str(c.folder()).startswith(os.environ["NUMBA_CACHE_DIR"]), c.distrusted() is None)
"""
    said = run(code + "logging.shutdown()", env={"NUMBA_CACHE_DIR": str(own)})
    assert said == "True True"
    assert run(code, env={"NUMBA_CACHE_DIR": str(shared)}) == "False False"
    assert list(shared.rglob("*.nbc")) == [], "nothing is read there, and nothing written"
    found = run("from palacs.cli import main; import sys; sys.argv[1:] = ['doctor']\n"
                "try:\n    main()\nexcept SystemExit as end:\n    print(end.code)",
                env={"NUMBA_CACHE_DIR": str(shared)})  # fmt: skip
    assert f"NUMBA_CACHE_DIR={shared} is left alone: others may put machine code there" in found
    assert found.endswith("\n1")


def test_what_can_only_be_read_is_read_and_the_rest_kept_where_one_can_write(
    tmp_path: Path,
) -> None:
    code = """
import os, sys
from pathlib import Path
given = os.environ["NUMBA_CACHE_DIR"]
may, os.access = os.access, lambda path, mode: given not in str(path) and may(path, mode)
import palacs.compiled as c, palacs.ties
from palacs.compiled._compiling import _is_kept
print(_is_kept(palacs.ties.as_good, (0.1, 0.2)), len(c.places()), given in str(c.folder()))
"""
    env = {"NUMBA_CACHE_DIR": str(tmp_path)}
    run("import palacs.ties; palacs.ties.as_good(0.1, 0.2)", env=env)
    assert run(code, env=env) == "True 2 False"


def test_without_a_compiler_everything_is_the_same_but_slow() -> None:
    code = """
from palacs.datasets import load
from palacs.experiments import Execution, comparison_experiment, run
experiment = comparison_experiment(load("iris"), budget=4, trials=1)
trials = run(experiment, execution=Execution(jobs=1)).trials
print(trials["class"].tolist(), trials["error"].round(9).tolist())
"""
    slowly = run(code, env={"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "error::RuntimeWarning"})
    assert slowly == run(code)
