"""Checks of `train_step(model, src, tgt, optimizer, bos_id, pad_id=0)`, on a model of our own."""

from __future__ import annotations

from dataclasses import replace

from torch import nn

from autograder.checking import (
    Battery,
    Domain,
    Expected,
    Probe,
    Reply,
    Student,
    Tokens,
    expect,
    expect_floats,
    expect_shape,
    points,
    same,
    values,
)

from . import wording
from .training import CASES, Small, stepped, stepped_in_groups, trained

LOSS_ATOL = 4e-6  # a loss in float32 is off by less, one that was rounded by more

domain = Domain(
    answer="train_step",
    sizes={"N": 3, "L_src": 4, "L": 5, "vocab_size": 9, "width": 6},
    smallest={"vocab_size": 3},
    inputs={
        **{"src": Tokens("N L_src", "vocab_size", inside=True), "tgt": Tokens("N L", "vocab_size")},
        **{"source": "vocab_size width", "target": "vocab_size width"},
        "last": "width vocab_size",
    },
    returns={
        "losses of three steps": "3",
        "parameters after them": "vocab_size width",
        "more parameters after them": "vocab_size width",
        "other parameters after them": "width vocab_size",
    },
    call=Probe(stepped, uses=[Small]),
    differentiable=False,
    more={"for a large batch": {"N": 40}},
    extremes=False,
    doubles=False,
    atol=1e-4,
    rtol=1e-3,
)
battery = Battery(domain, **{"values": 1, "sizes": 0.5, "care": 0.5})
groups = Battery(
    replace(
        domain,
        part="groups",
        about="where gradients are large and the optimizer has several groups of parameters",
        call=Probe(stepped_in_groups, uses=[Small]),
        only=("example",),
    ),
    values=0.25,
)


@values
@points(0.75, text="feeds the decoder the targets **shifted right**")
def check_decoder_reads_the_shifted_targets(student: Student) -> None:
    """The decoder reads the targets shifted right, so that no position reads its own answer."""
    for inputs in CASES.values():
        reply, tgt = student.run(trained, **inputs), inputs["tgt"]
        expect(reply["decoder input"] is not None, wording.NOT_SHIFTED)
        read = expect_shape(reply, "decoder input", N=tgt.shape[0], L=tgt.shape[1])
        expect((read[:, 1:] == tgt[:, :-1]).all(), wording.NOT_SHIFTED)
        expect((read[:, 0] == inputs["bos_id"]).all(), wording.NOT_SHIFTED)


@points(0.75, text="the mean cross-entropy over the target tokens that are not pad_id")
def check_padding_does_not_count(student: Student) -> None:
    """More padding in the targets, whichever id it has, changes neither the loss nor the step."""
    for inputs in CASES.values():
        longer = nn.functional.pad(inputs["tgt"], (0, 5), value=inputs["pad_id"] or 0)
        rows, columns = inputs["table"].shape
        found = [student.run(trained, **{**inputs, "tgt": t}) for t in (inputs["tgt"], longer)]
        for name, dims in (("loss", (1,)), ("table after", (rows, columns))):
            expect(found[0][name] is not None, wording.NOT_A_NUMBER)
            sizes = dict(zip(("vocab_size", "width"), dims, strict=False))
            one, other = (expect_floats(reply, name, **sizes) for reply in found)
            expect(same(one, other), wording.PADDING_COUNTS)
        after = expect_floats(found[0], "table after", vocab_size=rows, width=columns)
        expect(not same(after, inputs["table"].double()), wording.NO_STEP)


@points(0.5, text="It puts the model into training mode and leaves it there")
def check_model_is_in_training_mode(student: Student) -> None:
    """The model, with all its parts, is in training mode when it answers, and is left in it."""
    for inputs in CASES.values():
        reply = student.run(trained, **inputs)
        expect(reply["training"] is True, wording.NOT_TRAINING)
        expect(reply["left"] is True, wording.LEFT_EVALUATING)


@points(
    0.5, text="It returns the loss of this batch, as it was before the step, as a Python number."
)
def check_loss_is_a_number(student: Student, expected: Expected) -> None:
    """The loss is returned as a plain number, and is the right one for any padding id."""
    for case, inputs in CASES.items():
        reply = student.run(trained, **inputs)
        expect(reply["loss"] is not None, wording.NOT_A_NUMBER)
        loss = Reply.of({"loss": reply.tensor("loss")})
        expected.match(case, loss, atol=LOSS_ATOL, rtol=0)


@points(0.25, text="**A module is called**")
def check_model_is_called(student: Student) -> None:
    """The model is called, not its `forward`; its parts may be asked by themselves."""
    for inputs in CASES.values():
        reply = student.run(trained, **inputs)
        expect(reply["called"] is True, wording.NOT_CALLED)
