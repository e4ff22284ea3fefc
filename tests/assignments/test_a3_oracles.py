"""The expected tensors and the text of a3 against what is known without the instructor's solution.

Torch's own attention and layers with the reference weights laid into them, plain Python, and the
numbers that the assignment's text prints.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn.functional import cross_entropy, scaled_dot_product_attention

from autograder.checking.properties import numbers
from autograder.course.assignments import Course
from checks.a3_seq2seq_reversal import (
    check_batching,
    check_decoder_block,
    check_encoder_block,
    check_greedy_decode,
    check_masks,
    check_multi_head_attention,
    check_positional_encoding,
    check_train_step,
    check_transformer,
)
from checks.a3_seq2seq_reversal import check_scaled_dot_product_attention as check_sdpa

A3 = "a3_seq2seq_reversal"
EXPECTED = Path(check_masks.__file__).parent / "expected"
PRINTED = 6e-5  # a printed number has four digits after the point

Tensors = Mapping[str, Any]
Names = dict[str, Any]


def expected(slug: str) -> dict[str, torch.Tensor]:
    return load_file(EXPECTED / f"{slug}.safetensors")


def close(found: torch.Tensor, wanted: torch.Tensor, atol: float = 1e-5) -> bool:
    return found.shape == wanted.shape and torch.allclose(
        found.double(), wanted.double(), rtol=1e-4, atol=atol
    )


def encoding(length: int, d_model: int) -> torch.Tensor:
    """Sines and cosines in float64, entry by entry from the formula."""
    table = torch.zeros(length, d_model, dtype=torch.float64)
    for pos in range(length):
        for i in range(d_model // 2):
            angle = pos / math.pow(10000.0, 2 * i / d_model)
            table[pos, 2 * i], table[pos, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return table


def fill(layer: Any, given: Tensors, name: str) -> None:
    layer.weight.data = given[f"{name}_weight"].double()
    layer.bias.data = given[f"{name}_bias"].double()


def torchs_attention(given: Tensors, number: int, heads: int) -> nn.MultiheadAttention:
    width = given[f"attention_{number}_query_weight"].shape[1]
    module = nn.MultiheadAttention(width, heads, batch_first=True, dtype=torch.float64)
    for kind, target in (("weight", module.in_proj_weight), ("bias", module.in_proj_bias)):
        roles = ("query", "key", "value")
        target.data = torch.cat([given[f"attention_{number}_{r}_{kind}"] for r in roles]).double()
    fill(module.out_proj, given, f"attention_{number}_output")
    return module


def torchs_encoder(given: Tensors, block: int, heads: int) -> nn.TransformerEncoderLayer:
    d_ff, width = given[f"linear_{2 * block}_weight"].shape
    layer = nn.TransformerEncoderLayer(
        width, heads, d_ff, dropout=0.0, batch_first=True, dtype=torch.float64
    )
    layer.self_attn = torchs_attention(given, block, heads)
    for offset, linear in enumerate((layer.linear1, layer.linear2)):
        fill(linear, given, f"linear_{2 * block + offset}")
    for offset, norm in enumerate((layer.norm1, layer.norm2)):
        fill(norm, given, f"norm_{2 * block + offset}")
    return layer


def torchs_decoder(
    given: Tensors, block: int, heads: int, encoders: int = 0
) -> nn.TransformerDecoderLayer:
    first = 2 * (encoders + block)
    d_ff, width = given[f"linear_{first}_weight"].shape
    layer = nn.TransformerDecoderLayer(
        width, heads, d_ff, dropout=0.0, batch_first=True, dtype=torch.float64
    )
    layer.self_attn = torchs_attention(given, encoders + 2 * block, heads)
    layer.multihead_attn = torchs_attention(given, encoders + 2 * block + 1, heads)
    for offset, linear in enumerate((layer.linear1, layer.linear2)):
        fill(linear, given, f"linear_{first + offset}")
    for offset, norm in enumerate((layer.norm1, layer.norm2, layer.norm3)):
        fill(norm, given, f"norm_{2 * encoders + 3 * block + offset}")
    return layer


def hidden(mask: torch.Tensor | None, heads: int, n: int, shape: tuple[int, int]) -> Any:
    """Our mask as torch's layers want it: True hides, one table for each sequence and head."""
    if mask is None:
        return None
    return ~mask.expand(n, heads, *shape).reshape(n * heads, *shape)


@pytest.fixture(scope="module")
def answers(course: Course) -> Names:
    """What the instructor's solutions define, without the rest of the notebook."""
    names: Names = {"math": math, "torch": torch, "nn": nn}
    for cell in course.assignment(A3).solved.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            exec(compile(cell.source, cell.id, "exec"), names)
    return names


