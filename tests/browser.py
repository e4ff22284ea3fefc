"""A headless Chromium, which says what a page did."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

FLAGS = (
    "--headless",
    "--no-sandbox",  # it may be root's, and the pages are the tests' own
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-quic",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--window-size=1200,2400",
)


def chromium() -> str:
    """The Chromium that is installed here."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    assert found, "install chromium (Debian: apt-get install chromium)"
    return found


@contextmanager
def running_browser() -> Iterator[Browser]:
    """The Chromium that is installed here, to be driven."""
    arguments = [flag for flag in FLAGS if not flag.startswith(("--headless", "--window"))]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=arguments)
        yield browser
        browser.close()


def dump_dom(url: str, profile: Path, virtual_milliseconds: int = 3000) -> str:
    """The document at `url` after its scripts had their time; `profile` is an empty folder."""
    done = subprocess.run(
        [
            chromium(),
            *FLAGS,
            f"--user-data-dir={profile}",
            f"--virtual-time-budget={virtual_milliseconds}",
            "--dump-dom",
            url,
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout
