from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgba
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from palacs import plots


def titles(figure):
    return [ax.get_title(loc="left") for ax in figure.axes]


def legend_labels(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def test_learning_curves_have_a_panel_per_data_set(curves):
    figure = plots.learning_curves(curves)
    assert titles(figure) == ["Spirals", "Yeast"]
    assert figure.axes[0].get_xlabel() == "acquired instances"
    assert figure.axes[0].get_ylabel() == "error"


def test_learning_curves_show_every_strategy_with_band_label_and_colour(curves):
    ax = plots.learning_curves(curves, "Yeast").axes[0]
    lines = {str(line.get_label()): line for line in ax.lines}
    lines = {name: line for name, line in lines.items() if not name.startswith("_")}
    assert list(lines) == ["PAL-ACS", "Random", "My own"]
    assert np.asarray(lines["Random"].get_ydata())[0] == pytest.approx(0.61)
    assert {text.get_text() for text in ax.texts} == set(lines)
    for name, line in lines.items():
        assert line.get_color() == plots.strategy_color(name)
    assert len(ax.collections) == 3
    band = ax.collections[0].get_paths()[0].get_extents()
    assert (band.ymin, band.ymax) == pytest.approx((0.5 / 12 + 0.05, 0.65))


def test_labels_at_the_ends_of_curves_do_not_touch(curves):
    curves["mean_error"] = 0.2
    figure = plots.learning_curves(curves, "Yeast")
    figure.draw_without_rendering()
    boxes = [Text.get_window_extent(label) for label in figure.axes[0].texts]
    for lower, upper in pairwise(sorted(boxes, key=lambda box: box.y0)):
        assert lower.y1 <= upper.y0 + 2


def test_learning_curves_of_an_absent_data_set_are_refused(curves):
    with pytest.raises(ValueError, match=r"no curves of 'Bars'.*Spirals, Yeast"):
        plots.learning_curves(curves, "Bars")


def test_proportions_draw_a_bar_per_class_and_strategy_with_the_papers_value(table2):
    figure = plots.proportions(table2)
    assert titles(figure) == ["Spirals", "Yeast"]
    ax = figure.axes[0]
    bars = [bar for bar in ax.patches if isinstance(bar, Rectangle)]
    assert sorted(round(bar.get_height()) for bar in bars) == [20] * 3 + [80] * 3
    assert [label.get_text() for label in ax.get_xticklabels()] == ["easy", "hard"]
    marks = [line for line in ax.lines if line.get_marker() == "D"]
    assert [np.asarray(line.get_ydata())[0] for line in marks] == [25.0] * 3
    assert legend_labels(figure) == ["PAL-ACS", "Random", "My own", "paper", "equal shares"]
    assert to_hex(ax.patches[0].get_facecolor()) == plots.strategy_color("PAL-ACS")


def test_proportions_do_not_promise_a_paper_that_has_no_value(table2):
    figure = plots.proportions(table2.assign(paper_proportion=float("nan")))
    assert "paper" not in legend_labels(figure)


def test_differences_print_every_number_the_paper_has(table1):
    figure = plots.differences(table1)
    ax = figure.axes[0]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["PAL-ACS", "Random"]
    assert [text.get_text() for text in ax.texts] == ["+1.00"] * 4 + ["−3.00"] * 4


def test_differences_are_coloured_by_sign_and_size(table1):
    cells = plots.differences(table1).axes[0].patches
    more, less = to_rgba(cells[0].get_facecolor()), to_rgba(cells[-1].get_facecolor())
    assert more[0] > more[2]
    assert less[2] > less[0]
    assert less[3] == pytest.approx(3 * more[3])


def test_differences_without_the_papers_numbers_are_refused(table1):
    with pytest.raises(ValueError, match="no row of the table has a paper_error"):
        plots.differences(table1.assign(paper_error=float("nan")))


def test_intervals_say_difference_interval_and_certainty(comparison):
    figure = plots.difference_intervals(comparison)
    ax = figure.axes[0]
    assert titles(figure) == ["Error compared with Random"]
    assert [text.get_text() for text in ax.texts] == [
        "−0.0210  [−0.0300, −0.0120]   p < 0.001",
        "+0.0040  [−0.0010, +0.0090]   p = 0.310",
    ]
    low, high = ax.get_xlim()
    assert low < -0.03
    assert high > 0.009


def test_intervals_have_a_panel_per_baseline(comparison):
    two = comparison.assign(versus=["Random", "Uniform"])
    assert titles(plots.difference_intervals(two)) == [
        "Error compared with Random",
        "Error compared with Uniform",
    ]


@pytest.mark.parametrize(
    "draw",
    [plots.learning_curves, plots.proportions, plots.differences, plots.difference_intervals],
)
def test_a_frame_without_a_needed_column_is_refused(draw, table1):
    with pytest.raises(ValueError, match=r"no column .*; it needs"):
        draw(table1[["dataset", "strategy"]])


def test_an_empty_frame_is_refused(curves):
    with pytest.raises(ValueError, match="no rows"):
        plots.learning_curves(curves.head(0))


def test_frames_with_categories_are_drawn_in_their_order(curves, table2):
    for frame in (curves, table2):
        for column in ("dataset", "strategy"):
            frame[column] = frame[column].astype("category")
    assert titles(plots.learning_curves(curves)) == ["Spirals", "Yeast"]
    assert titles(plots.proportions(table2)) == ["Spirals", "Yeast"]


def test_best_shares_are_bars_and_strategies_dots_on_them():
    proportions = pd.DataFrame(
        {
            "strategy": np.repeat(["Spare settled", "Uniform"], 3),
            "class": ["rest", "left", "right"] * 2,
            "proportion": [0.1, 0.4, 0.5, 1 / 3, 1 / 3, 1 / 3],
        }
    )
    figure = plots.best_shares(proportions, [0.05, 0.35, 0.6])
    ax = figure.axes[0]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["right", "left", "rest"]
    widths = [bar.get_width() for bar in ax.patches if isinstance(bar, Rectangle)]
    assert widths == pytest.approx([60, 35, 5])
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    assert np.asarray(dots[0].get_xdata()) == pytest.approx([50, 40, 10])
    assert dots[0].get_color() == plots.strategy_color("Spare settled")
    assert legend_labels(figure) == ["best in hindsight", "Spare settled", "Uniform"]


def test_best_shares_must_be_one_per_class():
    proportions = pd.DataFrame({"strategy": "Uniform", "class": ["a", "b"], "proportion": 0.5})
    with pytest.raises(ValueError, match=r"best has shape \(3,\), but there are 2 classes"):
        plots.best_shares(proportions, [0.2, 0.3, 0.5])


def test_the_legend_above_a_single_data_set_is_not_cut_off():
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    strategies = ["Spare settled", "PAL-ACS", "Uniform", "Random"]
    table = pd.DataFrame(
        {
            "dataset": "mine",
            "strategy": np.repeat(strategies, 2),
            "class": ["a", "b"] * 4,
            "proportion": 0.5,
            "paper_proportion": np.nan,
        }
    )
    figure = plots.proportions(table)
    FigureCanvasAgg(figure).draw()
    assert figure.legends[0].get_window_extent().x1 <= figure.bbox.x1


def test_names_of_many_classes_do_not_cover_each_other():
    names = [f"species {i:02d}" for i in range(60)]
    frame = pd.DataFrame({"dataset": "many", "strategy": "PAL-ACS", "class": names})
    figure = plots.proportions(frame.assign(proportion=1 / 60, paper_proportion=float("nan")))
    figure.canvas.draw()
    boxes = [label.get_window_extent() for label in figure.axes[0].get_xticklabels()]
    assert all(left.x1 <= right.x0 for left, right in pairwise(boxes))


@pytest.mark.parametrize("n_classes", [3, 60])
def test_a_very_long_name_leaves_room_for_the_picture(n_classes):
    names = ["a class that is called by a whole sentence, " * 3, *map(str, range(1, n_classes))]
    table = pd.DataFrame({"dataset": "mine", "strategy": "Uniform", "class": names})
    table = table.assign(proportion=1 / n_classes, paper_proportion=float("nan"), error=0.5)
    for figure in (
        plots.proportions(table),
        plots.class_errors(table),
        plots.best_shares(table, [1 / n_classes] * n_classes),
    ):
        figure.draw_without_rendering()
        whole, panel = figure.bbox, figure.axes[0].get_window_extent()
        assert panel.width > 0.4 * whole.width
        assert panel.height > 0.3 * whole.height
        for label in figure.axes[0].get_xticklabels() + figure.axes[0].get_yticklabels():
            box = label.get_window_extent()
            assert box.x0 >= -1
            assert box.y0 >= -1
