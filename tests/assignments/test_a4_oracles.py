"""The expected tensors of a4 against what is known without the instructor's solution.

PyTorch's own attention and encoder layer, sums written out entry by entry, a tokenizer of twenty
lines, and the numbers printed in the assignment's text.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import nbformat
import pytest
import torch
from conftest import ROOT
from safetensors.torch import load_file
from torch import nn

from autograder.checking.properties import numbers
from checks.a4_text_classification import (
    check_dot_product_attention as check_attention,
)
from checks.a4_text_classification import (
    check_positional_encoding,
    check_self_attention,
    check_text_classifier,
    check_tokenize_batch,
    check_transformer_block,
)

EXPECTED = Path(check_attention.__file__).parent / "expected"
SOURCE = ROOT / "source/a4_text_classification/a4_text_classification.ipynb"
HEADS = {"3_heads": 3, "4_heads": 4, "1_heads": 1}

Tensors = Mapping[str, torch.Tensor]


def expected(slug: str) -> dict[str, torch.Tensor]:
    return load_file(EXPECTED / f"{slug}.safetensors")


def close(found: torch.Tensor, wanted: torch.Tensor, atol: float = 2e-5) -> bool:
    return found.shape == wanted.shape and torch.allclose(
        found.double(), wanted.detach().double(), rtol=1e-4, atol=atol
    )


def text() -> str:
    """What the assignment says outside of its code."""
    cells = nbformat.read(SOURCE, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def printed(tensor: torch.Tensor) -> str:
    return "  ".join(f"{number:7.4f}" for number in tensor.tolist()).strip()


def waves(length: int, size: int) -> torch.Tensor:
    """The encoding in float64, entry by entry from the formula."""
    table = torch.empty(length, size, dtype=torch.float64)
    for pos in range(length):
        for i in range(size // 2):
            angle = pos / math.pow(10000.0, 2 * i / size)
            table[pos, 2 * i], table[pos, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return table


def sines(*shape: int) -> torch.Tensor:
    count = math.prod(shape)
    return torch.tensor([math.sin(n) for n in range(1, count + 1)]).reshape(shape)


def with_given_weights(module: nn.Module) -> nn.Module:
    """As the assignment's helper does it: cosines, in matrices divided by the root of a row."""
    for part in module.modules():
        for parameter in part.parameters(recurse=False):
            if not isinstance(part, nn.LayerNorm):
                size = parameter.shape[-1] if parameter.dim() > 1 else 1
                filling = [math.cos(n) / math.sqrt(size) for n in range(1, parameter.numel() + 1)]
                parameter.data.copy_(torch.tensor(filling).reshape(parameter.shape))
    return module.eval()


def torchs_attention(weights: list[torch.Tensor], bias: torch.Tensor, heads: int) -> nn.Module:
    """PyTorch's module with the weights of queries, keys, values and output."""
    module = nn.MultiheadAttention(len(bias), heads, batch_first=True)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat(weights[:3]))
        module.in_proj_bias.zero_()
        module.out_proj.weight.copy_(weights[3])
        module.out_proj.bias.copy_(bias)
    return module.eval()


def attended(x: torch.Tensor, mask: torch.Tensor | None, attention: nn.Module) -> torch.Tensor:
    padding = None if mask is None else ~mask  # PyTorch's module calls True what is left out
    output: torch.Tensor = attention(x, x, x, key_padding_mask=padding)[0]
    return output


class Drawn:
    """The reference weights of a filled module, in the order in which the probe draws them."""

    def __init__(self, seed: int) -> None:
        self._generator = torch.Generator().manual_seed(seed)

    def tensor(self, *shape: int) -> torch.Tensor:
        scale = 1.5 * shape[-1] ** -0.5 if len(shape) > 1 else 0.4
        return scale * torch.randn(*shape, generator=self._generator)

    def linear(self, rows: int, columns: int) -> nn.Linear:
        layer = nn.Linear(columns, rows)
        layer.weight.data, layer.bias.data = self.tensor(rows, columns), self.tensor(rows)
        return layer

    def norm(self, size: int) -> nn.LayerNorm:
        layer = nn.LayerNorm(size)
        layer.weight.data, layer.bias.data = 1 + self.tensor(size), 1 + self.tensor(size)
        return layer

    def encoder_layer(self, size: int, heads: int) -> nn.TransformerEncoderLayer:
        """PyTorch's block, post-norm by default."""
        layer = nn.TransformerEncoderLayer(size, heads, 2 * size, batch_first=True)
        weights = [self.tensor(size, size) for _ in range(4)]
        layer.self_attn = torchs_attention(weights, self.tensor(size), heads)
        layer.norm1, layer.norm2 = self.norm(size), self.norm(size)
        layer.linear1, layer.linear2 = self.linear(2 * size, size), self.linear(size, 2 * size)
        return layer.eval()


