"""A pytest plugin for the run of nbgrader's own tests in `test_nbgrader_suite`.

nbgrader asks the `alembic` command for the newest version of its gradebook each time it makes one.
The answer never changes, and asking takes most of these tests' time.
"""

from __future__ import annotations

from functools import cache

import nbgrader.api

nbgrader.api.get_alembic_version = cache(nbgrader.api.get_alembic_version)
