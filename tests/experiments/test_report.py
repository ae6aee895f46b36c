import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from palacs import plots
from palacs.experiments import Finding
from palacs.experiments.report._page import (
    Picture,
    ReportContent,
    Section,
    error_table,
    plain_table,
    proportion_table,
    write_report,
)

HOSTILE = '<img src="http://evil.example/x.png" onerror="alert(1)">&\'"'


class Page(HTMLParser):
    """What a browser makes of the page: elements with their attributes, and the words."""

    def __init__(self, text):
        super().__init__()
        self.elements: list[Any] = []
        self.words: list[str] = []
        self.styles: list[str] = []
        self.feed(text)
        self.text = re.sub(r"\s+", " ", " ".join(self.words))

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        inside = self.styles if self.elements and self.elements[-1][0] == "style" else self.words
        inside.append(data)

    def of(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture
def table1():
    return pd.DataFrame(
        [
            ("Spirals", "PAL-ACS", 1, 0.2801, 0.55, 0.2816, 0.3882),
            ("Spirals", "PAL-ACS", 2, 0.1900, 0.61, 0.1900, 0.5807),
            ("Spirals", "Random", 1, 0.2950, 0.20, 0.2897, 0.2616),
            ("Spirals", "Random", 2, 0.2101, 0.33, np.nan, np.nan),
        ],
        columns=[
            "dataset", "strategy", "phase", "error", "win_ratio", "paper_error", "paper_win_ratio",
        ],
    )  # fmt: skip


@pytest.fixture
def table2():
    return pd.DataFrame(
        [
            ("Yeast", "PAL-ACS", "CYT", 0.234, 0.23),
            ("Yeast", "PAL-ACS", "NUC", 0.766, 0.77),
            ("Yeast", "Uniform", "CYT", 0.5, np.nan),
            ("Yeast", "Uniform", "NUC", 0.5, np.nan),
        ],
        columns=["dataset", "strategy", "class", "proportion", "paper_proportion"],
    )


@pytest.fixture
def svg():
    figure = Figure(figsize=(2, 2))
    figure.subplots().plot([1, 2], label="a line")
    return plots.to_svg(figure)


@pytest.fixture
def png(tmp_path):
    return plots.save(Figure(figsize=(1, 1)), tmp_path / "figure")[0].read_bytes()


@pytest.fixture
def full(table1, table2, svg, png):
    return ReportContent(
        "The paper again",
        "Two data sets, 500 trials",
        ["PAL-ACS wins on Spirals.", "By 0.015."],
        [Finding("Mean difference at most 0.008", "0.0051", True), Finding("Bars", "+0.1", False)],
        [
            Section("Errors", ["How to read it."], [error_table(table1, "Table 1. Errors.")]),
            Section("Shares", [], [proportion_table(table2, "Table 2. Shares.")]),
            Section("Pictures", [], [], [Picture(svg, "A curve", "a rising line"),
                                         Picture(svg, "Again"), Picture(png, "Points")]),
        ],
        ["Vertebral: PAL-ACS asks more often for Spondylolisthesis."],
        [("empty start", "one instance of every class first")],
        {"seed": 7, "trials": 500},
        {"python": "3.11.9", "numpy": "2.4.6"},
        ["palacs reproduce --seed 7"],
    )  # fmt: skip


@pytest.fixture
def page(tmp_path, full):
    return Page(write_report(tmp_path / "report.html", full).read_text(encoding="utf-8"))


def test_the_page_says_everything_it_was_given(page):
    for words in (
        "The paper again", "Two data sets, 500 trials", "PAL-ACS wins on Spirals.", "By 0.015.",
        "Mean difference at most 0.008", "0.0051", "How to read it.", "Table 1. Errors.",
        "Table 2. Shares.", "asks more often for Spondylolisthesis", "empty start",
        "one instance of every class first", "seed", "7", "3.11.9", "2.4.6",
        "palacs reproduce --seed 7", "A curve",
    ):  # fmt: skip
        assert words in page.text, words


def test_findings_are_counted_and_named(page):
    assert "1 of 2 expectations reached" in page.text
    assert page.text.count("not reached") == 1
    assert [li["class"] for li in page.of("li") if "class" in li] == ["reached", "missed"]


def test_the_page_needs_nothing_from_elsewhere(page):
    assert not page.of("script")
    assert not page.of("link")
    assert not page.of("iframe")
    for tag, attributes in page.elements:
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, name)
            if name in ("src", "href", "xlink:href", "data", "action"):
                assert value.startswith(("#", "data:image/png;base64,")), (tag, value)
    css = " ".join(page.styles)
    assert "url(" not in css
    assert "@import" not in css


def test_every_link_inside_the_page_leads_somewhere(page):
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = {value[1:] for _, a in page.elements for key, value in a.items() if key == "href"}
    assert links <= set(ids)
    clips = re.findall(r"url\(#([^)]+)\)", str(page.elements))
    assert clips
    assert set(clips) <= set(ids)


def test_contents_list_every_section(page):
    titles = {attributes["aria-labelledby"] for attributes in page.of("section")}
    assert len(titles) == 7
    targets = [a["href"][1:] for a in page.of("a") if a["href"] != "#main"]
    assert targets == [attributes["id"] for attributes in page.of("section")]


def test_pictures_are_numbered_and_described(page):
    assert "Figure 1." in page.text
    assert "Figure 3." in page.text
    assert [a["aria-label"] for a in page.of("svg")] == ["a rising line", "Again"]
    assert [a["alt"] for a in page.of("img")] == ["Points"]


def test_tables_have_captions_and_scopes(page):
    assert len(page.of("caption")) == len(page.of("table")) == 2
    assert {th["scope"] for th in page.of("th")} == {"col", "colgroup", "row", "rowgroup"}


