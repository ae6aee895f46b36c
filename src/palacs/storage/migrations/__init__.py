"""The history of the schema, run by alembic; see :mod:`palacs.storage._versions`."""
