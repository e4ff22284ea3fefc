"""Checks of `silence_head(model, layer, head)`, with small models that are made in the box."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import (
    Battery,
    Domain,
    Integers,
    Probe,
    Reply,
    Student,
    expect,
    expect_floats,
    points,
    probe,
    same,
    shared,
    sizes_of,
)

from . import wording


def silenced(answers: Any, **sizes: int) -> Any:
    from transformers import BertConfig, BertModel

    class Silenced(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            config = BertConfig(
                **{"vocab_size": sizes["V"], "hidden_size": sizes["heads"] * sizes["d_k"]},
                **{"num_hidden_layers": sizes["layers"], "num_attention_heads": sizes["heads"]},
                **{"intermediate_size": 6, "max_position_embeddings": 64},
                attn_implementation="eager",
            )
            self.model: Any = BertModel(config, add_pooling_layer=False)

        def forward(self, input_ids: Any) -> Any:
            kinds = ("_forward_hooks", "_forward_pre_hooks")
            tables = [getattr(part, kind) for part in self.model.modules() for kind in kinds]
            before, said = [dict(table) for table in tables], []
            layers, heads = sizes["layers"], sizes["heads"]
            self.model(input_ids=input_ids)  # whole
            for silent in ((1, heads),), ((layers, 1),), ((1, 1), (layers, (heads + 1) // 2)):
                for layer, head in silent:
                    answers.silence_head(self.model, layer, head)
                said.append(self.model(input_ids=input_ids).last_hidden_state)
                for table, was in zip(tables, before, strict=True):
                    table.clear()
                    table.update(was)
            return said

    return Silenced()


ORDERS = {"head 1 first": (0, 1), "head 3 first": (1, 0)}  # in which handles are removed
SILENT = ("the last head of the first layer", "the first head of the last layer", "two heads")
battery = Battery(
    Domain(
        answer="silence_head",
        sizes={"N": 2, "L": 5, "heads": 3, "d_k": 4, "layers": 2, "V": 13},
        smallest={"heads": 2, "d_k": 2, "V": 2},
        largest={"layers": 3},
        make=Probe(silenced),
        inputs={"input_ids": Integers("N L", 0, "V")},
        returns={f"hidden state without {silent}": "N L heads*d_k" for silent in SILENT},
        named=True,
        dropout=True,  # a model in evaluation mode drops nothing
        only=("example", "other", "equal_widths", "single", "training", "double"),
        extremes=False,
        atol=1e-4,
    ),
    **{"values": 0.5, "sizes": 0.5, "gradients": 1.5, "modes": 0.25, "kind": 0.25, "care": 0.5},
)


@probe(silent=True)
def put_back(answers: Any, input_ids: Any, removed: Any) -> dict[str, Any]:
    from copy import deepcopy

    from transformers import BertConfig, BertModel

    torch.manual_seed(3)
    config = BertConfig(
        **{"vocab_size": 19, "hidden_size": 12, "intermediate_size": 5},
        **{"num_hidden_layers": 2, "num_attention_heads": 3},
        attn_implementation="eager",
    )
    model: Any = BertModel(config, add_pooling_layer=False).eval()

    def answered() -> Any:
        return model(input_ids=input_ids).last_hidden_state.detach()

    def maps(of: Any) -> list[Any]:
        told = of(input_ids=input_ids, output_attentions=True).attentions or ()
        return [one for one in told if isinstance(one, torch.Tensor)]

    whole = maps(deepcopy(model))  # the library hangs hooks of its own on what tells its maps
    found = {"whole": answered()}
    named = list(model.state_dict())
    handles = [answers.silence_head(model, 2, head) for head in (1, 3)]
    found["both"], silent = answered(), maps(model)
    for count, number in enumerate(removed.tolist()):
        handles[number].remove()
        found[f"removed {count + 1}"] = answered()
    found["maps"] = len(silent)
    found["same maps"] = len(silent) == len(whole) and all(map(torch.allclose, whole, silent))
    found["named as before"] = list(model.state_dict()) == named
    handles = [answers.silence_head(model, 2, 1 if removed[0] else 3)]
    found["one"] = answered()
    return found


@shared
def _put_back(student: Student, first: str) -> Reply:
    ids = torch.tensor([[5, 3, 4, 16, 0], [8, 7, 0, 2, 11]])
    return student.run(put_back, input_ids=ids, removed=sizes_of(*ORDERS[first]))


@points(0.5, text="The other parts of the tuple stay as they are")
def check_the_attention_is_told_as_before(student: Student) -> None:
    """What else the layers answer with stays: the model tells the attention of each of them."""
    reply = _put_back(student, "head 1 first")
    expect(reply["maps"] == 2, wording.PARTS_LOST)
    expect(reply["same maps"] is True, wording.MAPS_CHANGED)


@points(1.0, text="and each handle gives back its own head alone")
def check_each_head_can_be_given_back(student: Student) -> None:
    """With its handle removed a head answers again, and others stay silent."""
    for order in ORDERS:
        reply = _put_back(student, order)
        names = ("whole", "both", "one", "removed 1", "removed 2")
        whole, both, one, first, second = (
            expect_floats(reply, name, N=2, L=5, D=12) for name in names
        )
        expect(not same(whole, both) and not same(whole, one), wording.NOTHING_SILENT)
        expect(same(whole, second), wording.NOT_GIVEN_BACK)
        expect(same(one, first), wording.OTHERS_GIVEN_BACK)
        expect(reply["named as before"] is True, wording.LEFT_BEHIND)
