"""The expected tensors of a3 against what is known without the instructor's solution.

In float64, with autograd for the gradients.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
import torch
from a3_oracles import ORACLES, Oracle, Tensors, attended, encoding, walked
from safetensors.torch import load_file
from torch.nn.functional import cross_entropy

from autograder.checking import Battery, Domain
from autograder.checking.cases import Case
from checks.a3_seq2seq_reversal import (
    check_batching,
    check_greedy_decode,
    check_masks,
    check_positional_encoding,
    check_train_step,
)
from checks.a3_seq2seq_reversal import check_scaled_dot_product_attention as check_sdpa

EXPECTED = Path(check_masks.__file__).parent / "expected"


def stored(module: ModuleType) -> Tensors:
    return load_file(EXPECTED / f"{module.__name__.rpartition('check_')[2]}.safetensors")


def doubled(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor


def given_to(domain: Domain, case: Case) -> tuple[Tensors, Tensors]:
    tensors = domain.made.tensors(case)
    names = [name for name in domain.inputs if name not in case.omitted]
    inputs = {name: doubled(tensors[f"{case.source}/{name}"]) for name in names}
    start = f"{case.source}/direction/"
    ways = {k.removeprefix(start): doubled(t) for k, t in tensors.items() if k.startswith(start)}
    return inputs, ways


def roles_of(domain: Domain, case: Case, expected: Tensors) -> Tensors:
    start = f"{part(domain)}{case.source}.parameter."
    shapes = {k.removeprefix(start)[4:]: t.tolist() for k, t in expected.items() if start in k}
    return {name: domain.made.role(case, name, shape).double() for name, shape in shapes.items()}


def part(domain: Domain) -> str:
    return f"{domain.part}:" if domain.part else ""


@pytest.mark.parametrize(("module", "battery", "oracle"), ORACLES)
def test_every_expected_result_is_what_the_oracle_says(
    module: ModuleType, battery: Battery, oracle: Oracle
) -> None:
    domain, expected = battery.domain, stored(module)
    start, first = part(domain), next(iter(domain.returns))
    sources = {case.source: case for case in domain.cases() if not case.of}
    sources = {name: c for name, c in sources.items() if f"{start}{name}.{first}" in expected}
    assert len(sources) >= min(len(domain.only) or 2, 2)
    for case in sources.values():
        given, _ = given_to(domain, case)
        wanted = oracle(case, given, roles_of(domain, case, expected))
        for name, one in zip(domain.returns, wanted, strict=True):
            if name in domain.only_finite(case):
                continue
            found = expected[f"{part(domain)}{case.source}.{name}"].double()
            assert torch.allclose(found, one.double(), rtol=1e-3, atol=2e-4), (case.id, name)


@pytest.mark.parametrize(
    ("module", "battery", "oracle"), [one for one in ORACLES if "gradients" in one[1].aspects]
)
def test_every_expected_gradient_is_what_the_oracle_says(
    module: ModuleType, battery: Battery, oracle: Oracle
) -> None:
    domain, expected = battery.domain, stored(module)
    for case in [case for case in domain.cases() if case.gradients]:
        given, directions = given_to(domain, case)
        roles = roles_of(domain, case, expected)
        leaves = {n: t for n, t in {**given, **roles}.items() if t.is_floating_point()}
        for leaf in leaves.values():
            leaf.requires_grad_()
        found = dict(zip(domain.returns, oracle(case, given, roles), strict=True))
        total = sum((found[name] * directions[name]).sum() for name in found)
        torch.autograd.backward(total)
        for name, leaf in leaves.items():
            wanted = torch.zeros_like(leaf) if leaf.grad is None else leaf.grad
            key = f"{part(domain)}{case.source}.gradient.{name}"
            stored_one = expected.get(key, torch.zeros_like(leaf))
            if name == "table.weight":  # the vector of padding is not trained
                wanted[0] = 0
            assert torch.allclose(stored_one.double(), wanted, rtol=1e-3, atol=2e-4), (
                case.id,
                name,
            )


def test_batches_are_padded_as_lists_are() -> None:
    expected = stored(check_batching)
    for case, (rows, lengths) in check_batching.LISTS.items():
        for pad in (0, 6):
            wanted = [
                [token if place < n else pad for place, token in enumerate(row)]
                for row, n in zip(rows.tolist(), lengths.tolist(), strict=True)
            ]
            assert expected[f"{case}_padded_with_{pad}.batch"].tolist() == wanted


def test_the_masks_combine_as_pairs_do() -> None:
    for case, ids in check_masks.IDS.items():
        places = range(ids.shape[1])
        wanted = [[[r[k] != 0 and k <= q for k in places] for q in places] for r in ids.tolist()]
        assert stored(check_masks)[f"combined_{case}.mask"][:, 0].tolist() == wanted


@pytest.mark.parametrize("size", [(50, 4), (80, 64), (60, 10)])
def test_the_columns_are_those_of_the_formula(size: tuple[int, int]) -> None:
    expected, table = stored(check_positional_encoding), encoding(*size)[None]
    for first in (0, 1):
        found = expected[f"columns_{first}_of_{size[1]}.encoding"].double()
        assert torch.allclose(found, table[..., first::2], rtol=0, atol=1e-4)


def test_a_query_without_keys_gets_zeros() -> None:
    inputs = {name: doubled(tensor) for name, tensor in check_sdpa.EMPTY.items()}
    output, weights = attended(*inputs.values())
    assert not weights[1].any()
    expected = stored(check_sdpa)
    for name, wanted in (("output", output), ("attention", weights)):
        assert torch.allclose(expected[f"empty.{name}"].double(), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("case", check_train_step.CASES)
def test_the_loss_of_any_padding_id_is_the_mean_over_tokens(case: str) -> None:
    inputs = check_train_step.CASES[case]
    table, tgt, pad = inputs["table"].double(), inputs["tgt"], inputs["pad_id"] or 0
    read = torch.tensor([[inputs["bos_id"], *row[:-1]] for row in tgt.tolist()])
    memory = table[inputs["src"]].mean(dim=1, keepdim=True)
    logits = torch.tanh(table.flip(0)[read] + memory) @ table.T
    wanted = cross_entropy(logits[tgt != pad], tgt[tgt != pad])
    found = stored(check_train_step)[f"{case}.loss"].double()
    assert torch.allclose(found, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("case", check_greedy_decode.CASES)
def test_decoding_follows_the_walk_of_the_table(case: str) -> None:
    inputs = check_greedy_decode.CASES[case]
    src, table = inputs["src"].tolist(), inputs["table"].tolist()
    rows = list(walked(src, table, inputs["bos_id"], inputs["eos_id"], inputs["max_len"]))
    expected = stored(check_greedy_decode)
    found = [[token for token in row if token >= 0] for row in expected[f"{case}.tokens"].tolist()]
    assert found == rows
    assert expected[f"lengths_{case}.lengths"].tolist() == [len(row) for row in rows]


def test_the_sequences_that_are_decoded_end_at_different_steps() -> None:
    assert stored(check_greedy_decode)["lengths_batch.lengths"].tolist() == [8, 0, 8, 3]
    assert check_greedy_decode.BATCH["max_len"] > 9
