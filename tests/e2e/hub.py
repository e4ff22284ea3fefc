"""A JupyterHub with its proxy, a spawner and the check service, as docs/service.md sets them up."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from conftest import ROOT
from service.serving import free_port, serving

PROXY = "configurable-http-proxy"
SECONDS = 120
EXAMPLE = ROOT / "docs" / "examples" / "check-service.env"
# Debian's proxy takes its parts from there, which another Node than Debian's does not know.
NODE = {"NODE_PATH": "/usr/share/nodejs"}


@dataclass(frozen=True)
class Hub:
    """A running hub.

    Attributes:
        url: where its proxy listens, with a slash at the end.
        service: where the check service is reached through the proxy.
        homes: a folder of each user's home.
        log: the file that the hub, its proxy and its users' servers log to.
    """

    url: str
    service: str
    homes: Path
    log: Path

    def token(self, user: str, *scopes: str) -> str:
        """A token that a user makes for themselves; with all their scopes where none is named."""
        with httpx.Client(base_url=self.url, follow_redirects=True, timeout=SECONDS) as browser:
            browser.get("hub/login").raise_for_status()
            signs = {"username": user, "password": "", "_xsrf": browser.cookies["_xsrf"]}
            browser.post("hub/login?next=/hub/token", data=signs).raise_for_status()
            reply = browser.post(
                f"hub/api/users/{user}/tokens",
                json={"scopes": scopes} if scopes else {},
                headers={"X-XSRFToken": browser.cookies["_xsrf"]},
            )
            return str(reply.raise_for_status().json()["token"])


@contextmanager
def running_hub(course: Path, folder: Path) -> Iterator[Hub]:
    """A hub that keeps all it writes in `folder`, and the check service of a course."""
    if shutil.which(PROXY) is None:
        pytest.skip(f"{PROXY} is not installed")
    port, secret = free_port(), secrets.token_hex(32)
    hub = Hub(
        f"http://127.0.0.1:{port}/",
        f"http://127.0.0.1:{port}/services/check/",
        folder / "homes",
        folder / "hub.log",
    )
    own, service = free_port(), f"http://127.0.0.1:{free_port()}"
    told = dict(line.split("=", 1) for line in EXAMPLE.read_text().split())
    told |= {
        "JUPYTERHUB_API_URL": f"http://127.0.0.1:{own}/hub/api",
        "JUPYTERHUB_API_TOKEN": secret,
        "JUPYTERHUB_SERVICE_URL": service,
    }
    given = {
        "HUB_URL": hub.url,
        "HUB_PORT": str(own),
        "HUB_PROXY_URL": f"http://127.0.0.1:{free_port()}",
        "HUB_HOMES": str(hub.homes),
        "CHECK_SERVICE_URL": service,
        "CHECK_SERVICE_TOKEN": secret,
    }
    hub.homes.mkdir()
    with _process(hub, folder, given) as process, serving(course, hub=told):
        _wait(f"{hub.service}health", hub.log)
        yield hub
        process.terminate()  # while the service ends


@contextmanager
def _process(hub: Hub, folder: Path, given: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "PYTEST"))}
    programs = f"{Path(sys.executable).parent}:{kept['PATH']}"
    command = [sys.executable, "-m", "jupyterhub", "--config"]
    with hub.log.open("w") as log:
        process = subprocess.Popen(
            [*command, str(Path(__file__).with_name("jupyterhub_config.py"))],
            cwd=folder,
            env=kept | NODE | given | {"PATH": programs},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        process.terminate()  # which ends its users' servers
        with suppress(subprocess.TimeoutExpired):
            process.wait(30)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait(url: str, log: Path) -> None:
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        with suppress(httpx.TransportError):
            if httpx.get(url).status_code == 200:
                return
        time.sleep(0.1)
    raise AssertionError(f"nothing answers at {url}:\n{log.read_text()}")
