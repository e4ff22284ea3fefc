"""nbgrader's configuration of this course."""

from autograder.course.configuration import configure

c = get_config()  # noqa: F821 - given by traitlets
configure(c, __file__)  # first: what stands below it wins

c.CourseDirectory.course_id = "transformers"

# Seconds that one cell of a submission may run. autograder/course/limits.py names the other limits,
# which stand in c.GradeInBox.limits, as {"memory_bytes": 2 << 30}.
c.Execute.timeout = 20

# Seconds to look for the place of a mistake that nothing else tells, for each question; 0 for none.
c.GradeInBox.limits = {"search_seconds": 3}

# A question that rests on an earlier wrong answer is graded again with the instructor's answer to
# that one. Not in these assignments:
c.GradeInBox.no_follow_through = []

# The time zone of the times in file names that `nbgrader zip_collect` reads (docs/collecting.md).
c.LMSCollector.timezone = "UTC"

# What being late costs; without these lines nothing. The due date is set in formgrader.
# c.AssignLatePenalties.plugin_class = "autograder.nbgrader.late.PercentPerDay"
# c.PercentPerDay.percent = 10  # of the score, for each day begun
# c.PercentPerDay.at_most = 50
# c.PercentPerDay.grace_hours = 1
# c.PercentPerDay.extra_days = {"demo-student": 3}
