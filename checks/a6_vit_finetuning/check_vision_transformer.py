"""Checks of `ViTBlock(config)` and `VisionTransformer(config)`, made from small configurations."""

from __future__ import annotations

from typing import Any

from autograder.checking import (
    Battery,
    Domain,
    Probe,
    Student,
    expect,
    expect_floats,
    numbers,
    points,
    probe,
    same,
)

from . import wording


def block(answers: Any, heads: int, d: int, width: int, **sizes: int) -> Any:
    from transformers import ViTConfig

    return answers.ViTBlock(
        ViTConfig(
            hidden_size=heads * d,
            num_attention_heads=heads,
            intermediate_size=width,
            layer_norm_eps=0.01,  # large enough to be missed
        )
    )


def whole(
    answers: Any,
    channels: int,
    side: int,
    rows: int,
    heads: int,
    d: int,
    layers: int,
    width: int,
    **sizes: int,
) -> Any:
    from transformers import ViTConfig

    return answers.VisionTransformer(
        ViTConfig(
            num_channels=channels,
            patch_size=side,
            image_size=rows * side,
            hidden_size=heads * d,
            num_attention_heads=heads,
            num_hidden_layers=layers,
            intermediate_size=width,
            layer_norm_eps=0.01,
        )
    )


blocks = Battery(
    Domain(
        answer="ViTBlock",
        part="block",
        about="of one block",
        sizes={"N": 2, "L": 5, "heads": 3, "d": 4, "width": 10},
        make=Probe(block),
        inputs={"x": "N L heads*d"},
        returns={"block_output": "N L heads*d"},
        named=True,
        differentiable=False,
        more={"for a long sequence": {"L": 200}},
        atol=1e-4,
    ),
    **{"values": 1.25, "sizes": 0.75, "modes": 0.5, "kind": 0.5, "care": 1},
)
battery = Battery(
    Domain(
        answer="VisionTransformer",
        sizes={
            "N": 2,
            "channels": 3,
            "side": 5,
            "rows": 3,
            "heads": 2,
            "d": 4,
            "layers": 2,
            "width": 6,
        },
        make=Probe(whole),
        inputs={"pixel_values": "N channels rows*side rows*side"},
        returns={"output": "N 1+rows*rows heads*d"},
        named=True,
        differentiable=False,
        more={"for many layers": {"layers": 12}, "for many patches": {"rows": 12, "side": 2}},
        atol=1e-4,
    ),
    **{"values": 2, "sizes": 1, "modes": 0.5, "extremes": 0.5, "kind": 1, "care": 0.5},
)


@probe
def reweighted(answers: Any, images: Any) -> dict[str, Any]:
    # A model that was used before it got the weights of another, and that other one.
    import torch
    from transformers import ViTConfig

    sizes = {"image_size": 6, "patch_size": 3, "hidden_size": 4, "intermediate_size": 5}
    config = ViTConfig(**sizes, num_hidden_layers=2, num_attention_heads=2)
    first, second = (answers.VisionTransformer(config) for _ in range(2))
    first.eval(), second.eval()
    with torch.no_grad():
        for one in second.parameters():  # the same in whichever order they were made
            torch.manual_seed(one.numel())
            torch.nn.init.normal_(one)
        first(images)
        first.load_state_dict(second.state_dict())
        return {"found": first(images), "wanted": second(images)}


@points(0.5, text="A second call knows nothing of the first")
def check_weights_may_change(student: Student) -> None:
    """A model that gets other weights answers with these, whatever it has answered before."""
    reply = student.run(reweighted, images=numbers(3, 2, 3, 6, 6))
    found, wanted = (expect_floats(reply, name, N=2, L=5, D=4) for name in ("found", "wanted"))
    expect(same(found, wanted, 1e-4), wording.OLD_WEIGHTS)
