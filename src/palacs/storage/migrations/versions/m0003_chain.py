"""Who, why and by which operation, a chain of digests, and a place for snapshots.

Events can be erased, and only erased: the guards let an update pass that removes what an
event says about a person, once a tombstone stands behind it.
"""

import sqlalchemy as sa
from alembic import op

from palacs.storage import _chain

revision = "0003"
down_revision = "0002"

_STAYS = ("campaign_id", *_chain.STAYS, "digest")
_GONE = tuple(name for name in _chain.ERASABLE if name != "payload")
_ERASED = '{"erased":true}'
_REFUSAL = "palacs: the record is append-only"

_events = sa.table(
    "palacs_events",
    *map(sa.column, ("campaign_id", "salt", "digest", *_chain.STAYS, *_chain.ERASABLE)),
)
_campaigns = sa.table(
    "palacs_campaigns", *map(sa.column, ("id", "name", "created_at", "head", "chain"))
)


def upgrade() -> None:
    """Add the columns and the table, chain the events there are, renew the guards."""
    for name in ("op", "author", "attrs"):
        op.add_column("palacs_events", sa.Column(name, sa.Text))
    for name in ("salt", "digest"):
        op.add_column("palacs_events", sa.Column(name, sa.LargeBinary))
    op.add_column("palacs_campaigns", sa.Column("chain", sa.LargeBinary))
    _index("palacs_operations", "op", "op IS NOT NULL")
    _index("palacs_tombstones", "seq", "kind = 'erased'")
    op.create_table(
        "palacs_snapshots",
        sa.Column(
            "campaign_id", sa.Integer, sa.ForeignKey("palacs_campaigns.id"), primary_key=True
        ),
        sa.Column("part", sa.Text, primary_key=True),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("chain", sa.LargeBinary, nullable=False),
        sa.Column("format", sa.Text, nullable=False),
        sa.Column("checksum", sa.LargeBinary, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    op.execute(f"DROP TRIGGER {'palacs_no_update' if on_sqlite else _ON_SERVER}")
    _chain_the_events(op.get_bind())
    for statement in _sqlite_guards() if on_sqlite else _postgresql_guards():
        # As it stands: what looks like a parameter is JSON.
        op.get_bind().exec_driver_sql(statement)


def _index(name: str, column: str, condition: str) -> None:
    where = sa.text(condition)
    columns = ["campaign_id", column]
    op.create_index(name, "palacs_events", columns, sqlite_where=where, postgresql_where=where)


def _chain_the_events(connection: sa.Connection) -> None:
    for campaign in connection.execute(sa.select(_campaigns)).all():
        chain, seq = _chain.anchor(campaign.name, campaign.created_at), 0
        query = sa.select(_events).where(_events.c.campaign_id == campaign.id)
        while rows := connection.execute(
            query.where(_events.c.seq > seq).order_by(_events.c.seq).limit(1000)
        ).all():
            chained = []
            for row in rows:
                salted = {**row._mapping, "salt": _chain.new_salt()}
                digest = _chain.digest_of([salted[name] for name in _chain.CHAINED])
                chain = _chain.extended(chain, digest)
                place = {"key": campaign.id, "of": row.seq}
                chained.append({**place, "salt": salted["salt"], "digest": digest})
            seq = rows[-1].seq
            connection.execute(_SET_DIGEST, chained)
        connection.execute(
            sa.update(_campaigns).where(_campaigns.c.id == campaign.id).values(chain=chain)
        )


_SET_DIGEST = (
    sa.update(_events)
    .where(_events.c.campaign_id == sa.bindparam("key"), _events.c.seq == sa.bindparam("of"))
    .values(salt=sa.bindparam("salt"), digest=sa.bindparam("digest"))
)

# -- the guards ------------------------------------------------------------------------

_ON_SERVER = "palacs_no_edit ON palacs_events"


def _erases(same: str, length: str) -> str:
    """Return the condition under which an update is the erasing of an event."""
    stays = [f"NEW.{name} {same} OLD.{name}" for name in _STAYS]
    gone = [f"NEW.{name} IS NULL" for name in _GONE]
    tombstone = (
        "EXISTS (SELECT 1 FROM palacs_events AS later WHERE later.kind = 'erased' "
        "AND later.campaign_id = OLD.campaign_id AND later.seq > OLD.seq)"
    )
    sealed = f"{length}(NEW.salt) = {_chain.SEAL_BYTES}"
    return " AND ".join([*stays, *gone, f"NEW.payload = '{_ERASED}'", sealed, tombstone])


def _sqlite_guards() -> list[str]:
    return [
        "CREATE TRIGGER palacs_no_update BEFORE UPDATE ON palacs_events "
        f"WHEN NOT ({_erases('IS', 'length')}) "
        f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
    ]


def _postgresql_guards() -> list[str]:
    return [
        "CREATE FUNCTION palacs_only_erase() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF {_erases('IS NOT DISTINCT FROM', 'length')} THEN RETURN NEW; END IF; "
        f"RAISE EXCEPTION '{_REFUSAL}'; END $$",
        "CREATE TRIGGER palacs_no_update BEFORE UPDATE ON palacs_events "
        "FOR EACH ROW EXECUTE FUNCTION palacs_only_erase()",
        f"CREATE TRIGGER {_ON_SERVER.replace(' ON ', ' BEFORE DELETE OR TRUNCATE ON ')} "
        "FOR EACH STATEMENT EXECUTE FUNCTION palacs_append_only()",
    ]
