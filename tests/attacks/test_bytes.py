"""Attacks 28 to 34: hostile bytes, from a real box whose channel the student has taken over."""

from __future__ import annotations

import pytest
from spent import processor_seconds

from attacks.harness import Arena, Attack, attacks
from attacks.wire_tools import in_probe
from autograder.box import tensors
from autograder.errors import BadReply

REFUSAL_SECONDS = 0.05


def body(number: int, title: str, expression: str) -> Attack:
    """An attack that answers each probe with the bytes of `expression`, and then sleeps."""
    source = in_probe(f"send(reply({expression})); time.sleep(3600)")
    return Attack(number, title, source, status="bad_reply", says=("disturbed the channel",))


ENTRY = '{{"dtype": "F32", "shape": {}, "data_offsets": [0, {}]}}'


def shaped(shape: str, size: int) -> str:
    return f"""packed({{"y": {ENTRY.format(shape, size)}}}, bytes({size}))"""


Y = '"y": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}'
EVIL = """type("Evil", (), {"__reduce__": lambda self: (print, ("unpickled",))})()"""
SAVED = (
    "(lambda b: (torch.save(torch.arange(3.0), b), b.getvalue())[1])(__import__('io').BytesIO())"
)

BODIES = [
    body(28, "a name twice", f"packed(b'{{{Y}, {Y}}}', bytes(12))"),
    body(
        28,
        "a key twice in an entry",
        """packed(b'{"y": {"dtype": "F32", "dtype": "F32", "shape": [3], '"""
        """b'"data_offsets": [0, 12]}}', bytes(12))""",
    ),
    body(
        29,
        "200 000 tensors",
        """packed(b'{' + b','.join(b'"%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}' % n"""
        """ for n in range(200_000)) + b'}')""",
    ),
    body(
        29,
        "300 tensors in a small header",
        """packed({str(n): {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}"""
        """ for n in range(300)})""",
    ),
    body(30, "a zero beside 2^40", shaped("[0, 2 ** 40]", 0)),
    body(30, "5000 dimensions", shaped("[1] * 5000", 4)),
    body(30, "a product that overflows", shaped("[2 ** 32, 2 ** 32]", 0)),
    body(30, "a negative size", shaped("[-3]", 12)),
    body(30, "sizes that are no whole numbers", shaped("[3.0]", 12)),
    body(30, "true for a size", shaped("[3, True]", 12)),
    body(
        31,
        "overlapping offsets",
        """packed({k: {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]} for k in "xy"},"""
        """ bytes(12))""",
    ),
    body(31, "offsets beyond the data", f"packed({{{Y}}}, bytes(4))"),
    body(31, "bytes beyond the offsets", f"packed({{{Y}}}, bytes(400))"),
    body(
        31,
        "offsets backwards",
        """packed({"y": {"dtype": "F32", "shape": [3], "data_offsets": [12, 0]}}, bytes(12))""",
    ),
    body(32, "a header of 2^64 bytes", "b'\\xff' * 8 + b'{}' * 99"),
    body(32, "a header of 1 MB", "packed(b' ' * 1_000_000 + b'{}')"),
    body(33, "pickled bytes", f"__import__('pickle').dumps({EVIL})"),
    body(33, "a torch zip", SAVED),
    body(33, "pickled data behind a header", f"packed({{}}, __import__('pickle').dumps({EVIL}))"),
    body(34, "an unknown dtype", shaped("[3]", 12).replace("F32", "F8_E4M3")),
    body(34, "a dtype that is no text", shaped("[3]", 12).replace('"F32"', "[1]")),
    body(34, "no tensors at all", "b''"),
]


@attacks(*BODIES)
def test_hostile_bytes_are_refused_at_once(arena: Arena, attack: Attack) -> None:
    arena.withstands(attack)
    (hostile,) = [frame for frame in arena.frames if "kinds" in frame.header][:1]

    def refuse() -> None:
        with pytest.raises(BadReply):
            tensors.decode(hostile.body)

    assert min(processor_seconds(refuse) for _ in range(3)) < REFUSAL_SECONDS


