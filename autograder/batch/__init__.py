"""A whole class, graded on many processes or machines and recorded through nbgrader.

Theory of operation. The workers of a farm grade. The head, where the user is, keeps each verdict in
the cache as it arrives (`cache`), and one thread records it by nbgrader's own steps (`recording`).
What was recorded is noted in a log (`log`); a submission whose bytes and
state have not changed since is passed over. So the head may be ended at any moment: the next run
takes up the verdicts that are kept, and grades only what is missing.
"""
