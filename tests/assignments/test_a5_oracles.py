"""The expected tensors of a5 against what is known without the instructor's solution.

The numbers printed in the assignment's text, torch's own modules, BERT's own layer, and numpy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn.functional import scaled_dot_product_attention
from transformers import BertConfig, BertModel
from transformers.models.bert.modeling_bert import BertLayer

from checks.a5_transformer_anatomy import (
    check_bert_embeddings,
    check_encoder_layer,
    check_feed_forward,
    check_greedy_tokens,
    check_tokenization,
)
from checks.a5_transformer_anatomy import (
    check_multi_head_attention as check_heads,
)
from checks.a5_transformer_anatomy import (
    check_scaled_dot_product_attention as check_attention,
)

EXPECTED = Path(check_attention.__file__).parent / "expected"
Tensors = Mapping[str, torch.Tensor]


def expected(slug: str) -> dict[str, torch.Tensor]:
    return load_file(EXPECTED / f"{slug}.safetensors")


def close(found: torch.Tensor, wanted: torch.Tensor, atol: float = 1e-5) -> bool:
    return found.shape == wanted.shape and torch.allclose(
        found.double(), wanted.double(), rtol=1e-4, atol=atol
    )


def fill(layer: nn.Module, inputs: Tensors, path: str) -> None:
    with torch.no_grad():
        layer.weight.copy_(inputs[f"{path}__weight"])
        layer.bias.copy_(inputs[f"{path}__bias"])


def torchs_heads(inputs: Tensors, at: str = "") -> nn.MultiheadAttention:
    """nn.MultiheadAttention with the weights of `inputs`, in float64."""
    d_model, n_heads = inputs["sizes"].tolist()[:2]
    module = nn.MultiheadAttention(d_model, n_heads, batch_first=True, dtype=torch.float64)
    names = [f"{at}W_{letter}" for letter in "qkv"]
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat([inputs[f"{name}__weight"] for name in names]))
        module.in_proj_bias.copy_(torch.cat([inputs[f"{name}__bias"] for name in names]))
    fill(module.out_proj, inputs, f"{at}W_o")
    return module.eval()


def hidden_pairs(inputs: Tensors) -> torch.Tensor | None:
    """The mask in the convention of nn.MultiheadAttention: (N * heads, L_q, L_k), True = hide."""
    if "mask" not in inputs:
        return None
    n, queries, _ = inputs["in_0"].shape
    keys = inputs.get("in_1", inputs["in_0"]).shape[1]
    heads = int(inputs["sizes"][1])
    return ~inputs["mask"].expand(n, heads, queries, keys).reshape(-1, queries, keys)


@pytest.mark.parametrize("d_model", [64, 10])
def test_columns_of_the_encoding_are_sines_and_cosines_entry_by_entry(d_model: int) -> None:
    found = expected("positional_encoding")
    length = {64: 80, 10: 60}[d_model]
    table = np.empty((length, d_model))
    for pos in range(length):
        for i in range(d_model // 2):
            angle = pos / math.pow(10000.0, 2 * i / d_model)
            table[pos, 2 * i], table[pos, 2 * i + 1] = math.sin(angle), math.cos(angle)
    for first in (0, 1):
        columns = torch.from_numpy(table[None, :, first::2].copy())
        assert close(found[f"columns_{first}_of_{d_model}.encoding"], columns, atol=1e-4)


def test_a_small_encoding_has_the_rows_that_the_text_prints() -> None:
    rows = {1: (0.84147, 0.54030, 0.01, 0.99995), 3: (0.14112, -0.98999, 0.03, 0.99955)}
    for pos, printed in rows.items():
        angles = (pos, pos, pos / 100, pos / 100)
        waves = (math.sin, math.cos, math.sin, math.cos)
        found = [wave(angle) for wave, angle in zip(waves, angles, strict=True)]
        assert found == pytest.approx(printed, abs=1e-5)


@pytest.mark.parametrize("case", [*check_attention.PLAIN, *check_attention.MASKED])
def test_attention_answers_as_torchs_fused_function(case: str) -> None:
    inputs = {**check_attention.PLAIN, **check_attention.MASKED}[case]
    q, k, v = (inputs[name].double() for name in "qkv")
    found, mask = expected("scaled_dot_product_attention"), inputs.get("mask")
    fused = scaled_dot_product_attention(q, k, v, attn_mask=mask)
    assert close(found[f"{case}.output"], fused)
    one_hot = torch.eye(k.shape[-2], dtype=torch.float64).expand(*k.shape[:-1], k.shape[-2])
    weights = scaled_dot_product_attention(q, k, one_hot, attn_mask=mask)
    assert close(found[f"{case}.weights"], weights)


def test_the_weights_worked_out_by_hand_follow_from_the_formula() -> None:
    q = torch.tensor([[[math.log(3), 0.0, 0.0, 0.0]]])
    k = torch.tensor([[[0.0] * 4, [2.0, 0.0, 0.0, 0.0], [4.0, 0.0, 0.0, 0.0]]])
    whole = scaled_dot_product_attention(q, k, torch.eye(3)[None])
    assert close(whole * 13, torch.tensor([[[1.0, 3.0, 9.0]]]))
    mask = torch.tensor([True, True, False])
    masked = scaled_dot_product_attention(q, k, torch.eye(3)[None], attn_mask=mask)
    assert close(masked * 4, torch.tensor([[[1.0, 3.0, 0.0]]]))


@pytest.mark.parametrize(
    "case", [*check_heads.SAME_LENGTH, *check_heads.UNEQUAL, *check_heads.MASKED]
)
def test_heads_answer_as_torchs_multihead_attention(case: str) -> None:
    inputs = {**check_heads.SAME_LENGTH, **check_heads.UNEQUAL, **check_heads.MASKED}[case]
    module = torchs_heads(inputs)
    given = [inputs[f"in_{place}"].double() for place in range(3)]
    output, weights = module(
        *given, attn_mask=hidden_pairs(inputs), need_weights=True, average_attn_weights=False
    )
    found = expected("multi_head_attention")
    assert close(found[f"{case}.output"], output)
    assert close(found[f"{case}.weights"], weights)


@pytest.mark.parametrize("case", check_feed_forward.CASES)
def test_feed_forward_answers_as_numpy_does(case: str) -> None:
    inputs = {name: t.double().numpy() for name, t in check_feed_forward.CASES[case].items()}
    hidden = inputs["in_0"] @ inputs["linear1__weight"].T + inputs["linear1__bias"]
    normal = np.vectorize(lambda z: 0.5 * (1 + math.erf(z / math.sqrt(2))))(hidden)
    wanted = (hidden * normal) @ inputs["linear2__weight"].T + inputs["linear2__bias"]
    found = expected("feed_forward")[f"{case}.output"]
    assert close(found, torch.from_numpy(wanted))


@pytest.mark.parametrize("case", [*check_encoder_layer.CASES, *check_encoder_layer.MASKED])
def test_the_layer_answers_as_torchs_encoder_layer(case: str) -> None:
    inputs = {**check_encoder_layer.CASES, **check_encoder_layer.MASKED}[case]
    d_model, n_heads, d_ff = inputs["sizes"].tolist()
    layer = nn.TransformerEncoderLayer(
        d_model, n_heads, d_ff, activation="gelu", layer_norm_eps=1e-6, batch_first=True
    ).double()
    layer.self_attn = torchs_heads(inputs, at="attention__")
    for ours in ("norm1", "norm2"):
        fill(getattr(layer, ours), inputs, ours)
    for ours in ("linear1", "linear2"):
        fill(getattr(layer, ours), inputs, f"feed_forward__{ours}")
    output = layer.eval()(inputs["in_0"].double(), src_mask=hidden_pairs(inputs))
    assert close(expected("encoder_layer")[f"{case}.output"], output)


def test_the_layer_answers_as_berts_own_layer() -> None:
    inputs = check_encoder_layer.CASES["three_heads"]
    d_model, n_heads, d_ff = inputs["sizes"].tolist()
    config = BertConfig(
        hidden_size=d_model,
        num_attention_heads=n_heads,
        intermediate_size=d_ff,
        layer_norm_eps=1e-6,
        attn_implementation="eager",
    )
    layer = BertLayer(config).eval()
    for theirs, path in (
        (layer.attention.self.query, "attention__W_q"),
        (layer.attention.self.key, "attention__W_k"),
        (layer.attention.self.value, "attention__W_v"),
        (layer.attention.output.dense, "attention__W_o"),
        (layer.attention.output.LayerNorm, "norm1"),
        (layer.intermediate.dense, "feed_forward__linear1"),
        (layer.output.dense, "feed_forward__linear2"),
        (layer.output.LayerNorm, "norm2"),
    ):
        fill(theirs, inputs, path)
    output = layer(inputs["in_0"])
    output = output[0] if isinstance(output, tuple) else output
    assert close(expected("encoder_layer")["three_heads.output"], output)


@pytest.mark.parametrize("case", check_bert_embeddings.IDS)
@pytest.mark.parametrize("eps", [1e-12, 0.5])
def test_bert_embeddings_are_the_models_first_hidden_state(case: str, eps: float) -> None:
    config = BertConfig(
        vocab_size=23,
        hidden_size=12,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=4,
        max_position_embeddings=16,
        layer_norm_eps=eps,
    )
    model = BertModel(config, add_pooling_layer=False).eval()
    torch.manual_seed(3)
    with torch.no_grad():
        for _, parameter in sorted(model.embeddings.named_parameters()):
            parameter.copy_(torch.randn(parameter.shape))
    ids = check_bert_embeddings.IDS[case]
    states = model(input_ids=ids, output_hidden_states=True).hidden_states
    found = expected("bert_embeddings")[f"whole_{case}_{eps}.output"]
    assert close(found, states[0], atol=1e-6)


def test_the_layer_norm_worked_out_by_hand_follows_from_the_formula() -> None:
    total = torch.tensor([1.0, 1.0, 3.0, 1.0])
    found = nn.functional.layer_norm(total, (4,), eps=1e-12)
    assert close(found, torch.tensor([-0.5774, -0.5774, 1.7321, -0.5774]), atol=6e-5)


@pytest.mark.parametrize("case", check_greedy_tokens.CASES)
def test_probabilities_are_exponentials_over_their_sum(case: str) -> None:
    logits = check_greedy_tokens.CASES[case].double().numpy()
    wanted = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    found = expected("greedy_tokens")[f"{case}.probabilities"]
    assert close(found, torch.from_numpy(wanted), atol=1e-6)


@pytest.mark.parametrize(
    ("case", "tokens"),
    [
        ("sentence_framed.ids", "[B] the play ##ful dog ##s sees . [E]"),
        ("sentence_ended.ids", "the play ##ful dog ##s sees . </s>"),
    ],
)
def test_the_ids_stand_for_the_longest_pieces_framed(case: str, tokens: str) -> None:
    style = case.split("_")[1].split(".")[0]
    pieces = check_tokenization.STYLES[style]["pieces"].split()
    assert [pieces[number] for number in expected("tokenization")[case]] == tokens.split()


@pytest.mark.parametrize(
    ("case", "rows"),
    [
        (
            "batch_ended",
            (
                "the dog sees . </s> # # #",
                "cat ##s ! </s> # # # #",
                "the play ##ful cat play ##ed . </s>",
            ),
        ),
        ("cut_framed_5", ("[B] the dog sees [E]", "[B] cat ##s ! [E]", "[B] the play ##ful [E]")),
        ("cut_ended_3", ("the dog </s>", "cat ##s </s>", "the play </s>")),
    ],
)
def test_batches_are_padded_and_cut_with_their_ends(case: str, rows: tuple[str, ...]) -> None:
    pieces = check_tokenization.STYLES[case.split("_")[1]]["pieces"].split()
    found = expected("tokenization")[f"{case}.input_ids"]
    assert [[pieces[number] for number in row] for row in found] == [row.split() for row in rows]
