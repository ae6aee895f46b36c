"""What a studio is started with; fixed for the life of the process."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path

from palacs.storage import DEFAULT_URL, Storage

DEFAULT_PORT = 8765
SHORTEST_TOKEN = 16
MEBIBYTE = 2**20


def new_token() -> str:
    """Return a launch token: 256 random bits, safe in a URL and in a cookie."""
    return secrets.token_urlsafe(32)


@dataclass(frozen=True, slots=True)
class StudioConfig:
    """Settings of one studio.

    Parameters
    ----------
    storage : str or Storage
        Where campaigns are kept, see `palacs.storage.open_storage`; made if it is not
        there.
    token : str
        Whoever has it may do everything; by default a new one.
    port : int
        The port on 127.0.0.1 that the studio answers on; requests naming another are refused.
    reports : tuple of Path
        Folders in which to look for results of ``reproduce`` and ``compare``.
    largest_upload : int
        Most bytes that a request may carry.
    markers : bool
        Whether cues go out as markers of a lab stream, see `palacs.lsl.MarkerOutlet`.
    links : Path or None
        The file that keeps the links of others; by default one beside the storage.

    Examples
    --------
    >>> StudioConfig(token="correct-horse-battery").origin
    'http://127.0.0.1:8765'
    """

    storage: str | Storage = DEFAULT_URL
    token: str = field(default_factory=new_token, repr=False)
    port: int = DEFAULT_PORT
    reports: tuple[Path, ...] = ()
    largest_upload: int = 8 * MEBIBYTE
    markers: bool = False
    links: Path | None = None

    def __post_init__(self) -> None:
        # It travels in a URL, a header and a cookie, so nothing in it may need quoting.
        plain = self.token.isascii() and self.token.replace("-", "").replace("_", "").isalnum()
        if len(self.token) < SHORTEST_TOKEN or not plain:
            raise ValueError(
                f"the launch token is not usable; give at least {SHORTEST_TOKEN} letters, digits, "
                "'-' or '_', or leave it out for a random one."
            )

    @property
    def origin(self) -> str:
        """The studio's own address, as browsers write it."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def launch_url(self) -> str:
        """The address to open: with it the browser gets its cookie."""
        return f"{self.origin}/?token={self.token}"
