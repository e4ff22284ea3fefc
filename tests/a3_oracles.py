"""What every question of a3 answers, worked out without the instructor's solution.

torch's fused attention and functional layers on the weights of a case, and plain Python.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from types import ModuleType

import torch
from torch.nn.functional import (
    cross_entropy,
    layer_norm,
    linear,
    relu,
    scaled_dot_product_attention,
)

from autograder.checking import Battery
from autograder.checking.cases import Case
from checks.a3_seq2seq_reversal import (
    check_ablation,
    check_batching,
    check_cross_attention,
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

Tensors = dict[str, torch.Tensor]
Results = list[torch.Tensor]
Oracle = Callable[[Case, Tensors, Tensors], Results]


def encoding(length: int, d_model: int) -> torch.Tensor:
    """Sines and cosines in float64, entry by entry from the formula."""
    table = torch.zeros(length, d_model, dtype=torch.float64)
    for pos in range(length):
        for i in range(d_model // 2):
            angle = pos / math.pow(10000.0, 2 * i / d_model)
            table[pos, 2 * i], table[pos, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return table


def attended(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None = None
) -> Results:
    """Output and weights; zeros where there is nothing to attend to."""
    keys = torch.eye(k.shape[-2]).to(k).expand(*k.shape[:-1], -1)
    if mask is None:
        return [scaled_dot_product_attention(q, k, one) for one in (v, keys)]
    some = mask.any(dim=-1, keepdim=True)
    return [scaled_dot_product_attention(q, k, one, mask | ~some) * some for one in (v, keys)]


def layer(roles: Tensors, name: str, x: torch.Tensor) -> torch.Tensor:
    return linear(x, roles[f"{name}.weight"], roles[f"{name}.bias"])


def norm(roles: Tensors, number: int, x: torch.Tensor) -> torch.Tensor:
    weight, bias = roles[f"norm_{number}.weight"], roles[f"norm_{number}.bias"]
    return layer_norm(x, x.shape[-1:], weight, bias)


def heads(
    roles: Tensors,
    number: int,
    count: int,
    inputs: Results,
    mask: torch.Tensor | None = None,
) -> Results:
    names = ("query", "key", "value")
    parts = [layer(roles, f"part_{number}.{n}", x) for n, x in zip(names, inputs, strict=True)]
    output, weights = attended(*(p.unflatten(-1, (count, -1)).transpose(1, 2) for p in parts), mask)
    return [layer(roles, f"part_{number}.output", output.transpose(1, 2).flatten(2)), weights]


def fed(roles: Tensors, first: int, x: torch.Tensor) -> torch.Tensor:
    return layer(roles, f"linear_{first + 1}", relu(layer(roles, f"linear_{first}", x)))


def encoder(
    roles: Tensors,
    count: int,
    x: torch.Tensor,
    mask: torch.Tensor | None,
    block: int = 0,
    kept: int = 1,
) -> torch.Tensor:
    """`kept` is 0 without the residual around the attention."""
    x = norm(roles, 2 * block, kept * x + heads(roles, block, count, [x, x, x], mask)[0])
    return norm(roles, 2 * block + 1, x + fed(roles, 2 * block, x))


def decoder(
    roles: Tensors,
    count: int,
    x: torch.Tensor,
    memory: torch.Tensor,
    masks: tuple[torch.Tensor | None, torch.Tensor | None],
    block: int = 0,
    encoders: int = 0,
    kept: int = 1,
    maps: Results | None = None,
) -> torch.Tensor:
    """`maps` gets the weights of the attention to the memory; `kept` as in `encoder`."""
    part, first, place = encoders + 2 * block, 2 * encoders + 3 * block, 2 * (encoders + block)
    x = norm(roles, first, kept * x + heads(roles, part, count, [x, x, x], masks[0])[0])
    told, weights = heads(roles, part + 1, count, [x, memory, memory], masks[1])
    if maps is not None:
        maps.append(weights)
    x = norm(roles, first + 1, kept * x + told)
    return norm(roles, first + 2, x + fed(roles, place, x))


def of_attention(case: Case, given: Tensors, roles: Tensors) -> Results:
    return attended(given["q"], given["k"], given["v"], given.get("mask"))


def of_heads(case: Case, given: Tensors, roles: Tensors) -> Results:
    inputs = [given[name] for name in ("x_q", "x_k", "x_v")]
    return heads(roles, 0, case.sizes["heads"], inputs, given.get("mask"))


def of_encoder(case: Case, given: Tensors, roles: Tensors) -> Results:
    masks = [given.get("mask"), *(given[name] for name in ("one_mask",) if name in given)]
    return [encoder(roles, case.sizes["heads"], given["x"], mask) for mask in masks]


def of_decoder(case: Case, given: Tensors, roles: Tensors) -> Results:
    own, cross = given.get("self_mask"), given.get("cross_mask")
    x, memory, count = given["x"], given["memory"], case.sizes["heads"]
    pairs = ((own, cross), (None, cross), (None if own is None else own[0, 0], None))
    return [decoder(roles, count, x, memory, pair) for pair in pairs]


def passed(
    case: Case,
    given: Tensors,
    roles: Tensors,
    without: str = "",
    memory: torch.Tensor | None = None,
    maps: Results | None = None,
) -> Results:
    """Logits and memory of a whole model, what stands at padding as zero."""
    src, tgt, table = given["src"], given["tgt"], roles["table.weight"]
    count, layers = case.sizes["heads"], case.sizes["num_layers"]
    kept, seen = int(without != "residuals"), (src != 0)[:, None, None]

    def embedded(ids: torch.Tensor) -> torch.Tensor:
        return table[ids] + encoding(ids.shape[1], table.shape[1]) * (without != "positions")

    encoded = embedded(src)
    for block in range(layers):
        encoded = encoder(roles, count, encoded, seen, block, kept)
    length = tgt.shape[1]
    past = torch.ones(length, length).tril(length if without == "causal mask" else 0).bool()
    x = embedded(tgt)
    for block in range(layers):
        masks = past & (tgt != 0)[:, None, None], seen
        memory = encoded if memory is None else memory
        x = decoder(roles, count, x, memory, masks, block, layers, kept, maps)
    logits = layer(roles, f"linear_{4 * layers}", x).masked_fill((tgt == 0)[..., None], 0)
    return [logits, encoded.masked_fill((src == 0)[..., None], 0)]


def of_transformer(case: Case, given: Tensors, roles: Tensors) -> Results:
    logits, encoded = passed(case, given, roles)
    return [logits, passed(case, given, roles, memory=given["memory"])[0], encoded]


def of_ablation(case: Case, given: Tensors, roles: Tensors) -> Results:
    first = case.sizes["first"]
    parts = check_ablation.PARTS[first:][: case.sizes["taken"]]
    return [passed(case, given, roles, part)[0] for part in parts]


def of_looking(case: Case, given: Tensors, roles: Tensors) -> Results:
    maps: Results = []
    wider = torch.cat(
        [given["src"], given["src"].new_zeros(len(given["src"]), case.sizes["wider"])], dim=1
    )
    passed(case, {**given, "src": wider}, roles, maps=maps)
    return [weights * (given["tgt"] != 0)[:, None, :, None] for weights in maps]


def of_encoding(case: Case, given: Tensors, roles: Tensors) -> Results:
    return [given["x"] + encoding(*given["x"].shape[1:])]


def of_causal_mask(case: Case, given: Tensors, roles: Tensors) -> Results:
    places = range(case.sizes["L"])
    return [torch.tensor([[key <= query for key in places] for query in places])]


def of_padding_mask(case: Case, given: Tensors, roles: Tensors) -> Results:
    return [torch.tensor([[[[token != 0 for token in row]]] for row in given["ids"].tolist()])]


def of_shifting(case: Case, given: Tensors, roles: Tensors) -> Results:
    rows = given["targets"].tolist()
    bos = (1, 14)[case.chosen.get("bos_id", 0)]
    return [torch.tensor([[bos, *row[:-1]] for row in rows])]


def of_training(
    case: Case,
    given: Tensors,
    roles: Tensors,
    scale: float = 1,
    rate: float = 0.5,
    momentum: float = 0.5,
) -> Results:
    """Three steps with momentum, written out; the last table is `scale` times as large."""
    src, tgt = given["src"], given["tgt"]
    tables = [given["source"], given["target"], scale * given["last"]]
    speeds = [torch.zeros_like(table) for table in tables]
    read = torch.tensor([[1, *row[:-1]] for row in tgt.tolist()])
    losses = []
    for _ in range(3):
        leaves = [table.detach().clone().requires_grad_() for table in tables]
        memory = leaves[0][src].mean(dim=1, keepdim=True)
        logits = torch.tanh(leaves[1][read] + memory) @ leaves[2]
        loss = cross_entropy(logits[tgt != 0], tgt[tgt != 0])
        gradients = torch.autograd.grad(loss, leaves)
        speeds = [momentum * s + g for s, g in zip(speeds, gradients, strict=True)]
        tables = [t - rate * s for t, s in zip(tables, speeds, strict=True)]
        losses.append(loss.item())
    return [torch.tensor(losses), *tables]


def of_groups(case: Case, given: Tensors, roles: Tensors) -> Results:
    return of_training(case, given, roles, scale=100, rate=3e-3, momentum=0)


def walked(
    src: list[list[int]], table: list[int], bos: int, eos: int, limit: int
) -> Iterator[list[int]]:
    for source in src:
        said = [bos]
        while len(said) <= limit and (len(said) == 1 or said[-1] != eos):
            place = sum(n * token for n, token in enumerate(said, start=1)) + sum(source)
            said.append(table[place % len(table)])
        yield [token for token in said[1:] if token != eos]


def of_decoding(case: Case, given: Tensors, roles: Tensors) -> Results:
    limit = case.sizes["max_len"]
    rows = walked(given["src"].tolist(), given["table"].tolist(), 1, 2, limit)
    return [torch.tensor([[*row, *[-1] * (limit - len(row))] for row in rows])]


ORACLES: list[tuple[ModuleType, Battery, Oracle]] = [
    (check_batching, check_batching.battery, of_shifting),
    (check_positional_encoding, check_positional_encoding.battery, of_encoding),
    (check_masks, check_masks.causal, of_causal_mask),
    (check_masks, check_masks.padding, of_padding_mask),
    (check_sdpa, check_sdpa.battery, of_attention),
    (check_sdpa, check_sdpa.without_a_mask, of_attention),
    (check_multi_head_attention, check_multi_head_attention.battery, of_heads),
    (check_multi_head_attention, check_multi_head_attention.one_mask, of_heads),
    (check_encoder_block, check_encoder_block.battery, of_encoder),
    (check_encoder_block, check_encoder_block.padded, of_encoder),
    (check_decoder_block, check_decoder_block.battery, of_decoder),
    (check_transformer, check_transformer.battery, of_transformer),
    (check_train_step, check_train_step.battery, of_training),
    (check_train_step, check_train_step.groups, of_groups),
    (check_greedy_decode, check_greedy_decode.battery, of_decoding),
    (check_cross_attention, check_cross_attention.battery, of_looking),
    (check_cross_attention, check_cross_attention.two_layers, of_looking),
    (check_ablation, check_ablation.positions, of_ablation),
    (check_ablation, check_ablation.causal_mask, of_ablation),
    (check_ablation, check_ablation.residuals, of_ablation),
]
