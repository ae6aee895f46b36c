from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection

from palacs import plots
from palacs.datasets import Dataset, load

Blobs = tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]


def places(cloud: Any) -> Any:
    """Where the points of a cloud lie, shape (n, 2)."""
    return np.asarray(cloud.get_offsets())


def points(ax: Axes) -> int:
    return sum(len(places(cloud)) for cloud in ax.collections)


def test_scatter_draws_two_features_as_they_are():
    spirals = load("spirals", random_state=0)
    ax = plots.scatter(spirals).axes[0]
    assert points(ax) == 1200
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x1", "x2")
    assert np.array_equal(places(ax.collections[0]), spirals.X[spirals.y == 0])
    legend = ax.get_legend()
    assert legend is not None
    names = [text.get_text() for text in legend.get_texts()]
    assert names == ["class 1", "class 2", "class 3"]


def test_scatter_projects_more_features_and_says_how_much_they_keep():
    figure = plots.scatter([load("vehicle"), load("yeast")])
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["Vehicle", "Yeast"]
    assert [points(ax) for ax in figure.axes] == [846, 1150]
    assert figure.axes[0].get_xlabel() == "component 1 (58 %)"


def test_scatter_spreads_one_feature_out_by_class():
    line = load("line", random_state=0)
    ax = plots.scatter(line).axes[0]
    lower, upper = places(ax.collections[0]), places(ax.collections[1])
    assert np.array_equal(lower[:, 0], line.X[line.y == 0, 0])
    assert lower[:, 1].max() < upper[:, 1].min()


def test_scatter_of_nothing_is_refused():
    with pytest.raises(ValueError, match="no data set"):
        plots.scatter([])


@pytest.fixture
def blobs() -> Blobs:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5)) + 6 * np.repeat([0.0, 1.0], 20)[:, None]
    return X, np.repeat([0, 1], 20)


def test_stages_share_one_map_and_emphasise_what_is_new(blobs: Blobs) -> None:
    figure = plots.learning_stages(*blobs, [0, 20, 21, 22, 1], [2, 5], class_names=["rest", "left"])
    first, second = figure.axes
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["2 acquired", "5 acquired"]
    assert first.get_xlim() == second.get_xlim()
    assert first.get_ylim() == second.get_ylim()
    assert [ax.get_xlabel() for ax in figure.axes] == ["1 · 1", "2 · 3"]
    waiting, *clouds = second.collections
    assert len(places(waiting)) == 35
    assert [len(places(cloud)) for cloud in clouds] == [1, 1, 1, 2]
    old, new, *_ = clouds
    assert isinstance(old, PathCollection)
    assert isinstance(new, PathCollection)
    assert new.get_sizes()[0] > old.get_sizes()[0]
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["rest", "left", "not acquired"]


def test_an_instance_acquired_twice_is_drawn_once(blobs: Blobs) -> None:
    ax = plots.learning_stages(*blobs, [0, 20, 0], [3]).axes[0]
    assert points(ax) == 40
    assert ax.get_xlabel() == "2 · 1"


def test_the_map_is_the_same_for_the_same_seed(blobs: Blobs) -> None:
    made = {plots.to_svg(plots.learning_stages(*blobs, [0, 20], [2])) for _ in range(2)}
    assert len(made) == 1


@pytest.mark.parametrize("stages", [[], [3, 2], [0, 2], [2, 9], [2, 2]])
def test_stages_must_rise_within_the_budget(blobs: Blobs, stages: list[int]) -> None:
    with pytest.raises(ValueError, match=r"stages are .*rising numbers from 1 to 3"):
        plots.learning_stages(*blobs, [0, 20, 1], stages)


def test_rows_outside_the_data_are_refused(blobs: Blobs) -> None:
    with pytest.raises(ValueError, match="rows from 0 to 40"):
        plots.learning_stages(*blobs, [0, 40], [1])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["a rather long class name {}", "{}" + 80 * "x"])
def test_long_names_of_classes_leave_room_for_the_instances(name: str) -> None:
    names = tuple(name.format(i) for i in range(8))
    X = np.random.default_rng(0).normal(size=(80, 3))
    long = Dataset("long", X, np.arange(80) % 8, names, ("u", "v", "w"), "", "a test", "CC0")
    figure = plots.scatter(long)
    figure.canvas.draw()
    assert figure.axes[0].get_position().height > 0.3
