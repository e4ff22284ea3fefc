"""Where the solution's weights belong in a module of many layers, told from how it answers.

Theory of operation. The order in which the layers of a module *answer* follows from the formula,
whatever their names and the order in which they were made. So the k-th linear layer that answers,
or the k-th norm, has the same role in every right answer. Instances of one class of the notebook
count as a layer with several roles, one for each of its inputs and one for its output: a layer in
it that reads the second input has the second role. A layer that reads several inputs holds several
roles, stacked in an order that nobody can see from outside: `way` counts the possible orders. Of
several layers that read one input, as one for each head, each holds a part of the role's rows.
A layer also answers where something is worked out with its weight, though nobody calls it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from autograder.box.inside.overriding import noting_use
from autograder.box.inside.weights import named

Rows = tuple[str, int, int]
"""A role, and which of its rows: from the first, up to and without the last."""
TAKEN_OVER = {"to", "type_as", "copy_", "expand_as", "view_as", "reshape_as"}
"""By functions of these names one tensor gets the kind or the shape of another."""


@dataclass
class Traced:
    """What a module's parameters are for.

    Attributes:
        places: by parameter, the rows that lie in it, from its first row on.
        ways: in how many ways this may be so.
        spare: parameters that learn and that no call uses.
        is_whole: whether every other parameter that learns has a role, and none has two.
    """

    places: dict[str, list[Rows]] = field(default_factory=dict)
    ways: int = 1
    spare: list[str] = field(default_factory=list)
    is_whole: bool = True

    def layout(self) -> dict[str, dict[str, Any]]:
        """As `weights` wants it."""
        return {
            name: {
                "roles": [role for role, _, _ in rows],
                "rows": [[start, stop] for _, start, stop in rows],
                "transposed": False,
            }
            for name, rows in self.places.items()
        }


def trace(
    module: nn.Module,
    run: Callable[[], Any],
    part: type,
    reads: Sequence[str],
    pieces: int,
    way: int,
) -> Traced:
    """Follows `run`, a call of `module`.

    Args:
        part: the class whose instances are layers with several roles.
        reads: the roles of the layers that read its inputs, in the order of these.
        pieces: into how many parts the rows of a role may be cut.
        way: which order of stacked roles is taken.
    """
    return _Trace(module, part, reads, pieces, way).followed(run)


class _Trace:
    def __init__(
        self, module: nn.Module, part: type, reads: Sequence[str], pieces: int, way: int
    ) -> None:
        self._module = module
        self._part = part
        self._reads = reads
        self._pieces = pieces
        self._way = way
        self._parameters = [*named(module).items()]
        self._names = {id(p): name for name, p in self._parameters}
        self._found = Traced()

    def followed(self, run: Callable[[], Any]) -> Traced:
        parts = [one for one in self._module.modules() if isinstance(one, self._part)]
        inside = {id(layer) for one in parts for layer in one.modules()}
        others = [layer for layer in _leaves(self._module) if id(layer) not in inside]
        count: dict[str, int] = {}
        first: dict[Any, Any] = {}
        used: dict[int, int] = {}

        def noted() -> None:
            with noting_use(self._names, used):
                run()

        for layer, read in _answering(noted, [*parts, *others]):
            first.setdefault(layer, read)
        for layer, read in first.items():
            kind = _kind(layer, self._part)
            number = count[kind] = count.get(kind, -1) + 1
            if kind == "part":
                self._follow_part(layer, read, f"part_{number}")
            elif kind == "table":
                self._place(layer, [("table", 0, len(layer.weight))])
            else:
                self._place(layer, [(f"{kind}_{number}", 0, len(layer.weight))])
        places = self._found.places
        left = {n: p for n, p in self._parameters if p.requires_grad and n not in places}
        self._found.spare = [name for name, p in left.items() if id(p) not in used]
        if len(self._found.spare) < len(left):
            self._found.is_whole = False
        return self._found

    def _place(self, layer: Any, rows: Sequence[Rows]) -> None:
        """Notes what lies in a layer: the same rows in its weight and in its bias."""
        for kind, parameter in layer.named_parameters(recurse=False):
            name = self._names[id(parameter)]
            mine = [(f"{role}.{kind}", start, stop) for role, start, stop in rows]
            if self._found.places.setdefault(name, mine) != mine:
                self._found.is_whole = False

    def _follow_part(self, part: nn.Module, read: torch.Tensor, name: str) -> None:
        used = dict.fromkeys([*self._reads, "output"], 0)
        for layer, roles in self._roles_of(part, read):
            size = len(layer.weight) // len(roles)
            blocks = [(f"{name}.{role}", used[role], used[role] + size) for role in roles]
            self._place(layer, self._stacked(blocks))
            for role in roles:
                used[role] += size

    def _roles_of(self, part: nn.Module, read: torch.Tensor) -> Iterator[tuple[Any, list[str]]]:
        """Each layer of a part with what it is for, told from which input it reads."""
        sent = {
            role: torch.randn(1, 2 + (number > 0), read.shape[-1]).to(read)
            for number, role in enumerate(self._reads)
        }
        found: dict[int, tuple[Any, set[str]]] = {}
        for layer, seen in _answering(lambda: part(*sent.values()), _leaves(part)):
            role = next((one for one in sent if _equal(seen, sent[one])), "output")
            found.setdefault(id(layer), (layer, set()))[1].add(role)
        order = [*sent, "output"]
        layers = [(layer, sorted(roles, key=order.index)) for layer, roles in found.values()]
        rows = dict.fromkeys(order, 0)
        for layer, roles in layers:
            for role in roles:
                rows[role] += len(layer.weight) // len(roles)
        if len(set(rows.values())) > 1 and len(_leaves(part)) == len(rows):
            # something reads what it should not: its values will tell
            return ((one, [role]) for one, role in zip(_leaves(part), rows, strict=True))
        return iter(layers)

    def _stacked(self, blocks: Sequence[Rows]) -> list[Rows]:
        """The blocks in the order of `way`: whole, or cut into pieces that take turns."""
        orders = list(permutations(blocks))
        if len(orders) == 1:
            return list(blocks)
        self._found.ways = 2 * len(orders)
        chosen = orders[self._way // 2 % len(orders)]
        if self._way % 2 == 0:
            return list(chosen)
        return [_piece(one, turn, self._pieces) for turn in range(self._pieces) for one in chosen]


def _piece(block: Rows, turn: int, pieces: int) -> Rows:
    role, start, stop = block
    size = (stop - start) // pieces
    return role, start + turn * size, start + (turn + 1) * size


def _kind(layer: Any, part: type) -> str:
    if isinstance(layer, part):
        return "part"
    if isinstance(layer, nn.Embedding):
        return "table"
    weight = getattr(layer, "weight", None)
    return "norm" if weight is None or weight.dim() == 1 else "linear"


def _leaves(module: nn.Module) -> list[Any]:
    return [
        layer
        for layer in module.modules()
        if isinstance(getattr(layer, "weight", None), nn.Parameter)
    ]


def _answering(run: Callable[[], Any], layers: Sequence[nn.Module]) -> list[tuple[Any, Any]]:
    """Those of `layers` that answer while `run` does, each with the first tensor that it reads."""
    seen: list[tuple[Any, Any]] = []

    def note(layer: nn.Module, args: Any, kwargs: Mapping[str, Any], said: Any) -> None:
        seen.append((layer, next(iter(_tensors((*args, *kwargs.values()))), None)))

    hooks = [layer.register_forward_hook(note, with_kwargs=True) for layer in layers]
    with torch.no_grad(), _WorkedOut(layers, seen):
        run()
    for hook in hooks:
        hook.remove()
    return seen


class _WorkedOut(TorchFunctionMode):
    """Notes which layers' weights, or views of them, are put together with another tensor."""

    def __init__(self, layers: Sequence[nn.Module], seen: list[tuple[Any, Any]]) -> None:
        super().__init__()
        self._seen = seen
        self._learned = {_memory(p) for layer in layers for p in layer.parameters()}
        weighed = [(getattr(layer, "weight", None), layer) for layer in layers]
        self._layers = {_memory(w): layer for w, layer in weighed if isinstance(w, nn.Parameter)}

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        if getattr(func, "__name__", "") not in TAKEN_OVER:
            tensors = _tensors((*args, *(kwargs or {}).values()))
            given = [(_memory(one), one) for one in tensors]
            layers = [self._layers[memory] for memory, _ in given if memory in self._layers]
            others = [one for memory, one in given if memory not in self._learned]
            self._seen += zip(layers[:1], others[:1], strict=False)
        return func(*args, **(kwargs or {}))


def _memory(tensor: torch.Tensor) -> int:
    """What tensors share that are views of one another."""
    try:
        memory: int = tensor.untyped_storage()._cdata
    except NotImplementedError:  # a sparse one, which has no views
        return id(tensor)
    return memory


def _tensors(values: Sequence[Any]) -> list[torch.Tensor]:
    """Those among `values`, and in a list or tuple among them."""
    nested = [one if isinstance(one, (list, tuple)) else (one,) for one in values]
    return [one for several in nested for one in several if isinstance(one, torch.Tensor)]


def _equal(read: Any, sent: torch.Tensor) -> bool:
    same = isinstance(read, torch.Tensor) and read.numel() == sent.numel()
    return same and torch.equal(read.reshape(-1), sent.reshape(-1))
