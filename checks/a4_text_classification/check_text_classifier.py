"""Checks of `TextClassifier(embed_dim, num_heads, depth, seq_length, num_tokens, num_classes)`."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_floats,
    expect_gradients,
    expect_kept,
    expect_shape,
    expect_unchanged,
    points,
    probe,
    same,
    sizes_of,
)

from . import wording
from .filling import filled, match_filled

NAME = "TextClassifier"


@probe
def answered(
    answers: Any, sizes: Any, ids: Any, mask: Any, ids2: Any = None, mask2: Any = None
) -> dict[str, Any]:
    torch.manual_seed(1)
    model = answers.TextClassifier(*sizes.tolist()).eval()
    found = {"output": model(ids, mask), "ids": ids, "mask": mask}
    return found if ids2 is None else {**found, "second": model(ids2, mask2)}


@probe
def started(answers: Any, sizes: Any) -> dict[str, Any]:
    torch.manual_seed(1)
    model = answers.TextClassifier(*sizes.tolist())
    tables = [part.weight for part in model.modules() if isinstance(part, nn.Embedding)]
    return {"tables": len(tables), "table": tables[0] if tables else None}


@probe
def differentiated(answers: Any, sizes: Any, ids: Any, mask: Any) -> dict[str, Any]:
    torch.manual_seed(1)
    model = answers.TextClassifier(*sizes.tolist()).eval()
    output = model(ids, mask)
    found = {"output": output}
    if getattr(output, "requires_grad", False):
        output[:, 0].sum().backward()
    tensors = list(model.parameters())
    largest = [-1.0 if t.grad is None else t.grad.abs().max().item() for t in tensors]
    dims = torch.tensor([t.dim() for t in tensors])
    return {**found, "gradients": torch.tensor(largest), "dims": dims}


@probe
def in_double(answers: Any, sizes: Any, ids: Any, mask: Any) -> dict[str, Any]:
    model = answers.TextClassifier(*sizes.tolist()).double().eval()
    output = model(ids, mask)
    try:  # the meta device stands in for any device that is not the CPU
        device = model.to("meta")(ids.to("meta"), mask.to("meta")).device.type
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        device = "meta" if "meta tensors" in str(error) else "mixed"
    return {"output": output, "device": device}


def _ids(seed: int, batch: int, length: int, tokens: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(tokens, (batch, length), generator=generator)


def _mask(*lengths: int, width: int) -> torch.Tensor:
    return (torch.arange(width) < torch.tensor(lengths)[:, None]).long()


def _given(seed: int, sizes: tuple[int, ...], *lengths: int, width: int) -> dict[str, Any]:
    """Token ids, their mask, and the arguments of the class; sizes as in its signature."""
    ids = _ids(seed, len(lengths), width, sizes[4])
    mask = _mask(*lengths, width=width)
    return {"sizes": sizes_of(*sizes), "depth": sizes[2], "seed": seed, "first": ids, "mask": mask}


FULL = {
    "two_blocks": _given(1, (12, 3, 2, 9, 20, 5), 6, 6, 6, width=6),
    "batch_of_one": _given(2, (8, 2, 1, 7, 11, 3), 7, width=7),
}
PADDED = {"padded": _given(3, (8, 4, 3, 10, 15, 4), 8, 1, 5, width=8)}
SIZES = sizes_of(8, 2, 2, 30, 15, 5)
IDS, MASK = _ids(4, 4, 6, 15), _mask(6, 3, 5, 1, width=6)
DIMS = {"B": 4, "num_classes": 5}


def _log_probs(reply: Reply, name: str = "output") -> torch.Tensor:
    return expect_floats(reply, name, **DIMS)


@points(1)
def check_shape_fits(student: Student, expected: Expected) -> None:
    """The output has the shape (B, num_classes)."""
    for given in (*FULL.values(), *PADDED.values()):
        reply = student.run(filled, name=NAME, **given)
        expect_shape(reply, "output", B=len(given["first"]), num_classes=int(given["sizes"][5]))


@points(2)
def check_has_its_parts(student: Student, expected: Expected) -> None:
    """The model holds an embedding, as many blocks as depth says, and one linear layer."""
    for given in (*FULL.values(), *PADDED.values()):
        reply = student.run(filled, name=NAME, **given)
        expect(reply["fits"] is True, wording.CLASSIFIER_PARTS)


@points(3)
def check_answers_with_log_probabilities(student: Student, expected: Expected) -> None:
    """The exponentials of the output sum to 1 over the classes of each headline."""
    reply = student.run(answered, sizes=SIZES, ids=IDS, mask=MASK)
    output = _log_probs(reply)
    sums = output.exp().sum(dim=-1)
    expect(same(sums, torch.ones_like(sums)), wording.NOT_LOG_PROBABILITIES)
    expect((output[1:] - output[0]).abs().max() > 1e-5, wording.NO_OPINION)


@points(4)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """Without padding the output has the right values."""
    match_filled(student, expected, FULL, NAME, wording.CLASSIFIER_PARTS)


@points(2)
def check_matches_expected_values_with_padding(student: Student, expected: Expected) -> None:
    """With padding the output has the right values."""
    match_filled(student, expected, PADDED, NAME, wording.CLASSIFIER_PARTS)


@points(2)
def check_padding_changes_nothing(student: Student, expected: Expected) -> None:
    """A headline has the same answer whatever stands at its padding, and however much there is."""
    other = torch.where(MASK.bool(), IDS, 14 - IDS)
    reply = student.run(answered, sizes=SIZES, ids=IDS, mask=MASK, ids2=other, mask2=MASK)
    expect(same(_log_probs(reply, "second"), _log_probs(reply)), wording.PADDING_MATTERS)
    wide = {"ids2": padded_with(IDS, 9, 7), "mask2": padded_with(MASK, 9, 0)}
    reply = student.run(answered, sizes=SIZES, ids=IDS, mask=MASK, **wide)
    expect(same(_log_probs(reply, "second"), _log_probs(reply)), wording.PADDING_MATTERS)


def padded_with(tensor: torch.Tensor, more: int, value: int) -> torch.Tensor:
    """The tensor with `more` columns of `value` behind it."""
    return torch.nn.functional.pad(tensor, (0, more), value=value)


@points(1)
def check_order_of_words_matters(student: Student, expected: Expected) -> None:
    """When two words change places, the answer changes."""
    order = torch.tensor([0, 2, 1, 3, 4, 5])
    ids = torch.arange(24).reshape(4, 6) % 15
    swapped = {"ids2": ids[:, order], "mask2": torch.ones_like(MASK)}
    reply = student.run(answered, sizes=SIZES, ids=ids, mask=torch.ones_like(MASK), **swapped)
    moved = (_log_probs(reply, "second") - _log_probs(reply)).abs().amax(dim=-1)
    expect((moved > 1e-5).all(), wording.ORDER_LOST)


@points(2)
def check_embedding_starts_small(student: Student, expected: Expected) -> None:
    """The embedding starts with mean 0 and the standard deviation that the question gives."""
    for size in (64, 16):
        reply = student.run(started, sizes=sizes_of(size, 2, 1, 4, 2000, 3))
        expect(reply["tables"] == 1, wording.CLASSIFIER_PARTS)
        table = expect_floats(reply, "table", num_tokens=2000, embed_dim=size)
        spread = float(table.std()) * size**0.5
        expect(abs(spread - 1) < 0.03, wording.OTHER_START)
        expect(abs(float(table.mean())) < 0.03 * size**-0.5, wording.OTHER_START)


@points(1)
def check_seq_length_tokens_fit(student: Student, expected: Expected) -> None:
    """Headlines of seq_length tokens fit, and shorter ones, too."""
    for seq_length, length in ((3, 3), (600, 600), (600, 2)):
        sizes = sizes_of(8, 2, 1, seq_length, 15, 5)
        ids = _ids(5, 1, length, 15)
        reply = student.run(answered, sizes=sizes, ids=ids, mask=torch.ones_like(ids))
        expect_shape(reply, "output", B=1, num_classes=5)


@points(1)
def check_gradients_reach_every_parameter(student: Student, expected: Expected) -> None:
    """The gradient of the output reaches every parameter."""
    reply = student.run(differentiated, sizes=SIZES, ids=IDS, mask=MASK)
    expect_gradients(reply, **DIMS)


@points(1)
def check_keeps_dtype_device_and_inputs(student: Student, expected: Expected) -> None:
    """The output has the model's dtype and device, and the inputs stay as they are."""
    expect_kept(student.run(in_double, sizes=SIZES, ids=IDS, mask=MASK))
    reply = student.run(answered, sizes=SIZES, ids=IDS, mask=MASK)
    expect_unchanged(reply, {"ids": IDS, "mask": MASK})
