"""The expected tensors of a5 against what is known without the instructor's solution.

PyTorch's own attention and encoder layer, BERT's own embeddings and layer, sums written out entry
by entry, and the numbers printed in the assignment's text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn.functional import layer_norm, linear
from torch.nn.functional import scaled_dot_product_attention as fused
from transformers import BertConfig, BertModel, T5Config
from transformers.models.bert.modeling_bert import BertLayer
from transformers.models.t5.modeling_t5 import T5Attention

from autograder.checking import Battery, Domain
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
    check_tokenization,
)
from checks.a5_transformer_anatomy.tokenizing import STYLES

EXPECTED = Path(check_bert_embeddings.__file__).parent / "expected"
Tensors = dict[str, torch.Tensor]
Oracle = Callable[[Case, Tensors, Tensors], tuple[torch.Tensor, ...]]


def expected(module: ModuleType) -> Tensors:
    return load_file(EXPECTED / f"{module.__name__.rpartition('check_')[2]}.safetensors")


def double(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor


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


def roles_of(domain: Domain, case: Case, stored: Tensors) -> Tensors:
    start = f"{case.source}.parameter."
    shapes = {
        k.removeprefix(start)[4:]: t.tolist() for k, t in stored.items() if k.startswith(start)
    }
    return {name: double(domain.made.role(case, name, shape)) for name, shape in shapes.items()}


def asked(module: ModuleType) -> Iterator[tuple[Domain, Case, Tensors]]:
    """Every case of every battery of a question, with the tensors that are stored for it."""
    stored = expected(module)
    for battery in vars(module).values():
        if isinstance(battery, Battery):
            part = battery.domain.part
            start = f"{part}:" if part else ""
            known = {k.removeprefix(start): t for k, t in stored.items() if k.startswith(start)}
            for case in battery.domain.cases():
                yield battery.domain, case, known


@pytest.mark.parametrize(("module", "oracle"), ORACLES, ids=lambda one: one.__name__)
def test_every_expected_result_is_what_the_oracle_says(module: ModuleType, oracle: Oracle) -> None:
    compared = 0
    for domain, case, stored in asked(module):
        kept = [n for n in domain.returns if f"{case.source}.{n}" in stored]
        if not kept:
            continue  # no aspect asks for the case
        tensors = domain.made.tensors(case)
        names = [name for name in domain.inputs if name not in case.omitted]
        given = {name: double(tensors[f"{case.source}/{name}"]) for name in names}
        results = oracle(case, given, roles_of(domain, case, stored))
        for name, wanted in zip(domain.returns, results, strict=False):
            found, atol = stored[f"{case.source}.{name}"].double(), max(domain.atol, 1e-5)
            assert found.shape == wanted.shape, case.id
            assert torch.allclose(found, wanted.double(), rtol=1e-4, atol=atol), case.id
            compared += 1
    assert compared >= 7


def test_a_small_encoding_has_the_rows_that_the_text_prints() -> None:
    rows = {1: (0.84147, 0.54030, 0.01, 0.99995), 3: (0.14112, -0.98999, 0.03, 0.99955)}
    for pos, printed in rows.items():
        angles = (pos, pos, pos / 100, pos / 100)
        waves = (math.sin, math.cos, math.sin, math.cos)
        found = [wave(angle) for wave, angle in zip(waves, angles, strict=True)]
        assert found == pytest.approx(printed, abs=1e-5)


def test_the_weights_worked_out_by_hand_follow_from_the_formula() -> None:
    q = torch.tensor([[[math.log(3), 0.0, 0.0, 0.0]]])
    k = torch.tensor([[[0.0] * 4, [2.0, 0.0, 0.0, 0.0], [4.0, 0.0, 0.0, 0.0]]])
    whole = fused(q, k, torch.eye(3)[None])
    assert (whole * 13).flatten().tolist() == pytest.approx([1.0, 3.0, 9.0], abs=1e-5)
    masked = fused(q, k, torch.eye(3)[None], attn_mask=torch.tensor([True, True, False]))
    assert (masked * 4).flatten().tolist() == pytest.approx([1.0, 3.0, 0.0], abs=1e-5)


def test_the_layer_norm_worked_out_by_hand_follows_from_the_formula() -> None:
    found = layer_norm(torch.tensor([1.0, 1.0, 3.0, 1.0]), (4,), eps=1e-12)
    assert found.tolist() == pytest.approx([-0.5774, -0.5774, 1.7321, -0.5774], abs=6e-5)


def test_the_layer_answers_as_berts_own_layer() -> None:
    domain = check_encoder_layer.domain
    (case,) = [one for one in domain.cases() if one.id == "bare"]
    stored = expected(check_encoder_layer)
    roles = roles_of(domain, case, stored)
    config = BertConfig(
        hidden_size=12,
        num_attention_heads=case.sizes["heads"],
        intermediate_size=case.sizes["d_ff"],
        layer_norm_eps=1e-6,
        attn_implementation="eager",
    )
    layer = BertLayer(config).double().eval()
    for theirs, ours in (
        (layer.attention.self.query, "attention.W_q"),
        (layer.attention.self.key, "attention.W_k"),
        (layer.attention.self.value, "attention.W_v"),
        (layer.attention.output.dense, "attention.W_o"),
        (layer.attention.output.LayerNorm, "norm1"),
        (layer.intermediate.dense, "feed_forward.linear1"),
        (layer.output.dense, "feed_forward.linear2"),
        (layer.output.LayerNorm, "norm2"),
    ):
        theirs.load_state_dict({own: roles[f"{ours}.{own}"] for own in ("weight", "bias")})
    output = layer(domain.made.tensors(case)["bare/x"].double())
    output = output[0] if isinstance(output, tuple) else output
    assert torch.allclose(stored["bare.output"].double(), output, atol=1e-5)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_sums_in_any_order_are_within_the_bound_at_the_real_size(order: tuple[int, ...]) -> None:
    """In float32, with the sizes of bert-base-uncased and weights at random."""
    torch.manual_seed(0)
    config = BertConfig(num_hidden_layers=0)
    model = BertModel(config, add_pooling_layer=False).eval()
    parts = model.embeddings
    with torch.no_grad():
        for parameter in parts.parameters():
            parameter.copy_(torch.randn(parameter.shape))
    ids = torch.randint(0, config.vocab_size, (4, 512))
    summands = [
        parts.word_embeddings(ids),
        parts.position_embeddings(torch.arange(512)),
        parts.token_type_embeddings(torch.zeros_like(ids)),
    ]
    total = summands[order[0]] + summands[order[1]] + summands[order[2]]
    spread = total.var(dim=-1, correction=0, keepdim=True) + parts.LayerNorm.eps
    norm = (total - total.mean(dim=-1, keepdim=True)) / spread.sqrt()
    theirs = parts(input_ids=ids)
    for found in (parts.LayerNorm(total), norm * parts.LayerNorm.weight + parts.LayerNorm.bias):
        assert (found - theirs).abs().max() < 5e-6  # half of the bound of the question


@pytest.mark.parametrize(
    ("case", "tokens"),
    [
        ("sentence_framed_0.ids", "[B] The play ##ful dog ##s sees . [E]"),
        ("sentence_ended_0.ids", "The play ##ful dog ##s sees . </s>"),
        ("sentence_framed_3.ids", "[B] [E]"),
        ("sentence_ended_4.ids", 90 * "the dog sees cat ##s . " + "</s>"),
    ],
)
def test_the_ids_stand_for_the_longest_pieces_framed(case: str, tokens: str) -> None:
    pieces = STYLES[case.split("_")[1]]["pieces"].split()
    found = expected(check_tokenization)[case]
    assert [pieces[number] for number in found] == tokens.split()


@pytest.mark.parametrize(
    ("case", "rows"),
    [
        (
            "ended_unequal_30",
            (
                "the dog sees . </s> # # #",
                "cat ##s ! </s> # # # #",
                "The play ##ful cat play ##ed . </s>",
            ),
        ),
        (
            "framed_unequal_5",
            ("[B] the dog sees [E]", "[B] cat ##s ! [E]", "[B] The play ##ful [E]"),
        ),
        ("ended_unequal_3", ("the dog </s>", "cat ##s </s>", "The play </s>")),
    ],
)
def test_batches_are_padded_and_cut_with_their_ends(case: str, rows: tuple[str, ...]) -> None:
    pieces = STYLES[case.split("_")[0]]["pieces"].split()
    stored = expected(check_tokenization)
    found = stored[f"input_ids_{case}.input_ids"]
    assert [[pieces[number] for number in row] for row in found] == [row.split() for row in rows]
    mask = stored.get(f"attention_mask_{case}.attention_mask")
    assert mask is None or torch.equal(
        mask, (found != pieces.index("#" if "#" in pieces else "[P]")).long()
    )
