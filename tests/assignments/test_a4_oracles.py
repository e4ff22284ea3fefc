"""The expected tensors of a4 against what is known without the instructor's solution.

PyTorch's own attention and encoder layer, sums written out entry by entry, a tokenizer of twenty
lines, and the numbers printed in the assignment's text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import nbformat
import pytest
import torch
from conftest import ROOT
from safetensors.torch import load_file
from torch.nn.functional import layer_norm, linear, multi_head_attention_forward
from torch.nn.functional import scaled_dot_product_attention as fused

from autograder.checking import Domain
from autograder.checking.cases import Case
from autograder.checking.properties import numbers
from checks.a4_text_classification import (
    check_dot_product_attention,
    check_positional_encoding,
    check_self_attention,
    check_text_classifier,
    check_tokenize_batch,
    check_transformer_block,
)

EXPECTED = Path(check_self_attention.__file__).parent / "expected"
SOURCE = ROOT / "source/a4_text_classification/a4_text_classification.ipynb"
Tensors = dict[str, torch.Tensor]
Oracle = Callable[[Case, Tensors, Tensors], torch.Tensor]


def waves(length: int, size: int) -> torch.Tensor:
    """The encoding in float64, entry by entry from the formula."""
    table = torch.empty(length, size, dtype=torch.float64)
    for pos in range(length):
        for i in range(size // 2):
            angle = pos / math.pow(10000.0, 2 * i / size)
            table[pos, 2 * i], table[pos, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return table


def attended(case: Case, given: Tensors, roles: Tensors) -> torch.Tensor:
    """Sequence by sequence, on the real tokens alone."""
    rows = []
    for number, q in enumerate(given["q"]):
        k, v = given["k"][number], given["v"][number]
        real = given["padding_mask"][number] if "padding_mask" in given else slice(None)
        rows.append(fused(q, k[:, real], v[:, real]))
    return torch.stack(rows)


def self_attended(case: Case, given: Tensors, roles: Tensors, start: str = "") -> torch.Tensor:
    """By the function behind PyTorch's own module, to which True is what is left out."""
    x, mask = given["x"].transpose(0, 1), given.get("padding_mask")
    weights = [roles[f"{start}{name}.weight"] for name in ("to_queries", "to_keys", "to_values")]
    output, _ = multi_head_attention_forward(
        *(x, x, x, x.shape[-1], case.sizes["heads"], None, torch.zeros(3 * x.shape[-1]).to(x)),
        *(None, None, False, 0.0, roles[f"{start}unify_heads.weight"]),
        roles[f"{start}unify_heads.bias"],
        key_padding_mask=None if mask is None else ~mask,
        use_separate_proj_weight=True,
        **dict(zip(("q_proj_weight", "k_proj_weight", "v_proj_weight"), weights, strict=True)),
        training=False,
        need_weights=False,
    )
    return output.transpose(0, 1)


def blocked(case: Case, given: Tensors, roles: Tensors, start: str = "") -> torch.Tensor:
    def role(name: str) -> tuple[torch.Tensor, torch.Tensor]:
        return roles[f"{start}{name}.weight"], roles[f"{start}{name}.bias"]

    def norm(x: torch.Tensor, name: str) -> torch.Tensor:
        return layer_norm(x, x.shape[-1:], *role(name))

    x = given["x"]
    y = norm(x + self_attended(case, given, roles, f"{start}attention."), "norm1")
    return norm(y + linear(linear(y, *role("mlp.0")).relu(), *role("mlp.2")), "norm2")


def encoded(case: Case, given: Tensors, roles: Tensors) -> torch.Tensor:
    return given["x"] + waves(*given["x"].shape[1:])


def classified(case: Case, given: Tensors, roles: Tensors) -> torch.Tensor:
    """Headline by headline."""
    rows = []
    for ids, mask in zip(given["input_ids"], given["attention_mask"].bool(), strict=True):
        size = roles["embedding.weight"].shape[-1]
        x = (roles["embedding.weight"][ids] * math.sqrt(size) + waves(len(ids), size))[None]
        for number in range(case.sizes["depth"]):
            block = {"x": x, "padding_mask": mask[None]}
            x = blocked(case, block, roles, f"blocks.{number}.")
        scores = linear(x[0, mask].mean(dim=0), roles["output.weight"], roles["output.bias"])
        rows.append(scores - scores.exp().sum().log())
    return torch.stack(rows)


ORACLES: list[tuple[ModuleType, Oracle]] = [
    (check_dot_product_attention, attended),
    (check_self_attention, self_attended),
    (check_transformer_block, blocked),
    (check_positional_encoding, encoded),
    (check_text_classifier, classified),
]
EACH = pytest.mark.parametrize(("module", "oracle"), ORACLES, ids=lambda one: one.__name__)


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


def given_to(domain: Domain, case: Case) -> Tensors:
    tensors = domain.made.tensors(case)
    names = [name for name in domain.inputs if name not in case.omitted]
    return {name: double(tensors[f"{case.source}/{name}"]) for name in names}


@EACH
def test_every_expected_result_is_what_the_oracle_says(module: ModuleType, oracle: Oracle) -> None:
    domain, stored = module.domain, expected(module)
    sources = {case.source: case for case in domain.cases() if not case.of}
    assert len(sources) >= 8
    for case in sources.values():
        wanted = oracle(case, given_to(domain, case), roles_of(domain, case, stored))
        (name,) = domain.returns
        found = stored[f"{case.source}.{name}"].double()
        assert torch.allclose(found, wanted, rtol=1e-3, atol=3e-4), case.id


