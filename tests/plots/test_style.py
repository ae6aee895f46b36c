from itertools import pairwise

import pytest

from palacs.plots import class_color, strategy_color
from palacs.plots._style import class_marker, strategy_line
from palacs.strategies import available


def test_every_listed_strategy_has_a_colour_of_its_own():
    colors = [strategy_color(info.title) for info in available().values()]
    assert len(set(colors)) == len(colors)


def test_colours_are_those_of_the_table_of_strategies():
    for info in available().values():
        assert strategy_color(info.title) == info.colour


def test_strategies_listed_side_by_side_have_different_lines():
    lines = [strategy_line(info.title) for info in available().values()]
    assert all(one != other for one, other in pairwise(lines))


def test_an_unknown_strategy_keeps_its_colour():
    assert strategy_color("Nobody knows me") == strategy_color("Nobody knows me")
    assert strategy_color("Nobody knows me") not in {
        strategy_color(info.title) for info in available().values()
    }


@pytest.mark.parametrize("n_classes", [3, 12, 80])
def test_classes_are_told_apart_by_colour_and_marker(n_classes):
    looks = {(class_color(code), class_marker(code)) for code in range(n_classes)}
    assert len(looks) == n_classes


def _luminance(color):
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_strategy_lines_stand_out_from_white_paper():
    for info in available().values():
        contrast = 1.05 / (_luminance(strategy_color(info.title)) + 0.05)
        assert contrast >= 2.9, info.title
