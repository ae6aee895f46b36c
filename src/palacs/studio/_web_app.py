"""The web application: routes, pages, the guard in front and the event streams behind."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import Depends, FastAPI
from starlette.staticfiles import StaticFiles

from palacs._version import __version__
from palacs.storage import open_storage
from palacs.studio import _api, _apidocs, _digits, _pages, _watch
from palacs.studio._campaign_paths import NamesKeptWhole
from palacs.studio._campaigns import CampaignBook
from palacs.studio._config import StudioConfig
from palacs.studio._cue_markers import CueMarkers
from palacs.studio._error_answers import StudioJSON, install_error_handlers
from palacs.studio._events import EventHub
from palacs.studio._insight import Insights
from palacs.studio._links import LinkBook, place_of
from palacs.studio._openapi import ERRORS, operation_id, write_schema
from palacs.studio._security import Guard
from palacs.studio._transfer import Transfer
from palacs.studio._visitors import Visitors

_STATIC = Path(__file__).parent / "static"


class _OwnFiles(StaticFiles):
    """Our scripts and styles."""

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        # Older releases of Starlette let the operating system stumble over it.
        return ("", None) if "\0" in path else super().lookup_path(path)


def create_app(config: StudioConfig) -> FastAPI:
    """Make the studio.

    Parameters
    ----------
    config : StudioConfig
        Storage, token, port and report folders.

    Returns
    -------
    FastAPI
        Served by any ASGI server; `palacs.studio.serve` is the one that binds to
        127.0.0.1 only.

    Raises
    ------
    palacs.storage.StorageError
        The storage cannot be used.

    Examples
    --------
    >>> from palacs.studio import StudioConfig, create_app
    >>> create_app(StudioConfig(storage="memory")).title
    'palacs studio'
    """
    storage = open_storage(config.storage, create=True)
    hub, markers = EventHub(storage), CueMarkers(config)
    links = LinkBook(config.links or place_of(storage))
    visitors = Visitors(config.token, links)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        hub.open()
        yield
        hub.close()
        markers.close()
        if storage is not config.storage:
            storage.close()

    app = FastAPI(
        title="palacs studio",
        summary="Which class to acquire next: ask and tell over HTTP.",
        version=__version__,
        lifespan=lifespan,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        default_response_class=StudioJSON,
        separate_input_output_schemas=False,
        responses=ERRORS,
        generate_unique_id_function=operation_id,
        dependencies=[Depends(_api.bearer)],
    )
    app.state.config, app.state.hub, app.state.markers = config, hub, markers
    app.state.book, app.state.insights = CampaignBook(storage, hub.nudge), Insights()
    # In full, since the record keeps it and the next studio may be started elsewhere.
    given = None if config.recordings is None else config.recordings.absolute()
    app.state.recordings = given or place_of(storage, "recordings")
    app.state.links, app.state.visitors = links, visitors
    install_error_handlers(app)
    for room in (_api, _digits, _watch, _apidocs, _pages):
        app.include_router(room.router)
    write_schema(app)
    app.mount("/static", _OwnFiles(directory=_STATIC), name="static")
    app.add_middleware(NamesKeptWhole)
    app.add_middleware(Transfer)
    app.add_middleware(Guard, config=config, visitors=visitors)
    return app
