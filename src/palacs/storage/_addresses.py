"""Addresses as they may be printed and logged: without a password, whether valid or not."""

from __future__ import annotations

import re

import sqlalchemy as sa
from sqlalchemy import exc


def parse(address: str, form: str) -> sa.URL:
    """Return a database's address in parts.

    Parameters
    ----------
    address : str
        As it was typed.
    form : str
        How it should look, for the message.
    """
    try:
        return sa.make_url(address)
    except (exc.ArgumentError, ValueError):
        # What SQLAlchemy says may quote a part of the password.
        raise refusal(address, form) from None


def refusal(address: str, form: str) -> ValueError:
    """Return the error for an address that does not have the right form."""
    return ValueError(f"{without_password(address)!r} is no storage address: use {form}.")


def shown(url: sa.URL) -> str:
    """Return an address that may be printed: PostgreSQL also takes passwords in the query."""
    secret = [key for key in url.query if "password" in key.lower()]
    return url.difference_update_query(secret).render_as_string(hide_password=True)


def without_password(address: str) -> str:
    """Return a storage's address as it may be printed and logged.

    Parameters
    ----------
    address : str
        As in `open_storage`; it need not be valid.

    Returns
    -------
    str

    Examples
    --------
    >>> from palacs.storage import without_password
    >>> without_password("postgresql+psycopg://ada:secret@host/lab")
    'postgresql+psycopg://ada:***@host/lab'
    """
    try:
        return shown(sa.make_url(address))
    except (exc.ArgumentError, ValueError):
        return re.sub(r":(?!//).*@", ":***@", address)
