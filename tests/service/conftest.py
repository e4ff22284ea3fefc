"""A check service for each test that asks for one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from service.served import Serve, Served, serving


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts a service with the options that it is given."""
    with ExitStack() as stack:

        def started(**options: Any) -> Served:
            return stack.enter_context(partial(serving, tmp_path)(**options))

        yield started


@pytest.fixture
def served(serve: Serve) -> Served:
    return serve()
