"""Whatever somebody gives as an extractor turns recordings into features, or says why not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from palacs.extractors import EXTRACTORS, BandPower, extractor_from, with_rate

RNG = np.random.default_rng(0)
EPOCHS = [RNG.normal(size=(3, 400)) for _ in range(12)]
LABELS = ["left", "right"] * 6


def flat(recordings: Any) -> Any:
    return np.reshape(recordings, (len(recordings), -1))[:, :20]


def test_what_learns_is_fitted_and_what_does_not_is_fixed() -> None:
    assert extractor_from(PCA(2)).fitted
    assert extractor_from(make_pipeline(FunctionTransformer(flat), PCA(2))).fitted
    fixed = [
        np.ptp,
        BandPower(rate=250),
        "band-power(rate=250)",
        make_pipeline(BandPower(rate=250), FunctionTransformer(np.abs)),
        FrozenEstimator(PCA(2).fit(RNG.normal(size=(9, 4)))),
    ]
    for given in fixed:
        assert not extractor_from(given).fitted


def test_a_fixed_extractor_gives_one_row_per_recording_without_fitting() -> None:
    pipeline = make_pipeline(BandPower(rate=250), FunctionTransformer(np.abs))
    assert extractor_from(pipeline).extract(EPOCHS).shape == (12, 9)
    assert extractor_from(lambda epoch: epoch.std(axis=1)).extract(EPOCHS).shape == (12, 3)


def test_fitting_leaves_what_was_given_alone_and_is_the_same_each_time() -> None:
    given = make_pipeline(FunctionTransformer(flat), PCA(2, svd_solver="randomized"))
    extractor = extractor_from(given)
    once, again = (extractor.fit(EPOCHS, LABELS).extract(EPOCHS) for _ in range(2))
    assert np.array_equal(once, again)
    assert not hasattr(given[-1], "components_")


def test_nothing_can_be_learned_from_nothing() -> None:
    with pytest.raises(ValueError, match="begin with a fixed one, such as band-power"):
        extractor_from(PCA(2)).fit([], [])


def test_the_version_tells_parameters_and_what_was_learned_before() -> None:
    assert "BandPower(rate=250)" in extractor_from("band-power(rate=250)").version
    scalers = [StandardScaler().fit(RNG.normal(size=(9, 4))) for _ in range(2)]
    one, other = (extractor_from(FrozenEstimator(scaler)).version for scaler in scalers)
    assert one != other
    assert one == extractor_from(FrozenEstimator(scalers[0])).version


def test_code_of_ones_own_is_found_by_its_path_and_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def spread(recording):\n    return recording.std(axis=1)\n")
    first = extractor_from(f"{file}:spread")
    assert first.given == f"{file}:spread"
    assert first.extract(EPOCHS).shape == (12, 3)
    file.write_text("def spread(recording):\n    return recording.var(axis=1)\n")
    assert extractor_from(f"{file}:spread").version != first.version


def test_recordings_of_several_lengths_need_an_extractor_that_takes_them() -> None:
    ragged = [np.ones((2, 300)), np.ones((2, 400))]
    rising = [np.cumsum(one, axis=1) for one in ragged]
    assert extractor_from("band-power(rate=100)").extract(rising).shape == (2, 6)
    with pytest.raises(ValueError, match=r"2 recordings of shape \(2, 300\) and 1 other shapes"):
        extractor_from(PCA(1)).fit(ragged, ["a", "b"])


def test_the_rate_of_a_recording_is_used_unless_another_is_given() -> None:
    tone = np.sin(2 * np.pi * 10 * np.arange(500) / 250)[np.newaxis]
    by_file, by_name = (
        extractor_from("band-power").extract([with_rate(tone, 250)]),
        extractor_from("band-power(rate=250)").extract([tone]),
    )
    assert np.array_equal(by_file, by_name)
    with pytest.raises(ValueError, match=r"give it in Hz, as in band-power\(rate=250\)"):
        extractor_from("band-power").extract([tone])


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("band-powr", "did you mean 'band-power'"),
        ("band-power(250)", "parameters have names"),
        ("band-power(rate=__import__('os'))", "cannot be made"),
        ("band-power(speed=3)", "cannot be made"),
        ("no_such_file.py:NAME", "there is no file"),
        ("Nothing", "not known"),
        (3, "is no extractor"),
    ],
)
def test_what_is_no_extractor_is_refused_with_a_remedy(given: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        extractor_from(given)


def test_an_extractor_that_loses_recordings_is_refused() -> None:
    with pytest.raises(ValueError, match="one row for each is wanted"):
        extractor_from(FunctionTransformer(lambda X: X[:1].reshape(1, -1))).extract(EPOCHS)


@pytest.mark.parametrize("row", EXTRACTORS, ids=lambda row: row.name)
def test_every_shipped_extractor_is_described(row: Any) -> None:
    assert len(row.about) < 80
    if not row.runs_code:
        extractor = extractor_from(row.name)
        assert extractor.fitted == ("fitted" in row.about)
        assert "._" not in extractor.version.replace("sklearn.", "")
