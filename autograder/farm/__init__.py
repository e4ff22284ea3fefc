"""Workers that grade: processes of this machine, or those behind a Dask scheduler.

Theory of operation. Grading is a pure function of a submission's bytes and of its assignment's
state. It runs as Dask tasks on workers that were handed the assignments (`bundle`), and that hold
one grader with a zygote for each (`worker`). Whoever has work for them, a batch or the check
service, sees `workers.Farm` alone.
"""

import autograder.lean  # noqa: F401 - before nbformat
