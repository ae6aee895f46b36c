import numpy as np
import pytest

from palacs import PALACS, plots

X = np.array([0.10, 0.54, 0.62, 0.27, 0.60, 0.78, 0.66, 0.83, 0.18])[:, None]
Y = np.array(["blue", "red", "green", "blue", "red", "green", "red", "green", "blue"])
CLASSES = ["blue", "red", "green"]


def strategy():
    return PALACS(n_pseudo=120, sampling="grid")


def columns(figure):
    return figure.axes[::2], figure.axes[1::2]


def test_two_steps_stand_side_by_side():
    left, right = columns(plots.look_inside(X, Y, strategy(), classes=CLASSES))
    assert left[0].get_title(loc="left") == "8 instances acquired"
    assert right[0].get_title(loc="left") == "9 instances acquired"
    assert [ax.get_title(loc="left") for ax in left[2:]] == CLASSES
    for rows in zip(left, right, strict=True):
        assert rows[0].get_ylim() == rows[1].get_ylim()
        assert rows[0].get_xlim() == rows[1].get_xlim()


def test_instances_lie_on_the_axis_in_the_colour_of_their_class():
    left, _ = columns(plots.look_inside(X, Y, strategy(), classes=CLASSES))
    dots = {line.get_label(): line for line in left[0].lines if line.get_marker() == "o"}
    assert sorted(dots["blue"].get_xdata()) == [0.10, 0.27]
    assert set(dots["blue"].get_ydata()) == {0.0}
    assert dots["red"].get_color() == plots.class_color(1)


def test_the_sums_printed_are_the_utilities_of_the_strategy():
    for n, axes in zip((8, 9), columns(plots.look_inside(X, Y, strategy(), classes=CLASSES)),
                       strict=True):  # fmt: skip
        utilities = strategy().explain(X[:n], Y[:n], classes=CLASSES).utilities
        for ax, utility in zip(axes[2:], utilities, strict=True):
            (text,) = (text.get_text() for text in ax.texts)
            mantissa, power = text.removeprefix("Σ = ").split(" × 10")
            exponent = int(power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))
            assert float(mantissa) * 10.0**exponent == pytest.approx(
                utility, abs=0.0051 * 10.0**exponent
            )


def test_the_chosen_class_is_framed_as_query_chooses_it():
    for n, axes in zip((8, 9), columns(plots.look_inside(X, Y, strategy(), classes=CLASSES)),
                       strict=True):  # fmt: skip
        framed = [
            ax.get_title(loc="left") for ax in axes[2:]
            if ax.get_title(loc="right") == "requested next"
        ]  # fmt: skip
        assert framed == strategy().query(X[:n], Y[:n], classes=CLASSES).tolist()


def test_more_blue_instances_turn_the_choice_as_in_the_paper():
    left, right = columns(plots.look_inside(X, Y, classes=CLASSES))
    assert left[2].get_title(loc="right") == "requested next"
    assert right[2].get_title(loc="right") == ""


def test_the_gain_is_dashed_and_its_weighted_form_solid():
    left, _ = columns(plots.look_inside(X, Y, strategy(), classes=CLASSES))
    weighted, gain = left[1].lines
    assert gain.get_linestyle() == "--"
    explanation = strategy().explain(X[:8], Y[:8], classes=CLASSES)
    assert np.array_equal(gain.get_ydata(), explanation.gains)
    assert weighted.get_linestyle() == "-"
    spacing = np.diff(weighted.get_xdata())[0]
    expected = float(explanation.gains @ explanation.density_weights)
    assert weighted.get_ydata().sum() * spacing == pytest.approx(expected)


def test_a_strategy_that_samples_is_refused_with_the_remedy():
    with pytest.raises(ValueError, match=r"sampling='monte-carlo'.*sampling=\"grid\""):
        plots.look_inside(X, Y, PALACS())


@pytest.mark.parametrize("features", [X[:, 0], np.hstack([X, X]), X[:1]])
def test_anything_but_one_feature_and_two_steps_is_refused(features):
    with pytest.raises(ValueError, match="X has shape"):
        plots.look_inside(features, Y[: len(features)])
