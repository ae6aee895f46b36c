"""The public names, and that deciding needs NumPy, SciPy, scikit-learn and numba alone."""

import inspect
import subprocess
import sys

import palacs
import palacs.strategies
import palacs.testing

HEAVY = [
    "alembic",
    "dask",
    "distributed",
    "hypothesis",
    "jinja2",
    "matplotlib",
    "pandas",
    "psycopg",
    "pyarrow",
    "pytest",
    "rich",
    "seglearn",
    "skactiveml",
    "sqlalchemy",
    "typer",
]

BLOCKER = f"""
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {HEAVY!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
"""


def run_bare(code: str) -> subprocess.CompletedProcess[str]:
    """Run code where none of the extras can be imported."""
    return subprocess.run(
        [sys.executable, "-c", BLOCKER + code], capture_output=True, text=True, check=False
    )


def test_the_promised_names_are_public():
    promised = {
        "PALACS",
        "AccuracyImprovement",
        "BalancedGain",
        "InverseAccuracy",
        "ParzenWindowClassifier",
        "ProportionalSelection",
        "RandomSelection",
        "Redistricting",
        "Risk",
        "Sensitivity",
        "Strategy",
        "UniformSelection",
        "kernel_frequencies",
        "perf_gain",
        "sample_pseudo_instances",
    }
    assert promised <= set(palacs.__all__)


def test_every_public_name_is_there_and_documented():
    for module in (palacs, palacs.strategies, palacs.testing):
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                assert thing.__doc__, f"{module.__name__}.{name} has no docstring"


def test_the_core_decides_without_any_extra():
    done = run_bare(
        """
import palacs, palacs.testing
from palacs.strategies import available, make
X, y = [[0.0], [0.1], [0.9], [1.0]], ["a", "b", "a", "b"]
for name in available():
    params = {"proportions": [1, 1]} if name == "proportional" else {}
    assert make(name, random_state=0, **params).query(X, y)[0] in y
palacs.testing.check_strategy(palacs.RandomSelection())
print(palacs.ParzenWindowClassifier().fit(X, y).predict(X).tolist())
"""
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['a', 'b', 'a', 'b']\n"


def test_importing_the_core_imports_no_extra_even_where_they_are_installed():
    # What scikit-learn looks for itself (pandas) is none of our doing.
    code = f"""
import sys, sklearn.base
before = set(sys.modules)
import palacs, palacs.testing
print([name for name in {HEAVY!r} if name in set(sys.modules) - before])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_name_that_needs_an_extra_says_which_one_to_install():
    names = ["palacs.create_campaign", "palacs.Campaign", "palacs.testing.check_storage"]
    done = run_bare(
        f"""
import palacs, palacs.testing
for name in {names!r}:
    try:
        eval(name)
    except ModuleNotFoundError as error:
        print(error)
"""
    )
    remedy = "needs 'sqlalchemy'; run: pip install 'palacs[campaign]'"
    assert done.stdout.splitlines() == [f"{name} {remedy}" for name in names], done.stderr


def test_an_unknown_name_is_an_attribute_error():
    for module in (palacs, palacs.testing):
        assert not hasattr(module, "no_such_name")
