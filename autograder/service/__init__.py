"""The check service: a student asks while they work, and reads what the grader would say.

Nothing here is loaded by the commands that grade. What it needs beyond them is the extra `service`.
"""