def run_layer(
    layer: nn.TransformerEncoderLayer, x: torch.Tensor, mask: torch.Tensor | None
) -> torch.Tensor:
    """The layer's parts one by one; its fast path would leave zeros at padding."""
    y = layer.norm1(x + attended(x, mask, layer.self_attn))
    output: torch.Tensor = layer.norm2(y + layer.linear2(layer.linear1(y).relu()))
    return output


@pytest.mark.parametrize("case", check_attention.CASES)
def test_attention_answers_as_torchs_fused_function(case: str) -> None:
    inputs = check_attention.CASES[case]
    wanted = nn.functional.scaled_dot_product_attention(*inputs.values())
    assert close(expected("dot_product_attention")[f"{case}.output"], wanted)


@pytest.mark.parametrize("case", check_attention.MASKS)
def test_attention_with_padding_answers_as_on_the_real_tokens_alone(case: str) -> None:
    q, k, v = check_attention.CASES[case].values()
    stored = expected("dot_product_attention")[f"{case}_padded.output"]
    for row, real in enumerate(check_attention.MASKS[case]):
        alone = q[row], k[row][:, real], v[row][:, real]
        assert close(stored[row], nn.functional.scaled_dot_product_attention(*alone))


def test_gradients_of_attention_are_those_of_torchs_fused_function() -> None:
    given = {n: t.clone().requires_grad_() for n, t in check_attention.CASES["unequal"].items()}
    mask = check_attention.MASKS["unequal"][:, None, None]
    output = nn.functional.scaled_dot_product_attention(*given.values(), attn_mask=mask)
    (output * numbers(50, 2, 3, 4, 5)).sum().backward()
    stored = expected("dot_product_attention")
    for name, tensor in given.items():
        assert tensor.grad is not None
        assert close(stored[f"gradients.gradient of {name}"], tensor.grad)


def reference(inputs: Tensors) -> tuple[list[torch.Tensor], torch.Tensor]:
    names = ("to_queries", "to_keys", "to_values", "unify_heads")
    return [inputs[name] for name in names], inputs["bias"]


@pytest.mark.parametrize("case", [*HEADS, "batch_of_one", "default_heads", "padded"])
def test_self_attention_answers_as_torchs_module(case: str) -> None:
    inputs, heads, mask = {
        **{name: (check_self_attention.REFERENCE, count, None) for name, count in HEADS.items()},
        "batch_of_one": (check_self_attention.OTHER, 2, None),
        "default_heads": (check_self_attention.SIXTEEN, 8, None),
        "padded": (check_self_attention.REFERENCE, 3, check_self_attention.PADDED),
    }[case]
    wanted = attended(inputs["x"], mask, torchs_attention(*reference(inputs), heads))
    assert close(expected("self_attention")[f"{case}.output"], wanted)


BLOCKS = {**check_transformer_block.PLAIN, **check_transformer_block.PADDED}


@pytest.mark.parametrize("case", BLOCKS)
def test_the_block_answers_as_torchs_encoder_layer(case: str) -> None:
    given = BLOCKS[case]
    layer = Drawn(given["seed"]).encoder_layer(*given["sizes"].tolist())
    stored = expected("transformer_block")[f"{case}.output"]
    assert close(stored, run_layer(layer, given["first"], given.get("mask")))
    if "mask" not in given:
        assert close(stored, layer(given["first"]))


@pytest.mark.parametrize(("size", "length"), [(20, 512), (64, 30)])
def test_the_encoding_is_the_formula_entry_by_entry(size: int, length: int) -> None:
    stored, table = expected("positional_encoding"), waves(length, size)
    for first in (0, 1):
        columns = stored[f"columns_{first}_of_{size}.encoding"]
        assert close(columns, table[None, :, first::2], check_positional_encoding.ATOL)


def test_the_encoding_is_added_to_every_sequence_of_the_batch() -> None:
    stored = expected("positional_encoding")["batch.output"]
    for row, x in zip(stored, numbers(1, 3, 7, 12), strict=True):
        assert close(row, x + waves(7, 12))


CLASSIFIERS = {**check_text_classifier.FULL, **check_text_classifier.PADDED}


