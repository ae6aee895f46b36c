"""The timeline of a session is a setting like others, and decisions can be made ahead of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from palacs.campaign import SESSIONS, create_campaign, load_campaign

DOT = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


def test_a_timeline_is_kept_changed_and_follows_its_classes(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/lab.db"
    with create_campaign("timed", ["left", "right"], storage=url) as campaign:
        assert campaign.settings.session is None
        campaign.change(session="gestures", reason="gestures")
        assert campaign.settings.session == SESSIONS["gestures"]
        media = {"pictures": {"left": DOT}, "sounds": {"right": 440}}
        campaign.change(session={"rest": [1, 2], "block": None, **media}, reason="slower")
        campaign.rename_class("left", "left hand", "clearer")
    with load_campaign("timed", storage=url) as again:
        session = again.settings.session
        assert session is not None
        assert session["rest"] == [1.0, 2.0]
        assert session["fixation"] == SESSIONS["motor-imagery"]["fixation"]
        assert session["block"] is None
        assert session["pictures"] == {"left hand": DOT}
        assert session["sounds"] == {"right": 440.0}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("opera", "there are motor-imagery, gestures, odours"),
        (3, "neither a name nor an object"),
        ({"rests": 1}, "no 'rests'"),
        ({"rest": [1, 2, 3]}, "no pair"),
        ({"cue": -1}, "no number of seconds"),
        ({"cue": None}, "no number of seconds"),
        ({"cue": True}, "no number of seconds"),
        ({"block": 0}, "block must be a whole number"),
        ({"pictures": {"left": "https://example.org/a.png"}}, "data:image/"),
        ({"sounds": {"left": 5}}, "pitch in Hz"),
        ({"pictures": {"left": "data:image/png;base64," + "A" * 300_000}}, "at most 200,000"),
    ],
)
def test_a_timeline_that_cannot_be_run_is_refused(given: Any, says: str) -> None:
    campaign = create_campaign("odd", ["left", "right"], storage="memory")
    with pytest.raises(ValueError, match=says):
        campaign.change(session=given, reason="odd")
    assert campaign.settings.session is None


def test_a_decision_made_ahead_is_taken_and_can_be_replayed() -> None:
    campaign = create_campaign("ahead", ["left", "right"], storage="memory", seed=1)
    first = campaign.ask()
    campaign.prepare()
    known = campaign.snapshot().seq
    campaign.tell(first, [0.5])
    second = campaign.ask()
    asked = campaign.events()[-1]
    assert asked.payload["known"] == known, "it was made before the first was told"
    assert second.label != first.label
    for request in (second, campaign.ask()):
        campaign.tell(request, [0.7])
    assert campaign.replay().ok


def test_a_decision_made_ahead_is_not_taken_where_somebody_else_asked() -> None:
    campaign = create_campaign("overtaken", ["left", "right"], storage="memory", seed=1)
    campaign.prepare()
    other = campaign.ask_many(2)
    campaign.prepare()
    known = campaign.snapshot().seq
    campaign.pause(other[0].label)
    again = campaign.ask()
    assert again.label == other[1].label
    assert campaign.events()[-1].payload["known"] > known


def test_a_pair_may_begin_with_the_longest() -> None:
    campaign = create_campaign("pairs", ["left", "right"], storage="memory")
    campaign.change(session={"rest": [2.5, 1.5]}, reason="as it was noted")
    assert campaign.settings.session is not None
    assert campaign.settings.session["rest"] == [1.5, 2.5]
