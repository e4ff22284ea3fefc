"""Each test has a Jupyter server of its own, on a port of its own, and a fresh Chromium.

The server keeps all it writes below the test's folder. What a test looks at is kept as a picture
in `.cache/screenshots/`, which CI stores. Chromium reaches 127.0.0.1 and nothing else.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from browser import running_browser
from conftest import ROOT
from playwright.sync_api import (
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    WebError,
    expect,
)

SCREENSHOTS = ROOT / ".cache" / "screenshots"
SECONDS = 180  # that anything may take on a busy machine
NOT_OURS = {
    "MathJax is not defined",  # formgrader's own script wants it from the net
    "Cannot read properties of undefined (reading 'schema')",  # Notebook 7, without us as well
}
NO_NEWS = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}


@dataclass
class Jupyter:
    """A running server.

    Attributes:
        url: where it listens, with a slash at the end.
        log: the file it logs to.
    """

    url: str
    token: str
    log: Path


@contextmanager
def running_jupyter(folder: Path, home: Path) -> Iterator[Jupyter]:
    """A Jupyter server whose root is `folder`, and which writes its own files to `home` only."""
    (home / "config" / "labconfig").mkdir(parents=True, exist_ok=True)
    (home / "config" / "labconfig" / "page_config.json").write_text(json.dumps(NO_NEWS))
    token, log = secrets.token_hex(), home / "jupyter.log"
    own = {
        "HOME": home,
        "IPYTHONDIR": home / "ipython",
        "JUPYTER_CONFIG_DIR": home / "config",
        "JUPYTER_DATA_DIR": home / "data",
        "JUPYTER_RUNTIME_DIR": home / "runtime",
        "JUPYTER_TOKEN": token,
    }
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "PYTEST"))}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1"]
    command += ["--port=0", "--allow-root", "--LabApp.extension_manager=readonly"]
    with log.open("w") as written:
        server = subprocess.Popen(
            command,
            cwd=folder,
            env=kept | {name: str(value) for name, value in own.items()},
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield Jupyter(_address(server, home / "runtime", log), token, log)
    finally:
        _end(server)


def _address(server: subprocess.Popen[bytes], runtime: Path, log: Path) -> str:
    """The address that the server writes down, once it listens there: it writes first."""
    file, until = runtime / f"jpserver-{server.pid}.json", time.monotonic() + SECONDS
    while time.monotonic() < until and server.poll() is None:
        with suppress(FileNotFoundError, json.JSONDecodeError, ConnectionRefusedError):
            facts = json.loads(file.read_text())
            socket.create_connection(("127.0.0.1", facts["port"])).close()
            return str(facts["url"])
        time.sleep(0.05)
    raise AssertionError(f"Jupyter does not start:\n{log.read_text()}")


def _end(server: subprocess.Popen[bytes]) -> None:
    """Asks the server to stop, which ends its kernels, then ends what is left of its session."""
    server.terminate()
    with suppress(subprocess.TimeoutExpired):
        server.wait(30)
    with suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)
    server.wait()


@dataclass
class Visit:
    """A person at a browser, who looks at pages of one server.

    Attributes:
        page: the tab.
        complaints: errors that its pages wrote to the console.
    """

    jupyter: Jupyter
    page: Page
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str) -> Page:
        """Shows `path`, relative to the server's address, to somebody who knows the token."""
        self.page.goto(f"{self.jupyter.url}{path}?token={self.jupyter.token}")
        return self.page

    def keep_picture(self, name: str, part: Locator | None = None) -> None:
        """Stores what the tab, or a part of its page, shows now."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        shown = self.page if part is None else part
        shown.screenshot(path=SCREENSHOTS / f"{name}.png", animations="disabled")

    def hear(self, message: ConsoleMessage) -> None:
        """Remembers an error, unless it is about a page of somebody else's."""
        where = message.location["url"]
        if message.type == "error" and where.startswith((self.jupyter.url, "file:")):
            self.complaints.append(f"{where}: {message.text}")

    def hear_uncaught(self, error: WebError) -> None:
        """Remembers an exception that a script did not catch."""
        if error.error.message not in NOT_OURS:
            self.complaints.append(str(error.error))


Visiting = Callable[[Path], Visit]


@contextmanager
def open_browser() -> Iterator[Callable[[], BrowserContext]]:
    """A fresh Chromium; what it yields makes somebody in it without a past."""
    with running_browser() as browser:

        def somebody() -> BrowserContext:
            context = browser.new_context(viewport={"width": 1600, "height": 1000}, locale="en")
            context.set_default_timeout(SECONDS * 1000)
            return context

        expect.set_options(timeout=SECONDS * 1000)
        yield somebody


@contextmanager
def attended(
    request: pytest.FixtureRequest,
) -> Iterator[Callable[[Jupyter, BrowserContext], Visit]]:
    """What shows servers to people; in the end no page may have complained.

    Of a test that fails, the last things seen and the servers' logs stay with the pictures.
    """
    failed_before, visits = request.session.testsfailed, list[Visit]()

    def shown(jupyter: Jupyter, context: BrowserContext) -> Visit:
        here = Visit(jupyter, context.new_page())
        context.on("console", here.hear)
        context.on("weberror", here.hear_uncaught)
        visits.append(here)
        return here

    yield shown
    if request.session.testsfailed > failed_before:
        for number, here in enumerate(visits, start=1):
            name = f"failed-{request.node.name}-{number}"
            here.keep_picture(name)
            shutil.copy(here.jupyter.log, SCREENSHOTS / f"{name}.log")
    assert [complaint for here in visits for complaint in here.complaints] == []


@pytest.fixture
def visit(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Visiting]:
    """Starts Jupyter in a folder and shows it."""
    with ExitStack() as stack, attended(request) as shown:

        def start(folder: Path) -> Visit:
            jupyter = stack.enter_context(running_jupyter(folder, tmp_path / "home"))
            return shown(jupyter, stack.enter_context(open_browser())())

        yield start