def raw(number: int, title: str, expression: str) -> Attack:
    """An attack that answers each probe with the frame of `expression`, and then sleeps."""
    source = in_probe(f"send({expression}); time.sleep(3600)")
    return Attack(number, title, source, status="bad_reply")


FRAMES = [
    raw(28, "a nonce twice", """framed(b'{"nonce": "0", "nonce": "1"}')"""),
    raw(28, "a header that is a list", "framed(b'[]')"),
    raw(28, "a header nested 10 000 deep", "framed(b'[' * 10_000)"),
    raw(28, "a header that is no text", "framed(b'\\xff' * 20)"),
    raw(28, "a number of 60 000 digits", """framed(b'{"nonce": ' + b'9' * 60_000 + b'}')"""),
    raw(32, "a frame header of 100 MB", "struct.pack('<IQ', 100_000_000, 0) + bytes(1_000_000)"),
    raw(32, "a body of 100 MB", "framed({}, bytes(100_000_000))"),
    raw(34, "values that are no values", "reply(b'', values=[1])"),
    raw(34, "a value that is a list", "reply(b'', values={'y': [0.0, 2.0, 4.0]})"),
    raw(34, "infinity for a value", "reply(b'', values={'y': float('inf')})"),
    raw(34, "no list of texts", "reply(b'', texts='y')"),
    raw(34, "a text that is not there", "reply(encoded(), texts=['y'])"),
    raw(34, "a text whose name is a list", "reply(encoded(), texts=[['y']])"),
    raw(34, "a text of numbers", "reply(encoded(y=torch.zeros(3)), texts=['y'])"),
    raw(
        34,
        "a text that is not UTF-8",
        "reply(encoded(y=torch.full((3,), 255, dtype=torch.uint8)), texts=['y'])",
    ),
    raw(
        34,
        "a text of a megabyte",
        "reply(encoded(y=torch.full((1 << 20,), 65, dtype=torch.uint8)), texts=['y'])",
    ),
    raw(34, "an error of another form", "reply(b'', error={'name': 'x'})"),
    raw(
        34,
        "an error whose lines are numbers",
        "reply(error={'name': '', 'text': '', 'lines': [1], 'probe_line': 0})",
    ),
    raw(
        34,
        "an error whose line of the probe is a text",
        "reply(error={'name': '', 'text': '', 'lines': [], 'probe_line': '1'})",
    ),
]


@attacks(*FRAMES)
def test_a_hostile_frame_is_refused_at_once(arena: Arena, attack: Attack) -> None:
    arena.withstands(attack)


# Takes over the worker's loop: the reply to the running cell has another body.
OUTPUTS = """
from autograder.box.inside import worker
honest = worker.send_frame
def forged(sock, header, body):
    worker.send_frame = honest
    honest(sock, header, BODY)
worker.send_frame = forged
"""

EMPTY = """b'{"output_type":"stream","name":"stdout","text":""},'"""
HOSTILE_OUTPUTS = {
    "a-list-for-an-output": """b'{"outputs": [[]]}'""",
    "an-unknown-type": """b'{"outputs": [{"output_type": "script"}]}'""",
    "text-that-is-a-list": """b'{"outputs": [{"output_type": "stream", "text": [[]]}]}'""",
    "no-object": "b'[]'",
    "more-than-a-box-makes": f"""b'{{"outputs": [' + {EMPTY} * 2_000 + {EMPTY}[:-1] + b']}}'""",
    "millions-of-empty-lists": """b'{"outputs": [' + b'[],' * 8_000_000 + b'[]]}'""",
    "millions-of-empty-keys": (
        """b'{"outputs": [{' + b','.join(b'"%d":0' % n for n in range(1_500_000)) + b'}]}'"""
    ),
}


@pytest.mark.parametrize("name", HOSTILE_OUTPUTS)
def test_hostile_outputs_of_a_cell_cost_its_question_and_little_memory(
    arena: Arena, name: str
) -> None:
    attack = Attack(28, name, OUTPUTS.replace("BODY", HOSTILE_OUTPUTS[name]), status="bad_reply")
    arena.withstands(attack, cell_output_bytes=4 << 20, cell_seconds=10)
