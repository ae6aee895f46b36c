"""Durable ask-and-tell: palacs says what to acquire next, and nothing told is ever lost.

:func:`create_campaign`, :func:`load_campaign` and :func:`import_campaign` give a
:class:`Campaign`; :mod:`palacs.storage` keeps it.
"""

from typing import TYPE_CHECKING, Any

from palacs.campaign._campaign import Campaign
from palacs.campaign._decide import Mismatch, Replay
from palacs.campaign._errors import (
    BudgetExhausted,
    CampaignError,
    Conflict,
    NothingToAsk,
    UnknownClass,
    UnknownEntry,
)
from palacs.campaign._open import create_campaign, import_campaign, load_campaign
from palacs.campaign._records import ClassStatus, Instance, Request, Status
from palacs.campaign._settings import Settings

if TYPE_CHECKING:
    from palacs.campaign._model import BoundsScaler

__all__ = [
    "BoundsScaler",
    "BudgetExhausted",
    "Campaign",
    "CampaignError",
    "ClassStatus",
    "Conflict",
    "Instance",
    "Mismatch",
    "NothingToAsk",
    "Replay",
    "Request",
    "Settings",
    "Status",
    "UnknownClass",
    "UnknownEntry",
    "create_campaign",
    "import_campaign",
    "load_campaign",
]


def __getattr__(name: str) -> Any:
    # scikit-learn takes a second to import, which telling need not wait for.
    if name == "BoundsScaler":
        from palacs.campaign._model import BoundsScaler

        return BoundsScaler
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
