"""A recording that somebody brings for a request: features now if they can be made, else later.

People with phones do not know what an extractor is. What they recorded is kept in any case where
it is what was asked for; what could not be made into features waits, with the reason beside it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from palacs.campaign._calls import follow_up
from palacs.campaign._campaign import Campaign
from palacs.campaign._campaign_errors import CampaignError, Conflict, UnknownEntry
from palacs.campaign._instance_file import read_instance
from palacs.campaign._recordings import Recording, bytes_of
from palacs.campaign._records import Instance, Request, id_of
from palacs.campaign._telling import brief_reason

_TABLES = (".csv", ".tsv", ".txt", ".json", ".npy")


def bring_recording(
    campaign: Campaign,
    request: Request | str,
    recording: Recording,
    *,
    attrs: Mapping[str, Any] | None = None,
    op: str | None = None,
) -> tuple[Instance | None, str]:
    r"""Record what was recorded for a request.

    The extractor in force makes its features; without one the numbers in a table are taken.
    Otherwise the request is performed and its recording kept, and the features are still to come:
    ``tell`` it without any once there is an extractor.

    Parameters
    ----------
    campaign : Campaign
    request : Request or str
        Or its id.
    recording : Recording
        With its content, or a file.
    attrs : mapping or None
        What to note with it.
    op : str or None
        Your id for this call, see `Campaign`.

    Returns
    -------
    tuple of Instance or None, str
        The instance, or None and why its features are still to come.

    Examples
    --------
    >>> from palacs.campaign import Recording, bring_recording, create_campaign
    >>> c = create_campaign("demo", ["rest", "left"], storage="memory")
    >>> bring_recording(c, c.ask(), Recording.keep(b"0.5,0.25\n", "trial.csv"))[0].x
    array([0.5 , 0.25])
    >>> bring_recording(c, c.ask(), Recording.keep(b"...", "photo.jpg"))
    (None, 'no extractor is in force yet')
    """
    id_ = id_of(request)
    if campaign.extractor is None:
        if PurePath(recording.where).suffix.lower() in _TABLES:
            content, name = bytes_of(recording)
            x = read_instance(content, name, campaign.n_features, campaign.feature_names)
            return campaign.tell(id_, x, recording=recording, attrs=attrs, op=op), ""
        why = "no extractor is in force yet"
    else:
        try:
            return campaign.tell(id_, recording=recording, attrs=attrs, op=op), ""
        except (Conflict, UnknownEntry):
            raise
        except (CampaignError, ValueError, ModuleNotFoundError) as error:
            # The same when it is sent again, and without places in this process or machine.
            said = str(error).replace(recording.where, PurePath(recording.where).name)
            why = brief_reason(re.sub(r" at 0x[0-9a-fA-F]+", "", said))
    noted = {**(attrs or {}), **({"not_extracted": why[:500]} if campaign.extractor else {})}
    # Another call than the one above, which may have got this far before.
    again = follow_up("kept", op)
    campaign.performed(id_, attrs=noted or None, recording=recording, op=again)
    return None, why
