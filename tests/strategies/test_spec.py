"""A strategy survives being written to a record as JSON, and a record imports nothing unsafe."""

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from palacs import (
    PALACS,
    InverseAccuracy,
    ParzenWindowClassifier,
    ProportionalSelection,
    Redistricting,
    Risk,
)
from palacs.strategies import available, from_spec, make, to_spec

RNG = np.random.default_rng(0)
FOUR: Any = np.int64(4)
Y = np.arange(18) % 3
X = RNG.normal(Y[:, None], 0.5, (18, 2))


def reread(strategy):
    return from_spec(json.loads(json.dumps(to_spec(strategy), allow_nan=False)))


@pytest.mark.parametrize(
    "strategy",
    [
        *(make(name, random_state=1) for name in available() if name != "proportional"),
        PALACS(n_pseudo=FOUR, bandwidth=np.float64(0.3), sampling="grid", random_state=2),
        ProportionalSelection(np.array([0.5, 0.3, 0.2]), random_state=0),
        ProportionalSelection({0: 1, 1: 2, 2: 3}, random_state=0),
        InverseAccuracy(classifier=LogisticRegression(C=0.5), random_state=0),
        Risk(classifier=ParzenWindowClassifier(0.4, class_prior=[1, 2, 1]), random_state=3),
        Redistricting(
            classifier=make_pipeline(StandardScaler(), KNeighborsClassifier(2)), random_state=0
        ),
    ],
    ids=repr,
)
def test_a_strategy_read_back_decides_the_same(strategy):
    again = reread(strategy)
    assert type(again) is type(strategy)
    ours, theirs = (s.query(X, Y, batch_size=3, return_utilities=True) for s in (strategy, again))
    assert np.array_equal(ours[0], theirs[0])
    assert np.array_equal(ours[1], theirs[1])


def test_parameters_come_back_as_they_were():
    model = LogisticRegression(C=0.5)
    strategy = InverseAccuracy(folds=4, allow_repeat=False, classifier=model, random_state=7)
    spec = to_spec(strategy)
    assert spec["name"] == "inverse-no-repeat"
    again = reread(strategy)
    assert (again.folds, again.allow_repeat, again.random_state) == (4, False, 7)
    assert again.classifier.get_params() == model.get_params()


def test_mappings_keep_keys_of_any_type():
    assert reread(ProportionalSelection({1: 2, 3: 4})).proportions == {1: 2, 3: 4}
    assert reread(ProportionalSelection({"a": 2, "b": 4})).proportions == {"a": 2, "b": 4}


@pytest.mark.parametrize(
    ("strategy", "value"),
    [
        (PALACS(random_state=np.random.RandomState(0)), "random_state=RandomState"),
        (InverseAccuracy(classifier=KNeighborsClassifier(metric=max)), "metric=<built-in"),
    ],
)
def test_what_json_cannot_hold_is_refused(strategy, value):
    with pytest.raises(ValueError, match=rf"parameter {value}.* cannot be written .*; use numbers"):
        to_spec(strategy)


def test_a_record_that_names_another_module_is_refused_without_importing_it(tmp_path):
    (tmp_path / "mischief.py").write_text("print('imported')\nclass Estimator: ...\n")
    spec = {
        "name": "inverse",
        "params": {"classifier": {"estimator": "mischief:Estimator", "params": {}}},
    }
    code = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
from palacs.strategies import from_spec
from_spec({spec!r})
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "imported" not in done.stdout
    assert "'mischief:Estimator'; only those of sklearn and palacs are rebuilt" in done.stderr


@pytest.mark.parametrize(
    "target", ["sklearn.utils:check_array", "sklearn.base:BaseEstimator.fit", "sklearn.base:os"]
)
def test_a_record_can_name_estimators_only(target):
    spec = {"name": "risk", "params": {"classifier": {"estimator": target, "params": {}}}}
    with pytest.raises(ValueError, match=rf"names '{target}', which is no estimator"):
        from_spec(spec)


def test_a_record_with_an_unknown_name_gets_a_suggestion():
    with pytest.raises(ValueError, match=r"no strategy 'pal-acz'; did you mean 'pal-acs'\?"):
        from_spec({"name": "pal-acz", "params": {}})


def test_a_spec_without_params_has_the_defaults():
    assert from_spec({"name": "uniform"}).get_params() == make("uniform").get_params()
    classifier = {"estimator": "sklearn.neighbors:KNeighborsClassifier"}
    strategy = from_spec({"name": "risk", "params": {"classifier": classifier}})
    assert isinstance(strategy.classifier, KNeighborsClassifier)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"params": {}}, r"has no 'name'; name a strategy"),
        ({"name": "uniform", "params": [1]}, r"the params of 'uniform' are \[1\]; give an object"),
        ({"name": "uniform", "params": {"foo": 1}}, r"'uniform' has no parameter 'foo'"),
        (
            {"name": "proportional", "params": {"proportions": {"a": 1}}},
            r"\{'a': 1\} has neither 'estimator' nor 'mapping'",
        ),
    ],
)
def test_an_incomplete_spec_is_refused_with_what_it_lacks(spec, message):
    with pytest.raises(ValueError, match=message):
        from_spec(spec)
