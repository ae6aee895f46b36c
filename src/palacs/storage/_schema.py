"""The tables as the newest schema has them, and the names of all schema versions.

The tables are made and changed by the migrations only; what is declared here is what the
queries are written against. A test holds the two together.
"""

from __future__ import annotations

import sqlalchemy as sa

REVISIONS = ("0001", "0002", "0003")
"""Every schema there has been, oldest first; the last one is what this palacs reads."""

VERSION_TABLE = "palacs_version"

metadata = sa.MetaData()

campaigns = sa.Table(
    "palacs_campaigns",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("head", sa.Integer, nullable=False),
    sa.Column("chain", sa.LargeBinary),
)

events = sa.Table(
    "palacs_events",
    metadata,
    sa.Column("campaign_id", sa.Integer, sa.ForeignKey("palacs_campaigns.id"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("entry", sa.Text),
    sa.Column("label", sa.Text),
    sa.Column("x", sa.LargeBinary),
    sa.Column("payload", sa.Text, nullable=False),
    sa.Column("cost", sa.Double),
    sa.Column("duration", sa.Double),
    sa.Column("op", sa.Text),
    sa.Column("author", sa.Text),
    sa.Column("attrs", sa.Text),
    sa.Column("salt", sa.LargeBinary),
    sa.Column("digest", sa.LargeBinary),
)

# Only a cache of what the events add up to: it may be emptied at any time.
snapshots = sa.Table(
    "palacs_snapshots",
    metadata,
    sa.Column("campaign_id", sa.Integer, sa.ForeignKey("palacs_campaigns.id"), primary_key=True),
    sa.Column("part", sa.Text, primary_key=True),
    sa.Column("seq", sa.Integer, nullable=False),
    sa.Column("chain", sa.LargeBinary, nullable=False),
    sa.Column("format", sa.Text, nullable=False),
    sa.Column("checksum", sa.LargeBinary, nullable=False),
    sa.Column("data", sa.LargeBinary, nullable=False),
)
