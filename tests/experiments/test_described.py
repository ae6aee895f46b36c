"""Settings of a folder tell one model from another."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from palacs.experiments import model_from
from palacs.experiments._described import describe


def voting(C: float) -> VotingClassifier:
    models = [(f"m{i}", LogisticRegression(C=C if i == 7 else 0.5)) for i in range(15)]
    return VotingClassifier(models)


def test_a_model_too_long_for_its_words_is_told_from_another() -> None:
    assert describe(voting(1.0)) != describe(voting(99.0))
    assert describe(voting(1.0)) == describe(voting(1.0))


def test_an_edit_of_the_file_is_another_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "from sklearn.linear_model import LogisticRegression\n\nclass M(LogisticRegression):\n"
    seen = []
    for body in ("    pass\n", "    pass\n", "    max_features = 1\n"):
        Path("mine.py").write_text(text + body, encoding="utf-8")
        seen.append(describe(model_from("mine.py:M")))
    assert seen[0] == seen[1] != seen[2]


def test_a_function_inside_has_no_address_but_its_code() -> None:
    def with_function(text: str) -> str:
        space: dict[str, object] = {"np": np}
        exec(f"def f(X): return {text}", space)
        return describe(make_pipeline(FunctionTransformer(space["f"]), LogisticRegression()))

    assert with_function("np.log(X)") == with_function("np.log(X)")
    assert with_function("np.log(X)") != with_function("np.exp(X)")
    assert "0x" not in with_function("np.log(X)")


def test_what_is_installed_is_described_by_its_words_alone() -> None:
    text = describe(LogisticRegression(C=3.0))
    assert text == "sklearn.linear_model._logistic.LogisticRegression(C=3.0)"


def test_another_process_says_the_same() -> None:
    code = (
        "from sklearn.pipeline import make_pipeline\n"
        "from sklearn.preprocessing import FunctionTransformer\n"
        "from sklearn.linear_model import LogisticRegression\n"
        "from palacs.experiments._described import describe\n"
        "print(describe(make_pipeline(FunctionTransformer(lambda X: X), LogisticRegression())))"
    )
    said = {subprocess.check_output([sys.executable, "-c", code], text=True) for _ in range(2)}
    assert len(said) == 1
