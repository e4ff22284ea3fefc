"""Attacks 90 to 96: a right answer that leaves something behind takes no points from another."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from mini import answer

from attacks.harness import Arena

TRIPLE = """
def triple(x):
    x = torch.nn.Identity()(x.clone()).requires_grad_()
    for _ in range(5):
        y = torch.tensor([3.0]) * x
    y.sum().backward()
    return x.grad * x.detach()
"""


@dataclass(frozen=True)
class Leftover:
    """What `double` does whenever it is called; its numbers are right all the same."""

    number: int
    title: str
    body: str


LEFTOVERS = [
    Leftover(90, "a small integer overwritten", "ctypes.c_long.from_address(id(5) + 24).value = 4"),
    Leftover(91, "an audit hook that raises", "sys.addaudithook(refuse)"),
    Leftover(92, "gradients switched off", "torch.set_grad_enabled(False)"),
    Leftover(92, "another default dtype", "torch.set_default_dtype(torch.float64)"),
    Leftover(92, "another default device", "torch.set_default_device('meta')"),
    Leftover(
        92, "a forward hook for all modules", "global_hook(lambda module, given, out: out + 1)"
    ),
    Leftover(92, "warnings made errors", "warnings.simplefilter('error')"),
    Leftover(92, "inference mode entered for good", "torch.inference_mode().__enter__()"),
    Leftover(92, "another folder to work in", "os.chdir('/')"),
    Leftover(92, "a collection that raises", "gc.callbacks.append(refuse)"),
    Leftover(92, "modules missing", "sys.modules.update(dict.fromkeys(('json', 'numpy')))"),
    Leftover(92, "another way of calling tensors", "mode().__enter__()"),
    Leftover(92, "little recursion", "sys.setrecursionlimit(60)"),
    Leftover(93, "torch's functions replaced", "torch.tensor = torch.Tensor.sum = None"),
    Leftover(93, "calls of modules replaced", "torch.nn.Module.__call__ = lambda *given: None"),
    Leftover(93, "builtins replaced", "builtins.range = lambda count: ()"),
    Leftover(94, "an alarm that raises", "signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)"),
    Leftover(95, "threads that hold the lock", "threads_that_hold_the_lock()"),
    Leftover(96, "the process ends a moment later", "threading.Timer(0.05, os._exit, [3]).start()"),
]

DOUBLE = """
import builtins, ctypes, gc, os, signal, sys, threading, warnings
import torch
from torch.overrides import TorchFunctionMode

class mode(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {})) * 2

global_hook = torch.nn.modules.module.register_module_forward_hook

def refuse(event, given):
    raise RuntimeError(event)

def stop(*given):
    raise RuntimeError("alarm")

def threads_that_hold_the_lock():
    def spin():
        while True:
            torch.set_grad_enabled(False)
    for _ in range(3):
        threading.Thread(target=spin, daemon=True).start()

signal.signal(signal.SIGALRM, stop)

def double(x):
    y = 2 * x
    BODY
    return y
"""


@pytest.mark.parametrize(
    "left",
    LEFTOVERS,
    ids=[f"attack-{one.number}-{one.title.replace(' ', '-')}" for one in LEFTOVERS],
)
def test_what_an_answer_leaves_behind_costs_no_other(left: Leftover, arena: Arena) -> None:
    double = DOUBLE.replace("BODY", left.body)
    submission = answer(arena.world.assignment, double=double, triple=TRIPLE)
    result = arena.grade(submission).result
    assert (result.question("triple").status, result.question("triple").score) == ("ok", 5.0)
