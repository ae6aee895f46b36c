"""Giving every instance a new vector: what is looked at first, extracted, and written at once.

Recordings are held against their SHA-256 before anything is read into features, and whatever
stands in the way is said of all instances together. Reading and fitting take their time, which
nobody who asks or tells waits for: instances that came meanwhile are extracted after the fit,
and noted as not being part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from palacs.campaign import _values
from palacs.campaign._campaign_errors import CampaignError
from palacs.campaign._ledger import Ledger
from palacs.campaign._noted import recording_of
from palacs.campaign._recordings import Recording, bytes_of, check_recording
from palacs.storage import Draft, Event, Label

if TYPE_CHECKING:
    from palacs.extractors import Extractor, RecordedArray

Progress = Callable[[int, int], object]
"""Told how many instances are extracted, and of how many."""

_AT_A_TIME = 64  # recordings in memory, where none has to be fitted
_COMPARED = 16
_NAMED = 5
_SAME = 1e-6  # of the size of the features: another machine rounds otherwise


@dataclass(frozen=True, slots=True)
class Member:
    """An instance of the labelled set: its id, its class and its recording."""

    id: str
    label: Label
    recording: Recording | None


def members_of(ledger: Ledger) -> list[Member]:
    """Return the labelled set in acquisition order."""
    entries = ledger.bringing(ledger.labelled.rows.tolist())
    return [Member(e.id, e.label, recording_of(e)) for e in entries if e.label is not None]


class Recordings:
    """Reads the recordings of a campaign's instances.

    Parameters
    ----------
    full : callable
        Returns an instance's recording by its id, with the content of one that is kept inside.
    folder : Path or None
        Where a file that is not at its place is looked for, by its name.
    """

    def __init__(self, full: Callable[[str], Recording | None], folder: Path | None = None) -> None:
        self._full = full
        self._folder = folder

    def check(self, members: Sequence[Member]) -> None:
        """Raise unless every recording is there and what it was; say of all what is wrong."""
        wrong: dict[str, list[str]] = {}
        for member in members:
            what, where = self._wrong_with(member)
            if what:
                wrong.setdefault(what, []).append(f"{member.id}{where}")
        if not wrong:
            return
        n = sum(map(len, wrong.values()))
        parts = [f"{len(which)} {what}: {_some(which)}" for what, which in wrong.items()]
        raise CampaignError(
            f"of {len(members)} instances {n} cannot be extracted, and nothing was written. "
            f"{'; '.join(parts)}. Bring the files back (or name the folder they are in), or "
            "retract these instances first."
        )

    def are_there(self, members: Sequence[Member]) -> bool:
        """Whether every recording is there and what it was."""
        return not any(self._wrong_with(member)[0] for member in members)

    def _wrong_with(self, member: Member) -> tuple[str, str]:
        if member.recording is None:
            return "without a recording", ""
        known = self._full(member.id)
        if known is None or known.sha256 is None:
            return "with a recording whose SHA-256 nobody noted", f" ({member.recording.where})"
        check = check_recording(member.id, known, self._folder)
        if check.state == "intact":
            return "", ""
        detail = f", {check.detail}" if check.detail else ""
        return f"with a recording that is {check.state}", f" ({check.where}{detail})"

    def read(self, id_: str) -> RecordedArray:
        """Return the recording of an instance as an array."""
        from palacs.extractors import read_recording

        known = self._full(id_)
        assert known is not None
        content, name = bytes_of(known, self._folder)
        try:
            return read_recording(content, name)
        except ValueError as error:
            raise CampaignError(f"instance {id_}: {error} Nothing was written.") from error


class Extraction:
    """New vectors for a labelled set, made step by step.

    Parameters
    ----------
    extractor : Extractor
    recordings : Recordings
    progress : callable or None

    Attributes
    ----------
    extractor : Extractor
        Fitted, once that was done.
    vectors : dict
        Stored forms of the vectors that were made, by id.
    """

    def __init__(
        self, extractor: Extractor, recordings: Recordings, progress: Progress | None = None
    ) -> None:
        self.extractor = extractor
        self._recordings = recordings
        self._progress = progress
        self._fitted_on: list[Member] = []
        self.vectors: dict[str, bytes] = {}

    def go_on(self, members: Sequence[Member]) -> None:
        """Extract what is missing; fit anew where what was fitted on is no longer all there."""
        if not self._stands(members):
            self.vectors = {}
        new = [member for member in members if member.id not in self.vectors]
        self._recordings.check(new)
        if self.extractor.fitted and not self.vectors:
            self.extractor = fitted_again(self.extractor, members, self._recordings)
            self._fitted_on = list(members)
        before = len(members) - len(new)
        for some in _batches(new):
            arrays = [self._recordings.read(member.id) for member in some]
            features = self._extract(some, arrays)
            for member, x in zip(some, features, strict=True):
                self.vectors[member.id] = _checked(member, x, self._width())
            before += len(some)
            if self._progress is not None:
                self._progress(before, len(members))

    def covers(self, members: Sequence[Member]) -> bool:
        """Whether there is a vector for each, by a fit that still stands."""
        return self._stands(members) and all(member.id in self.vectors for member in members)

    def drafts(self, members: Sequence[Member], reason: str) -> list[Draft]:
        """Return the events: the extractor, then one vector per instance."""
        fit = {member.id for member in self._fitted_on}
        payload = {
            "extractor": describe(self.extractor),
            "instances": len(members),
            "n_features": self._width(),
            "reason": reason,
        }
        drafts = [Draft("extracted", payload=payload)]
        for member in members:
            late = {"late": True} if fit and member.id not in fit else {}
            x = self.vectors[member.id]
            drafts.append(Draft("extracted", member.id, member.label, x, payload=late))
        return drafts

    def changes_nothing(self, ledger: Ledger) -> bool:
        """Whether this extractor is in force and every instance has its vector already."""
        known = ledger.settings.extractor
        if known is None or known["version"] != self.extractor.version:
            return False
        return all(
            _values.to_bytes(ledger.labelled.store.row(row)) == self.vectors[id_]
            for row in ledger.labelled.rows.tolist()
            for id_ in ledger.ids([row])
        )

    def _stands(self, members: Sequence[Member]) -> bool:
        there = {(member.id, member.label) for member in members}
        return all((member.id, member.label) in there for member in self._fitted_on)

    def _width(self) -> int | None:
        return next((len(raw) // 8 for raw in self.vectors.values()), None)

    def _extract(self, members: Sequence[Member], arrays: list[RecordedArray]) -> Any:
        try:
            features = self.extractor.extract(arrays)
            again = self.extractor.extract(arrays[:1])
        except ValueError as error:
            which = _some([member.id for member in members])
            raise CampaignError(f"instances {which}: {error} Nothing was written.") from error
        if not _alike(again, features[:1]):
            raise CampaignError(
                f"the extractor {self.extractor.version} made other features of the same recording "
                f"({members[0].id}) when asked twice; set its seeds. Nothing was written."
            )
        return features


def extractor_of(given: Any) -> Extractor:
    """Return the extractor that a campaign begins with."""
    from palacs.extractors import extractor_from

    made = extractor_from(given)
    if made.fitted:
        raise ValueError(
            f"the extractor {made.version} is fitted on what was collected, and there is nothing "
            "yet; begin with a fixed one, such as band-power, and change to it later with extract."
        )
    return made


def describe(extractor: Extractor) -> dict[str, Any]:
    """Return what the record keeps of an extractor."""
    given = {} if extractor.given is None else {"given": extractor.given}
    packages = extractor.packages
    return {"version": extractor.version, **given, "fitted": extractor.fitted, "packages": packages}


def fitted_again(
    extractor: Extractor, members: Sequence[Member], recordings: Recordings
) -> Extractor:
    """Return an extractor fitted on some instances, as any process would fit it."""
    arrays = [recordings.read(member.id) for member in members]
    try:
        return extractor.fit(arrays, [member.label for member in members])
    except ValueError as error:
        raise CampaignError(f"{error} Nothing was written.") from error


def check_against_record(
    extractor: Extractor, vectors: Sequence[Event], recordings: Recordings
) -> None:
    """Raise where an extractor makes other features than those it made for the record."""
    some = vectors[:: max(1, len(vectors) // _COMPARED)]
    for event in some:
        x = _values.from_bytes(event.x or b"")
        made = extractor.extract([recordings.read(event.entry or "")])[0]
        if made.shape != x.shape or not _alike(made, x):
            raise CampaignError(
                f"the extractor {extractor.version} makes other features of the recording of "
                f"{event.entry} here than it made for the record; its code, or what it uses"
                f"{_packages(extractor)}, is another. Extract again, so that all are made the same "
                "way."
            )


def _packages(extractor: Extractor) -> str:
    listed = ", ".join(f"{name} {version}" for name, version in extractor.packages.items())
    return f" ({listed} here)" if listed else ""


def _alike(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> bool:
    size = max(float(np.abs(other[np.isfinite(other)]).max(initial=0.0)), 1e-300)
    return bool(np.allclose(one, other, rtol=_SAME, atol=_SAME * size, equal_nan=True))


def _batches(members: Sequence[Member]) -> Iterator[Sequence[Member]]:
    for first in range(0, len(members), _AT_A_TIME):
        yield members[first : first + _AT_A_TIME]


def _checked(member: Member, x: npt.NDArray[np.float64], width: int | None) -> bytes:
    try:
        vector = _values.check_vector(x)
    except ValueError as error:
        raise CampaignError(
            f"the recording of {member.id} gives no usable features: {error} Nothing was written."
        ) from error
    if width not in (None, vector.size):
        raise CampaignError(
            f"the recording of {member.id} gives {vector.size} features, the others give {width}; "
            "recordings must be alike for this extractor. Nothing was written."
        )
    return _values.to_bytes(vector)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"
