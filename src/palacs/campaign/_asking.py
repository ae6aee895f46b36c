"""What can be asked and told: the small surface that the loop around a source is written against.

A campaign has it, and so has one that another machine serves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

import numpy.typing as npt

from palacs.campaign._operations import Notes
from palacs.campaign._recordings import Recording
from palacs.campaign._records import Instance, Request, Status
from palacs.storage import Label

if TYPE_CHECKING:
    from palacs.campaign._acquired import Source
    from palacs.campaign._plan import Options
    from palacs.campaign._run import Run
    from palacs.evidence import Advice


class AskAndTell(ABC):
    """Something that says what to acquire next and is told what came."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Its name."""

    @property
    @abstractmethod
    def classes(self) -> list[Label]:
        """All classes, in the order in which they were declared or added."""

    @property
    @abstractmethod
    def n_features(self) -> int | None:
        """How many features an instance has to have; ``None`` until that is known."""

    @property
    @abstractmethod
    def feature_names(self) -> list[str] | None:
        """What the features are called; ``None`` where nobody said."""

    @property
    @abstractmethod
    def extractor(self) -> str | None:
        """The extractor in force; ``None`` where features are told."""

    @abstractmethod
    def ask_many(
        self, n: int, *, attrs: Mapping[str, Any] | None = None, op: str | None = None
    ) -> list[Request]:
        """Request up to `n` instances at once; fewer where the budget ends."""

    @abstractmethod
    def tell(
        self,
        request: Request | str,
        x: npt.ArrayLike | Mapping[str, float] | None = None,
        label: Label | None = None,
        *,
        op: str | None = None,
        **notes: Unpack[Notes],
    ) -> Instance:
        """Record the instance that a request brought."""

    @abstractmethod
    def add(
        self,
        x: npt.ArrayLike | Mapping[str, float] | None,
        label: Label,
        *,
        id: str | None = None,
        op: str | None = None,
        **notes: Unpack[Notes],
    ) -> Instance:
        """Record an unsolicited instance."""

    @abstractmethod
    def fail(
        self,
        request: Request | str,
        reason: str = "",
        *,
        attrs: Mapping[str, Any] | None = None,
        op: str | None = None,
    ) -> None:
        """Record that a request will bring no instance, and why."""

    @abstractmethod
    def performed(
        self,
        request: Request | str,
        *,
        attrs: Mapping[str, Any] | None = None,
        op: str | None = None,
    ) -> None:
        """Record that a request was carried out and its data are still to come."""

    @abstractmethod
    def renew(self, request: Request | str, reason: str = "", *, op: str | None = None) -> Request:
        """Let the lease of an open request start anew, also after it ended."""

    @abstractmethod
    def pause(self, label: Label, *, op: str | None = None) -> None:
        """Stop requesting a class."""

    @abstractmethod
    def status(self) -> Status:
        """Return where it stands."""

    @abstractmethod
    def recordings(self) -> list[Recording]:
        """Return the recordings of all instances, without the content of those kept inside."""

    @abstractmethod
    def noted_values(self, name: str) -> list[Any]:
        """Return what was noted under this name with instances, also with those retracted."""

    @abstractmethod
    def stopping(self) -> Advice:
        """Return whether to stop asking, and why."""

    @abstractmethod
    def pending(self) -> list[Request]:
        """Return the requests whose instances are still to come, oldest first."""

    def run(self, source: Source | Any, **options: Unpack[Options]) -> Run:
        """Ask, have a source acquire, and tell, until there is enough.

        What the source cannot bring is failed with the reason, and the loop goes on. Ctrl-C
        leaves no request open; what a run that was killed on this machine left open is failed
        first. A broken connection to the storage is repeated for a minute.

        Parameters
        ----------
        source : Source or callable
            Anything with ``acquire(request)``, or a function of the request; it returns numbers,
            the path of a recording, or `Acquired`.
        until : int, timedelta, str, callable, list of these or None
            When it is enough: so many instances; so long, also as "30min"; "cost=50", which is
            what the campaign spends meanwhile; "advised", when stopping is; a function of the
            `Run` so far. Of several whatever comes first. What is under way is waited for. By
            default when nothing may be asked for any more.
        parallel : int
            How many acquisitions are under way at a time. With threads, ``acquire`` is then
            called by several at once.
        workers : str or executor
            Who acquires: "threads"; "processes", which are ended where they hang; or anything with
            ``submit``, such as a Dask client.
        retries : int
            How often an acquisition that raised is tried again before its request is failed.
        backoff : float
            Seconds before the second try; twice as many before each further one, at most 60.
        timeout : float or None
            Seconds an attempt may take; then its request is failed, and its answer is dropped
            should it still come.
        give_up : int
            How many requests in a row may fail before the run ends with `SourceFailed`.
        extractor : str, transformer, callable or None
            What makes features of recordings. It is put in force where none is; where it is in
            force already, this brings its code.
        attrs : mapping or None
            What to note about all requests of this run, and about what came unasked.
        on_asked, on_told, on_failed : callable or None
            Called with the request; with the instance; with the request and the reason.
        progress : bool
            Show how far it is, on a terminal and in a notebook.

        Returns
        -------
        Run
            How many were told and failed, how long it took, and why it ended.

        Examples
        --------
        >>> import palacs
        >>> c = palacs.create_campaign("demo", ["rest", "left"], storage="memory")
        >>> c.run(lambda request: [len(request.label), 0.5], until=4).told
        4
        """
        from palacs.campaign._loop import run_source

        return run_source(self, source, options)
