"""What a comparison says about the ceiling: in words, in a file, in a picture, or why not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from palacs import Conditions, ParzenWindowClassifier
from palacs.datasets import Dataset, load
from palacs.evidence import default_model
from palacs.experiments import (
    Ceiling,
    Execution,
    Results,
    SettingsConflict,
    ceiling_of,
    ceiling_sentence,
    comparison_experiment,
    final_gains,
    run,
    summarise,
    why_no_ceiling,
    write_comparison_report,
)
from palacs.experiments import _ceiling_of as ceiling_module

NAMES = ("rest", "left", "right")


def made(
    gain: float, low: float, high: float, counts: tuple[int, ...] = (2, 9, 10), error: float = 0.2
) -> Ceiling:
    return Ceiling(np.array(counts), error, gain, low, high, gain)


@pytest.fixture(scope="module")
def spirals() -> Results:
    experiment = comparison_experiment(load("Spirals"), ["pal-acs"], budget=60, trials=12)
    return run(experiment, execution=Execution(jobs=1))


def test_the_sentence_says_how_much_by_which_classes_and_who_got_how_much() -> None:
    said = ceiling_sentence(made(0.12, 0.05, 0.18), NAMES, {"Spare settled": 0.04})
    assert said == (
        "With the best counts in hindsight the final error is about 12 % lower (5 to 18 %), by "
        "asking less for rest; Spare settled got a third of it."
    )


@pytest.mark.parametrize(
    ("gain", "words"),
    [(0.2, "more than that"), (0.1, "all of it"), (0.05, "half of it"), (0.024, "a quarter of it"),
     (0.001, "none of it"), (-0.001, "none of it"),
     (-0.05, "none of it, its final error is 5 % higher")],
)  # fmt: skip
def test_shares_of_the_ceiling_are_words(gain: float, words: str) -> None:
    assert ceiling_sentence(made(0.1, 0.05, 0.2), NAMES, {"Mine": gain}).endswith(f"got {words}.")


def test_where_no_class_is_spared_those_asked_for_more_are_named() -> None:
    said = ceiling_sentence(made(0.12, 0.05, 0.18, (8, 8, 21)), NAMES, {})
    assert said.endswith("about 12 % lower (5 to 18 %), by asking more for right.")


def test_many_spared_classes_are_counted() -> None:
    ceiling = made(0.2, 0.1, 0.3, (1, 1, 1, 1, 1, 1, 30, 30))
    said = ceiling_sentence(ceiling, list("abcdefgh"), {})
    assert "by asking less for a, b, c, d and 2 more." in said


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [(-0.03, 0.05, "between 3 % higher and 5 % lower"), (-0.1, -0.004, "0.4 to 10 % higher"),
     (0.0, 0.04, "0 to 4 % lower")],
)  # fmt: skip
def test_where_nothing_is_certain_that_is_said_plainly(low: float, high: float, words: str) -> None:
    said = ceiling_sentence(made(0.01, low, high), NAMES, {"Mine": 0.5})
    assert said.startswith("No counts are better than equal ones for certain")
    assert said.endswith(f"the final error of other trials is {words}.")


def test_nothing_is_lower_than_no_error() -> None:
    assert "the error is 0" in ceiling_sentence(made(0, 0, 0, error=0.0), NAMES, {})


@pytest.mark.parametrize(("gain", "low", "high"), [(0.03, 0.01, 0.05), (0.0, 0.0, 0.0)])
def test_counts_that_end_up_equal_are_called_equal(gain: float, low: float, high: float) -> None:
    said = ceiling_sentence(made(gain, low, high, (7, 7, 7)), NAMES, {})
    assert said == (
        "No counts better than equal ones were found: those are the best over all trials."
    )


def test_a_comparison_says_it_in_words_file_and_picture(spirals: Results, tmp_path: Path) -> None:
    summary = summarise(spirals)
    said = summary.sentences[1]
    assert said.startswith("With the best counts in hindsight the final error is about ")
    assert "by asking less for class 1; PAL-ACS got " in said
    page = write_comparison_report(spirals, tmp_path, summary).read_text()
    assert said in page
    assert "best in hindsight" in page
    assert (tmp_path / "figures" / "best-shares.svg").exists()
    kept = json.loads((tmp_path / "verdict.json").read_text())
    assert kept["answer"] == summary.verdict.answer
    assert kept["ceiling"]["sentence"] == said
    assert kept["ceiling"]["counts"]["class 1"] < 10
    assert sum(kept["ceiling"]["counts"].values()) == 63
    assert kept["ceiling"]["low"] < kept["ceiling"]["gain"] < kept["ceiling"]["high"]
    assert list(kept["ceiling"]["strategies"]) == ["PAL-ACS"]


def test_the_ceiling_of_results_is_that_of_their_experiment(spirals: Results) -> None:
    first, again = ceiling_of(spirals), ceiling_of(spirals.experiment, "Spirals")
    assert first.counts.tolist() == again.counts.tolist()
    assert first.gain == again.gain


def test_gains_are_relative_to_the_baseline_at_the_end() -> None:
    trials = pd.DataFrame(
        {"strategy": ["Mine", "Mine", "Uniform", "Uniform"], "acquired": [1, 2, 1, 2],
         "error": [0.9, 0.1, 0.1, 0.4]}
    )  # fmt: skip
    assert final_gains(trials, "Uniform") == {"Mine": 0.75, "Uniform": 0.0}


def test_under_conditions_it_is_left_out_and_said_so(
    make_dataset: Callable[..., Dataset], tmp_path: Path
) -> None:
    conditions = Conditions(costs={"a": 1, "b": 2, "c": 2})
    experiment = comparison_experiment(
        make_dataset(), ["uniform"], budget=5, trials=10, conditions=conditions
    )
    with pytest.raises(ValueError, match="there is no ceiling: under conditions"):
        ceiling_of(experiment)
    results = run(experiment, execution=Execution(jobs=1))
    summary = summarise(results)
    assert any("is left out: under conditions" in sentence for sentence in summary.sentences)
    write_comparison_report(results, tmp_path, summary)
    assert json.loads((tmp_path / "verdict.json").read_text())["ceiling"] is None
    assert not (tmp_path / "figures" / "best-shares.svg").exists()


def test_few_trials_are_too_few(make_dataset: Callable[..., Dataset]) -> None:
    experiment = comparison_experiment(make_dataset(), budget=5, trials=9)
    assert why_no_ceiling(experiment) == "it takes at least 10 trials, and there are 9"


def test_very_many_classes_are_too_many(
    make_dataset: Callable[..., Dataset], monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = comparison_experiment(make_dataset(), budget=5, trials=10)
    assert why_no_ceiling(experiment) is None
    monkeypatch.setattr(ceiling_module, "_MOST_CELLS", 1_000)
    assert why_no_ceiling(experiment) == "3 classes are too many to try counts out"


class Slow(ClassifierMixin, BaseEstimator):
    """Takes a while to learn nothing."""

    def fit(self, X: object, y: np.ndarray) -> Slow:
        """Count in vain."""
        sum(range(1_000_000))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Say the first class."""
        return np.full(len(X), self.classes_[0])


