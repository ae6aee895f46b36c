"""Following a campaign's record and looking at what it says.

A reader keeps a ledger in memory and brings it up to date by reading only the events that
are new. It never writes; :class:`~palacs.campaign.Campaign` adds asking and telling.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from palacs.campaign import _decide, _operations, _values
from palacs.campaign._decide import Replay
from palacs.campaign._errors import UnknownEntry
from palacs.campaign._ledger import Entry, Ledger
from palacs.campaign._records import Instance, Request, Status, to_datetime
from palacs.campaign._settings import Settings
from palacs.storage import Event, Label, Storage, StoredCampaign

if TYPE_CHECKING:
    import pandas as pd

    from palacs.evidence import Advice, Rule


class CampaignReader:
    """The part of a campaign that only looks."""

    def __init__(self, storage: Storage, stored: StoredCampaign, *, owns: bool = False) -> None:
        self._storage = storage
        self._stored = stored
        self._owns = owns
        self._ledger = Ledger()
        # Guards the ledger; never held while waiting for the storage.
        self._mutex = threading.RLock()
        self._refresh()

    @property
    def name(self) -> str:
        """The campaign's name."""
        return self._stored.name

    @property
    def storage(self) -> Storage:
        """Where the campaign is kept."""
        return self._storage

    @property
    def settings(self) -> Settings:
        """What the campaign was created with."""
        return self._ledger.settings

    @property
    def classes(self) -> list[Label]:
        """All classes, in the order in which they were declared or added."""
        self._refresh()
        return list(self._ledger.classes)

    def __repr__(self) -> str:
        return f"<Campaign {self.name!r} in {self._storage.url}>"

    # -- looking -----------------------------------------------------------------------

    def instance(self, id_: str) -> Instance:
        """Return an acquired instance by its id."""
        self._refresh_unless_known(id_)
        with self._mutex:
            return _to_instance(_operations.find(self._ledger, id_))

    def request(self, id_: str) -> Request:
        """Return a request by its id, whatever became of it."""
        self._refresh_unless_known(id_)
        with self._mutex:
            return to_request(_operations.find(self._ledger, id_))

    def pending(self) -> list[Request]:
        """Return the requests whose instances are still to come, oldest first."""
        self._refresh()
        at = self._storage.now()
        with self._mutex:
            return [to_request(entry) for entry in self._ledger.pending(at)]

    def labelled_set(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[Any]]:
        """Return raw features (n, n_features) and classes (n,), in acquisition order."""
        self._refresh()
        with self._mutex:
            labelled = self._ledger.labelled
            return labelled.X.copy(), np.array(self._ledger.classes)[labelled.codes]

    def events(self, after: int = 0) -> list[Event]:
        """Return the raw events numbered above `after`; the cursor to follow a campaign."""
        return self._storage.events(self._stored.key, after)

    def status(self) -> Status:
        """Return where the campaign stands."""
        from palacs.campaign._history import status_of

        self._refresh()
        at = self._storage.now()
        with self._mutex:
            return status_of(self.name, self._ledger, at)

    def history(self, *, features: bool = False) -> pd.DataFrame:
        """Return one row per request or unsolicited instance, in the order of the record.

        Parameters
        ----------
        features : bool
            Add one column ``x0``, ``x1``, ... per feature.

        Returns
        -------
        pandas.DataFrame
            Columns ``id``, ``request_id`` (missing where unsolicited), ``asked``, ``label``,
            ``state`` (pending, delivered, failed, expired, retracted), the times
            ``asked_at``, ``expires_at``, ``performed_at``, ``told_at``, ``failed_at``,
            ``retracted_at`` (UTC), ``reason``, ``cost``, ``duration`` and ``utility``, that
            of the class asked for.
        """
        from palacs.campaign._history import history_of

        self._refresh()
        at = self._storage.now()
        with self._mutex:
            return history_of(self._ledger, at, features=features)

    def model(self, classifier: Any = None) -> Any:
        """Return a classifier fitted on the labelled set, taking raw feature values.

        Parameters
        ----------
        classifier : scikit-learn classifier or None
            Cloned, then fitted on the scaled features. By default a
            `ParzenWindowClassifier` that knows all classes and corrects for how many
            instances of each were acquired, with the strategy's bandwidth where it has one,
            else "auto".

        Returns
        -------
        sklearn.pipeline.Pipeline
            The scaling in force, then the classifier.
        """
        from palacs.campaign._model import fit_model

        self._refresh()
        with self._mutex:
            return fit_model(self._ledger, classifier)

    def stopping(self, rules: Sequence[Rule] | None = None) -> Advice:
        """Return whether to stop asking, and why; a suggestion, nothing is forced.

        Parameters
        ----------
        rules : sequence of palacs.evidence.GainThreshold and Plateau, or None
            By default one of each. One that says stop is enough.

        Returns
        -------
        palacs.evidence.Advice
        """
        from palacs.campaign._stopping import advise

        self._refresh()
        with self._mutex:
            return advise(self._ledger, rules)

    def replay(self) -> Replay:
        """Recompute every request from what was known when it was made.

        Returns
        -------
        Replay
            ``ok`` is true when every class comes out the same again.
        """
        return _decide.replay(self.events())

    def export(self, path: str | Path) -> Path:
        """Write the whole record to a ``.csv``, ``.parquet`` or ``.json`` file.

        :func:`import_campaign` reads it back in with nothing lost.
        """
        from palacs.campaign._exchange import export_campaign

        self._refresh()
        return export_campaign(self.name, self.events(), self._storage.now(), Path(path))

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

    def _refresh(self) -> None:
        self._fold(self._storage.events(self._stored.key, self._ledger.seq))

    def _refresh_unless_known(self, id_: str) -> None:
        if id_ not in self._ledger.entries:
            self._refresh()

    def _fold(self, events: Sequence[Event]) -> None:
        with self._mutex:
            for event in events:
                # Another thread may have been faster.
                if event.seq > self._ledger.seq:
                    self._ledger.apply(event)


def to_request(entry: Entry) -> Request:
    """Return a request as it is handed out."""
    asked_at = to_datetime(entry.asked_at)
    if entry.asked is None or asked_at is None:
        raise UnknownEntry(f"{entry.id!r} is an unsolicited instance, no request.")
    expires_at = to_datetime(entry.expires_at)
    return Request(entry.id, entry.asked, dict(entry.utilities), asked_at, expires_at)


def _to_instance(entry: Entry) -> Instance:
    told_at = to_datetime(entry.told_at)
    if entry.label is None or entry.x is None or told_at is None:
        raise UnknownEntry(f"request {entry.id!r} has brought no instance yet.")
    x = _values.from_bytes(entry.x)
    return Instance(entry.id, entry.label, x, entry.asked, told_at, entry.retracted_at is not None)
