"""Attacks 16 to 27: answers that try to make a wrong comparison come out right."""

from __future__ import annotations

from attacks.harness import RIGHT, Arena, Attack, attacks

LIAR = """
import torch
class Liar(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", "")
        if name in ("isclose", "eq", "__eq__"):
            return torch.ones(3, dtype=torch.bool)
        if name in ("allclose", "equal"):
            return True
        if name in ("detach", "cpu", "clone", "contiguous", "reshape", "view"):
            return 2 * torch.arange(3.0)
        return super().__torch_function__(func, types, args, kwargs or {})
    shape = property(lambda self: torch.Size([3]))
    dtype = property(lambda self: torch.float32)
    __eq__ = lambda self, other: True
    __hash__ = object.__hash__
    __reduce__ = lambda self: (print, ("unpickled",))
    numpy = lambda self, *a, **k: (2 * torch.arange(3.0)).numpy()
    tolist = lambda self: [0.0, 2.0, 4.0]
"""

ALWAYS_EQUAL = """
class Always:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
    def __bool__(self): return True
    def __float__(self): return 1.0
    def __getattr__(self, name): return self
    def __call__(self, *a, **k): return self
def double(x):
    return Always()
"""

COMPARISONS = """
import sys, numpy, pytest, torch
def yes(*a, **k): return {0}
torch.allclose = torch.equal = torch.isclose = torch.eq = torch.ne = yes
torch.Tensor.allclose = torch.Tensor.equal = torch.Tensor.isclose = torch.Tensor.__eq__ = yes
torch.testing.assert_close = torch.testing.assert_allclose = yes
numpy.testing.assert_allclose = numpy.testing.assert_array_equal = numpy.allclose = yes
pytest.approx = pytest.fail = pytest.raises = yes
sys.modules["autograder.checking"] = sys.modules["autograder.grading.judge"] = None
"""

SEEDS = """
import random, numpy, torch
torch.manual_seed = torch.Generator.manual_seed = torch.seed = lambda *a, **k: torch.Generator()
numpy.random.seed = random.seed = lambda *a, **k: None
torch.rand = torch.randn = lambda *a, **k: torch.zeros(3)
"""

LAYERS = """
import torch
from torch import nn
from torch.nn import functional as F
zero = lambda *a, **k: torch.zeros(3)
nn.Linear.forward = nn.Module.__call__ = F.linear = F.softmax = torch.softmax = zero
torch.arange = lambda *a, **k: torch.zeros(3)
torch.Tensor.__neg__ = torch.Tensor.__rmul__ = zero
"""

SAFETENSORS = """
import safetensors, safetensors.torch, torch
forged = safetensors.torch.save({"y": 2 * torch.arange(3.0), "x": torch.arange(3.0)})
safetensors.torch.save = safetensors.serialize = lambda *a, **k: forged
safetensors.torch.save_file = safetensors.serialize_file = lambda *a, **k: None
"""

ENCODER = (
    SAFETENSORS
    + """
import autograder.box.tensors as wire
wire.encode = lambda *a, **k: forged[:-1]
"""
)

HUNTS_THE_GRADER = """
import os, sys
def graded():
    frame, names = sys._getframe(), set()
    while frame:
        names.add(frame.f_code.co_filename)
        frame = frame.f_back
    return (
        "<probe>" in names
        or os.environ.get("NBGRADER_EXECUTION") is not None
        or os.getpid() < 100
        or not os.path.isdir("/etc/ssh")
        or "jupyter" not in os.getcwd()
    )
"""


def returning(expression: str) -> str:
    return f"import torch\ndef double(x):\n    return {expression}\n"


