"""What the pages' scripts and styles must agree on; types and lint are checked by make lint."""

from __future__ import annotations

import re
from pathlib import Path

STATIC = Path(__file__).parents[2] / "src" / "palacs" / "studio" / "static"
SCRIPTS = {path.name: path.read_text(encoding="utf-8") for path in STATIC.glob("*.js")}
STYLES = (STATIC / "studio.css").read_text(encoding="utf-8")


def test_the_colour_of_a_class_is_made_in_one_script() -> None:
    makers = {name for name, text in SCRIPTS.items() if "--class-" in text or "`c${" in text}
    assert makers == {"colours.js"}


def test_there_is_a_style_for_every_colour_in_both_themes() -> None:
    (count,) = re.findall(r"const COLOURS = (\d+);", SCRIPTS["colours.js"])
    places = {str(place) for place in range(int(count))}
    for place in places:
        assert STYLES.count(f"--class-{place}: #") == 2, "one in light, one in dark"
    assert set(re.findall(r"^|\.c(\d+) \{", STYLES)) - {""} == places


def test_every_module_a_script_imports_is_there() -> None:
    imported = {
        name
        for text in SCRIPTS.values()
        for name in re.findall(r'^import .* from "\./([^"]+)"', text, re.MULTILINE)
    }
    assert "dom.js" in imported
    assert imported <= set(SCRIPTS)
    assert "shapes.js" not in imported, "types are for the checker; no page loads them"
