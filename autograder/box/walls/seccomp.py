"""Turns rules about system calls into a filter program for the kernel, and loads it.

Theory of operation. A rule names a call, tests of its arguments that must all hold, and what
happens then. The program looks at one rule after the other; the first that matches decides, and
what matches none is allowed. Before the rules it ends the process when the call is not of this
machine's own kind (on x86_64: `int 0x80` and x32, whose numbers mean other calls), and answers
"no such call" to numbers newer than the table it was made with. Tests compare the lower 32 bits of
an argument: every argument tested is an int for the kernel.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from autograder.box.walls.syscall_numbers import LAST_KNOWN, number
from autograder.box.walls.syscalls import call

ALLOW: Final = 0x7FFF0000
KILL: Final = 0x80000000
ARCHITECTURE: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32_BIT: Final = 0x40000000
SET_MODE_FILTER: Final = 1

LOAD, JUMP_EQ, JUMP_GT, JUMP_SET, RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
NR_AT, ARCHITECTURE_AT, ARGUMENTS_AT = 0, 4, 16

Instruction = tuple[int, int, int, int]
"""Code, jump when true, jump when false, constant."""


def answer(error: int) -> int:
    """The action of not making the call and returning `error`; 0 pretends success."""
    return 0x00050000 | error


@dataclass(frozen=True)
class Test:
    """Holds when argument `index` stands in the relation `is_` to `value`."""

    index: int
    is_: Literal["equal", "unequal", "with_any_bit", "without_bit"]
    value: int


@dataclass(frozen=True)
class Rule:
    """What happens (`action`) when the system call `name` is made and every test holds."""

    name: str
    action: int
    tests: tuple[Test, ...] = ()


def assemble(rules: Iterable[Rule], machine: str | None = None) -> list[Instruction]:
    """The filter program for `machine`; rules on calls that it does not have are left out."""
    machine = machine or os.uname().machine
    program: list[Instruction] = [
        (LOAD, 0, 0, ARCHITECTURE_AT),
        (JUMP_EQ, 1, 0, ARCHITECTURE[machine]),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NR_AT),
        (JUMP_GT, 0, 1, X32_BIT - 1),
        (RETURN, 0, 0, KILL),
        (JUMP_GT, 0, 1, LAST_KNOWN),
        (RETURN, 0, 0, answer(errno.ENOSYS)),
    ]
    for rule in rules:
        nr = number(rule.name, machine)
        if nr is not None:
            program += _rule(nr, rule)
    return [*program, (RETURN, 0, 0, ALLOW)]


def _rule(nr: int, rule: Rule) -> list[Instruction]:
    left = 2 * len(rule.tests) + 1  # instructions to the end of the rule
    block: list[Instruction] = [(LOAD, 0, 0, NR_AT), (JUMP_EQ, 0, left, nr)]
    for test in rule.tests:
        left -= 2
        code = JUMP_SET if "bit" in test.is_ else JUMP_EQ
        when_true, when_false = (0, left) if test.is_ in {"equal", "with_any_bit"} else (left, 0)
        block.append((LOAD, 0, 0, ARGUMENTS_AT + 8 * test.index))
        block.append((code, when_true, when_false, test.value & 0xFFFFFFFF))
    return [*block, (RETURN, 0, 0, rule.action)]


def load(program: Iterable[Instruction]) -> None:
    """Puts the filter on this process for good; needs NO_NEW_PRIVS. Raises OSError."""
    code = b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer))
    call("seccomp", SET_MODE_FILTER, 0, header)
