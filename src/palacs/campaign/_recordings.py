"""The raw material of an instance: where it is, how large, and its SHA-256.

Recordings are kept where they are, outside the record, which remembers enough to tell whether one
is still what it was. A small one can be kept inside on request.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from palacs.campaign._values import check_count, check_name

LARGEST_INSIDE = 262_144

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Recording:
    """Where the raw material of an instance is, and how to recognise it.

    Attributes
    ----------
    where : str
        An absolute path, a URI, or the name of what is kept inside.
    size : int or None
        Bytes; ``None`` where nobody said, which is for URIs only.
    sha256 : str or None
        Of the content, 64 hexadecimal digits; ``None`` where nobody said.
    kept : bool
        Whether it is kept inside the record.
    content : bytes or None
        The recording itself, where it is kept inside and was asked for.

    Examples
    --------
    >>> from palacs.campaign import Recording
    >>> Recording.of("s3://lab/s01/trial-7.edf").where
    's3://lab/s01/trial-7.edf'
    >>> Recording.keep(b"abc", "trial-7.bin").size
    3
    """

    where: str
    size: int | None = None
    sha256: str | None = None
    kept: bool = False
    content: bytes | None = field(default=None, repr=False)

    @classmethod
    def of(cls, source: str | os.PathLike[str] | Mapping[str, Any] | Recording) -> Recording:
        """Return a recording by its path, its URI, or what is known about it.

        A path is read once, for its size and SHA-256. A URI is not fetched; give a mapping with
        ``uri``, ``size`` and ``sha256`` to have them kept.
        """
        if isinstance(source, Recording):
            return _whole(source)
        if isinstance(source, Mapping):
            return _described(source)
        text = os.fspath(source) if isinstance(source, os.PathLike) else source
        if not isinstance(text, str) or not text:
            raise ValueError(f"recording={source!r} is neither a path nor a URI.")
        return cls(_checked_uri(text)) if _URI.match(text) else _measured(Path(text))

    @classmethod
    def inside(cls, path: str | os.PathLike[str]) -> Recording:
        """Return a small recording, of at most 256 KiB, to be kept in the record itself."""
        return cls.keep(_read(Path(path)), Path(path).name)

    @classmethod
    def keep(cls, content: bytes, name: str) -> Recording:
        """Return some bytes, at most 256 KiB, as a recording that is kept in the record itself."""
        if len(content) > LARGEST_INSIDE:
            raise ValueError(
                f"the recording {name!r} has {len(content)} bytes; at most {LARGEST_INSIDE} are "
                "kept inside the record: give its path instead."
            )
        name = check_name(name, "name of the recording")
        return cls(name, len(content), hashlib.sha256(content).hexdigest(), True, content)

    def to_payload(self) -> dict[str, Any]:
        """Return the JSON form."""
        if self.content is None:
            return self.to_json()
        text = base64.b64encode(self.content).decode("ascii")
        return {**self.to_json(), "content": text}

    def to_json(self) -> dict[str, Any]:
        """Return everything but the content."""
        known = {"where": self.where, "size": self.size, "sha256": self.sha256}
        plain = {name: value for name, value in known.items() if value is not None}
        return {**plain, "kept": True} if self.kept else plain

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Recording:
        """Undo `to_payload`."""
        where, size, text = payload["where"], payload.get("size"), payload.get("content")
        if not isinstance(where, str) or not where.isprintable() or not 0 < len(where) <= 4_096:
            raise ValueError(f"a recording at {where!r:.80} is nowhere")
        size = None if size is None else check_count(size, "size", minimum=0)
        content = None if text is None else _decoded(text)
        return cls(
            where, size, _checked_sha256(payload.get("sha256")), bool(payload.get("kept")), content
        )


State = Literal["intact", "missing", "changed", "unreachable", "not fetched"]
"""What became of a recording; URIs are not fetched."""


@dataclass(frozen=True, slots=True)
class RecordingCheck:
    """What became of the recording of one instance.

    Attributes
    ----------
    id : str
        The instance.
    where : str
        As in the record, or where it was found.
    state : State
    detail : str
        What differs, or why it cannot be read; else empty.
    """

    id: str
    where: str
    state: State
    detail: str = ""


def check_recording(id_: str, recording: Recording, folder: Path | None = None) -> RecordingCheck:
    """Say what became of a recording.

    Parameters
    ----------
    id_ : str
        Of its instance.
    recording : Recording
    folder : Path or None
        Where a file that is not at its place is looked for, by its name.
    """
    if recording.content is not None:
        return _compared(id_, recording, recording.where, recording.content)
    path = _path_of(recording.where)
    if path is None:
        return RecordingCheck(id_, recording.where, "not fetched")
    if folder is not None and not path.exists():
        path = _moved(recording, path, folder)
    try:
        found = _measured(path)
    except (FileNotFoundError, NotADirectoryError):
        return RecordingCheck(id_, str(path), "missing")
    except (OSError, ValueError) as error:
        return RecordingCheck(id_, str(path), "unreachable", str(error))
    return _same(id_, recording, found)


def bytes_of(recording: Recording, folder: Path | None = None) -> tuple[bytes, str]:
    """Return what a recording holds and what it is called, or raise where it is not what it was.

    Parameters
    ----------
    recording : Recording
        With its content, where it is kept inside.
    folder : Path or None
        Where a file that is not at its place is looked for, by its name.
    """
    if recording.content is not None:
        return recording.content, recording.where
    check = check_recording("", recording, folder)
    if check.state == "not fetched":
        raise ValueError(
            f"the recording {recording.where!r} is not fetched; save it as a file, and give its "
            "path."
        )
    if check.state != "intact":
        detail = f" ({check.detail})" if check.detail else ""
        raise ValueError(f"the recording {check.where!r} is {check.state}{detail}.")
    with _opened(Path(check.where)) as file:
        content: bytes = file.read()
    if recording.sha256 not in (None, hashlib.sha256(content).hexdigest()):
        raise ValueError(f"the recording {check.where!r} changed while it was read.")
    return content, check.where


def _compared(id_: str, recording: Recording, where: str, content: bytes) -> RecordingCheck:
    found = Recording(where, len(content), hashlib.sha256(content).hexdigest())
    return _same(id_, recording, found)


def _same(id_: str, recording: Recording, found: Recording) -> RecordingCheck:
    if recording.size not in (None, found.size):
        detail = f"{found.size} bytes instead of {recording.size}"
        return RecordingCheck(id_, found.where, "changed", detail)
    if recording.sha256 not in (None, found.sha256):
        return RecordingCheck(id_, found.where, "changed", "another SHA-256")
    return RecordingCheck(id_, found.where, "intact")


def _whole(given: Recording) -> Recording:
    """Refuse what was put together by hand and would make the record unreadable."""
    checked = Recording.from_payload({**given.to_json(), "where": given.where})
    _checked_size(checked.size)
    if given.content is not None:
        return _as_claimed(Recording.keep(given.content, checked.where), checked)
    if given.kept:
        raise ValueError(
            f"the recording {checked.where!r:.80} comes without its content; take it from "
            "Campaign.recording(id), or give a path."
        )
    if _URI.match(checked.where):
        _checked_uri(checked.where)
    return checked


def _as_claimed(found: Recording, claimed: Recording) -> Recording:
    check = _same("", claimed, found)
    if check.state == "changed":
        raise ValueError(f"the recording {found.where!r} is not as described: {check.detail}.")
    return found


def _described(given: Mapping[str, Any]) -> Recording:
    unknown = [str(name) for name in given if name not in ("uri", "path", "size", "sha256")]
    if unknown or ("uri" in given) == ("path" in given):
        raise ValueError(
            f"recording={dict(given)!r} must have a uri or a path, and may have size and sha256."
        )
    if "path" in given:
        if not isinstance(given["path"], (str, os.PathLike)):
            raise ValueError(f"recording={dict(given)!r:.80}: its path is no text.")
        found = _measured(Path(given["path"]))
    else:
        found = Recording(_checked_uri(given["uri"]))
    sha256 = _checked_sha256(given.get("sha256"))
    claimed = Recording(found.where, _checked_size(given.get("size")), sha256)
    return claimed if found.size is None else _as_claimed(found, claimed)


def _checked_uri(uri: Any) -> str:
    if not isinstance(uri, str) or not _URI.match(uri) or not uri.isprintable() or len(uri) > 2_000:
        raise ValueError(f"{uri!r:.80} is no URI; give one such as s3://bucket/s01/trial-7.edf.")
    try:
        parts = urlsplit(uri)
    except ValueError as error:
        raise ValueError(f"{uri!r:.80} is no URI: {error}.") from error
    if parts.password is not None:
        raise ValueError(
            f"the URI at {parts.hostname!r} holds a password, which has no place in a record; "
            "leave it out."
        )
    return uri


def _checked_size(size: Any) -> int | None:
    return None if size is None else check_count(size, "size", minimum=0, maximum=2**63 - 1)


def _checked_sha256(digest: Any) -> str | None:
    if digest is None:
        return None
    if not isinstance(digest, str) or not re.fullmatch(r"[0-9a-fA-F]{64}", digest):
        raise ValueError(f"sha256={digest!r:.80} must be 64 hexadecimal digits.")
    return digest.lower()


def _measured(path: Path) -> Recording:
    digest, size = hashlib.sha256(), 0
    with _opened(path) as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
    return Recording(str(path.absolute()), size, digest.hexdigest())


def _read(path: Path) -> bytes:
    with _opened(path) as file:
        content: bytes = file.read(LARGEST_INSIDE + 1)
        size = path.stat().st_size
    if max(size, len(content)) > LARGEST_INSIDE:
        raise ValueError(
            f"the recording {str(path)!r} has {size} bytes; at most {LARGEST_INSIDE} are kept "
            "inside the record: give its path alone."
        )
    return content


def _opened(path: Path) -> Any:
    text = str(path.absolute())
    if not text.isprintable() or len(text) > 4_096:
        raise ValueError(f"{text!r:.80} is no usable path; rename the file.")
    if path.exists() and not path.is_file():
        # Reading from a device or a pipe might never end.
        what = "a folder" if path.is_dir() else "no plain file"
        raise ValueError(f"the recording {text!r} is {what}; give a file.")
    return path.open("rb")


def _path_of(where: str) -> Path | None:
    """Return the file a recording is in; None for URIs of anything else."""
    if not _URI.match(where):
        return Path(where)
    parts = urlsplit(where)
    if parts.scheme.lower() != "file" or parts.netloc not in ("", "localhost"):
        return None
    return Path(unquote(parts.path))


def _moved(recording: Recording, path: Path, folder: Path) -> Path:
    """Return where a file is now; of several with its name the one that is what it was."""
    found = [one for one in sorted(folder.rglob(_escaped(path.name))) if one.is_file()]
    if len(found) > 1:
        for one in found:
            with suppress(OSError, ValueError):
                if _same("", recording, _measured(one)).state == "intact":
                    return one
    return found[0] if found else path


def _escaped(name: str) -> str:
    return re.sub(r"([*?[])", r"[\1]", name)


def _decoded(text: Any) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, TypeError, ValueError) as error:
        raise ValueError(f"the recording inside cannot be read: {error}") from error
