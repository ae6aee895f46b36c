import re
from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree

import matplotlib as mpl
import pytest

from palacs import plots


def test_save_writes_png_and_svg_and_makes_the_folder(tmp_path, curves):
    png, svg = plots.save(plots.learning_curves(curves), tmp_path / "figures" / "v1.2 curves")
    assert png.name == "v1.2 curves.png"
    assert svg.name == "v1.2 curves.svg"
    assert png.read_bytes().startswith(b"\x89PNG")
    assert ElementTree.parse(svg).getroot().tag.endswith("svg")


def test_the_same_picture_gives_the_same_bytes(tmp_path, table1, table2, curves):
    for name, draw in {
        "curves": lambda: plots.learning_curves(curves),
        "proportions": lambda: plots.proportions(table2),
        "differences": lambda: plots.differences(table1),
    }.items():
        once = [path.read_bytes() for path in plots.save(draw(), tmp_path / f"{name}-1")]
        again = [path.read_bytes() for path in plots.save(draw(), tmp_path / f"{name}-2")]
        assert once == again, name


def test_files_carry_no_date(tmp_path, table1):
    png, svg = plots.save(plots.differences(table1), tmp_path / "differences")
    assert "<dc:date>" not in svg.read_text(encoding="utf-8")
    assert b"tEXt" not in png.read_bytes()


def test_an_svg_for_a_page_keeps_its_text_and_follows_the_page_colours(table2):
    svg = plots.to_svg(plots.proportions(table2))
    assert svg.startswith("<svg ")
    assert "PAL-ACS" in svg
    assert "equal shares" in svg
    assert "var(--palacs-ink, " in svg
    # A bare style element would reach every element of the page.
    assert "<style" not in svg


def test_figures_can_be_made_in_many_threads(curves):
    expected = plots.to_svg(plots.learning_curves(curves))
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: plots.to_svg(plots.learning_curves(curves)), range(8)))
    assert set(made) == {expected}


def test_global_settings_are_left_as_they_were(tmp_path, curves):
    before = dict(mpl.rcParams)
    figure = plots.learning_curves(curves)
    plots.save(figure, tmp_path / "curves")
    plots.to_svg(figure)
    assert dict(mpl.rcParams) == before


def test_hostile_names_stay_text(curves):
    curves["strategy"] = '<script>alert("x")</script>'
    svg = plots.to_svg(plots.learning_curves(curves))
    assert "<script" not in svg
    assert re.search(r"&lt;script", svg)


@pytest.mark.parametrize("dollars", ["$5 or $6", "a_b^c", "100 % $\\frac$"])
def test_names_are_never_read_as_formulas(dollars, curves, table1, table2, comparison):
    for frame in (curves, table1, table2, comparison):
        frame["strategy"] = frame["strategy"].replace("PAL-ACS", dollars)
    for frame in (curves, table1, table2):
        frame["dataset"] = frame["dataset"].replace("Spirals", dollars)
    table2["class"] = table2["class"].replace("easy", dollars)
    for figure in (
        plots.learning_curves(curves),
        plots.proportions(table2),
        plots.differences(table1),
        plots.difference_intervals(comparison),
    ):
        words = [element.text for element in ElementTree.fromstring(plots.to_svg(figure)).iter()]
        assert dollars in words
