"""The studio: run campaigns in the browser, live, and over REST.

:func:`create_app` gives the web application, :func:`serve` runs it on 127.0.0.1. It works on
the same storage as :mod:`palacs.campaign`: what a script tells appears on the page at once.
"""

from palacs.studio._app import create_app
from palacs.studio._config import StudioConfig
from palacs.studio._server import serve

__all__ = ["StudioConfig", "create_app", "serve"]
