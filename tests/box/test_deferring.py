"""torch's compiler waits until something is compiled; then it is as if it had always been there."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from autograder.box.outside.zygotes import StartedZygote, Zygote
from autograder.course.limits import Limits

LIMITS = Limits(cell_seconds=30)
TRAINING = """
import sys
import torch
from torch import nn

layer = nn.Linear(2, 1)
optimizer = torch.optim.AdamW(layer.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.5)


def train(x):
    optimizer.zero_grad()
    loss = layer(x).square().sum()
    loss.backward()
    optimizer.step()
    schedule.step()
    return loss.item()


def is_loaded():
    return "torch._dynamo.eval_frame" in sys.modules


train(torch.ones(3, 2)), torch.optim.lr_scheduler.StepLR(optimizer, 1).step()
"""
ASKED = {
    "compile": "torch.compile(lambda x: x.sin() + 1, backend='eager')(torch.zeros(2)).tolist()",
    "compiled_training": "torch.compile(train, backend='eager')(torch.ones(3, 2)) > 0",
    "attribute": "callable(torch._dynamo.explain)",
    "from": "from torch._dynamo import optimize; callable(optimize)",
    "part": "import torch._dynamo.config as config; config.verbose",
    "disable": "torch._dynamo.disable(abs)(-1), torch._dynamo.disable(recursive=False)(len)('a')",
}
SAID = {
    "compile": "[1.0, 1.0]",
    "compiled_training": "True",
    "attribute": "True",
    "from": "True",
    "part": "False",
    "disable": "(1, 1)",
}
TOLD = """
from torch.optim import Optimizer
plain = vars(Optimizer.zero_grad.__wrapped__)["__dynamo_disable"]
plain is not Optimizer.zero_grad.__wrapped__, sys.modules["torch._dynamo"] is torch._dynamo
"""


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    with StartedZygote(["torch"]) as warm:
        yield warm


def last_said(zygote: Zygote, *cells: str) -> str:
    """What the last of these cells shows, in a box that runs them."""
    box = zygote.box(LIMITS, {}, seed=0)
    try:
        for cell in cells:
            reply = box.run_cell(cell, time.monotonic() + LIMITS.cell_seconds)
            assert reply.error is None, reply.outputs
        shown = [out["data"]["text/plain"] for out in reply.outputs if "data" in out]
        return shown[-1]
    finally:
        box.close()


def test_who_trains_does_not_wait_for_it(zygote: Zygote) -> None:
    assert last_said(zygote, TRAINING, "is_loaded()") == "False"


def test_who_looks_through_all_modules_does_not_wait_for_it(zygote: Zygote) -> None:
    looks = "[hasattr(one, '__file__') for one in [*sys.modules.values()]]\n"
    assert last_said(zygote, TRAINING, f"{looks}is_loaded()") == "False"


@pytest.mark.parametrize("asked", ASKED)
def test_whoever_asks_for_more_gets_the_real_one(zygote: Zygote, asked: str) -> None:
    assert last_said(zygote, TRAINING, ASKED[asked]) == SAID[asked]
    assert last_said(zygote, TRAINING, ASKED[asked], "is_loaded()") == "True"


def test_the_real_one_is_told_what_it_has_missed(zygote: Zygote) -> None:
    assert last_said(zygote, TRAINING, ASKED["compile"], TOLD) == "(True, True)"
