"""Attempts, and what was said of the checks that they failed."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

ATTEMPT, MISTAKE = "check_service_attempt", "check_service_mistake"


def upgrade() -> None:
    """Makes both tables."""
    name = sa.String(128)
    op.create_table(
        ATTEMPT,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("student", name, nullable=False),
        sa.Column("assignment", name, nullable=False),
        sa.Column("question", name, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("passed", sa.Boolean, nullable=False),
        sa.Column("result", sa.Text, nullable=False),
    )
    op.create_index(f"{ATTEMPT}_of", ATTEMPT, ["student", "assignment", "question", "at"])
    op.create_index(f"{ATTEMPT}_on", ATTEMPT, ["assignment", "at"])
    op.create_index(f"{ATTEMPT}_at", ATTEMPT, ["at"])
    op.create_table(
        MISTAKE,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column(
            "attempt_id",
            sa.Integer,
            sa.ForeignKey(f"{ATTEMPT}.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("check_name", name, nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("name", name, nullable=False),
        sa.Column("sentence", sa.Text, nullable=False),
    )
    op.create_index(f"ix_{MISTAKE}_attempt_id", MISTAKE, ["attempt_id"])


def downgrade() -> None:
    """Removes both tables."""
    op.drop_table(MISTAKE)
    op.drop_table(ATTEMPT)
