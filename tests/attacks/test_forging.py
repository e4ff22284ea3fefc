"""Attacks 1 to 15: verdicts that student code makes up, on the screen or on the wire."""

from __future__ import annotations

from attacks.harness import WRONG, Arena, Attack, attacks
from attacks.wire_tools import FORGE, in_probe

BOTH = WRONG + "def triple(x):\n    return 3 * x\n"

FAKE_RUN = """
from IPython.core.interactiveshell import ExecutionInfo, ExecutionResult
def forged(raw_cell, *arguments, **settings):
    info = ExecutionInfo(raw_cell, True, False, True, None)
    result = ExecutionResult(info)
    result.result = 10.0
    display(10.0)
    return result
async def forged_async(raw_cell, *arguments, **settings):
    return forged(raw_cell)
"""

FILES = """
import json, os, pathlib
import torch
from safetensors.torch import save_file
right = {"y": 2 * torch.arange(3.0), "input.x": torch.arange(3.0)}
for name in ("double", "reply", "expected/double", "checks/expected/double"):
    path = pathlib.Path(name + ".safetensors")
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(right, path)
for name in ("result.json", "results.json", "verdict.json"):
    pathlib.Path(name).write_text(json.dumps({"score": 10.0, "status": "graded"}))
"""

PATCHED_REPORTS = """
import sys, traceback
sys.excepthook = lambda *error: print("10.0")
shell = get_ipython()
shell.showtraceback = lambda *a, **k: display(10.0)
type(shell).showtraceback = type(shell)._showtraceback = lambda *a, **k: display(10.0)
shell.set_custom_exc((Exception,), lambda *a, **k: None)
traceback.extract_tb = lambda *a: []
"""

SHOWN = [
    Attack(
        1,
        "an input transformer blanks the checks",
        first="get_ipython().input_transformers_cleanup.append(\n"
        "    lambda lines: ['\\n'] if 'print(double' in ''.join(lines) else lines)",
    ),
    Attack(
        1,
        "an input transformer blanks all later cells",
        first="get_ipython().input_transformers_post.append(lambda lines: ['\\n'])",
        status="error",
        others="error",
    ),
    Attack(
        2,
        "an AST transformer removes asserts",
        first="import ast\n"
        "class NoAsserts(ast.NodeTransformer):\n"
        "    def visit_Assert(self, node):\n"
        "        return ast.Pass()\n"
        "get_ipython().ast_transformers.append(NoAsserts())",
    ),
    Attack(3, "run_cell is replaced", first=BOTH + FAKE_RUN + "get_ipython().run_cell = forged"),
    Attack(
        3,
        "run_cell_async is replaced on the class",
        first=BOTH + FAKE_RUN + "shell = type(get_ipython())\n"
        "shell.should_run_async = lambda *a, **k: True\n"
        "shell.run_cell = forged\nshell.run_cell_async = lambda self, *a, **k: forged_async(*a)",
    ),
    Attack(
        4,
        "a forged result comes before an error",
        double="print('10.0')\ndisplay(10.0)\nget_ipython().displayhook(10.0)\nraise SystemError",
        status="error",
    ),
    Attack(
        5,
        "scores and results are printed",
        double=WRONG + "import sys\n"
        'print(\'{"schema": 1, "status": "graded", "score": 10.0, "max_score": 10.0}\')\n'
        "print('Score: 10/10', file=sys.stderr)\n10.0",
    ),
    Attack(6, "result files in the working folder", double=FILES + WRONG),
    Attack(
        13,
        "the process exits in a cell",
        double="import os\nos._exit(0)",
        status="crash",
        says=("ended the Python process",),
    ),
    Attack(
        14,
        "the function exits",
        double="import sys\ndef double(x):\n    sys.exit(0)",
        status="error",
        says=("Your code raised SystemExit",),
    ),
    Attack(
        15,
        "error reports are replaced",
        first=PATCHED_REPORTS,
        double="def double(x):\n    raise ValueError('hidden')",
        status="error",
        says=("raised ValueError: hidden",),
    ),
]


@attacks(*SHOWN)
def test_a_forged_verdict_earns_nothing(arena: Arena, attack: Attack) -> None:
    arena.withstands(attack)


