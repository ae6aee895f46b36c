"""The reference, read from the code: what ``{reference} NAME`` stands for in a page."""

from __future__ import annotations

from collections.abc import Callable

PARTS: dict[str, Callable[[], str]] = {}
