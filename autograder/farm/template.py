"""The fork server's part before it has loaded what only workers need: a zygote is forked from it.

Theory of operation. Workers and boxes need the same large libraries. So the process that workers
are forked from is asked, while it starts, by whoever listens at the address in its environment. It
loads what both need and forks: the fork is confined and warmed as every zygote is (see
`box.walls.zygote`) and serves who asked, and its parent goes on to load what grading needs. Up to
then it has held nothing that a box must not see: it was started with a zygote's environment.
"""

from __future__ import annotations

import os
import site
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import NoReturn

from autograder.box.outside.zygotes import zygote_environment
from autograder.box.walls import isolation, zygote

ADDRESS = "AUTOGRADER_ZYGOTE_FOR"


def environment(address: str) -> Mapping[str, str]:
    """That of a process which forks a zygote for who listens at `address`, if anybody does."""
    unguessed = {n: v for n, v in zygote_environment().items() if n != "PYTHONHASHSEED"}
    return {**unguessed, ADDRESS: address}


def asked() -> socket.socket | None:
    """The control socket of the zygote that is asked for; None where nobody does, or no more."""
    address = os.environ.pop(ADDRESS, "")
    if not address:
        return None
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with suppress(OSError):
        control.connect(address)
        return control
    control.close()
    return None


def fork_zygote(control: socket.socket) -> None:
    """Forks it. Nobody waits for it, and it ends when the other end of `control` is closed."""
    with control:
        between = os.fork()
        if between == 0:
            if os.fork():
                os._exit(0)
            _become_zygote(control)
        os.waitpid(between, 0)


def _become_zygote(control: socket.socket) -> NoReturn:
    try:
        os.setsid()
        isolation.keep_only([control.detach()])
        os.environ.clear()
        os.environ.update(zygote_environment())
        own = {"", os.getcwd(), site.getusersitepackages()}
        sys.path[:] = [folder for folder in sys.path if folder not in own]
        zygote.main(isolation.FIRST_FREE)
    finally:
        os._exit(0)
