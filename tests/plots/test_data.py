import numpy as np
import pytest

from palacs import plots
from palacs.datasets import load


def points(ax):
    return sum(len(cloud.get_offsets()) for cloud in ax.collections)


def test_scatter_draws_two_features_as_they_are():
    spirals = load("spirals", random_state=0)
    ax = plots.scatter(spirals).axes[0]
    assert points(ax) == 1200
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x1", "x2")
    assert np.array_equal(ax.collections[0].get_offsets(), spirals.X[spirals.y == 0])
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["class 1", "class 2", "class 3"]


def test_scatter_projects_more_features_and_says_how_much_they_keep():
    figure = plots.scatter([load("vehicle"), load("yeast")])
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["Vehicle", "Yeast"]
    assert [points(ax) for ax in figure.axes] == [846, 1150]
    assert figure.axes[0].get_xlabel() == "component 1 (58 %)"


def test_scatter_spreads_one_feature_out_by_class():
    line = load("line", random_state=0)
    ax = plots.scatter(line).axes[0]
    assert np.array_equal(ax.collections[0].get_offsets()[:, 0], line.X[line.y == 0, 0])
    assert ax.collections[0].get_offsets()[:, 1].max() < ax.collections[1].get_offsets()[:, 1].min()


def test_scatter_of_nothing_is_refused():
    with pytest.raises(ValueError, match="no data set"):
        plots.scatter([])


@pytest.fixture
def blobs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5)) + 6 * np.repeat([0.0, 1.0], 20)[:, None]
    return X, np.repeat([0, 1], 20)


def test_stages_share_one_map_and_emphasise_what_is_new(blobs):
    figure = plots.learning_stages(*blobs, [0, 20, 21, 22, 1], [2, 5], class_names=["rest", "left"])
    first, second = figure.axes
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["2 acquired", "5 acquired"]
    assert first.get_xlim() == second.get_xlim()
    assert first.get_ylim() == second.get_ylim()
    assert [ax.get_xlabel() for ax in figure.axes] == ["1 · 1", "2 · 3"]
    waiting, *clouds = second.collections
    assert len(waiting.get_offsets()) == 35
    assert [len(cloud.get_offsets()) for cloud in clouds] == [1, 1, 1, 2]
    old, new = clouds[0], clouds[1]
    assert new.get_sizes()[0] > old.get_sizes()[0]
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["rest", "left", "not acquired"]


def test_an_instance_acquired_twice_is_drawn_once(blobs):
    ax = plots.learning_stages(*blobs, [0, 20, 0], [3]).axes[0]
    assert points(ax) == 40
    assert ax.get_xlabel() == "2 · 1"


def test_the_map_is_the_same_for_the_same_seed(blobs):
    made = {plots.to_svg(plots.learning_stages(*blobs, [0, 20], [2])) for _ in range(2)}
    assert len(made) == 1


@pytest.mark.parametrize("stages", [[], [3, 2], [0, 2], [2, 9], [2, 2]])
def test_stages_must_rise_within_the_budget(blobs, stages):
    with pytest.raises(ValueError, match=r"stages are .*rising numbers from 1 to 3"):
        plots.learning_stages(*blobs, [0, 20, 1], stages)


def test_rows_outside_the_data_are_refused(blobs):
    with pytest.raises(ValueError, match="rows from 0 to 40"):
        plots.learning_stages(*blobs, [0, 40], [1])
