"""What a campaign refuses, and why; nothing was written when one of these is raised."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from palacs.campaign._run import Run


class CampaignError(Exception):
    """The campaign cannot do this now."""


class NothingToAsk(CampaignError):
    """No class may be requested: all are paused, or the budget is used up."""


class BudgetExhausted(NothingToAsk):
    """As many instances as the budget allows are delivered or under way."""


class CampaignClosed(NothingToAsk):
    """The campaign is closed or archived: nothing new begins until it is reopened."""


class UnknownEntry(CampaignError):
    """There is no request or instance of this id in the campaign."""


class Conflict(CampaignError):
    """The record already says something else about this request or class."""


class DoesNotFit(ValueError):
    """A value that can be used, but not with what is in this campaign."""


class UnknownClass(DoesNotFit):
    """The label is not one of the campaign's classes."""


class SourceFailed(CampaignError):
    """A source brought nothing many times in a row, so that the run ended.

    Attributes
    ----------
    run : Run
        How far it had come.
    """

    def __init__(self, message: str, run: Run) -> None:
        super().__init__(message)
        self.run = run
