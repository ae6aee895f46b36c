"""``palacs datasets`` lists everything on 80 columns, and for scripts as JSON."""

import json
import sys

import pytest
import typer
from typer.testing import CliRunner

from palacs.cli._datasets import datasets_command
from palacs.datasets import DATASETS


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    app = typer.Typer()
    app.command()(datasets_command)

    def invoke(*arguments):
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, result.output
        return result.output

    return invoke


def row(output, name):
    line = next(line for line in output.splitlines() if line.startswith(f"{name} "))
    return " ".join(line.split())


def test_every_data_set_has_a_line_that_fits(run):
    output = run()
    assert len(output.splitlines()) == 1 + len(DATASETS)
    assert max(map(len, output.splitlines())) <= 80
    assert row(output, "Vehicle") == "Vehicle 846 18 4 212 217 218 199 UCI"
    assert row(output, "Spirals") == "Spirals 1200 2 3 3 x 400 synthetic"
    assert row(output, "yeast-all") == "yeast-all 1484 8 10 5 - 463 UCI"


def test_json_holds_shapes_and_class_sizes(run):
    by_name = {entry["name"]: entry for entry in json.loads(run("--json"))}
    assert list(by_name) == list(DATASETS)
    vertebral = by_name["Vertebral"]
    assert vertebral["instances"] == 310
    assert vertebral["features"] == 6
    assert vertebral["classes"] == 3
    assert vertebral["class_sizes"] == {"Hernia": 60, "Spondylolisthesis": 150, "Normal": 100}
    assert vertebral["budget"] == 60
    assert vertebral["install"] is None


def test_a_data_set_whose_extra_is_missing_is_listed_with_the_remedy(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "seglearn", None)
    output = run()
    assert row(output, "smartwatch") == "smartwatch - - - not installed seglearn"
    assert "smartwatch: pip install 'palacs[smartwatch]'" in output
    (watch,) = (e for e in json.loads(run("--json")) if e["name"] == "smartwatch")
    assert watch["instances"] is None
    assert watch["install"] == "pip install 'palacs[smartwatch]'"
