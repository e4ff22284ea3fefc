"""Which cases are made of a domain: the notebook's own sizes, and all else that an answer may meet.

Sizes change places, coincide, are 1, or grow; numbers are zero, large, or all alike, or some rows
of them are zero; inputs that are optional are left out; one tensor is several inputs; modes, dtypes
and strides are others. In half precision, where sums of right answers differ, results need only
keep that.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from autograder.checking.cases import Case, Sizes
from autograder.checking.inputs import Floats, Masks

if TYPE_CHECKING:
    from autograder.checking.domain import Domain

EQUAL = 4
LARGEST = 9  # of sizes that change places, or that long sequences have
BATCHES = ("N", "B")
LENGTHS = ("L", "length")


def chosen(domain: Domain) -> Iterator[Case]:
    """Every case of a domain, in the mode of most, the notebook's own sizes first."""
    example, flows = domain.bounded(domain.sizes), domain.differentiable
    yield Case("example", "values", example, gradients=flows, again=True)
    if domain.optional:
        yield from _bare(domain, example)
    yield from _of_settings(domain, example)
    yield from _of_sizes(domain)
    yield from _of_one_input(domain)
    if domain.extremes:
        for data in ("zeros", "large", "alike"):
            smooth = data == "zeros" and not domain.kinks
            yield Case(data, "extremes", example, data, gradients=flows and smooth)
        kinds = {type(kind) for kind in domain.kinds.values()}
        if {Floats, Masks} <= kinds:
            # layers and norms round what is left of sums of vast numbers
            yield Case("huge", "extremes", example, "huge" if domain.is_class else "vast")
        elif Floats in kinds:
            yield Case("distant", "extremes", example, "distant")
        if Floats in kinds:  # an answer may take a row of zeros for padding
            yield Case("gaps", "extremes", example, "gaps")
    if domain.is_class and domain.dropout:
        yield Case("training", "modes", example, of="example", gradients=flows)
    elif domain.is_class:
        like, flows = ("", False) if domain.random else ("example", flows)
        yield Case("evaluation", "modes", example, of=like, gradients=flows)
    if domain.doubles:
        yield Case("double", "kind", example, dtype="float64")
    yield Case("strided", "kind", example, of="example", strided=True)
    yield Case("device", "device", example, of="example")
    if domain.optional:
        yield Case("bare_device", "device", example, of="bare", omitted=tuple(domain.optional))
    if domain.doubles:
        yield Case("half", "kind", example, of="example", dtype="bfloat16")


def is_as_called(case: Case, known: Sequence[str]) -> bool:
    """Whether the sizes of a case, of which these are `known` to students, are what it is called.

    A domain may bound or derive them, or hold a single one of a kind.
    """
    sizes = case.sizes
    lengths = {sizes[name] for name in sizes if name.startswith(LENGTHS)}
    batches = {sizes[name] for name in sizes if name.startswith(BATCHES)}
    widths = [sizes[name] for name in known if not name.startswith((*LENGTHS, *BATCHES))]
    match case.id:
        case "single" | "bare_single":
            return batches == {1}
        case "short":
            return 1 in lengths
        case "equal":
            return len({sizes[name] for name in known}) == 1
        case "equal_lengths":
            return len(lengths) == 1 and sum(name.startswith(LENGTHS) for name in known) > 1
        case "equal_widths":
            return len(widths) > 1 and len({*widths}) == 1
    return True


def _bare(domain: Domain, example: Sizes) -> Iterator[Case]:
    """Cases in which optional inputs are left out."""
    left, flows = tuple(domain.optional), domain.differentiable
    yield Case("bare", "bare", example, gradients=flows, again=True, omitted=left)
    yield Case("bare_other", "bare", domain.bounded(_exchanged(domain)), omitted=left)
    if lone := _lone(domain):
        single = domain.bounded({**domain.sizes, **lone})
        yield Case("bare_single", "bare", single, omitted=left)
    if domain.extremes:
        yield Case("bare_large", "extremes", example, "large", omitted=left)


def _of_sizes(domain: Domain) -> Iterator[Case]:
    lengths = [name for name in domain.sizes if name.startswith(LENGTHS)]
    others = [name for name in domain.sizes if not name.startswith((*LENGTHS, *BATCHES))]
    made = {
        "other": _exchanged(domain),
        "equal": dict.fromkeys(domain.sizes, EQUAL),
        "equal_lengths": {**domain.sizes, **dict.fromkeys(lengths, 6)},
        "equal_widths": {**domain.sizes, **dict.fromkeys(others, 6)},
        "ones": {name: domain.smallest.get(name, 1) for name in domain.sizes},
        "single": {**domain.sizes, **_lone(domain)},
        "long": {**_small(domain), **_lone(domain), **_long(domain)},
        **{name: {**domain.sizes, **sizes} for name, sizes in domain.more.items()},
        "short": {**domain.sizes, **dict.fromkeys(lengths[:1], 1)},  # of several none stretches
    }
    seen = [domain.bounded(domain.sizes)]
    for name, sizes in made.items():
        bounded = domain.bounded(sizes)
        if bounded not in seen:
            seen.append(bounded)
            gradients = domain.differentiable and name in ("other", "equal")
            yield Case(name, "sizes", bounded, gradients=gradients)


def _of_settings(domain: Domain, example: Sizes) -> Iterator[Case]:
    """Cases in which one setting has another value than in the notebook's own example."""
    for told, chosen in domain.other_settings.items():
        yield Case(told, "sizes", example, gradients=domain.differentiable, chosen=chosen)


def _of_one_input(domain: Domain) -> Iterator[Case]:
    """Cases in which one tensor is handed in wherever its shape is wanted."""
    sizes = domain.bounded(dict.fromkeys(domain.sizes, EQUAL))
    floats = [kind for name, kind in domain.kinds.items() if isinstance(kind, Floats)]
    shapes = [tuple(domain.shape(kind.shape, sizes)) for kind in floats]
    most = max(Counter(shapes).values(), default=1)
    if most > 1:
        yield Case("one_input", "sizes", sizes, shared=most)
    if most > 2:
        yield Case("two_inputs", "sizes", sizes, shared=2)
    if most > 1 and domain.optional:
        yield Case("bare_one_input", "bare", sizes, shared=most, omitted=domain.optional)


def _lone(domain: Domain) -> dict[str, int]:
    """The numbers of sequences of a batch of one."""
    return {name: 1 for name in domain.sizes if name.startswith(BATCHES)}


def _long(domain: Domain) -> dict[str, int]:
    """Lengths of long sequences, no two alike."""
    lengths = [name for name in domain.sizes if name.startswith(LENGTHS)]
    return {name: domain.long + 7 * number for number, name in enumerate(lengths)}


def _small(domain: Domain) -> dict[str, int]:
    return {name: min(size, LARGEST) for name, size in domain.sizes.items()}


def _exchanged(domain: Domain) -> dict[str, int]:
    """Large sizes where the example has small ones, and none of them as it was."""
    ranked = sorted(domain.sizes, key=lambda name: domain.sizes[name])
    values = sorted(_small(domain).values(), reverse=True)
    exchanged = {name: value + 1 for name, value in zip(ranked, values, strict=True)}
    above = itertools.count(max(values, default=0) + 2)  # so that those that stayed differ, too
    stayed = [name for name, size in exchanged.items() if size == domain.sizes[name]]
    return exchanged | dict(zip(stayed, above, strict=False))