def test_the_page_is_for_phones_dark_rooms_and_paper(page):
    assert page.of("html")[0]["lang"] == "en"
    assert any("width=device-width" in meta.get("content", "") for meta in page.of("meta"))
    css = " ".join(page.styles)
    assert "prefers-color-scheme: dark" in css
    assert "@media print" in css


def test_empty_parts_are_left_out(tmp_path):
    page = Page(write_report(tmp_path / "r.html", ReportContent("Bare")).read_text())
    assert not page.of("section")
    assert not page.of("li")


def test_hostile_names_stay_words(tmp_path, table1, table2, svg):
    table1["strategy"] = table1["strategy"].replace("Random", HOSTILE)
    table2["class"] = table2["class"].replace("CYT", HOSTILE)
    content = ReportContent(
        HOSTILE, HOSTILE, [HOSTILE], [Finding(HOSTILE, HOSTILE, True)],
        [Section(HOSTILE, [HOSTILE],
                 [error_table(table1, HOSTILE), proportion_table(table2, HOSTILE),
                  plain_table(pd.DataFrame({HOSTILE: [HOSTILE]}), HOSTILE)],
                 [Picture(svg, HOSTILE, HOSTILE)])],
        [HOSTILE], [(HOSTILE, HOSTILE)], {HOSTILE: HOSTILE}, {HOSTILE: HOSTILE}, [HOSTILE],
    )  # fmt: skip
    page = Page(write_report(tmp_path / "report.html", content).read_text(encoding="utf-8"))
    assert not page.of("img")
    assert HOSTILE in page.text
    assert page.of("svg")[0]["aria-label"] == HOSTILE
    assert not any(name.startswith("on") for _, a in page.elements for name in a)


def cells(table):
    return [cell for group in table.groups for row in group for cell in row if not cell.head]


def test_errors_stand_beside_the_papers_with_their_difference(table1):
    pal_1, pal_wins, pal_2, _, random_1, _, random_2, _ = cells(error_table(table1, ""))
    assert (pal_1.text, pal_1.paper, pal_1.difference) == ("0.2801", "0.2816", "−0.0015")
    assert (pal_wins.text, pal_wins.paper) == ("55.0 %", "38.8 %")
    assert (pal_2.difference, pal_2.sign) == ("0.0000", "equal")
    assert (random_1.difference, random_1.sign) == ("+0.0053", "above")
    assert (random_2.text, random_2.paper, random_2.difference) == ("0.2101", "", "")


def test_the_larger_the_difference_the_stronger_its_colour(table1, page):
    pal_1, *_, random_1, _, _, _ = cells(error_table(table1, ""))
    assert 0 < pal_1.strength < random_1.strength <= 1
    marks = [a for a in page.of("span") if "difference " in a.get("class", "")]
    assert [mark["class"].split()[1] for mark in marks[:3]] == ["below", "equal", "above"]
    assert f"--strength: {random_1.strength}" in marks[2]["style"]


def test_the_best_of_a_phase_is_bold_and_ties_all_are(table1):
    table1.loc[3, "error"] = 0.19
    pal_1, pal_wins, pal_2, _, random_1, random_wins, random_2, _ = cells(error_table(table1, ""))
    assert (pal_1.best, random_1.best) == (True, False)
    assert (pal_wins.best, random_wins.best) == (True, False)
    assert (pal_2.best, random_2.best) == (True, True)
    assert (pal_1.paper_best, random_1.paper_best) == (True, False)


def test_proportions_are_in_percent_and_a_paper_without_value_is_silent(table2):
    first, second, *_ = cells(proportion_table(table2, ""))
    assert (first.text, first.paper, first.difference) == ("23.4 %", "23.0 %", "+0.4")
    assert (second.text, second.paper) == ("50.0 %", "")


def test_a_strategy_played_on_one_data_set_only_leaves_a_gap(table2):
    more = pd.concat([table2, table2.iloc[:2].assign(dataset="Bars")])
    assert [cell.text for cell in cells(proportion_table(more, ""))][-1] == "–"


def test_plain_tables_print_numbers_for_people():
    frame = pd.DataFrame(
        {"strategy": ["PAL-ACS"], "mean_difference": [-0.0214], "p_holm": [2.1e-7],
         "saved": [31.0], "reached": [np.nan]}
    )  # fmt: skip
    table = plain_table(frame, "Compared")
    assert [cell.text for cell in table.head[0]][1] == "mean difference"
    assert [cell.text for cell in table.groups[0][0]] == [
        "PAL-ACS", "−0.0214", "2.1e−07", "31", "–",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "image",
    [
        "<svg><script>alert(1)</script></svg>",
        '<svg onload="alert(1)"/>',
        '<svg><image href="https://example.org/x.png"/></svg>',
        '<svg><path style="fill: url(https://example.org/x)"/></svg>',
        "<svg><unclosed></svg>",
        b"GIF89a",
    ],
)
def test_a_picture_that_loads_or_runs_is_refused_and_nothing_is_written(tmp_path, image):
    content = ReportContent("x", sections=[Section("s", pictures=[Picture(image, "c")])])
    with pytest.raises(ValueError, match="figure1"):
        write_report(tmp_path / "report.html", content)
    assert not list(tmp_path.iterdir())


def test_the_same_content_gives_the_same_page(tmp_path, full):
    pages = [write_report(tmp_path / name, full).read_bytes() for name in ("a.html", "b.html")]
    assert pages[0] == pages[1]
    assert sorted(path.name for path in tmp_path.glob("*.html*")) == ["a.html", "b.html"]
