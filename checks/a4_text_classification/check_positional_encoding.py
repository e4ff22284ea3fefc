"""Checks of `PositionalEncoding(embed_dim, dropout=0.1, max_len=512)`, which is batch first."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Expected,
    Probe,
    Reply,
    Student,
    expect,
    expect_dropped,
    expect_floats,
    expect_shape,
    points,
    probe,
    same,
)

from . import wording

# Ten times what an angle of up to 512 is off that was computed in float32 as exp(-log(10000) ...).
ATOL = 3e-4


def made(answers: Any, embed_dim: int, **sizes: int) -> Any:
    return answers.PositionalEncoding(embed_dim, max_len=sizes["L"] + sizes["spare"])


domain = Domain(
    answer="PositionalEncoding",
    sizes={"B": 3, "L": 5, "spare": 2, "embed_dim": 8},
    smallest={"spare": 0},
    multiples={"embed_dim": 2},
    long=150,
    more={
        "where the table is much longer": {"spare": 300},
        "for a large batch and a short table": {"B": 30, "spare": 0},
        "for a wide model": {"embed_dim": 200},
    },
    make=Probe(made),
    inputs={"x": "B L embed_dim"},
    dropout=True,
    returns={"output": "B L embed_dim"},
    atol=ATOL,
)
battery = Battery(
    domain,
    **{"values": 0.25, "sizes": 0.5, "extremes": 0.25, "gradients": 1.5},
    **{"modes": 0.25, "kind": 0.5, "care": 0.5},
)


@probe
def encoded(
    answers: Any, x: Any, max_len: int | None, p: float | None = None, training: bool = False
) -> dict[str, Any]:
    given: dict[str, Any] = {} if max_len is None else {"max_len": max_len}
    rate = () if p is None else (p,)  # second, as the question says
    module = answers.PositionalEncoding(x.shape[-1], *rate, **given)
    module.train(training)
    torch.manual_seed(5)
    held = torch.tensor([0, *[buffer.numel() for buffer in module.buffers()]])
    parameters = sum(1 for _ in module.parameters())
    with torch.no_grad():  # dropping goes by the mode alone
        return {"output": module(x), "held": held, "parameters": parameters}


@points(0.25, text=r"PE_{pos,\,2i+1} = \cos")
def check_the_columns_hold_the_formula(student: Student, expected: Expected) -> None:
    """The even columns of the encoding hold the sines of the formula, the odd ones the cosines."""
    for size, length, max_len in ((20, 512, None), (64, 30, 40)):
        zeros = torch.zeros(1, length, size)
        reply = student.run(encoded, x=zeros, max_len=max_len)
        found = expect_floats(reply, "output", B=1, L=length, embed_dim=size).float()
        for first, columns in ((0, "even columns"), (1, "odd columns")):
            half = Reply.of({columns: found[..., first::2].contiguous()})
            expected.match(f"{columns.split()[0]}_of_{size}", half, atol=ATOL)


@points(0.5, text="keeps them in a buffer, so that they move with the module")
def check_max_len_positions_are_a_buffer(student: Student) -> None:
    """A buffer holds max_len positions, 512 unless told otherwise, and nothing is trained."""
    for max_len in (None, 5, 700):
        length = max_len or 512
        reply = student.run(encoded, x=torch.zeros(1, length, 6), max_len=max_len)
        expect_shape(reply, "output", B=1, L=length, embed_dim=6)
        expect(reply["parameters"] == 0, wording.TRAINED)
        held = reply.tensor("held")
        expect(held.dtype == torch.int64 and held.numel() > 0, wording.OTHER_BUFFER)
        expect((held > 0).any(), wording.NO_BUFFER)
        expect(length * 6 in (int(held.max()), int(held.sum())), wording.OTHER_BUFFER)


@points(0.5, text="In training, dropout with the given probability acts on the sum.")
def check_drops_in_training(student: Student) -> None:
    """In training, dropout acts on the sum with its probability, 0.1 unless told otherwise."""
    x = torch.full((4, 60, 32), 3.0)
    for p in (0.4, None):
        whole = _output(student.run(encoded, x=x, max_len=60, p=p), x)
        calm = _output(student.run(encoded, x=x, max_len=60, p=0.0), x)
        expect(same(whole, calm), wording.DROPS_IN_EVALUATION)
        nothing = _output(student.run(encoded, x=x, max_len=60, p=0.0, training=True), x)
        expect(same(calm, nothing), wording.OTHER_SHARE)
        moved = _output(student.run(encoded, x=x, max_len=60, p=p, training=True), x)
        expect_dropped(moved, whole, 0.1 if p is None else p)


def _output(reply: Reply, x: torch.Tensor) -> torch.Tensor:
    return expect_floats(reply, "output", B=x.shape[0], L=x.shape[1], embed_dim=x.shape[2])
