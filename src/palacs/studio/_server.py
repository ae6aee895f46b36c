"""Running the studio: bind to an address of this machine, TLS, stop without hanging."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from palacs.studio._config import StudioConfig
from palacs.studio._error_answers import error_response
from palacs.studio._links import NoLinks
from palacs.studio._web_app import create_app

HOST = "127.0.0.1"
_PATIENCE_S = 5  # for what is under way when it stops
_WRONG_DATES = (9, 10)  # OpenSSL's numbers: not valid yet, expired
_FLIGHTS = 4  # messages each way until two ends of TLS agree
_GIVEN_UP = ("Cancel %s running task(s)", "ASGI callable returned without")


def bind(port: int, address: str = HOST) -> socket.socket:
    """Return a socket listening on 127.0.0.1; port 0 takes any free one.

    Another address is for networks and containers: whatever it is, requests must name 127.0.0.1
    or the public address (`StudioConfig`), and bring a token.

    Raises
    ------
    OSError
        The port is in use or not allowed, or the address is none of this machine's; the message
        says what to do.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    if os.name == "posix":
        # A studio that was killed can be started again at once; on Windows the option
        # would let two programs share the port instead.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
            raise OSError(
                f"{address!r} is no address of this machine; leave --host out for {HOST}."
            ) from error
        reason = {
            errno.EADDRINUSE: "is already in use, perhaps by another studio",
            errno.EACCES: "may not be used without special rights",
        }.get(error.errno or 0, f"cannot be used ({error.strerror})")
        raise OSError(
            f"port {port} {reason}; choose another with --port, or --port 0 for any free one."
        ) from error
    return listener


def reachable_address(address: str) -> str:
    """Return under which address of this machine others reach what listens on `address`.

    Raises
    ------
    OSError
        It listens everywhere, and this machine is on no network that would say.
    """
    if address not in ("0.0.0.0", "::"):
        return address
    family = socket.AF_INET6 if address == "::" else socket.AF_INET
    # From the range for documentation: nothing is sent, only the way there is looked up.
    elsewhere = "2001:db8::1" if address == "::" else "203.0.113.1"
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((elsewhere, 9))
            return str(probe.getsockname()[0])
    except OSError as error:
        raise OSError(
            f"how others reach this machine cannot be found out ({error.strerror}); say it with "
            "--public-url."
        ) from error


def check_certificate(config: StudioConfig) -> None:
    """Raise unless the files for TLS can be used; the message names them."""
    if config.certificate is None or config.key is None:
        return
    for file in (config.certificate, config.key):
        if not file.is_file():
            raise ValueError(f"there is no file {str(file)!r}; check --certificate and --key.")
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(
            config.certificate, config.key, password=lambda: ""
        )
    except (ssl.SSLError, OSError, ValueError) as error:
        raise ValueError(
            f"{str(config.certificate)!r} and {str(config.key)!r} cannot be used for TLS "
            f"({error}); give a certificate and its key without a password, in PEM."
        ) from error


def certificate_warning(config: StudioConfig) -> str:
    """Return why no browser takes the certificate today; empty where its dates are right."""
    if config.certificate is None or config.key is None:
        return ""
    here = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    here.load_cert_chain(config.certificate, config.key)
    # Somebody who trusts this certificate whoever signed it, so that only its dates are left.
    there = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    there.check_hostname = False
    there.load_verify_locations(config.certificate)
    there.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
    out, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = there.wrap_bio(back, out), here.wrap_bio(out, back, server_side=True)
    for end in ends * _FLIGHTS:
        try:
            end.do_handshake()
        except ssl.SSLWantReadError:
            continue  # it waits for what the other end says
        except ssl.SSLCertVerificationError as error:
            if error.verify_code not in _WRONG_DATES:
                return ""
            return (
                f"No browser will take the certificate {str(config.certificate)!r} "
                f"({error.verify_message}); get a new one."
            )
        except ssl.SSLError:
            return ""
    return ""


def serve(
    config: StudioConfig,
    *,
    listener: socket.socket | None = None,
    beside: socket.socket | None = None,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Run the studio until it is interrupted.

    Parameters
    ----------
    config : StudioConfig
        Its settings; the port must be the one it is bound to.
    listener : socket.socket or None
        From `bind`; by default bound to ``config.port``.
    beside : socket.socket or None
        Another one, where the studio answers on two addresses.
    ready : callable
        Called once requests are answered.
    """
    app = create_app(config)
    with suppress(NoLinks):  # where nothing can be written, links are made in the browser
        app.state.links.remember(config.public_origin)
    settings = uvicorn.Config(
        Stoppable(app),
        # Access logs would print the launch token.
        access_log=False,
        log_level="warning",
        server_header=False,
        date_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="on",
        ssl_certfile=config.certificate,
        ssl_keyfile=config.key,
        timeout_graceful_shutdown=_PATIENCE_S,
        timeout_keep_alive=30,
    )
    server = _Server(settings, on_exit=app.state.hub.close, ready=ready)
    server.run(sockets=[listener or bind(config.port), *([] if beside is None else [beside])])


class Stoppable:
    """The studio, which answers those whose request is given up when it stops."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def noting(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except asyncio.CancelledError:
            # Only a server that stops cancels what is under way.
            if scope["type"] != "http":
                raise
            if not begun:
                said = "the studio was stopped before this was done; start it and ask again."
                await error_response(scope, 503, "stopped", said)(scope, receive, send)


def _is_news(record: logging.LogRecord) -> bool:
    """Whether the server says something else than that it gives up what is under way."""
    return not str(record.msg).startswith(_GIVEN_UP)


class _Server(uvicorn.Server):
    """Uvicorn that ends the endless event streams before it waits for requests to end."""

    def __init__(
        self, config: uvicorn.Config, on_exit: Callable[[], None], ready: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._on_exit = on_exit
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        logging.getLogger("uvicorn.error").addFilter(_is_news)
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._on_exit()
        super().handle_exit(sig, frame)
