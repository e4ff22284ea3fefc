"""What an author may get wrong in a domain, which else would switch cases off without a word."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional

from autograder.box.probes import Scalar
from autograder.checking.expressions import names_in
from autograder.checking.probing import Probe
from autograder.results.battery_sentences import CASES

if TYPE_CHECKING:
    from autograder.checking.domain import Domain


PLAIN_CASES = ("example", "device", "bare_device")
"""Cases that need no sentence to say what is special about them."""
NEEDS = {
    "bare": ("optional", "nothing is `optional`"),
    "modes": ("is_class", "a function has none"),
    "parts": ("is_class", "a function has none"),
    "extremes": ("extremes", "the domain says `extremes=False`"),
    "gradients": ("differentiable", "the domain says `differentiable=False`"),
    "way": ("rules_out", "nothing is `forbidden` or `ready_made`"),
}
"""What an aspect needs of a domain to have something to look at, and why it has nothing else."""
MAPPINGS = (
    *("sizes", "inputs", "returns", "settings"),
    *("smallest", "largest", "multiples", "derived", "attributes"),
)


def faults(domain: Domain) -> Iterator[str]:
    """What is wrong with it, one clause each; those that come later rest on those before."""
    for field in ("make", "call"):
        if not isinstance(getattr(domain, field), Probe | None):
            yield f"`{field}` is no Probe: write `{field}=Probe(...)`"
    for field in MAPPINGS:
        if not isinstance(getattr(domain, field), Mapping):
            yield f"`{field}` is no dictionary"
    for name, size in domain.sizes.items():
        if type(size) is not int or size < 0:
            yield f"the size `{name}` is {size!r}: give a whole number from 0"
    for field in ("inputs", "returns", "derived", "attributes"):
        for name, given in getattr(domain, field).items():
            if not isinstance(getattr(given, "shape", given), str):
                yield (
                    f"the sizes of `{name}` in `{field}` are no string: write them as one, with "
                    'spaces between, like "N L"'
                )
    for field in ("optional", "lists", "unmasked", "only", "without", "forbidden", "ready_made"):
        if isinstance(getattr(domain, field), str):
            yield f"`{field}` is one string: give a tuple of names"
    for name, values in domain.settings.items():
        if not (isinstance(values, str | list | tuple) and values):
            yield f"the setting `{name}` has no values: give a tuple of them, or a size in a string"
        elif others := [value for value in values if not isinstance(value, Scalar)]:
            yield (
                f"the setting `{name}` has a value of type {type(others[0]).__name__}, which would "
                "not come as it is: give numbers, strings or booleans, and make of them what the "
                "answer takes in a function given as `call`"
            )
        if name in domain.inputs:
            yield f"`{name}` is an input and a setting"
    for name in domain.arguments or ():
        if name in domain.settings and domain.make:
            yield f"`make` is handed sizes alone, and `{name}` is a setting: make it a size"
        if name in domain.optional:
            yield f"`{name}` is handed to the class, and so cannot be left out of a call"
    for name in domain.forbidden:
        if not any(one.startswith(name) for one in _names_of_torch()):
            yield f"`forbidden` names `{name}`, and no function of torch begins so"
    for word in domain.ready_made:
        if not word or word != word.lower():
            yield f"`ready_made` has `{word}`: give a word in small letters"
    yield from _unknown(domain)


@cache
def _names_of_torch() -> frozenset[str]:
    parts = (torch, torch.Tensor, functional)
    return frozenset(name.lstrip("_") for part in parts for name in dir(part))


def idle(domain: Domain, aspects: Collection[str]) -> Iterator[str]:
    """Aspects that would look at nothing, and what no aspect would look at, one clause each."""
    for aspect, (needed, why) in NEEDS.items():
        if aspect in aspects and not getattr(domain, needed):
            yield f"the aspect `{aspect}` has nothing to look at: {why}"
    if domain.rules_out and not domain.part and "way" not in aspects:
        yield "nothing judges what is `forbidden` or `ready_made`: give points to the aspect `way`"
    if domain.plain and not domain.part and "everywhere" not in aspects:
        yield "nothing shows that `plain` results are right: give points to the aspect `everywhere`"
    if domain.other_settings and not {"sizes", "everywhere"} & {*aspects}:
        yield "nothing judges other values of the `settings`: give points to the aspect `sizes`"


def _unknown(domain: Domain) -> Iterator[str]:
    """Names that stand for nothing."""
    given = {**domain.inputs, **domain.settings}
    yield from _among("optional", domain.optional, "input", given)
    yield from _among("lists", domain.lists, "input", domain.inputs)
    yield from _among("unmasked", domain.unmasked, "result", domain.returns)
    for field in ("smallest", "largest", "multiples"):
        yield from _among(field, getattr(domain, field), "size", domain.sizes)
    for name, sizes in domain.more.items():
        yield from _among(f"more[{name!r}]", sizes, "size", domain.sizes)
    cases = [*PLAIN_CASES, *CASES, *domain.more, *domain.other_settings]
    yield from _among("only", domain.only, "case", cases)
    yield from _among("without", domain.without, "case", cases)
    if "example" in domain.without:
        yield "`without` names the case `example`, which is always asked"
    known = {*domain.sizes, *domain.derived}
    for field, specs in _expressions(domain):
        yield from _among(field, names_in(" ".join(specs)), "size", known)


def _expressions(domain: Domain) -> Iterator[tuple[str, Collection[str]]]:
    kinds = domain.kinds.values()
    highest = [getattr(kind, "high", 0) for kind in kinds]
    yield "inputs", [kind.shape for kind in kinds] + [n for n in highest if isinstance(n, str)]
    yield "returns", domain.returns.values()
    yield "arguments", [part for part in domain.arguments or () if part not in domain.settings]
    yield "settings", [values for values in domain.settings.values() if isinstance(values, str)]
    yield "attributes", domain.attributes.values()
    yield "derived", domain.derived.values()


def _among(field: str, names: Collection[Any], what: str, known: Collection[str]) -> Iterator[str]:
    for name in names:
        if name not in known:
            yield f"`{field}` names the {what} `{name}`, and there are {', '.join(sorted(known))}"
