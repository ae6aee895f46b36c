"""In a notebook: figures appear, once; views are HTML; a bar shows how far a comparison is."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

CELLS = {
    "compare": """
import numpy as np, palacs
from sklearn.naive_bayes import GaussianNB
rng = np.random.default_rng(0)
X, y = rng.normal(size=(24, 2)), ["<b>", "left", "right"] * 8
found = palacs.compare(X, y, budget=4, trials=2, strategies=["random"], model=GaussianNB, jobs=1)
""",
    "answer": "found",
    "results": "found.results",
    "picture": "found.plot_curves()",
    "campaign": """
c = palacs.create_campaign("<i>lab", classes=["rest", "left"], storage="memory", budget=9)
c.tell(c.ask(), [0.1]); c.ask()
c
""",
    "conditions": "palacs.Conditions(costs={'rest': 1, 'left': 2.5}, max_repeat=3)",
    "no conditions": "palacs.Conditions()",
    "inline": "%matplotlib inline\nimport matplotlib.pyplot as plt",
    "picture inline": "found.plot_curves()",
    "on axes": "fig, ax = plt.subplots(); found.plot_curves(ax=ax)",
}


@pytest.fixture(scope="module")
def outputs() -> dict[str, list[Any]]:
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS.values()]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return {name: cell.outputs for name, cell in zip(CELLS, notebook.cells, strict=True)}


def shown(outputs: list[Any], kind: str) -> list[str]:
    return [o["data"][kind] for o in outputs if kind in o.get("data", {})]


@pytest.mark.parametrize("cell", ["picture", "picture inline", "on axes"])
def test_a_figure_appears_once(outputs: dict[str, list[Any]], cell: str) -> None:
    assert len(shown(outputs[cell], "image/png")) == 1


def test_a_bar_shows_how_far_it_is_and_goes_away(outputs: dict[str, list[Any]]) -> None:
    (bar,) = [o for o in outputs["compare"] if o["output_type"] == "display_data"]
    assert bar["data"]["text/html"] == ""  # what is left of it
    assert not [o for o in outputs["compare"] if o["output_type"] == "stream"]


def test_views_say_what_there_is_and_no_name_becomes_markup(outputs: dict[str, list[Any]]) -> None:
    (answer,) = shown(outputs["answer"], "text/html")
    assert "Worth it?" in answer
    assert "phase 4" in answer
    (results,) = shown(outputs["results"], "text/html")
    assert "Random, Uniform" in results
    (campaign,) = shown(outputs["campaign"], "text/html")
    for said in ("&lt;i&gt;lab", "open requests", "9, 7 left", "rest", "state", ">open<"):
        assert said in campaign
    (conditions,) = shown(outputs["conditions"], "text/html")
    assert "rest: 1, left: 2.5" in conditions
    assert "no limits" in shown(outputs["no conditions"], "text/html")[0]
    for view in (answer, results, campaign, conditions):
        assert "<script" not in view
        assert "<i>" not in view
        assert "<b>" not in view
