"""Durable ask-and-tell: palacs says what to acquire next, and nothing told is ever lost.

`create_campaign`, `load_campaign` and `import_campaign` give a `Campaign`; `palacs.storage`
keeps it.
"""

from typing import TYPE_CHECKING, Any

from palacs.extras import need

need("campaign", "palacs.campaign")

from palacs.campaign._acquired import Acquired, NoMore, NotAcquired, Source
from palacs.campaign._asking import AskAndTell
from palacs.campaign._author import acting_as, acting_holder, author, is_confined
from palacs.campaign._bringing import bring_recording
from palacs.campaign._calls import follow_up
from palacs.campaign._campaign import Campaign
from palacs.campaign._campaign_errors import (
    BudgetExhausted,
    CampaignClosed,
    CampaignError,
    Conflict,
    DoesNotFit,
    NothingToAsk,
    SourceFailed,
    UnknownClass,
    UnknownEntry,
)
from palacs.campaign._features import HISTORY_COLUMNS
from palacs.campaign._instance_file import read_instance
from palacs.campaign._naming import names_of
from palacs.campaign._operations import Notes
from palacs.campaign._predicting import Predicted
from palacs.campaign._recordings import Recording, RecordingCheck
from palacs.campaign._records import (
    ClassStatus,
    Instance,
    Request,
    Status,
    history_to_json,
    json_number,
)
from palacs.campaign._replaying import Mismatch, Replay
from palacs.campaign._run import Run
from palacs.campaign._session_settings import SESSIONS
from palacs.campaign._settings import Changes, Settings
from palacs.campaign._snapshot import Snapshot
from palacs.campaign._starting import create_campaign, import_campaign, load_campaign

if TYPE_CHECKING:
    from palacs.campaign._campaign_model import BoundsScaler
    from palacs.campaign._why import Why

__all__ = [
    "HISTORY_COLUMNS",
    "SESSIONS",
    "Acquired",
    "AskAndTell",
    "BoundsScaler",
    "BudgetExhausted",
    "Campaign",
    "CampaignClosed",
    "CampaignError",
    "Changes",
    "ClassStatus",
    "Conflict",
    "DoesNotFit",
    "Instance",
    "Mismatch",
    "NoMore",
    "NotAcquired",
    "Notes",
    "NothingToAsk",
    "Predicted",
    "Recording",
    "RecordingCheck",
    "Replay",
    "Request",
    "Run",
    "Settings",
    "Snapshot",
    "Source",
    "SourceFailed",
    "Status",
    "UnknownClass",
    "UnknownEntry",
    "Why",
    "acting_as",
    "acting_holder",
    "author",
    "bring_recording",
    "create_campaign",
    "follow_up",
    "history_to_json",
    "import_campaign",
    "is_confined",
    "json_number",
    "load_campaign",
    "names_of",
    "read_instance",
]


def __getattr__(name: str) -> Any:
    # scikit-learn takes a second to import, which telling need not wait for.
    if name == "BoundsScaler":
        from palacs.campaign._campaign_model import BoundsScaler

        return BoundsScaler
    if name == "Why":
        from palacs.campaign._why import Why

        return Why
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
