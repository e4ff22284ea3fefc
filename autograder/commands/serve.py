"""`autograder serve`: the check service, which answers students while they work."""

from __future__ import annotations

import argparse
import getpass
import os
from contextlib import suppress

from autograder.commands import (
    GRADED,
    Commands,
    complain,
    cores,
    expect_dask_settings,
    expect_one_kind_of_workers,
    jobs,
    need_service,
)
from autograder.course.assignments import Course

HOST, PORT = "127.0.0.1", 8765


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser's."""
    serve = commands.add_parser("serve", help="answer students while they work")
    serve.add_argument("--host", metavar="ADDRESS", help=f"default: {HOST}, or where a hub says")
    serve.add_argument("--port", type=_port, metavar="N", help=f"default: {PORT}, or as a hub says")
    serve.add_argument(
        "--open",
        nargs="?",
        const="",
        metavar="NAME",
        help="for trying out on this machine: everybody is this student (default: you)",
    )
    serve.add_argument("--jobs", type=jobs, metavar="N", help="default: one a core")
    serve.add_argument(
        "--scheduler", metavar="ADDRESS", help="a Dask scheduler, as tls://host:8786"
    )
    serve.set_defaults(run=_run)


def _port(text: str) -> int:
    with suppress(ValueError):
        if 0 < (number := int(text)) < 65536:
            return number
    raise argparse.ArgumentTypeError(f"{text} is no port: give 1 to 65535")


def _run(options: argparse.Namespace) -> int:
    need_service()
    from urllib.parse import urlsplit

    from autograder.service.hub import HubSettings
    from autograder.service.running import Start, is_loopback, serve

    expect_one_kind_of_workers(options.jobs, options.scheduler)
    expect_dask_settings()
    hub = HubSettings.found(os.environ)
    told = urlsplit(hub.url if hub is not None else "")
    start = Start(
        options.host or told.hostname or HOST,
        options.port or told.port or PORT,
        options.jobs or cores(),
        options.scheduler,
        _user() if options.open == "" else options.open,
    )
    course = Course.find()
    host = f"[{start.host}]" if ":" in start.host else start.host
    where = f"http://{host}:{start.port}{hub.prefix if hub is not None else '/'}"
    complain("autograder: the check service starts its workers")
    if not is_loopback(start.host):
        complain(
            "autograder: what is sent there is not encrypted: let nothing reach it but a proxy "
            "with TLS (docs/service.md)"
        )
    said = f"autograder: the check service answers at {where} (Ctrl-C ends it)"
    serve(course, start, hub, lambda: complain(said))
    return GRADED


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # in a container
        return str(os.getuid())