@EACH
def test_every_expected_gradient_is_what_the_oracle_says(
    module: ModuleType, oracle: Oracle
) -> None:
    domain, stored = module.domain, expected(module)
    (name,) = domain.returns
    for case in [case for case in domain.cases() if case.gradients]:
        given, roles = given_to(domain, case), roles_of(domain, case, stored)
        leaves = {**given, **{str(number): role for number, role in enumerate(roles.values())}}
        leaves = {key: leaf for key, leaf in leaves.items() if leaf.is_floating_point()}
        for leaf in leaves.values():
            leaf.requires_grad_()
        direction = domain.made.tensors(case)[f"{case.source}/direction/{name}"]
        torch.autograd.backward((oracle(case, given, roles) * direction).sum())
        for key, leaf in leaves.items():
            found = stored[f"{case.source}.gradient.{key}"].double()
            assert torch.allclose(found, leaf.grad, rtol=2e-3, atol=3e-4), (case.id, key)


def test_eight_heads_are_the_default() -> None:
    weights = [numbers(number, 16, 16, scale=0.4) for number in range(31, 35)]
    names = check_self_attention.LAYERS
    roles = {f"{name}.weight": weight for name, weight in zip(names, weights, strict=True)}
    roles["unify_heads.bias"] = torch.zeros(16)
    case = Case("default_heads", "values", {"heads": 8})
    wanted = self_attended(case, {"x": numbers(30, 2, 3, 16)}, roles)
    found = expected(check_self_attention)["default_heads.output"]
    assert torch.allclose(found, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("size", "length"), [(20, 512), (64, 30)])
def test_the_encoding_is_the_formula_entry_by_entry(size: int, length: int) -> None:
    stored, table = expected(check_positional_encoding), waves(length, size)
    for first, name in enumerate(("even", "odd")):
        columns = stored[f"{name}_of_{size}.{name} columns"].double()
        atol = check_positional_encoding.ATOL
        assert torch.allclose(columns, table[None, :, first::2], rtol=0, atol=atol)


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
    width = width or 48
    stored = expected(check_tokenize_batch)
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


def text() -> str:
    """What the assignment says outside of its code."""
    cells = nbformat.read(SOURCE, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def printed(tensor: torch.Tensor) -> str:
    return "  ".join(f"{number:7.4f}" for number in tensor.tolist()).strip()


def filled(wave: Callable[[float], float], start: int, *shape: int) -> torch.Tensor:
    counted = range(start, start + math.prod(shape))
    return torch.tensor([wave(n) for n in counted], dtype=torch.float64).reshape(shape)


SIZE, HEADS = 12, Case("printed", "values", {"heads": 3, "depth": 2})
STARTS = {"to_queries": 1, "to_keys": 200, "to_values": 300, "unify_heads": 400}
MASK = torch.tensor([[True, True, True, False, False], [True, False, True, True, True]])


def layer(name: str, rows: int, columns: int, start: int = 1) -> Tensors:
    """A linear layer as the assignment's helper fills it."""
    weight = filled(math.cos, start, rows, columns) / math.sqrt(columns)
    return {f"{name}.weight": weight, f"{name}.bias": filled(math.cos, start, rows)}


def of_a_block(start: str = "") -> Tensors:
    roles = layer(f"{start}mlp.0", 2 * SIZE, SIZE) | layer(f"{start}mlp.2", SIZE, 2 * SIZE)
    for name, first in STARTS.items():
        roles |= layer(f"{start}attention.{name}", SIZE, SIZE, first)
    for name in ("norm1", "norm2"):
        ones, zeros = torch.ones(SIZE).double(), torch.zeros(SIZE).double()
        roles |= {f"{start}{name}.weight": ones, f"{start}{name}.bias": zeros}
    return roles


def test_the_printed_numbers_of_attention_are_torchs() -> None:
    given = {
        "q": filled(math.sin, 1, 2, 3, 4, 5),
        "k": filled(math.sin, 200, 2, 3, 6, 5),
        "v": filled(math.sin, 500, 2, 3, 6, 7),
    }
    mask = torch.tensor([[True, True, False, True, True, False], [True] * 6])
    plain, masked = (attended(HEADS, g, {}) for g in (given, {**given, "padding_mask": mask}))
    for found in (plain[0, 0, 0], masked[0, 1, 2], masked[1, 2, 3]):
        assert printed(found) in text()


def test_the_printed_numbers_of_self_attention_and_block_are_torchs() -> None:
    plain = {"x": filled(math.sin, 1, 2, 5, SIZE)}
    masked, roles = {**plain, "padding_mask": MASK}, of_a_block()
    for found in (
        self_attended(HEADS, plain, roles, "attention.")[0, 0],
        self_attended(HEADS, masked, roles, "attention.")[1, 2],
        blocked(HEADS, plain, roles)[0, 0],
        blocked(HEADS, masked, roles)[1, 2],
    ):
        assert printed(found[:6]) in text()


def test_the_printed_log_probabilities_are_those_of_torchs_layers() -> None:
    roles = layer("embedding", 20, SIZE) | layer("output", 5, SIZE)
    roles |= of_a_block("blocks.0.") | of_a_block("blocks.1.")
    ids = torch.tensor([[2, 7, 11, 3, 0, 0], [2, 5, 6, 8, 9, 3], [4, 10, 0, 12, 3, 0]])
    mask = torch.tensor([[1, 1, 1, 1, 0, 0], [1] * 6, [1, 1, 0, 1, 1, 0]])
    for found in classified(HEADS, {"input_ids": ids, "attention_mask": mask}, roles):
        assert printed(found) in text()


def test_the_example_of_evaluate_adds_up() -> None:
    losses = [math.log(2), math.log(4), math.log(2)]
    assert f"{sum(losses) / 3:.4f}" in text()
    assert sum(losses) / 3 == pytest.approx(4 / 3 * math.log(2))
