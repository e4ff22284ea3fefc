"""Laying reference weights into a student's own module, however its layers are named and made.

Theory of operation. The order in which the parts of a module *answer* follows from the formula,
whatever their names and the order in which they were made. So of each kind (attention, linear
layer, norm) the k-th part that answers gets the k-th reference. Inside an attention the layer that
reads x_q is the query's, and so on. A layer that serves several of query, key and value holds their
rows stacked in an order that nobody can see from outside: `way` counts the possible orders. Several
layers that serve one of them, as one for each head, share its rows. Both embeddings of a model get
the same reference, so that sharing one costs only the check that asks for two. A module fits when
no reference is left over and, in its forward, no parameter is.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import numbers, probe

WAYS = 12  # three roles stacked, whole or head by head


@probe
def filled(
    answers: Any,
    name: str,
    sizes: Any,
    heads: int,
    order: str,
    way: int,
    method: str = "__call__",
    **given: Any,
) -> dict[str, Any]:
    import itertools

    ways = [1]
    attention_class = answers.MultiHeadAttention

    def leaves(module: Any) -> list[Any]:
        return [part for part in module.modules() if list(part.parameters(recurse=False))]

    def answering(run: Any, parts: list[Any], *inputs: Any) -> list[Any]:
        """The parts that answer while `run` does, each with what it reads."""
        seen: list[Any] = []

        def note(part: Any, read: Any, said: Any) -> None:
            seen.append((part, read[0] if read else None))

        hooks = [part.register_forward_hook(note) for part in parts]
        run(*inputs)
        for hook in hooks:
            hook.remove()
        return seen

    def equal(read: Any, sent: Any) -> bool:
        fits = isinstance(read, torch.Tensor) and read.numel() == sent.numel()
        return fits and torch.equal(read.reshape(-1), sent.reshape(-1))

    def roles_of(attention: Any, width: int) -> list[tuple[Any, list[str]]]:
        sent = {"query": torch.randn(1, 2, width)}
        sent |= {"key": torch.randn(1, 3, width), "value": torch.randn(1, 3, width)}
        layers: dict[int, tuple[Any, set[str]]] = {}
        for layer, read in answering(attention, leaves(attention), *sent.values()):
            role = next((one for one in sent if equal(read, sent[one])), "output")
            layers.setdefault(id(layer), (layer, set()))[1].add(role)
        plan = [(layer, sorted(roles)) for layer, roles in layers.values()]
        rows = dict.fromkeys([*sent, "output"], 0)
        for layer, roles in plan:
            for role in roles:
                rows[role] += len(layer.weight) // len(roles)
        if set(rows.values()) != {width} and len(leaves(attention)) == 4:
            # Something reads what it should not: its values will tell.
            return [(layer, [role]) for layer, role in zip(leaves(attention), rows, strict=True)]
        return plan

    def stacked(pieces: list[Any]) -> Any:
        orders = list(itertools.permutations(pieces))
        if len(orders) > 1:
            ways.append(2 * len(orders))
        chosen = orders[way // 2 % len(orders)]
        if way % 2:
            by_head = zip(*[piece.chunk(heads) for piece in chosen], strict=True)
            return torch.cat([piece for pieces in by_head for piece in pieces])
        return torch.cat(chosen)

    def of_attention(attention: Any, number: int) -> Any:
        used = dict.fromkeys(("query", "key", "value", "output"), 0)
        width = given[f"attention_{number}_query_weight"].shape[1]
        for layer, roles in roles_of(attention, width):
            size = len(layer.weight) // len(roles)
            for kind in ("weight", "bias"):
                whole = [given[f"attention_{number}_{role}_{kind}"] for role in roles]
                cut = [w[used[r] : used[r] + size] for w, r in zip(whole, roles, strict=True)]
                yield getattr(layer, kind), stacked(cut)
            for role in roles:
                used[role] += size

    def of_module(inputs: list[Any]) -> Any:
        attentions = [part for part in module.modules() if isinstance(part, attention_class)]
        inside = {id(part) for one in attentions for part in one.modules()}
        others = [part for part in leaves(module) if id(part) not in inside]
        count = dict.fromkeys(("attention", "linear", "norm"), 0)
        for part, _ in answering(run, attentions + others, *inputs):
            if isinstance(part, nn.Embedding):
                yield part.weight, given["embedding"]
                continue
            is_attention = isinstance(part, attention_class)
            kind = "attention" if is_attention else ("norm", "linear")[part.weight.dim() - 1]
            number, count[kind] = count[kind], count[kind] + 1
            if is_attention:
                yield from of_attention(part, number)
            else:
                yield part.weight, given[f"{kind}_{number}_weight"]
                yield part.bias, given[f"{kind}_{number}_bias"]
        left = [f"{kind}_{number}_" for kind, number in count.items()]
        if any(one.startswith(tuple(left)) for one in given):
            raise KeyError("a reference is left over")

    def reached(pairs: list[Any]) -> bool:
        """Whether each parameter is given one value, and none is left out."""
        values: dict[int, Any] = {}
        for mine, its in pairs:
            if mine.shape != its.shape or not torch.equal(values.setdefault(id(mine), its), its):
                return False
        every = {id(parameter) for parameter in module.parameters()}
        return method != "__call__" or values.keys() == every

    torch.manual_seed(1)
    module = getattr(answers, name)(*sizes.tolist())
    run = getattr(module, method)
    inputs = [given.pop(one, None) for one in order.split()]
    while inputs[-1] is None:
        inputs.pop()  # so that the student's defaults are used
    run(*inputs)  # what the student's code raises is for the student
    try:
        pairs = list(of_module(inputs))
        fits = reached(pairs)
    except (KeyError, IndexError, AttributeError, RuntimeError):
        fits = False
    if not fits:
        found_sizes = sorted(parameter.numel() for parameter in module.parameters())
        return {"ways": 0, "sizes": torch.tensor(found_sizes)}  # to tell misconceptions apart
    with torch.no_grad():
        for mine, its in pairs:
            mine.copy_(its)
    found = {"ways": max(ways)}
    output = run(*inputs)
    if name == "MultiHeadAttention" and isinstance(output, (tuple, list)):
        return {**found, **dict(zip(("output", "attention"), output, strict=False))}
    return {**found, "output": output}


def linear(name: str, seed: int, rows: int, columns: int) -> dict[str, torch.Tensor]:
    """Weight and bias of a linear layer."""
    return {
        f"{name}_weight": numbers(seed, rows, columns, scale=columns**-0.5),
        f"{name}_bias": numbers(seed + 1, rows, scale=0.5),
    }


def attention(number: int, seed: int, d_model: int) -> dict[str, torch.Tensor]:
    """The four layers of an attention; queries and keys large enough for the weights to differ."""
    found: dict[str, torch.Tensor] = {}
    for offset, role in enumerate(("query", "key", "value", "output")):
        found |= linear(f"attention_{number}_{role}", seed + 10 * offset, d_model, d_model)
    for role in ("query", "key"):
        found[f"attention_{number}_{role}_weight"] *= 2
    return found


def norm(number: int, seed: int, d_model: int) -> dict[str, torch.Tensor]:
    """Scale and shift of a norm, neither of which is trivial."""
    return {
        f"norm_{number}_weight": 1 + numbers(seed, d_model, scale=0.3),
        f"norm_{number}_bias": numbers(seed + 1, d_model, scale=0.3),
    }


def encoder_weights(seed: int, d_model: int, d_ff: int, block: int = 0) -> dict[str, torch.Tensor]:
    """Those of the encoder block that is the `block`-th to answer, from 0."""
    first, place = 2 * block, seed + 1000 * block
    return {
        **attention(block, place, d_model),
        **norm(first, place + 100, d_model),
        **linear(f"linear_{first}", place + 110, d_ff, d_model),
        **linear(f"linear_{first + 1}", place + 120, d_model, d_ff),
        **norm(first + 1, place + 130, d_model),
    }


def decoder_weights(
    seed: int, d_model: int, d_ff: int, block: int = 0, encoders: int = 0
) -> dict[str, torch.Tensor]:
    """Those of the `block`-th decoder block, from 0, that answers after `encoders` of the other."""
    attentions, norms = encoders + 2 * block, 2 * encoders + 3 * block
    linears, place = 2 * (encoders + block), seed + 1000 * block + 500
    return {
        **attention(attentions, place, d_model),
        **norm(norms, place + 100, d_model),
        **attention(attentions + 1, place + 200, d_model),
        **norm(norms + 1, place + 110, d_model),
        **linear(f"linear_{linears}", place + 120, d_ff, d_model),
        **linear(f"linear_{linears + 1}", place + 130, d_model, d_ff),
        **norm(norms + 2, place + 140, d_model),
    }


def transformer_weights(
    seed: int, vocab_size: int, d_model: int, d_ff: int, num_layers: int, pad_id: int
) -> dict[str, torch.Tensor]:
    """Those of a whole model; the vector of padding is zero."""
    found = linear(f"linear_{4 * num_layers}", seed, vocab_size, d_model)
    found |= {"embedding": numbers(seed + 2, vocab_size, d_model)}
    found["embedding"][pad_id] = 0
    for block in range(num_layers):
        found |= encoder_weights(seed + 10_000, d_model, d_ff, block)
        found |= decoder_weights(seed + 20_000, d_model, d_ff, block, num_layers)
    return found


def encoder_stack_weights(
    seed: int, vocab_size: int, d_model: int, d_ff: int, num_layers: int, pad_id: int
) -> dict[str, torch.Tensor]:
    """Those of a model's encoder alone."""
    whole = transformer_weights(seed, vocab_size, d_model, d_ff, num_layers, pad_id)
    kept = {"embedding"}
    for block in range(num_layers):
        kept |= encoder_weights(0, d_model, d_ff, block).keys()
    return {name: tensor for name, tensor in whole.items() if name in kept}