@pytest.fixture(scope="module")
def text(course: Course) -> str:
    cells = course.assignment(A3).solved.cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def printed(text: str, line: str) -> torch.Tensor:
    """The numbers that the text prints after `line`."""
    (found,) = re.findall(rf"^{re.escape(line)} +# (.*)$", text, re.MULTILINE)
    return torch.tensor([float(number) for number in found.split()])


def test_batches_are_padded_and_shifted_as_lists_are() -> None:
    stored = expected("batching")
    for case, (rows, lengths) in check_batching.LISTS.items():
        for pad in (0, 6):
            wanted = [
                [token if place < n else pad for place, token in enumerate(row)]
                for row, n in zip(rows.tolist(), lengths.tolist(), strict=True)
            ]
            assert stored[f"{case}_padded_with_{pad}.batch"].tolist() == wanted
    for case, targets in check_batching.TARGETS.items():
        for bos in (1, 14):
            wanted = [[bos, *row[:-1]] for row in targets.tolist()]
            assert stored[f"{case}_after_{bos}.shifted"].tolist() == wanted


@pytest.mark.parametrize("size", [(50, 4), (80, 64), (60, 10)])
def test_the_encoding_is_that_of_the_formula(size: tuple[int, int]) -> None:
    stored, table = expected("positional_encoding"), encoding(*size)[None]
    assert close(stored[f"columns_0_of_{size[1]}.encoding"], table[..., 0::2], 1e-4)
    assert close(stored[f"columns_1_of_{size[1]}.encoding"], table[..., 1::2], 1e-4)
    batch = numbers(1, 3, 7, 10).double() + encoding(7, 10)
    assert close(stored["batch.output"], batch, 1e-4)
    assert check_positional_encoding.ATOL == 1e-4


def test_the_masks_allow_what_lists_of_pairs_allow() -> None:
    stored = expected("masks")
    for length in check_masks.LENGTHS:
        wanted = [[key <= query for key in range(length)] for query in range(length)]
        assert stored[f"causal_{length}.mask"].tolist() == wanted
    for case, ids in check_masks.IDS.items():
        rows = [[token != 0 for token in row] for row in ids.tolist()]
        assert stored[f"padding_{case}.mask"].tolist() == [[[row]] for row in rows]
        places = range(ids.shape[1])
        wanted_rows = [[[row[k] and k <= q for k in places] for q in places] for row in rows]
        assert stored[f"combined_{case}.mask"][:, 0].tolist() == wanted_rows
    rows = [[token != 6 for token in row] for row in check_masks.OTHER_PAD.tolist()]
    assert stored["padding_with_6.mask"].tolist() == [[[row]] for row in rows]


@pytest.mark.parametrize("case", [*check_sdpa.OPEN, *check_sdpa.MASKED, "empty"])
def test_attention_answers_as_torchs_fused_function(case: str) -> None:
    inputs = {**check_sdpa.OPEN, **check_sdpa.MASKED, "empty": check_sdpa.EMPTY}[case]
    q, k, v = (inputs[name].double() for name in "qkv")
    mask = inputs.get("mask")
    keys = torch.eye(k.shape[-2], dtype=torch.float64).expand(*k.shape[:-2], -1, -1)
    some = 1 if mask is None else mask.any(dim=-1, keepdim=True)
    safe = mask if mask is None else mask | ~some
    stored = expected("scaled_dot_product_attention")
    wanted = scaled_dot_product_attention(q, k, v, safe) * some
    assert close(stored[f"{case}.output"], wanted)
    assert close(stored[f"{case}.attention"], scaled_dot_product_attention(q, k, keys, safe) * some)


@pytest.mark.parametrize("case", ["causal_gradients", "empty_gradients"])
def test_the_gradients_of_attention_are_differences(case: str) -> None:
    inputs = check_sdpa.EMPTY if case.startswith("empty") else check_sdpa.MASKED["causal"]
    given = {name: inputs[name].double() for name in "qkv"}
    shape = (*inputs["q"].shape[:-1], inputs["v"].shape[-1])
    direction = numbers(90, *shape)
    weights_direction = numbers(91, *inputs["mask"].expand(*shape[:-1], -1).shape)

    def total(**given: torch.Tensor) -> torch.Tensor:
        scores = given["q"] @ given["k"].mT / math.sqrt(given["q"].shape[-1])
        parts = scores.exp() * inputs["mask"]
        weights = parts / parts.sum(dim=-1, keepdim=True).clamp_min(1e-30)
        return (weights @ given["v"] * direction).sum() + (weights * weights_direction).sum()

    stored = expected("scaled_dot_product_attention")
    for name, tensor in given.items():
        found = torch.zeros_like(tensor)
        for place in range(tensor.numel()):
            step = torch.zeros(tensor.numel(), dtype=torch.float64)
            step[place] = 1e-6
            up, down = (
                total(**{**given, name: tensor + sign * step.view_as(tensor)}) for sign in (1, -1)
            )
            found.view(-1)[place] = (up - down) / 2e-6
        assert close(stored[f"{case}.gradient of {name}"], found, 1e-4)