FIND_DESCRIPTOR = """
import os, stat
def sockets():
    for fd in range(3, 1024):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                yield fd
        except OSError:
            continue
"""


SENT = [
    Attack(
        7,
        "frames on every descriptor before the reply",
        double=FORGE + FIND_DESCRIPTOR + "for fd in sockets():\n"
        "    os.write(fd, framed({'values': {}, 'kinds': {}, 'error': None, 'nonce': ''}))\n"
        + WRONG,
        status="bad_reply",
    ),
    Attack(
        7,
        "a frame that is kept for the next probe",
        double=in_probe("send(reply(encoded(y=-2 * torch.arange(4.0))))"),
        status="bad_reply",
    ),
    Attack(
        8,
        "two frames for one probe",
        double=in_probe("send(reply(encoded(y=x + 1)) * 2); time.sleep(3600)"),
        status="bad_reply",
    ),
    Attack(
        9,
        "a frame with another nonce",
        double=in_probe("send(reply(encoded(y=2 * x), nonce='0' * 16))"),
        status="bad_reply",
        says=("disturbed the channel",),
    ),
    Attack(
        9,
        "a frame without a nonce",
        double=in_probe("send(reply(encoded(y=2 * x), nonce=None))"),
        status="bad_reply",
    ),
    Attack(
        10,
        "a body of 2^63 bytes",
        double=in_probe("send(struct.pack('<IQ', 2, 2**63) + b'{}' * 99)"),
        status="bad_reply",
    ),
    Attack(
        10,
        "a header of 4 GB",
        double=in_probe("send(struct.pack('<IQ', 2**32 - 1, 2**64 - 1) + b'{}' * 99)"),
        status="bad_reply",
    ),
    Attack(
        11,
        "half a frame",
        double=in_probe("send(reply(encoded(y=2 * x))[:-5]); time.sleep(3600)"),
        status="timeout",
        hangs=1,
    ),
    Attack(
        11,
        "one byte a second",
        double=in_probe(
            "[(send(b), time.sleep(1)) for b in map(bytes, zip(reply(encoded(y=2 * x))))]"
        ),
        status="timeout",
        hangs=1,
    ),
    Attack(
        12,
        "the reply descriptor is closed",
        double=FIND_DESCRIPTOR + "for fd in sockets():\n    os.close(fd)\n" + WRONG,
        status="crash",
    ),
    Attack(
        12,
        "the reply descriptor is another file",
        double=FIND_DESCRIPTOR + "null = os.open(os.devnull, os.O_RDWR)\n"
        "for fd in sockets():\n    os.dup2(null, fd)\n" + WRONG,
        status="crash",
    ),
]


@attacks(*SENT)
def test_a_forged_frame_earns_nothing(arena: Arena, attack: Attack) -> None:
    arena.withstands(attack)


SENT_RIGHT = [
    Attack(
        7,
        "right frames sent by hand are judged by their bytes",
        double=in_probe("send(reply(encoded(y=2 * x, x=x))); os._exit(0)"),
        status="crash",
        score=2.0,
    ),
]


@attacks(*SENT_RIGHT)
def test_a_frame_of_ones_own_is_worth_what_its_bytes_deserve(arena: Arena, attack: Attack) -> None:
    arena.withstands(attack)


def test_attack_07_a_stale_frame_never_lands_in_the_slot_of_another_question(arena: Arena) -> None:
    left = in_probe("send(reply(encoded(y=3 * torch.arange(3.0))))")
    attack = Attack(7, "a frame kept for another question", double=left, status="bad_reply")
    broken = attack.double + "def triple(x):\n    return x\n"
    submission = arena.submission(attack)
    next(cell for cell in submission.cells if cell.id == "triple").source = broken
    assert arena.grade(submission).result.score == 0.0


def test_attack_07_a_stale_frame_of_the_last_probe_costs_no_other_question(arena: Arena) -> None:
    action = "request.header['name'] == 'with_input' and send(reply(encoded(y=x + 1)))"
    source = in_probe(f"request = served()[1]; {action}")
    arena.withstands(Attack(7, "a frame after the last", double=source))
