"""Checks of `Transformer`: encode, decode, and both together."""

from __future__ import annotations

from autograder.checking import (
    Battery,
    Domain,
    Probe,
    Student,
    expect,
    expect_count,
    expect_floats,
    points,
    same,
    sizes_of,
)

from . import wording
from .whole_models import IDS, PADDED, TRANSFORMER, described, padded, stacked, with_a_memory

battery = Battery(
    Domain(
        answer="Transformer",
        **TRANSFORMER,
        largest={"num_layers": 2},
        long=43,
        arguments=("vocab_size", "heads*d_head", "heads", "d_ff", "num_layers"),
        inputs={"src": IDS["src"], "memory": "N L_src heads*d_head", "tgt": IDS["tgt"]},
        returns={
            "logits": "N L vocab_size",
            "logits of decode": "N L vocab_size",
            "memory of encode": "N L_src heads*d_head",
        },
        call=Probe(with_a_memory),
        atol=2e-5,
    ),
    **{"values": 0.5, "sizes": 1, "extremes": 1, "gradients": 3},
    **{"modes": 0.5, "kind": 1, "care": 1},
)


@points(1, text="an nn.Embedding with padding_idx for the source, another one for the target")
def check_has_its_layers(student: Student) -> None:
    """It has two embeddings, `num_layers` blocks on each side, a linear layer, and these sizes."""
    for vocab_size, pad_id in ((9, None), (13, 4)):
        reply = student.run(described, vocab_size=vocab_size, pad_id=pad_id)
        expect(reply["padding"] is True, wording.NO_PADDING_INDEX)
        expect_count(reply, "parameters", _parameters(vocab_size, 32, 64), wording.DEFAULTS)
        expect_count(reply, "heads", 1, wording.DEFAULTS)
    for layers in (3, 5):
        reply = student.run(stacked, sizes=sizes_of(9, 8, 2, 5, layers))
        expect_count(reply, "parameters", _parameters(9, 8, 5, layers), wording.OTHER_BLOCKS)


def _parameters(vocab_size: int, d_model: int, d_ff: int, layers: int = 1) -> int:
    """How many numbers a model with so many blocks on each side learns."""
    attentions = 3 * 4 * (d_model + 1) * d_model
    feed_forwards = 2 * ((d_model + 1) * d_ff + (d_ff + 1) * d_model)
    ends = 2 * vocab_size * d_model + (d_model + 1) * vocab_size
    return layers * (attentions + feed_forwards + 5 * 2 * d_model) + ends


@points(1, text="It can, since it knows the padding id")
def check_any_padding_id(student: Student) -> None:
    """Padding is what `pad_id` says: it changes no logits, and its vector is not trained."""
    for sizes, src, tgt in PADDED:
        reply = student.run(padded, sizes=sizes, src=src, tgt=tgt)
        dims = {"N": len(tgt), "L": tgt.shape[1], "vocab_size": int(sizes[0])}
        names = ("first", "second", "renamed")
        first, second, renamed = (expect_floats(reply, name, **dims) for name in names)
        expect(same(first, second), wording.PADDING_MATTERS)
        expect(same(first, renamed), wording.PADDING_IS_NOT_PAD_ID)
        expect(type(reply["trained"]) is float and reply["trained"] == 0, wording.NO_PADDING_INDEX)
