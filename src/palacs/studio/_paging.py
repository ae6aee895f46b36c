"""Long lists in pages: after what was seen last, at most so many, and where it goes on.

Lists of a campaign only ever grow at their end, so a page is the same whenever it is fetched and
nothing is missed while others write.
"""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, Query, Request

LARGEST_PAGE = 10_000

After = Annotated[
    int | None,
    Query(ge=0, lt=2**63, description="The number of the last one seen, as in the answer's next."),
]
Limit = Annotated[int | None, Query(ge=1, le=LARGEST_PAGE, description="How many at most.")]


class Pages:
    """Says where the page after this one is.

    Parameters
    ----------
    request : Request
        The one for this page.
    """

    def __init__(self, request: Request) -> None:
        self._path: str = request.scope["path"]  # names are kept as they were sent
        self._asked = [
            (key, value)
            for key, value in request.query_params.multi_items()
            if key not in ("after", "offset")
        ]

    def next(self, after: int | str) -> str:
        """Return the address of the page after something."""
        return f"{self._path}?{urlencode([*self._asked, ('after', after)])}"


def _pages(request: Request) -> Pages:
    # Not the class itself: earlier releases of FastAPI do not find what its Request is.
    return Pages(request)


ThePages = Annotated[Pages, Depends(_pages)]
