"""What an acquisition cost and how long it took, beside the instance it brought."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the two columns; what was recorded before stays without them."""
    op.add_column("palacs_events", sa.Column("cost", sa.Double))
    op.add_column("palacs_events", sa.Column("duration", sa.Double))
