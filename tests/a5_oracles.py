"""What every question of a5 answers, worked out without the instructor's solution.

PyTorch's own attention and encoder layer, BERT's and T5's own layers, and sums written out entry
by entry.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType

import torch
from torch import nn
from torch.nn.functional import layer_norm, linear
from torch.nn.functional import scaled_dot_product_attention as fused
from transformers import BertConfig, BertModel, T5Config
from transformers.models.t5.modeling_t5 import T5Attention

from autograder.checking.cases import Case
from checks.a5_transformer_anatomy import (
    check_bert_embeddings,
    check_cross_attention,
    check_embedding,
    check_encoder_layer,
    check_feed_forward,
    check_greedy_decode,
    check_greedy_tokens,
    check_look_ahead_mask,
    check_multi_head_attention,
    check_positional_encoding,
    check_scaled_dot_product_attention,
    check_silence_head,
)

Tensors = dict[str, torch.Tensor]
Oracle = Callable[[Case, Tensors, Tensors], tuple[torch.Tensor, ...]]


def attended(case: Case, given: Tensors, roles: Tensors) -> tuple[torch.Tensor, ...]:
    """The values by PyTorch's fused function; the weights too, as a mixture of one-hot values."""
    q, k, v = (given[name] for name in "qkv")
    mask = given.get("mask")
    one_hot = torch.eye(k.shape[-2]).to(q).expand(*k.shape[:-1], k.shape[-2])
    return fused(q, k, v, attn_mask=mask), fused(q, k, one_hot, attn_mask=mask)


def heads(
    d_model: int, count: int, given: Tensors, roles: Tensors, start: str = ""
) -> tuple[torch.Tensor, ...]:
    """By PyTorch's own module, to which True is what is left out."""
    module = nn.MultiheadAttention(d_model, count, batch_first=True, dtype=torch.float64).eval()
    names = [f"{start}W_{letter}" for letter in "qkv"]
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat([roles[f"{name}.weight"] for name in names]))
        module.in_proj_bias.copy_(torch.cat([roles[f"{name}.bias"] for name in names]))
        module.out_proj.weight.copy_(roles[f"{start}W_o.weight"])
        module.out_proj.bias.copy_(roles[f"{start}W_o.bias"])
    query, key, mask = given["query"], given["key"], given.get("mask")
    if mask is not None:
        shape = len(query), count, query.shape[1], key.shape[1]
        mask = ~mask.expand(shape).flatten(0, 1)
    sides = query, key, given["value"]
    output, weights = module(*sides, attn_mask=mask, average_attn_weights=False)
    return output, weights


def many_headed(case: Case, given: Tensors, roles: Tensors) -> tuple[torch.Tensor, ...]:
    return heads(given["query"].shape[-1], case.sizes["heads"], given, roles)


def fed(case: Case, given: Tensors, roles: Tensors, start: str = "") -> tuple[torch.Tensor, ...]:
    """With the exact GELU, entry by entry."""

    def layer(x: torch.Tensor, name: str) -> torch.Tensor:
        return linear(x, roles[f"{start}{name}.weight"], roles[f"{start}{name}.bias"])

    hidden = layer(given["x"], "linear1")
    flat = [0.5 * z * math.erfc(-z / math.sqrt(2)) for z in hidden.flatten().tolist()]
    return (layer(torch.tensor(flat, dtype=torch.float64).view_as(hidden), "linear2"),)


def layered(case: Case, given: Tensors, roles: Tensors) -> tuple[torch.Tensor, ...]:
    def norm(x: torch.Tensor, name: str) -> torch.Tensor:
        return layer_norm(x, x.shape[-1:], roles[f"{name}.weight"], roles[f"{name}.bias"], 1e-6)

    x = given["x"]
    sides = {**given, "query": x, "key": x, "value": x}
    found, _ = heads(x.shape[-1], case.sizes["heads"], sides, roles, "attention.")
    y = norm(x + found, "norm1")
    return (norm(y + fed(case, {"x": y}, roles, "feed_forward.")[0], "norm2"),)


