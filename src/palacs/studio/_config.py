"""What a studio is started with; fixed for the life of the process."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from palacs.storage import DEFAULT_URL, Storage

DEFAULT_PORT = 8765
SHORTEST_TOKEN = 16
MEBIBYTE = 2**20
LOOPBACK = ("127.0.0.1", "localhost")


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
        The port that the studio answers on; requests naming another are refused.
    reports : tuple of Path
        Folders in which to look for results of ``reproduce`` and ``compare``.
    largest_upload : int
        Most bytes that a request may carry,
    largest_recording : int
        and one that brings a recording.
    markers : bool
        Whether cues go out as markers of a lab stream, see `palacs.lsl.MarkerOutlet`.
    links : Path or None
        The file that keeps the links of others; by default one beside the storage.
    recordings : Path or None
        The folder that keeps uploaded recordings; by default one beside the storage.
    public_url : str or None
        Where others on the network reach it; by default nobody does.
    certificate, key : Path or None
        Files for TLS, which the studio then speaks itself.
    proxy : bool
        Whether to believe what a proxy in front says in ``X-Forwarded-Host`` and ``-Proto``.

    Examples
    --------
    >>> StudioConfig(token="correct-horse-battery").origin
    'http://127.0.0.1:8765'
    >>> StudioConfig(public_url="https://lab.example/").public_origin
    'https://lab.example'
    """

    storage: str | Storage = DEFAULT_URL
    token: str = field(default_factory=new_token, repr=False)
    port: int = DEFAULT_PORT
    reports: tuple[Path, ...] = ()
    largest_upload: int = 8 * MEBIBYTE
    largest_recording: int = 64 * MEBIBYTE
    markers: bool = False
    links: Path | None = None
    recordings: Path | None = None
    public_url: str | None = None
    certificate: Path | None = None
    key: Path | None = None
    proxy: bool = False

    def __post_init__(self) -> None:
        # It travels in a URL and a header, so nothing in it may need quoting.
        plain = self.token.isascii() and self.token.replace("-", "").replace("_", "").isalnum()
        if len(self.token) < SHORTEST_TOKEN or not plain:
            raise ValueError(
                f"the launch token is not usable; give at least {SHORTEST_TOKEN} letters, digits, "
                "'-' or '_', or leave it out for a random one."
            )
        if self.public_url is not None:
            _check_address(self.public_url)
        if (self.certificate is None) != (self.key is None):
            raise ValueError("TLS takes both a certificate and its key; give both files.")
        if self.certificate is not None and self.public_url and not self.encrypted:
            raise ValueError(
                f"with a certificate the studio answers https only, and {self.public_url!r} is "
                "not; let it begin with https://."
            )

    @property
    def origin(self) -> str:
        """The studio's own address on this machine, as browsers write it."""
        return f"{'http' if self.certificate is None else 'https'}://127.0.0.1:{self.port}"

    @property
    def public_origin(self) -> str:
        """The address that others are given, as browsers write it."""
        return self.origin if self.public_url is None else _origin(self.public_url)

    @property
    def encrypted(self) -> bool:
        """Whether what others send cannot be read on the way."""
        return self.public_origin.startswith("https:")

    @property
    def launch_url(self) -> str:
        """The address to open: with it the browser gets its cookie."""
        # A certificate is made out to the public name.
        base = self.origin if self.certificate is None else self.public_origin
        return f"{base}/?token={self.token}"

    @property
    def origins(self) -> dict[str, str]:
        """The address of a page for each Host that a request may name."""
        local = {f"{host}:{self.port}" for host in LOOPBACK}
        if self.port == 80:
            local |= set(LOOPBACK)
        scheme = self.origin.partition(":")[0]
        found = {host: f"{scheme}://{host}" for host in local}
        if self.public_url is not None:
            host = self.public_origin.partition("://")[2]
            found[host] = self.public_origin
            if ":" not in host.rpartition("]")[2]:
                found[f"{host}:{443 if self.encrypted else 80}"] = self.public_origin
        return found


def _origin(address: str) -> str:
    parts = urlsplit(address)
    usual = {"http": 80, "https": 443}[parts.scheme]
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = "" if parts.port in (None, usual) else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}"


def _check_address(address: str) -> None:
    try:
        parts = urlsplit(address)
        whole = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        whole = False
    if not whole or parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError(
            f"{address!r} is no address for a studio; give one such as https://lab.example or "
            "http://192.168.1.20:8765, without a path."
        )
