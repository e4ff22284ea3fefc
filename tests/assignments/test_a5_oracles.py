"""The expected tensors of a5 against what is known without the instructor's solution.

The oracles of its questions, BERT's own layer, and the numbers printed in the assignment's text.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import torch
from a5_oracles import ORACLES, Oracle, Tensors
from safetensors.torch import load_file
from torch.nn.functional import layer_norm
from torch.nn.functional import scaled_dot_product_attention as fused
from transformers import BertConfig, BertModel
from transformers.models.bert.modeling_bert import BertLayer

from autograder.checking import Battery, Domain
from autograder.checking.cases import Case
from checks.a5_transformer_anatomy import (
    check_bert_embeddings,
    check_encoder_layer,
    check_tokenization,
)
from checks.a5_transformer_anatomy.tokenizing import STYLES

EXPECTED = Path(check_bert_embeddings.__file__).parent / "expected"


def expected(module: ModuleType) -> Tensors:
    return load_file(EXPECTED / f"{module.__name__.rpartition('check_')[2]}.safetensors")


def double(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor


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