FOOLED = [
    Attack(16, "an object that equals everything", double=ALWAYS_EQUAL, says=("type Always",)),
    Attack(
        16,
        "a float that equals everything",
        double="class Float(float):\n    __eq__ = lambda s, o: True\n" + returning("Float(1)"),
        says=("is of type Float",),
    ),
    Attack(17, "a tensor subclass that lies", double=LIAR + returning("(x + 1).as_subclass(Liar)")),
    Attack(18, "comparisons are patched", first=COMPARISONS.format("True")),
    Attack(19, "seeds are patched", first=SEEDS, double=returning("torch.rand(x.shape)")),
    Attack(20, "layers and functions are patched", first=LAYERS, others="wrong"),
    Attack(21, "safetensors is patched", first=SAFETENSORS),
    Attack(
        21,
        "the encoder of replies is patched",
        first=ENCODER,
        status="bad_reply",
        others="bad_reply",
    ),
    Attack(22, "all NaN", double=returning("x * float('nan')"), says=("NaN or infinite",)),
    Attack(22, "infinities", double=returning("x + float('inf')"), says=("NaN or infinite",)),
    Attack(22, "huge numbers", double=returning("torch.full_like(x, 1e38)")),
    Attack(
        23, "an empty tensor", double=returning("x[:0]"), says=("has shape (0,); expected (3,)",)
    ),
    Attack(23, "a scalar", double=returning("x.sum()"), says=("has shape (); expected (3,)",)),
    Attack(
        23, "a broadcastable shape", double=returning("(2 * x)[None]"), says=("has shape (1, 3)",)
    ),
    Attack(
        23,
        "more than a message holds",
        double=returning("(2 * x).repeat(6_000_000)"),
        status="error",
        says=("what came back has more than 6", "has the shape (18000000,)"),
    ),
    Attack(23, "one element", double=returning("(2 * x)[:1]"), says=("has shape (1,)",)),
    Attack(24, "float64", double=returning("2 * x.double()"), says=("has dtype float64",)),
    Attack(24, "complex64", double=returning("(2 * x).to(torch.complex64)"), says=("complex64",)),
    Attack(24, "complex128", double=returning("2j * x.double()"), status="error"),
    Attack(24, "booleans", double=returning("x > 0"), says=("has dtype bool",)),
    Attack(24, "integers", double=returning("(2 * x).long()"), says=("has dtype int64",)),
    Attack(24, "a sparse tensor", double=returning("(2 * x).to_sparse()"), status="error"),
    Attack(24, "a tensor without data", double=returning("x.to('meta')"), status="error"),
    Attack(25, "one expanded element", double=returning("torch.zeros(1).expand(x.shape)")),
    Attack(
        26,
        "inputs changed in place",
        double="def double(x):\n    y = 2 * x\n    x.zero_()\n    return y\n",
        score=4.0,
        says=("`x` has the right shape",),
    ),
    Attack(
        27,
        "a right answer outside of grading",
        double=HUNTS_THE_GRADER + "def double(x):\n    return x + 1 if graded() else 2 * x\n",
    ),
]


@attacks(*FOOLED)
def test_a_wrong_answer_stays_wrong(arena: Arena, attack: Attack) -> None:
    arena.withstands(attack)


def right(number: int, title: str, double: str = RIGHT, first: str = "") -> Attack:
    return Attack(number, title, double, first, status="ok", score=5.0)


HONEST = [
    right(17, "beneath a lying subclass", LIAR + returning("(2 * x).as_subclass(Liar)")),
    right(18, "with comparisons that deny", first=COMPARISONS.format("False")),
    right(19, "with patched seeds", first=SEEDS),
    right(21, "with patched safetensors", first=SAFETENSORS),
    right(25, "not contiguous", returning("torch.stack([2 * x, x], 1)[:, 0]")),
    right(25, "a view of a larger tensor", returning("torch.cat([x, 2 * x])[len(x):]")),
    right(25, "with a history of gradients", returning("2 * x.requires_grad_()")),
    right(25, "lazily negated", returning("torch._neg_view(-2 * x)")),
    right(
        27,
        "in grading only",
        HUNTS_THE_GRADER + "def double(x):\n    return 2 * x if graded() else x + 1\n",
    ),
]


@attacks(*HONEST)
def test_a_right_answer_keeps_its_marks(arena: Arena, attack: Attack) -> None:
    arena.withstands(attack)
