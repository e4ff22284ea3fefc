"""Checks of `bert_embeddings(model, input_ids)`, with small models that are made in the box."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import nn

from autograder.checking import (
    Battery,
    Domain,
    Integers,
    Probe,
    Student,
    expect,
    points,
    probe,
)

from . import wording


def made(answers: Any, **sizes: int) -> Any:
    from transformers import BertConfig, BertModel

    class Embedded(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            config = BertConfig(
                **{"vocab_size": sizes["V"], "hidden_size": sizes["D"]},
                **{"num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 4},
                max_position_embeddings=sizes["L"] + 3,
                layer_norm_eps=sizes.get("tenths", 0) / 10 or 1e-12,
            )
            self.model: Any = BertModel(config, add_pooling_layer=False)

        def forward(self, input_ids: Any) -> Any:
            return answers.bert_embeddings(self.model, input_ids)

    return Embedded()


SIZES = {"N": 2, "L": 5, "D": 12, "V": 23}
domain = Domain(
    answer="bert_embeddings",
    sizes=SIZES,
    smallest={"D": 2, "V": 2},
    make=Probe(made),
    inputs={"input_ids": Integers("N L", 0, "V")},
    returns={"hidden state": "N L D"},
    dropout=True,  # a model in evaluation mode drops nothing
    differentiable=False,
    more={"a large vocabulary": {"V": 700}},
    rtol=1e-5,
)
battery = Battery(domain, values=1.5, sizes=1, kind=1, care=1)
epsilon = Battery(
    replace(
        domain,
        part="epsilon",
        about="a model whose norm has a large epsilon",
        sizes={**SIZES, "tenths": 5},
        only=("example",),
    ),
    everywhere=1,
)


@probe
def rebuilt(answers: Any, input_ids: Any) -> dict[str, Any]:
    from transformers import BertConfig, BertModel

    from autograder.box.inside import overriding

    torch.manual_seed(3)
    config = BertConfig(
        **{"vocab_size": 23, "hidden_size": 12, "intermediate_size": 4},
        **{"num_hidden_layers": 1, "num_attention_heads": 1},
    )
    model: Any = BertModel(config, add_pooling_layer=False).eval()
    whole: list[str] = []
    with overriding.noticing([], ["model.forward", "embeddings.forward"], whole):
        output = answers.bert_embeddings(model, input_ids)
    return {"output": output, "calls": len(whole)}


@points(4.5, text="Do **not** call `model` or `model.embeddings` as a whole")
def check_is_put_together_by_hand(student: Student) -> None:
    """The parts are put together; neither the model nor its embeddings are called as a whole."""
    reply = student.run(rebuilt, input_ids=torch.tensor([[2, 7, 7, 1, 22], [3, 9, 5, 0, 0]]))
    expect(reply["calls"] == 0, wording.WHOLE_CALLED)