HEADS = check_multi_head_attention
HEAD_CASES = {**HEADS.SELF, **HEADS.CROSS, **HEADS.MASKED}


@pytest.mark.parametrize("case", HEAD_CASES)
def test_heads_answer_as_torchs_module(case: str) -> None:
    given: Tensors = HEAD_CASES[case]
    x_q, x_k, x_v = (given[name].double() for name in ("x_q", "x_k", "x_v"))
    module = torchs_attention(given, 0, given["heads"])
    shape = (x_q.shape[1], x_k.shape[1])
    mask = hidden(given.get("mask"), given["heads"], len(x_q), shape)
    output, weights = module(x_q, x_k, x_v, attn_mask=mask, average_attn_weights=False)
    stored = expected("multi_head_attention")
    assert close(stored[f"{case}.output"], output)
    if case not in HEADS.SELF:
        assert close(stored[f"weights_{case}.attention"], weights)


@pytest.mark.parametrize("case", [*check_encoder_block.OPEN, *check_encoder_block.MASKED])
def test_the_encoder_block_answers_as_torchs_layer(case: str) -> None:
    given: Tensors = {**check_encoder_block.OPEN, **check_encoder_block.MASKED}[case]
    x, heads = given["x"].double(), given["heads"]
    mask = hidden(given.get("mask"), heads, len(x), (x.shape[1], x.shape[1]))
    wanted = torchs_encoder(given, 0, heads)(x, src_mask=mask)
    assert close(expected("encoder_block")[f"{case}.output"], wanted)


@pytest.mark.parametrize("case", [*check_decoder_block.OPEN, *check_decoder_block.MASKED])
def test_the_decoder_block_answers_as_torchs_layer(case: str) -> None:
    given: Tensors = {**check_decoder_block.OPEN, **check_decoder_block.MASKED}[case]
    x, memory, heads = given["x"].double(), given["memory"].double(), given["heads"]
    length, source = x.shape[1], memory.shape[1]
    wanted = torchs_decoder(given, 0, heads)(
        x,
        memory,
        tgt_mask=hidden(given.get("self_mask"), heads, len(x), (length, length)),
        memory_mask=hidden(given.get("cross_mask"), heads, len(x), (length, source)),
    )
    assert close(expected("decoder_block")[f"{case}.output"], wanted)


def torchs_transformer(given: Tensors) -> torch.Tensor:
    """Memory, or logits where there are targets, with zeros at padding."""
    _, width, heads, _, layers, pad = given["sizes"].tolist()
    src = given["src"]
    n, source = src.shape
    seen = (src != pad)[:, None, None]
    memory = given["embedding"].double()[src] + encoding(source, width)
    for block in range(layers):
        mask = hidden(seen, heads, n, (source, source))
        memory = torchs_encoder(given, block, heads)(memory, src_mask=mask)
    if "tgt" not in given:
        return memory.masked_fill((src == pad)[..., None], 0)
    tgt = given["tgt"]
    length = tgt.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool).tril()
    x = given["embedding"].double()[tgt] + encoding(length, width)
    for block in range(layers):
        x = torchs_decoder(given, block, heads, layers)(
            x,
            memory,
            tgt_mask=hidden(causal & (tgt != pad)[:, None, None], heads, n, (length, length)),
            memory_mask=hidden(seen, heads, n, (length, source)),
        )
    last = f"linear_{4 * layers}"
    logits = x @ given[f"{last}_weight"].double().T + given[f"{last}_bias"].double()
    return logits.masked_fill((tgt == pad)[..., None], 0)


MODELS = {**check_transformer.CASES, **check_transformer.ENCODED, **check_transformer.INSIDE}


@pytest.mark.parametrize("case", MODELS)
def test_the_transformer_answers_as_torchs_layers(case: str) -> None:
    wanted = torchs_transformer(MODELS[case])
    assert close(expected("transformer")[f"{case}.output"], wanted)


@pytest.mark.parametrize("case", check_train_step.CASES)
def test_training_follows_steps_written_out(case: str) -> None:
    inputs = check_train_step.CASES[case]
    names = ("source", "target", "last")
    tables = {name: inputs[name].double() for name in names}
    speed = {name: torch.zeros_like(table) for name, table in tables.items()}
    src, tgt, pad = inputs["src"], inputs["tgt"], inputs["pad_id"] or 0
    read = torch.tensor([[inputs["bos_id"], *row[:-1]] for row in tgt.tolist()])
    losses = []
    for _ in range(check_train_step.STEPS):
        leaves = {name: table.clone().requires_grad_() for name, table in tables.items()}
        memory = leaves["source"][src].mean(dim=1, keepdim=True)
        logits = torch.tanh(leaves["target"][read] + memory) @ leaves["last"]
        loss = cross_entropy(logits[tgt != pad], tgt[tgt != pad])
        gradients = torch.autograd.grad(loss, list(leaves.values()))
        for name, gradient in zip(names, gradients, strict=True):
            speed[name] = 0.5 * speed[name] + gradient
            tables[name] = tables[name] - 0.5 * speed[name]
        losses.append(loss.item())
    stored = expected("train_step")
    assert close(stored[f"{case}.losses"], torch.tensor(losses), 1e-4)
    for name in names:
        assert close(stored[f"{case}.{name} after"], tables[name], 1e-4)


