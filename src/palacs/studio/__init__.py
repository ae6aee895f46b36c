"""The studio: run campaigns in the browser, live, and over REST.

`create_app` gives the web application, `serve` runs it on 127.0.0.1. It works on
the same storage as `palacs.campaign`: what a script tells appears on the page at once.
"""

from palacs.extras import need

need("studio", "palacs.studio")

from palacs.studio._config import DEFAULT_PORT, StudioConfig
from palacs.studio._cue_markers import STREAM
from palacs.studio._links import DEFAULT_DAYS, Link, LinkBook, NoLinks, place_of
from palacs.studio._roles import MEANINGS, Role
from palacs.studio._server import (
    bind,
    certificate_warning,
    check_certificate,
    reachable_address,
    serve,
)
from palacs.studio._web_app import create_app

__all__ = [
    "DEFAULT_DAYS",
    "DEFAULT_PORT",
    "MEANINGS",
    "STREAM",
    "Link",
    "LinkBook",
    "NoLinks",
    "Role",
    "StudioConfig",
    "bind",
    "certificate_warning",
    "check_certificate",
    "create_app",
    "place_of",
    "reachable_address",
    "serve",
]
