"""Checks of `TransformerPredictor`, the whole model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autograder.checking import (
    Battery,
    Domain,
    Masks,
    Probe,
    Student,
    expect,
    numbers,
    points,
    probe,
)

from . import wording
from .given import built, dropping_input, dropping_inside
from .modules import (
    DEEP,
    FEW,
    FEWEST,
    MAP,
    MAPPED,
    MASKED_MAPS,
    MASKS,
    WITHOUT_A_MASK,
    mapped,
    masked_maps,
    moments,
    slopes,
)


def without_positions(subject: Any, x: Any, mask: Any) -> Any:
    """A sequence as a bag of vectors: logits and maps, both with a mask, and with positions again.

    Each is asked after the other way.
    """
    hidden = subject.get_attention_maps(x, mask, add_positional_encoding=False)
    again = subject(x)
    maps = subject.get_attention_maps(x, add_positional_encoding=False)
    masked = subject(x, mask, add_positional_encoding=False)
    maps_again = subject.get_attention_maps(x)
    logits = subject(x, add_positional_encoding=False)
    return logits, *maps, masked, *hidden, again, maps_again[-1]


SIZES = {"layers": 2, "B": 3, "L": 5, "input_dim": 7, "heads": 2, "head_dim": 4, "classes": 6}
LOGITS = "B L classes"
WITH_POSITIONS = ("logits (with positions again)", "second map (with positions again)")
WITHOUT_POSITIONS = {"logits": LOGITS, "first map": MAP, "second map": MAP}
domain = Domain(
    answer="TransformerPredictor",
    sizes=SIZES,
    largest={"layers": 5},
    multiples={"head_dim": 2},
    derived={"dim": "heads*head_dim"},
    more={
        "where input, model and classes have the same size": {"input_dim": 8, "classes": 8},
        "for many layers": {"layers": 5},
    },
    long=260,
    make=Probe(built),
    attributes={"input_dim": "input_dim"},
    inputs={"x": "B L input_dim"},
    returns={"logits": LOGITS},
    atol=2e-5,
)
battery = Battery(
    domain,
    **{"values": 0.5, "sizes": 0.5, "extremes": 0.25, "gradients": 2.25},
    **{"modes": 0.25, "kind": 0.25, "parts": 0.25, "care": 0.25},
)
bag = Battery(
    replace(
        domain,
        smallest={"layers": 2},
        largest={"layers": 2},
        part="bag",
        only=FEW,
        about="with add_positional_encoding=False",
        call=Probe(without_positions),
        inputs={**domain.inputs, "mask": Masks("L L")},
        returns={
            **WITHOUT_POSITIONS,
            **{f"{name} (masked)": s for name, s in WITHOUT_POSITIONS.items()},
            **dict(zip(WITH_POSITIONS, (LOGITS, MAP), strict=True)),
        },
        unmasked=(*WITHOUT_POSITIONS, *WITH_POSITIONS),
    ),
    everywhere=1,
)
maps = Battery(
    replace(
        domain,
        smallest={"layers": 2},
        largest={"layers": 2},
        part="maps",
        about="`get_attention_maps`",
        only=FEW,
        derived={"dim": "heads*head_dim", "outputs": "classes"},
        returns=MAPPED,
        call=Probe(mapped, uses=[slopes]),
    ),
    **{"everywhere": 0.5, "gradients": 0.5, "care": 0.25},
)
masked = Battery(
    replace(
        domain,
        smallest=DEEP,
        largest=DEEP,
        part="masked",
        about="with a mask",
        only=FEWEST,
        call=Probe(masked_maps, uses=[slopes]),
        derived={"dim": "heads*head_dim", "outputs": "classes"},
        inputs={**domain.inputs, **MASKS},
        returns=MASKED_MAPS,
        unmasked=WITHOUT_A_MASK,
    ),
    **{"everywhere": 0.75, "care": 0.25},
)
drops = replace(
    domain,
    sizes={"L": 2, "input_dim": 4, "heads": 2, "head_dim": 4, "classes": 3, "layers": 1},
    only=("example", "evaluation"),
    inputs={"x": "1 L input_dim"},
    call=Probe(moments),
    returns={"mean logits": "L*classes", "mean of products": "L*classes L*classes"},
    random=True,
)
inside = replace(
    drops, part="dropout", about="with dropout", make=Probe(dropping_inside), atol=0.075
)
at_input = replace(
    drops,
    part="input_dropout",
    about="with input_dropout",
    make=Probe(dropping_input),
    atol=0.02,
)
dropout, input_dropout = (Battery(one, everywhere=1) for one in (inside, at_input))


@probe
def handed_on(answers: Any, x: Any) -> dict[str, Any]:
    """Whether two calls in training mode hand the notebook's own encoder other numbers."""
    import torch

    seen: list[Any] = []

    def note(module: Any, given: Any, named: Any) -> None:
        seen.extend(t for t in [*given, *named.values()][:1] if isinstance(t, torch.Tensor))

    model = answers.TransformerPredictor(x.shape[-1], 8, 3, 2, 1, dropout=0.7)
    for part in model.modules():
        if isinstance(part, answers.TransformerEncoder):
            part.register_forward_pre_hook(note, with_kwargs=True)
    for _ in range(2):
        model(x)
    return {"random": len(seen) == 2 and not torch.equal(*seen)}


@points(0.25, text="the encoding marks the positions, the encoder does the work")
def check_nothing_is_dropped_before_the_encoder(student: Student) -> None:
    """Between input net and encoder nothing is dropped: `dropout` is for what comes after."""
    reply = student.run(handed_on, x=numbers(5, 2, 4, 6))
    expect(reply["random"] is False, wording.DROPPED_BEFORE_THE_ENCODER)