@pytest.mark.parametrize("case", check_greedy_decode.CASES)
def test_decoding_follows_the_walk_of_the_table(case: str) -> None:
    inputs = check_greedy_decode.CASES[case]
    table, rows = inputs["table"].tolist(), []
    for source in inputs["src"].tolist():
        written = [inputs["bos_id"]]
        while len(written) <= inputs["max_len"]:
            walked = sum(place * token for place, token in enumerate(written, start=1))
            written.append(table[(walked + sum(source)) % len(table)])
            if written[-1] == inputs["eos_id"]:
                break
        rows.append([token for token in written[1:] if token != inputs["eos_id"]])
    stored = expected("greedy_decode")
    found = [[token for token in row if token >= 0] for row in stored[f"{case}.tokens"].tolist()]
    assert found == rows
    assert stored[f"lengths_{case}.lengths"].tolist() == [len(row) for row in rows]


def test_the_sequences_that_are_decoded_end_at_different_steps() -> None:
    stored = expected("greedy_decode")
    assert stored["lengths_batch.lengths"].tolist() == [5, 0, 8, 3]
    assert check_greedy_decode.BATCH["max_len"] > 9


def test_rows_one_to_three_of_the_encoding_are_the_printed_ones(text: str) -> None:
    rows = re.findall(r"^pos \d +(.*)$", text, re.MULTILINE)
    found = torch.tensor([[float(number) for number in row.split()] for row in rows])
    assert close(found, encoding(4, 4)[1:], 6e-6)


def test_the_text_prints_what_the_solutions_answer(answers: Names, text: str) -> None:
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
    mask = torch.ones(3, 5, dtype=torch.bool).tril(1)
    output, attention = answers["scaled_dot_product_attention"](q, k, v, mask)
    assert close(printed(text, "attention[1, 1]"), attention[1, 1], PRINTED)
    assert close(printed(text, "output[1, 1]"), output[1, 1], PRINTED)

    torch.manual_seed(0)
    module = answers["MultiHeadAttention"](8, num_heads=2)
    x, y = torch.randn(3, 4, 8), torch.randn(3, 6, 8)
    output, attention = module(x, y, y)
    assert close(printed(text, "output[0, 0]"), output[0, 0], PRINTED)
    assert close(printed(text, "attention[0, :, 0]"), attention[0, 0, 0], PRINTED)

    torch.manual_seed(0)
    block = answers["EncoderBlock"](8, num_heads=2, d_ff=16)
    output = block(torch.randn(2, 4, 8))
    assert close(printed(text, "block(x)[0, 0]"), output[0, 0], PRINTED)

    torch.manual_seed(0)
    block = answers["DecoderBlock"](8, num_heads=2, d_ff=16)
    x, memory = torch.randn(2, 4, 8), torch.randn(2, 6, 8)
    assert close(printed(text, "block(x, memory)[0, 0]"), block(x, memory)[0, 0], PRINTED)
    causal = block(x, memory, answers["causal_mask"](4))[0, 0]
    assert close(printed(text, "block(x, memory, causal_mask(4))[0, 0]"), causal, PRINTED)


def test_the_text_prints_what_the_whole_model_answers(answers: Names, text: str) -> None:
    torch.manual_seed(0)
    model = answers["Transformer"](vocab_size=9, d_model=8, num_heads=2, d_ff=16, num_layers=2)
    src, tgt = torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0]]), torch.tensor([[1, 6, 5], [1, 8, 7]])
    assert close(printed(text, "model.encode(src)[1, 0]"), model.encode(src)[1, 0], PRINTED)
    assert close(printed(text, "model(src, tgt)[1, 2]"), model(src, tgt)[1, 2], PRINTED)

    torch.manual_seed(0)
    model = answers["Transformer"](9, d_model=8, num_heads=2, d_ff=16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    tgt = torch.tensor([[6, 5, 4, 3, 2], [8, 7, 2, 0, 0]])
    losses = [answers["train_step"](model, src, tgt, optimizer, bos_id=1) for _ in range(3)]
    line = "    print(train_step(model, src, tgt, optimizer, bos_id=1))"
    assert close(printed(text, line), torch.tensor(losses), PRINTED)