def encoded(case: Case, given: Tensors, roles: Tensors) -> tuple[torch.Tensor, ...]:
    """Entry by entry from the formula."""
    _, length, size = given["x"].shape
    table = torch.empty(length, size, dtype=torch.float64)
    for pos in range(length):
        for i in range(size // 2):
            angle = pos / math.pow(10000.0, 2 * i / size)
            table[pos, 2 * i], table[pos, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return (given["x"] + table,)


def embedded(case: Case, given: Tensors, roles: Tensors) -> tuple[torch.Tensor, ...]:
    """By BERT itself, whose first hidden state it is."""
    sizes = case.sizes
    config = BertConfig(
        **{"vocab_size": sizes["V"], "hidden_size": sizes["D"], "intermediate_size": 4},
        **{"num_hidden_layers": 1, "num_attention_heads": 1},
        max_position_embeddings=sizes["L"] + 3,
        layer_norm_eps=sizes.get("tenths", 0) / 10 or 1e-12,
    )
    model = BertModel(config, add_pooling_layer=False).double().eval()
    model.load_state_dict({k.removeprefix("model."): t for k, t in roles.items()}, strict=False)
    states = model(input_ids=given["input_ids"], output_hidden_states=True).hidden_states
    return (states[0],)


def looked_up(case: Case, given: Tensors, roles: Tensors) -> tuple[torch.Tensor, ...]:
    (table,) = roles.values()
    rows = [table[number] for number in given["ids"].flatten().tolist()]
    return (torch.stack(rows).reshape(*given["ids"].shape, -1),)


def triangle(case: Case, given: Tensors, roles: Tensors) -> tuple[torch.Tensor, ...]:
    size = range(case.sizes["size"])
    return (torch.tensor([[[[key <= query for key in size] for query in size]]]),)


def chosen(case: Case, given: Tensors, roles: Tensors) -> tuple[torch.Tensor, ...]:
    """Position by position; among equal logits it does not matter which one is chosen."""
    rows, ids = [], []
    for row in given["logits"].flatten(0, 1).tolist():
        shares = [math.exp(number - max(row)) for number in row]
        rows.append([share / sum(shares) for share in shares])
        ids.append(row.index(max(row)))
    shape = given["logits"].shape
    return torch.tensor(rows).double().reshape(shape), torch.tensor(ids).reshape(shape[:2])


def without_heads(case: Case, given: Tensors, roles: Tensors) -> tuple[torch.Tensor, ...]:
    """By a model whose weights after the heads are zero where those of a silent head would be."""
    sizes, found = case.sizes, []
    layers, heads, width = sizes["layers"], sizes["heads"], sizes["d_k"]
    for silent in ((1, heads),), ((layers, 1),), ((1, 1), (layers, (heads + 1) // 2)):
        config = BertConfig(
            **{"vocab_size": sizes["V"], "hidden_size": heads * width, "intermediate_size": 6},
            **{"num_hidden_layers": layers, "num_attention_heads": heads},
            max_position_embeddings=64,
        )
        model = BertModel(config, add_pooling_layer=False).double().eval()
        model.load_state_dict({k.removeprefix("model."): t for k, t in roles.items()}, strict=False)
        for layer, head in silent:
            mixing = model.encoder.layer[layer - 1].attention.output.dense.weight
            with torch.no_grad():
                mixing.unflatten(1, (heads, width))[:, head - 1] = 0
        found.append(model(input_ids=given["input_ids"]).last_hidden_state)
    return tuple(found)


def source_attended(case: Case, given: Tensors, roles: Tensors) -> tuple[torch.Tensor, ...]:
    """By the library's own layer, to whose scores a mask is added."""
    sizes = case.sizes
    config = T5Config(
        **{"d_model": sizes["d_model"], "num_heads": sizes["heads"], "d_kv": sizes["d_kv"]},
        **{"is_decoder": True, "attn_implementation": "eager"},
    )
    layer = T5Attention(config, layer_idx=0).double().eval()
    layer.load_state_dict(roles)
    x, memory = given["x"], given["memory"]
    hidden = torch.zeros(len(x), 1, 1, memory.shape[1]).double()
    if "mask" in given:
        hidden = hidden.masked_fill(~given["mask"][:, None, None], -1e30)
    output, _, weights = layer(x, mask=hidden, key_value_states=memory)
    return output, weights


def walked(case: Case, given: Tensors, roles: Tensors) -> tuple[torch.Tensor, ...]:
    """Sentence by sentence, by the rule of the model that the checks hand over."""
    table, longest, rows = given["table"].tolist(), case.sizes["max_length"], []
    for source, real in zip(
        given["input_ids"].tolist(), given["attention_mask"].tolist(), strict=True
    ):
        memory = sum(place * token for place, token in enumerate(source, 1) if real[place - 1])
        row, total = [0], memory
        while len(row) < longest and row[-1:] != [1]:
            total += len(row) * row[-1]
            following = table[total % len(table)]
            scores = [math.sin(token) + 2 * (token == following) for token in range(20)]
            row.append(scores.index(max(scores)))
        rows.append(row + [0] * (longest - len(row)))
    return (torch.tensor(rows),)


ORACLES: list[tuple[ModuleType, Oracle]] = [
    (check_scaled_dot_product_attention, attended),
    (check_multi_head_attention, many_headed),
    (check_feed_forward, fed),
    (check_encoder_layer, layered),
    (check_positional_encoding, encoded),
    (check_bert_embeddings, embedded),
    (check_embedding, looked_up),
    (check_look_ahead_mask, triangle),
    (check_greedy_tokens, chosen),
    (check_silence_head, without_heads),
    (check_cross_attention, source_attended),
    (check_greedy_decode, walked),
]
