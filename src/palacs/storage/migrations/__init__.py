"""The history of the schema, run by alembic; see `palacs.storage._schema_versions`."""
