"""Making, finding and bringing in campaigns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palacs.campaign import _decide, _values
from palacs.campaign._calls import call_of, check_same, signed
from palacs.campaign._campaign import Campaign
from palacs.campaign._continuing import check_beginning, continuation
from palacs.campaign._exchange import read_campaign
from palacs.campaign._extraction import describe, extractor_of
from palacs.campaign._settings import DEFAULT_LEASE_S, make_settings
from palacs.storage import CampaignExists, CampaignNotFound, Draft, Label, Storage, open_storage

if TYPE_CHECKING:
    from palacs.conditions import Conditions
    from palacs.strategies import Strategy


def create_campaign(
    name: str,
    classes: Iterable[Label] | None = None,
    *,
    strategy: Strategy | Mapping[str, Any] | str | None = None,
    storage: str | Storage | None = None,
    budget: int | None = None,
    lease: float | timedelta | None = DEFAULT_LEASE_S,
    bounds: Any = None,
    seed: int | None = None,
    conditions: Conditions | Mapping[str, Any] | None = None,
    budget_cost: float | None = None,
    n_features: int | None = None,
    attrs: Mapping[str, Any] | None = None,
    features: Sequence[str] | Mapping[str, Any] | None = None,
    groups: str | Sequence[str] | None = None,
    extractor: Any = None,
    continue_from: Campaign | str | None = None,
    op: str | None = None,
) -> Campaign:
    """Start a campaign.

    Parameters
    ----------
    name : str
        Unique within the storage.
    classes : iterable of str or int
        At least two labels of one type, which they keep: integers come back as integers. With
        ``continue_from`` they may be left out: then they are the other campaign's.
    strategy : Strategy, str, mapping or None
        A strategy, its registered name or its spec; by default Balanced gain
        (``palacs.strategies.DEFAULT_STRATEGY``).
    storage : str, Storage or None
        Where to keep it, see `palacs.storage.open_storage`; made if it is not there.
        By default ``PALACS_STORAGE`` from the environment, or ``sqlite:///palacs.db``.
    budget : int or None
        How many instances requests may bring in; ``None`` is no limit.
    lease : float, timedelta or None
        Seconds for which an unanswered request counts as pending; ``None`` is forever.
    bounds : pair, array-like of shape (n_features, 2) or None
        Declared range of all or of each feature; ``None`` takes the range of what was seen.
    seed : int or None
        Makes the requests reproducible; by default the strategy's ``random_state``, or one
        that is drawn and kept in the record.
    conditions : palacs.Conditions, mapping or None
        Costs, proportions in use, costs of mistakes and limits, kept in the record.
    budget_cost : float or None
        How much requests may cost altogether, in money or minutes: what was told as ``cost``,
        and the class's cost under the conditions (without any, 1) where nothing was told.
    n_features : int or None
        How many features every instance has; ``None`` takes that of the instances that are in
        the labelled set, so that a first one that was retracted decides nothing.
    attrs : mapping or None
        What holds for every instance unless asking or telling notes something else: subject,
        device, operator. A JSON object of at most 16 KiB, three levels and 64 names each.
    features : sequence of str, mapping or None
        The names of the features, or any of ``names``, ``units`` (one for each or for all),
        ``sampling_rate`` in Hz and ``pipeline``, what extracts them with its version.
    groups : str, sequence of str or None
        The attribute, or several, that says what an instance belongs to, such as ``"subject"``.
        Accuracy and advice to stop are then about a new one: one is left out at a time. Every
        instance must have it.
    extractor : str, transformer, callable or None
        What makes features of recordings, see `palacs.extractors.extractor_from`, so that a
        recording can be told without ``x``. One that has to be fitted needs instances first:
        change to it later with ``Campaign.extract``.
    continue_from : Campaign, str or None
        A campaign, of any storage, or the name of one in this storage, with whose instances to
        begin. They are copied as unsolicited ones, which take no budget, with the attribute
        ``origin``; nothing else is taken over. With an ``extractor`` their features are made
        anew from their recordings.
    op : str or None
        Your id for this call: repeating it returns the campaign that it made.

    Returns
    -------
    Campaign

    Raises
    ------
    ValueError
        A value is not usable; nothing was written.
    palacs.storage.CampaignExists
        The name is taken.

    Examples
    --------
    >>> from palacs.campaign import create_campaign
    >>> c = create_campaign("demo", classes=["a", "b"], storage="memory", seed=0)
    >>> sorted(request.label for request in c.ask_many(2))
    ['a', 'b']
    """
    if _values.check_name(name) in (".", ".."):
        raise ValueError(
            f"campaign name {name!r} stands for a folder in addresses; choose another."
        )
    if isinstance(continue_from, str):
        continue_from = load_campaign(continue_from, storage=storage)
    if classes is None:
        if continue_from is None:
            raise ValueError("classes=None leaves nothing to ask for; give at least two labels.")
        classes = continue_from.classes
    made = None if extractor is None else extractor_of(extractor)
    settings = make_settings(
        classes,
        strategy,
        seed=seed,
        budget=budget,
        lease=lease,
        bounds=bounds,
        conditions=conditions,
        budget_cost=budget_cost,
        n_features=n_features,
        attrs=attrs,
        features=features,
        groups=groups,
        extractor=None if made is None else describe(made),
    )
    payload = settings.to_payload()
    call = call_of(op, "create", name, {**payload, "seed": seed})
    _decide.rehearse(settings)
    drafts = [Draft("created", payload=payload)]
    if continue_from is not None:
        drafts += continuation(continue_from, made, settings.names)
        check_beginning(drafts)
    opened = open_storage(storage, create=True)
    try:
        stored = opened.create(name, signed(drafts, call))
    except CampaignExists:
        stored = opened.find(name)
        first = opened.events(stored.key, limit=1)[0]
        if call is None or first.op != call.op:
            raise
        check_same(first, call)
    campaign = Campaign(opened, stored, owns=opened is not storage)
    if made is not None and campaign.extractor == made.version:
        campaign.use_extractor(made)
    return campaign


def load_campaign(name: str, *, storage: str | Storage | None = None) -> Campaign:
    """Open a campaign that exists, from any process at any time.

    Parameters
    ----------
    name : str
        Its name.
    storage : str, Storage or None
        Where it is kept, see `palacs.storage.open_storage`.

    Returns
    -------
    Campaign

    Raises
    ------
    palacs.storage.CampaignNotFound, palacs.storage.StorageNotFound
        There is no such campaign or storage; nothing is made.
    """
    if storage == "memory":
        raise CampaignNotFound(
            "an in-memory storage is new each time it is opened; make one with "
            "palacs.storage.MemoryStorage() and pass it to both create and load."
        )
    opened = open_storage(storage)
    return Campaign(opened, opened.find(name), owns=opened is not storage)


def import_campaign(
    path: str | Path, *, name: str | None = None, storage: str | Storage | None = None
) -> Campaign:
    """Bring an exported campaign into a storage, with all of its history.

    Parameters
    ----------
    path : str or Path
        A file that ``Campaign.export`` wrote.
    name : str or None
        Under which to keep it; by default the name it had.
    storage : str, Storage or None
        Where to keep it; made if it is not there.

    Returns
    -------
    Campaign
    """
    own_name, drafts = read_campaign(Path(path))
    name = own_name if name is None else _values.check_name(name)
    opened = open_storage(storage, create=True)
    return Campaign(opened, opened.create(name, drafts), owns=opened is not storage)
