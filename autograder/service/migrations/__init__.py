"""How the tables of the service came about, step by step, for alembic."""
