"""Following a campaign's record and looking at what it says.

A reader keeps a ledger in memory and brings it up to date by reading only the events that
are new. It never writes; `Campaign` adds asking and telling.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from palacs.campaign import _operations
from palacs.campaign._campaign_errors import CampaignError
from palacs.campaign._ledger import Ledger
from palacs.campaign._noted import attrs_of, recording_of
from palacs.campaign._recordings import Recording, RecordingCheck, check_recording
from palacs.campaign._records import Instance, Request, Status, id_of, to_request
from palacs.campaign._replaying import Replay, replay
from palacs.campaign._saved_ledger import load_ledger, save_ledger, worth_saving
from palacs.campaign._settings import Settings
from palacs.campaign._snapshot import Snapshot, snapshot_of
from palacs.campaign._told_utilities import from_record
from palacs.storage import Event, ForkSafeLock, Label, Storage, StorageError, StoredCampaign

if TYPE_CHECKING:
    import pandas as pd

    from palacs.campaign._why import Why
    from palacs.evidence import Advice


_PAGE = 2000


class CampaignReader:
    """The part of a campaign that only looks."""

    def __init__(self, storage: Storage, stored: StoredCampaign, *, owns: bool = False) -> None:
        self._storage = storage
        self._stored = stored
        self._owns = owns
        self._ledger = load_ledger(storage, stored.key) or Ledger()
        # Guards the ledger; never held while waiting for others who write.
        self._mutex = ForkSafeLock(self._start_anew)
        # Whatever was erased up to here was gone before this process read it.
        self._begun_at = stored.head
        known = self._ledger.seq
        self._refresh()
        if worth_saving(self._ledger.seq, self._ledger.seq - known):
            # Who may not or cannot write reads all the same.
            with suppress(StorageError):
                save_ledger(storage, stored.key, self._ledger)

    @property
    def name(self) -> str:
        """The campaign's name."""
        return self._stored.name

    @property
    def storage(self) -> Storage:
        """Where the campaign is kept."""
        return self._storage

    @property
    def created_at(self) -> datetime:
        """When the campaign was created, UTC."""
        return datetime.fromtimestamp(self._stored.created_at, UTC)

    @property
    def settings(self) -> Settings:
        """What is in force: what the campaign was created with, and what was changed since."""
        if self._ledger.seq == 0:
            self._refresh()
        return self._ledger.settings

    @property
    def classes(self) -> list[Label]:
        """All classes, in the order in which they were declared or added."""
        self._refresh()
        return list(self._ledger.classes)

    @property
    def n_features(self) -> int | None:
        """How many features an instance has to have; ``None`` until that is known."""
        self._refresh()
        return self._ledger.labelled.n_features

    @property
    def feature_names(self) -> list[str] | None:
        """What the features are called; ``None`` where nobody said."""
        self._refresh()
        with self._mutex:
            return self._ledger.names

    def __repr__(self) -> str:
        return f"<Campaign {self.name!r} in {self._storage.url}>"

    def _repr_html_(self) -> str | None:
        try:
            return self.status()._repr_html_()
        except StorageError:
            return None  # closed or out of reach: the line above is what can be said

    # -- looking -----------------------------------------------------------------------

    def instance(self, id_: str) -> Instance:
        """Return an acquired instance by its id."""
        id_ = id_of(id_)
        self._refresh_unless_known(id_)
        with self._mutex:
            return self._ledger.instance(_operations.find(self._ledger, id_))

    def request(self, id_: str) -> Request:
        """Return a request by its id, whatever became of it."""
        id_ = id_of(id_)
        self._refresh_unless_known(id_)
        with self._mutex:
            entry = _operations.find(self._ledger, id_)
            if entry.asked is None or entry.utilities is not None:
                return self._ledger.request(entry)
            classes, attrs = list(self._ledger.classes), attrs_of(entry, self._ledger.settings)
        # A closed request's utilities are in the record alone.
        asked = self._storage.events(self._stored.key, entry.seq - 1, limit=1)[0]
        # An erased request has none left.
        told = from_record(asked.payload.get("utilities", ()))
        return to_request(entry, {classes[code]: u for code, u in told.items()}, attrs)

    def pending(self) -> list[Request]:
        """Return the requests whose instances are still to come, oldest first."""
        self._refresh()
        at = self._storage.now()
        with self._mutex:
            return [self._ledger.request(entry) for entry in self._ledger.pending(at)]

    def labelled_set(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[Any]]:
        """Return raw features (n, n_features) and classes (n,), in acquisition order."""
        self._refresh()
        with self._mutex:
            labelled = self._ledger.labelled
            return labelled.X, np.array(self._ledger.classes)[labelled.codes]

    def groups(self) -> npt.NDArray[Any]:
        """Return what each instance of the labelled set belongs to (n,), such as its subject.

        For cross-validation of your own: ``cross_val_score(model, X, y, groups=c.groups(),
        cv=LeaveOneGroupOut())``.
        """
        found = self.snapshot().groups
        if found is None:
            raise CampaignError(
                "nobody named the attribute that says what instances belong to; create the "
                "campaign with groups='subject'."
            )
        return np.array(found, dtype=str)

    def recording(self, id_: str) -> Recording | None:
        """Return the raw material of an instance, with its content where it is kept inside."""
        self._refresh_unless_known(id_)
        with self._mutex:
            entry = _operations.find(self._ledger, id_)
            known = recording_of(entry)
        if known is None or not known.kept:
            return known
        # The content is in the record alone, with what brought it or when it was performed.
        for after in (entry.done - 1, entry.seq):
            for event in self._storage.events(self._stored.key, after, limit=entry.done - after):
                if event.entry == id_ and event.payload.get("recording"):
                    return Recording.from_payload(event.payload["recording"])
        return known

    def check_recordings(self, folder: str | Path | None = None) -> list[RecordingCheck]:
        """Say of every recording whether it is still what it was when it was told.

        Parameters
        ----------
        folder : str, Path or None
            Where a file that is not at its place is looked for, by its name.

        Returns
        -------
        list of RecordingCheck
            In the order of the record. URIs are not fetched, which their state says.
        """
        self._refresh()
        with self._mutex:
            ids = [entry.id for entry in self._ledger.entries.values() if entry.recording]
        place = None if folder is None else Path(folder)
        pairs = ((id_, self.recording(id_)) for id_ in ids)
        return [check_recording(id_, known, place) for id_, known in pairs if known is not None]

    def events(self, after: int = 0, *, limit: int | None = None) -> list[Event]:
        """Return the raw events numbered above `after`; the cursor to follow a campaign."""
        return self._storage.events(self._stored.key, after, limit=limit)

    def snapshot(self) -> Snapshot:
        """Return everything the next decision or a page depends on, as of now."""
        self._refresh()
        at = self._storage.now()
        with self._mutex:
            return snapshot_of(self._ledger, at)

    def why(self, request: Request | str | None = None) -> Why:
        """Say why a class is asked for, in one sentence.

        Parameters
        ----------
        request : Request, str or None
            A request or its id, explained by what was known when it was made; by default the
            one that asking now would make.

        Returns
        -------
        Why
            Its class, the utilities and the sentence; no class where nothing may be asked for.
        """
        from palacs.campaign._why import why_asked

        if request is None:
            return self.snapshot().why()
        id_ = id_of(request)
        return why_asked(self.events(), self.request(id_).id)

    def status(self) -> Status:
        """Return where the campaign stands."""
        from palacs.campaign._history import status_of

        self._refresh()
        at = self._storage.now()
        with self._mutex:
            return status_of(self.name, self._ledger, at)

    def history(self, *, features: bool = False, rows: slice | None = None) -> pd.DataFrame:
        """Return one row per request or unsolicited instance, in the order of the record.

        Parameters
        ----------
        features : bool
            Add one column per feature: its name where the campaign has it, else ``x0``, ...
        rows : slice or None
            Which rows to build, such as ``slice(-12, None)`` for the latest twelve; by default
            all of them.

        Returns
        -------
        pandas.DataFrame
            Columns ``id``, ``request_id`` (missing where unsolicited), ``asked``, ``label``,
            ``state`` (pending, delivered, failed, expired, retracted, erased), the times
            ``asked_at``, ``expires_at``, ``performed_at``, ``told_at``, ``failed_at``,
            ``retracted_at`` (UTC), ``reason``, ``cost``, ``duration`` and ``utility``, that
            of the class asked for; ``asked_by`` and ``told_by``, the persons; ``recording``,
            where it is; and one column per attribute, such as ``attrs.subject``.
        """
        from palacs.campaign._history import history_of

        self._refresh()
        at = self._storage.now()
        with self._mutex:
            return history_of(self._ledger, at, features=features, rows=rows)

    def history_length(self) -> int:
        """Return how many rows the history has."""
        self._refresh()
        return len(self._ledger.entries)

    def model(self, classifier: Any = None) -> Any:
        """Return a classifier fitted on the labelled set, taking raw feature values.

        Parameters
        ----------
        classifier : scikit-learn classifier or None
            Cloned, then fitted on the scaled features. By default the model behind every
            number the campaign shows (`palacs.evidence.default_model`): a Parzen window that
            knows all classes, with the proportions in use as its prior, and with the bandwidth
            that the strategy or its classifier names, else "auto". A search for parameters
            (``GridSearchCV`` with ``cv=LeaveOneGroupOut()``) is told the campaign's groups.

        Returns
        -------
        sklearn.pipeline.Pipeline
            The scaling in force, then the classifier.
        """
        from palacs.campaign._campaign_model import fit_model

        return fit_model(self.snapshot(), classifier)

    def stopping(self, *, tolerance: float = 0.1, good_enough: float = 0.0) -> Advice:
        """Return whether to stop asking, and why; a suggestion, nothing is forced.

        It rests on the error of the campaign's model alone, whatever the strategy
        (`palacs.evidence.advise_stopping`). Classes count by their proportions in use, where
        the conditions give them, else equally.

        Parameters
        ----------
        tolerance : float
            How much higher, relatively, the error may be than at three times as many instances.
        good_enough : float
            An error that needs no improvement.

        Returns
        -------
        palacs.evidence.Advice
        """
        return self.snapshot().stopping(tolerance=tolerance, good_enough=good_enough)

    def replay(self) -> Replay:
        """Recompute every request from what was known when it was made.

        Returns
        -------
        Replay
            ``ok`` is true when every class comes out the same again.
        """
        return replay(self.events())

    def export(self, path: str | Path) -> Path:
        """Write the whole record to a ``.csv``, ``.parquet`` or ``.json`` file.

        `import_campaign` reads it back in with nothing lost.
        """
        from palacs.campaign._exchange import export_campaign
        from palacs.campaign._export import Record

        self._refresh()
        record = Record(
            self.name,
            self._storage.now(),
            self._ledger.seq,
            lambda after, limit: self._storage.events(self._stored.key, after, limit),
        )
        return export_campaign(record, Path(path))

    # -- keeping up with the record ----------------------------------------------------

    def close(self) -> None:
        """Give back database connections, if the campaign opened them itself."""
        if self._owns:
            self._storage.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _start_anew(self) -> None:
        # In a child, where another thread of the parent was folding: read it all again.
        self._ledger = Ledger()

    def _refresh(self) -> None:
        # Page by page: a long record must not be in memory twice.
        while len(self._catch_up(self._page)) == _PAGE:
            with self._mutex:
                self._ledger.put_away()

    def _page(self, after: int) -> list[Event]:
        return self._storage.events(self._stored.key, after, limit=_PAGE)

    def _catch_up(self, read: Callable[[int], list[Event]]) -> list[Event]:
        """Fold in what is new, and return it."""
        news = read(self._ledger.seq)
        erased = [e.seq for e in news if e.kind == "erased" and e.seq > self._begun_at]
        if not erased or self._ledger.seq == 0:
            self._fold(news)
            return news
        # Events that were folded in have lost their numbers: begin anew, without these.
        afresh = Ledger()
        while page := read(afresh.seq):
            for event in page:
                afresh.apply(event)
        with self._mutex:
            self._ledger, self._begun_at = afresh, erased[-1]
        return news

    def _refresh_unless_known(self, id_: str) -> None:
        if id_ not in self._ledger.entries:
            self._refresh()

    def _fold(self, events: Sequence[Event]) -> None:
        with self._mutex:
            for event in events:
                # Another thread may have been faster.
                if event.seq > self._ledger.seq:
                    self._ledger.apply(event)
