"""A data set replayed: every instance once, also over several runs."""

from __future__ import annotations

import numpy as np
import pytest

from palacs.campaign import create_campaign
from palacs.datasets import from_arrays
from palacs.sources import Replayed

X = np.arange(12.0).reshape(6, 2)
DATA = from_arrays(X, ["a", "b", "a", "b", "a", "a"], name="six")


def test_every_instance_is_brought_once_and_a_class_that_is_empty_is_paused():
    c = create_campaign("demo", ["a", "b"], storage="memory", seed=0)
    c.run(Replayed(DATA, random_state=1), until=3, parallel=3)
    run = c.run(Replayed(DATA, random_state=2), parallel=2)
    found, labels = c.labelled_set()
    assert sorted(map(tuple, found.tolist())) == sorted(map(tuple, X.tolist()))
    expected = dict(zip(map(tuple, X.tolist()), DATA.labels, strict=True))
    assert all(expected[tuple(x)] == label for x, label in zip(found.tolist(), labels, strict=True))
    assert "paused" in run.ended
    assert "no more instances of" in set(c.history()["reason"].dropna()).pop()


def test_a_class_that_the_data_do_not_have_is_refused_before_anything_is_asked():
    c = create_campaign("demo", ["a", "c"], storage="memory")
    with pytest.raises(ValueError, match="no class 'c'"):
        c.run(Replayed(DATA))
    assert c.history_length() == 0


def test_another_data_set_of_the_same_name_is_brought_too_and_rows_that_moved_are_not_again():
    c = create_campaign("demo", ["a", "b"], storage="memory", seed=0)
    assert c.run(Replayed(DATA)).told == 6
    longer = from_arrays(np.vstack([[[50.0, 51.0]], X]), ["b", *DATA.labels.tolist()], name="six")
    other = from_arrays(X + 100, DATA.labels, name="six")
    for data, told in ((longer, 1), (other, 6), (DATA, 0)):
        for label in c.classes:
            c.resume(label)
        assert c.run(Replayed(data)).told == told
    found, _ = c.labelled_set()
    assert len(set(map(tuple, found.tolist()))) == len(found) == 13
