"""What every source promises, as checks anyone can run.

The checks run it in the real loop, on a campaign in memory: what it brings must be told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from palacs.campaign import Campaign, Request, Run, SourceFailed, create_campaign
from palacs.storage import Label

Check = Callable[[Any, Campaign, int], None]


def check_source(source: Any, classes: Sequence[Label], n: int = 3, **options: Any) -> None:
    """Try whether a source keeps what `palacs.campaign.Source` promises.

    Parameters
    ----------
    source : Source or callable
        It must be able to bring `n` instances of every class.
    classes : sequence of str or int
    n : int
        How many of each.
    **options
        For ``Campaign.run``, such as ``timeout`` or ``extractor``.

    Raises
    ------
    AssertionError
        It does not; the message says what was expected.

    Examples
    --------
    >>> from palacs.testing import check_source
    >>> check_source(lambda request: [0.5, 1.0], classes=["left", "right"])
    """
    strangers_are_not_an_error(source)
    with create_campaign("checked", classes, storage="memory", seed=0) as campaign:
        every_request_is_answered(source, campaign, n * len(classes), options)
        instances_are_of_one_length(campaign)
        recordings_are_where_they_are_said_to_be(campaign)
    with create_campaign("again", classes, storage="memory", seed=0) as campaign:
        it_can_be_run_again(source, campaign, options)


def strangers_are_not_an_error(source: Any) -> None:
    """See that ``cancel`` of a request that was just answered does nothing."""
    from datetime import UTC, datetime

    cancel = getattr(source, "cancel", None)
    if cancel is not None:
        cancel(Request("r0-none", "nothing", {}, datetime.now(UTC), None))


def every_request_is_answered(
    source: Any, campaign: Campaign, wanted: int, options: dict[str, Any]
) -> None:
    """See that what it brings can be told, and that nothing is left open."""
    reasons: list[str] = []
    run = _run(source, campaign, {"until": wanted, **options}, reasons)
    said = f"; {reasons[0]}" if reasons else ""
    assert run.told == wanted, f"{run.told} of {wanted} requests were answered{said}"
    assert not campaign.pending(), "a request was left open"


def _run(source: Any, campaign: Campaign, options: dict[str, Any], reasons: list[str]) -> Run:
    heard = {"on_failed": lambda request, reason: reasons.append(reason), "progress": False}
    try:
        return campaign.run(source, **{"retries": 0, "give_up": 3, **heard, **options})
    except SourceFailed as error:
        return error.run


def instances_are_of_one_length(campaign: Campaign) -> None:
    """See that every class has come; the campaign itself refuses another length."""
    X, y = campaign.labelled_set()
    assert X.ndim == 2
    missing = set(campaign.classes) - set(y.tolist())
    assert not missing, f"no instance of {missing} came"


def recordings_are_where_they_are_said_to_be(campaign: Campaign) -> None:
    """See that a recording that is named can be found."""
    for check in campaign.check_recordings():
        assert check.state in ("intact", "not fetched"), f"{check.where} is {check.state}"


def it_can_be_run_again(source: Any, campaign: Campaign, options: dict[str, Any]) -> None:
    """See that a further run opens it again after ``close``."""
    run = _run(source, campaign, {"until": 1, **options}, [])
    assert run.told == 1, "a second run brought nothing; open and close have to be repeatable"