def test_a_slow_classifier_is_not_waited_for(
    make_dataset: Callable[..., Dataset], monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = comparison_experiment(make_dataset(), budget=5, trials=10, classifier=Slow())
    monkeypatch.setattr(ceiling_module, "_MOST_SECONDS", 0.01)
    reason = why_no_ceiling(experiment)
    assert reason is not None
    assert "with this classifier it would take" in reason


def test_people_are_kept_apart_for_the_ceiling_too(make_dataset: Callable[..., Dataset]) -> None:
    groups = np.tile(np.repeat(np.arange(5), 4), 3)
    dataset = make_dataset(groups=groups)
    experiment = comparison_experiment(dataset, budget=10, trials=10)
    assert ceiling_of(experiment).counts.sum() == 13


def test_the_default_model_is_judged_and_other_folders_are_refused(
    make_dataset: Callable[..., Dataset], tmp_path: Path
) -> None:
    dataset = make_dataset()
    experiment = comparison_experiment(dataset, ["uniform"], budget=4, trials=2, bandwidth=0.2)
    assert repr(experiment.classifier) == repr(default_model(bandwidth=0.2))
    papers = comparison_experiment(
        dataset, ["uniform"], budget=4, trials=2, classifier=ParzenWindowClassifier(0.2)
    )
    alone = Execution(jobs=1)
    first = run(papers, execution=alone, out=tmp_path).trials
    pd.testing.assert_frame_equal(first, run(papers, execution=alone, out=tmp_path).trials)
    with pytest.raises(SettingsConflict, match="classifier: "):
        run(experiment, execution=alone, out=tmp_path)


def test_a_data_set_that_is_not_played_is_named_with_those_that_are() -> None:
    played = comparison_experiment(load("iris"), ["uniform"], budget=6, trials=4)
    with pytest.raises(ValueError, match="no data set 'nope' in this experiment; it has 'iris'"):
        ceiling_of(played, "nope")


def test_what_is_no_experiment_is_told_how_to_become_one() -> None:
    with pytest.raises(TypeError, match="not of Dataset; comparison_experiment makes one"):
        ceiling_of(load("iris"))  # type: ignore[arg-type]  # as an untyped caller may
