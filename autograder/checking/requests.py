"""What a box is told of the cases in which an answer is asked, in portions that fit a message."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from autograder.box.tensors import MAX_TENSORS
from autograder.checking.cases import Case
from autograder.checking.structures import ALIKE, Structure, Way

if TYPE_CHECKING:
    from autograder.checking.domain import Domain


def portions(cases: Sequence[Case], tensors: Iterable[str]) -> Iterator[list[Case]]:
    """The cases in portions whose tensors fit into one message, and their replies too."""
    held = Counter(name.partition("/")[0] for name in tensors)
    portion: list[Case] = []
    for case in cases:
        wanted = {one.source for one in [*portion, case]}
        if portion and sum(held[source] for source in wanted) > MAX_TENSORS // 2:
            yield portion
            portion = []
        portion.append(case)
    yield portion


def described(domain: Domain, case: Case) -> dict[str, Any]:
    """A case, as `box.inside.examination` reads it."""
    return {
        "id": case.id,
        "data": case.source,
        "seed": int.from_bytes(case.source.encode()[:3]),
        "sizes": dict(case.sizes),
        "arguments": domain.arguments_of(case),
        "settings": domain.settings_of(case),
        "dtype": case.dtype,
        "training": case.training,
        "strided": case.strided,
        "gradients": case.gradients,
        "omitted": list(case.omitted),
        "shared": case.shared,
        "elsewhere": case.aspect == "device",
    }


def weights_in(structure: Structure, weights: str) -> dict[str, Any]:
    """Where a module gets which weights."""
    if weights == ALIKE:
        return {"alike": True}
    if structure.layout is None:
        return {}
    if isinstance(structure.layout, Way):
        return {"way": structure.layout.number, "bare": structure.layout.bare}
    laid = {n: place.as_dict(structure.numbers) for n, place in structure.layout.items()}
    zero = sorted(structure.outline.keys() - laid.keys()) if laid else []  # {} does not fit
    return {"layout": laid, "zero": zero, "spare": list(structure.spare)}
