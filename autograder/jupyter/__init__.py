"""What a student's Jupyter has of the check service.

A server extension that passes questions on, a JupyterLab extension that is built from
`labextension/`, and `%check` for kernels without either. It imports nothing of the engine.
"""

from __future__ import annotations

from typing import Any


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    return [{"module": "autograder.jupyter.passage"}]
