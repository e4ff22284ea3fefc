"""What alembic runs: the steps that are missing, in the transaction that it was given."""

from alembic import context

from autograder.service.tables import Table

VERSIONS = "check_service_version"  # the gradebook, in the same database, has a table of its own

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Table.metadata,
    version_table=VERSIONS,
)
with context.begin_transaction():
    context.run_migrations()
