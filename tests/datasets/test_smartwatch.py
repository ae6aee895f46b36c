"""The smartwatch recordings become one feature vector per window, with their person."""

import sys

import numpy as np
import pytest

from palacs.datasets import load, split_by_group


def recordings():
    from seglearn.datasets import load_watch

    return load_watch()


def test_seven_exercises_of_ten_people_become_windows_of_two_seconds():
    watch, raw = load("smartwatch"), recordings()
    assert watch.n_instances == sum(len(series) // 100 for series in raw["X"])
    assert watch.class_names == ("PEN", "ABD", "FEL", "IR", "ER", "TRAP", "ROW")
    assert watch.groups is not None
    assert sorted(set(watch.groups.tolist())) == list(range(1, 11))
    assert watch.n_features == 30
    assert np.isfinite(watch.X).all()


def test_features_are_summaries_of_the_window_they_are_named_after():
    watch, raw = load("smartwatch"), recordings()
    first, second = raw["X"][0][:100], raw["X"][0][100:200]
    column = {name: i for i, name in enumerate(watch.feature_names)}
    assert watch.X[0, column["ax_mean"]] == pytest.approx(first[:, 0].mean())
    assert watch.X[1, column["ay_std"]] == pytest.approx(second[:, 1].std())
    assert watch.X[0, column["az_min"]] == first[:, 2].min()
    assert watch.X[1, column["wz_max"]] == second[:, 5].max()
    roughness = np.abs(np.diff(first[:, 3])).mean()
    assert watch.X[0, column["wx_mean_abs_diff"]] == pytest.approx(roughness)
    assert watch.y[0] == raw["y"][0]
    assert watch.groups is not None
    assert watch.groups[0] == raw["subject"][0]


def test_every_person_performed_every_exercise():
    watch = load("smartwatch")
    assert watch.groups is not None
    pairs = set(zip(watch.groups.tolist(), watch.y.tolist(), strict=True))
    assert len(pairs) == 70


@pytest.mark.parametrize("seed", range(3))
def test_a_split_by_person_never_tests_on_a_person_trained_on(seed):
    watch = load("smartwatch")
    train, test = split_by_group(watch, random_state=seed)
    assert watch.groups is not None
    assert not set(watch.groups[train]) & set(watch.groups[test])
    assert len(set(watch.groups[test])) == 3
    assert len(train) + len(test) == len(watch)
    assert set(watch.y[train]) == set(watch.y[test]) == set(range(7))


def test_without_the_extra_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "seglearn", None)
    with pytest.raises(ImportError, match=r"pip install 'palacs\[smartwatch\]'"):
        load("smartwatch")


def test_a_seglearn_without_its_data_file_is_reported(monkeypatch, tmp_path):
    (tmp_path / "seglearn").mkdir()
    (tmp_path / "seglearn" / "__init__.py").touch()
    monkeypatch.delitem(sys.modules, "seglearn", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError, match=r"no watch_dataset.npy at .*palacs\[smartwatch\]"):
        load("smartwatch")
