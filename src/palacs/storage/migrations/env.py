"""Run migrations on the connection that the caller opened and will commit."""

from alembic import context

from palacs.storage._schema import VERSION_TABLE, metadata


def run() -> None:
    """Run what alembic was asked for."""
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=metadata,
        version_table=VERSION_TABLE,
        transactional_ddl=False,  # the caller's transaction covers all of it
    )
    context.run_migrations()


# alembic executes this file under this name; imported by anyone else it does nothing.
if __name__ == "env_py":
    run()
