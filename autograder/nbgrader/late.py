"""What being late costs: a policy for `c.AssignLatePenalties.plugin_class`."""

from __future__ import annotations

import math

from nbgrader.plugins import LateSubmissionPlugin
from traitlets import Dict, Float, Unicode

HOUR_SECONDS = 3600.0
DAY_SECONDS = 24 * HOUR_SECONDS


class PercentPerDay(LateSubmissionPlugin):  # type: ignore[misc]
    """Each day begun after the due date costs some percent of what the submission earned."""

    percent = Float(10.0, min=0.0, max=100.0, help="What each day costs.").tag(config=True)
    at_most = Float(50.0, min=0.0, max=100.0, help="Percent that lateness costs at most.").tag(
        config=True
    )
    grace_hours = Float(0.0, min=0.0, help="Hours after the due date that cost nothing.").tag(
        config=True
    )
    extra_days = Dict(
        Float(), key_trait=Unicode(), help="Days that a student, by id, may hand in later."
    ).tag(config=True)

    def late_submission_penalty(
        self, student_id: str, score: float, total_seconds_late: float
    ) -> float | None:
        """The points to take from `score`; None for a submission that is not late after all.

        nbgrader calls this for late submissions and shows the penalty in formgrader and feedback.
        """
        extra = float(self.extra_days.get(student_id, 0)) * DAY_SECONDS
        late = total_seconds_late - self.grace_hours * HOUR_SECONDS - extra
        if late <= 0:
            return None
        return score * min(math.ceil(late / DAY_SECONDS) * self.percent, self.at_most) / 100
