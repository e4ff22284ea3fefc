"""A whole class, graded on many processes or machines and recorded through nbgrader.

Theory of operation. Grading a submission is a pure function of its bytes and of the assignment's
state; `farm` runs it as Dask tasks on workers that hold a zygote each. The head, where the user
is, keeps each verdict in the cache as it arrives (`cache`), and one thread records it by nbgrader's
own steps (`recording`). What was recorded is noted in a log (`log`); a submission whose bytes and
state have not changed since is passed over. So the head may be ended at any moment: the next run
takes up the verdicts that are kept, and grades only what is missing.
"""

import sys

# jsonschema, on which nbformat and jupyter rest, would make a grammar of URIs that takes it 0.8 s;
# nothing here has a URI to check.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
