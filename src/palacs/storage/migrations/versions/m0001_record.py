"""The record: campaigns and their events, which nobody can change."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

# Each name says what there can be only one of.
_ONCE = {
    "palacs_asked_once": "kind = 'asked'",
    "palacs_closed_once": "kind IN ('told', 'failed')",
    "palacs_entered_once": "kind IN ('told', 'added')",
    "palacs_retracted_once": "kind = 'retracted'",
}


def upgrade() -> None:
    """Make the tables, the uniqueness rules and the guards against editing."""
    op.create_table(
        "palacs_campaigns",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("head", sa.Integer, nullable=False),
    )
    op.create_table(
        "palacs_events",
        sa.Column(
            "campaign_id", sa.Integer, sa.ForeignKey("palacs_campaigns.id"), primary_key=True
        ),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("entry", sa.Text),
        sa.Column("label", sa.Text),
        sa.Column("x", sa.LargeBinary),
        sa.Column("payload", sa.Text, nullable=False),
    )
    for name, condition in _ONCE.items():
        op.create_index(
            name,
            "palacs_events",
            ["campaign_id", "entry"],
            unique=True,
            sqlite_where=sa.text(condition),
            postgresql_where=sa.text(condition),
        )
    _forbid_editing()


def _forbid_editing() -> None:
    if op.get_bind().dialect.name == "sqlite":
        for action in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER palacs_no_{action.lower()} BEFORE {action} ON palacs_events "
                "BEGIN SELECT RAISE(ABORT, 'palacs: the record is append-only'); END"
            )
        return
    op.execute(
        "CREATE FUNCTION palacs_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'palacs: the record is append-only'; END $$"
    )
    op.execute(
        "CREATE TRIGGER palacs_no_edit BEFORE UPDATE OR DELETE OR TRUNCATE ON palacs_events "
        "FOR EACH STATEMENT EXECUTE FUNCTION palacs_append_only()"
    )
