"""Running the studio: bind to an address of this machine, say the address, stop without hanging."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn

from palacs.studio._config import StudioConfig
from palacs.studio._web_app import create_app

HOST = "127.0.0.1"


def bind(port: int, address: str = HOST) -> socket.socket:
    """Return a socket listening on 127.0.0.1; port 0 takes any free one.

    Another address is for containers, whose port is published on 127.0.0.1 outside: whatever
    it is, requests must name 127.0.0.1 and bring the token.

    Raises
    ------
    OSError
        The port is in use or not allowed, or the address is none of this machine's; the message
        says what to do.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
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
                f"{address!r} is no address of this machine; leave --listen out for {HOST}."
            ) from error
        reason = {
            errno.EADDRINUSE: "is already in use, perhaps by another studio",
            errno.EACCES: "may not be used without special rights",
        }.get(error.errno or 0, f"cannot be used ({error.strerror})")
        raise OSError(
            f"port {port} {reason}; choose another with --port, or --port 0 for any free one."
        ) from error
    return listener


def serve(
    config: StudioConfig,
    *,
    listener: socket.socket | None = None,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Run the studio until it is interrupted.

    Parameters
    ----------
    config : StudioConfig
        Its settings; the port must be the one it is bound to.
    listener : socket.socket or None
        From `bind`; by default bound to ``config.port``.
    ready : callable
        Called once requests are answered.
    """
    app = create_app(config)
    settings = uvicorn.Config(
        app,
        # Access logs would print the launch token.
        access_log=False,
        log_level="warning",
        server_header=False,
        date_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=10,
        timeout_keep_alive=30,
    )
    server = _Server(settings, on_exit=app.state.hub.close, ready=ready)
    server.run(sockets=[listener or bind(config.port)])


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

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._on_exit()
        super().handle_exit(sig, frame)
