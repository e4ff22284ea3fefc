"""Checks of `PositionalEncoding(d_model, max_len=512, dropout=0.1)`."""

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
    sizes_of,
)

from . import wording
from .dropping import expect_each_alone

# Ten times what an angle of up to 512 is off that was computed in float32 as exp(-log(10000) ...).
ATOL = 3e-4


def made(answers: Any, d_model: int, **sizes: int) -> Any:
    return answers.PositionalEncoding(d_model, max_len=sizes["L"] + sizes["spare"])


domain = Domain(
    answer="PositionalEncoding",
    sizes={"N": 3, "L": 5, "spare": 2, "d_model": 8},
    smallest={"spare": 0},
    multiples={"d_model": 2},
    long=150,
    more={
        "where the table is much longer": {"spare": 300},
        "for a large batch and a short table": {"N": 30, "spare": 0},
        "for a wide model": {"d_model": 200},
    },
    make=Probe(made),
    inputs={"x": "N L d_model"},
    dropout=True,
    returns={"output": "N L d_model"},
    atol=ATOL,
)
battery = Battery(
    domain,
    **{"values": 0.75, "sizes": 0.5, "extremes": 0.25, "gradients": 2.5},
    **{"modes": 0.5, "kind": 0.5, "care": 0.25},
)


@probe
def encoded(
    answers: Any, x: Any, max_len: int | None, p: float | None, training: bool
) -> dict[str, Any]:
    given: dict[str, Any] = {} if max_len is None else {"max_len": max_len}
    given |= {} if p is None else {"dropout": p}
    module = answers.PositionalEncoding(x.shape[-1], **given)
    module.train(training)
    torch.manual_seed(5)
    held = dict(module.named_buffers()).get("pe")
    trained = any(True for _ in module.parameters())
    with torch.no_grad():  # dropping goes by the mode alone
        return {"output": module(x), "pe": held, "trained": trained}


@probe
def in_turn(answers: Any, lengths: Any, size: int) -> dict[str, Any]:
    # What one module adds to sequences of several lengths, one after the other.
    module = answers.PositionalEncoding(size, 40)  # in the order of the question
    module.eval()
    added = [module(torch.zeros(1, length, size))[0] for length in lengths.tolist()]
    return {"added": torch.cat(added), "pe": module.pe[0]}


def _encoded(
    student: Student,
    x: torch.Tensor,
    max_len: int | None,
    p: float | None = None,
    training: bool = False,
) -> Reply:
    return student.run(encoded, x=x, max_len=max_len, p=p, training=training)


@points(0.5, text=r"PE_{pos,\,2i+1} = \cos")
def check_the_columns_hold_the_formula(student: Student, expected: Expected) -> None:
    """The even columns of the encoding hold the sines of the formula, the odd ones the cosines."""
    for size, length, max_len in ((20, 512, None), (64, 30, 40)):
        reply = _encoded(student, torch.zeros(1, length, size), max_len)
        found = expect_floats(reply, "output", N=1, L=length, d_model=size).float()
        for first, columns in ((0, "even columns"), (1, "odd columns")):
            half = Reply.of({columns: found[..., first::2].contiguous()})
            expected.match(f"{columns.split()[0]}_of_{size}", half, atol=ATOL)


@points(1, text="keeps it as a **buffer** named `pe`, of shape (1, max_len, d_model)")
def check_pe_is_a_buffer(student: Student) -> None:
    """`pe` is a buffer of shape (1, max_len, d_model), and nothing is trained."""
    for max_len in (None, 5, 700):
        reply = _encoded(student, torch.zeros(1, 3, 6), max_len)
        expect(reply["pe"] is not None, wording.NO_BUFFER)
        expect_shape(reply, "pe", one=1, max_len=max_len or 512, d_model=6)
        expect(reply["trained"] is False, wording.TRAINED)


@points(1, text="adds the encodings of the first $L$ positions, and applies dropout to the sum")
def check_drops_in_training(student: Student) -> None:
    """In training, dropout acts on the sum with its probability, 0.1 unless told otherwise."""
    x, dims = torch.full((4, 60, 32), 3.0), {"N": 4, "L": 60, "d_model": 32}

    def output(p: float | None, training: bool) -> torch.Tensor:
        return expect_floats(_encoded(student, x, 60, p, training), "output", **dims)

    for p in (0.4, None, 0.0):
        whole = output(p, training=False)
        expect(same(whole, output(0.0, training=False)), wording.DROPS_IN_EVALUATION)
        found = output(p, training=True)
        expect_dropped(found, whole, 0.1 if p is None else p)
        expect_each_alone(found == 0)


@points(0.25, text="A second call knows nothing of the first")
def check_lengths_may_change(student: Student, expected: Expected) -> None:
    """One module takes sequences of one length after those of another."""
    lengths = (7, 3, 12, 1, 7, 40, 5)
    reply = student.run(in_turn, lengths=sizes_of(*lengths), size=6)
    added = expect_floats(reply, "added", L=sum(lengths), d_model=6)
    pe = expect_floats(reply, "pe", max_len=40, d_model=6)
    wanted = torch.cat([pe[:length] for length in lengths])
    expect(same(added, wanted), wording.OTHER_LENGTHS)
    expected.match("added", Reply.of({"added": added.float()}), atol=ATOL)