@pytest.mark.parametrize("case", CLASSIFIERS)
def test_the_classifier_answers_headline_by_headline_without_padding(case: str) -> None:
    given = CLASSIFIERS[case]
    size, heads, depth, _, tokens, classes = given["sizes"].tolist()
    drawn = Drawn(given["seed"])
    layers = [drawn.encoder_layer(size, heads) for _ in range(depth)]
    table, output = drawn.tensor(tokens, size), drawn.linear(classes, size)
    stored = expected("text_classifier")[f"{case}.output"]
    for answer, ids, mask in zip(stored, given["first"], given["mask"], strict=True):
        real = ids[: int(mask.sum())]
        x = (table[real] * math.sqrt(size) + waves(len(real), size).float())[None]
        for layer in layers:
            x = run_layer(layer, x, None)
        scores = output(x[0].mean(dim=0))
        assert close(answer, scores - scores.exp().sum().log())


def pieces(word: str, vocabulary: list[str]) -> Iterator[str]:
    """The longest token that a word begins with, then the same with what is left of it."""
    start = ""
    while word:
        fits = [n for n in range(len(word), 0, -1) if start + word[:n] in vocabulary]
        if not fits:
            yield "[UNK]"
            return
        yield start + word[: fits[0]]
        word, start = word[fits[0] :], "##"


@pytest.mark.parametrize("case", check_tokenize_batch.TEXTS)
def test_ids_and_masks_are_those_of_a_tokenizer_of_twenty_lines(case: str) -> None:
    vocabulary = check_tokenize_batch.TOKENIZERS["usual"].split()
    texts, width = check_tokenize_batch.TEXTS[case]
    stored = expected("tokenize_batch")
    rows = zip(
        texts.split("\n"),
        stored[f"usual_{case}_input_ids.input_ids"].tolist(),
        stored[f"usual_{case}_attention_mask.attention_mask"].tolist(),
        strict=True,
    )
    for line, ids, mask in rows:
        words = line.lower().replace(",", " , ").split()
        tokens = [piece for word in words for piece in pieces(word, vocabulary)][: width - 2]
        wanted = ["[CLS]", *tokens, "[SEP]"]
        padding = width - len(wanted)
        assert [vocabulary[number] for number in ids] == wanted + ["[PAD]"] * padding
        assert mask == [1] * len(wanted) + [0] * padding


def test_the_printed_numbers_of_attention_are_torchs() -> None:
    q, k, v = sines(1, 2, 3, 4), sines(1, 2, 5, 4), sines(1, 2, 5, 6)
    fused = nn.functional.scaled_dot_product_attention
    assert printed(fused(q, k, v)[0, 0, 0]) in text()
    assert printed(fused(q, k[:, :, :3], v[:, :, :3])[0, 1, 2]) in text()


def given_layer(size: int, heads: int) -> nn.TransformerEncoderLayer:
    """PyTorch's block with the weights of the worked examples."""
    layer = nn.TransformerEncoderLayer(size, heads, 2 * size, batch_first=True)
    with_given_weights(layer)
    given = with_given_weights(nn.Linear(size, size))
    layer.self_attn = torchs_attention([given.weight] * 4, given.bias, heads)
    return layer


def test_the_printed_numbers_of_self_attention_and_block_are_torchs() -> None:
    x, layer = sines(1, 3, 8), given_layer(8, 2)
    mask = torch.tensor([[True, True, False]])
    for found in (
        attended(x, None, layer.self_attn)[0, 0],
        attended(x, mask, layer.self_attn)[0, 2],
        run_layer(layer, x, None)[0, 0],
        run_layer(layer, x, mask)[0, 2],
    ):
        assert printed(found) in text()


def test_the_printed_log_probabilities_are_those_of_torchs_layers() -> None:
    table: Any = with_given_weights(nn.Embedding(20, 8))
    output, layer = with_given_weights(nn.Linear(8, 4)), given_layer(8, 2)
    for ids in ([2, 7, 11, 3], [2, 5, 6, 8, 9, 3]):
        x = table(torch.tensor([ids])) * math.sqrt(8) + waves(len(ids), 8).float()
        x = run_layer(layer, run_layer(layer, x, None), None)
        log_probs = torch.log_softmax(output(x[0].mean(dim=0)), dim=0)
        assert printed(log_probs) in text()


def test_the_example_of_evaluate_adds_up() -> None:
    losses = [math.log(2), math.log(4), math.log(2)]
    assert f"{sum(losses) / 3:.4f}" in text()
    assert sum(losses) / 3 == pytest.approx(4 / 3 * math.log(2))
