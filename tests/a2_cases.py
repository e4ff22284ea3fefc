"""The cases in which a2's answers are asked: what is given in each, and what is stored of it."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from safetensors.torch import load_file

from autograder.checking import Battery, Domain
from autograder.checking.cases import Case
from checks.a2_encoder_explainability import check_attention_rollout

EXPECTED = Path(check_attention_rollout.__file__).parent / "expected"


def expected(slug: str) -> dict[str, torch.Tensor]:
    return load_file(EXPECTED / f"{slug}.safetensors")


Tensors = dict[str, torch.Tensor]
Asked = tuple[Domain, Case]


def asked(module: ModuleType, most: int = 10**9) -> list[Asked]:
    """The cases of all batteries of a question, each with its domain; none with larger sizes."""
    domains = [found.domain for found in vars(module).values() if isinstance(found, Battery)]
    return [
        (domain, case)
        for domain in domains
        for case in domain.cases()
        if not case.of and case.dtype == "float32" and max(case.sizes.values()) <= most
    ]


def named(one: Any) -> str:
    return (one.part or "all") if isinstance(one, Domain) else str(one.id)


def given_to(domain: Domain, case: Case) -> Tensors:
    tensors = domain.made.tensors(case)
    return {
        name: t.double() if (t := tensors[f"{case.source}/{name}"]).is_floating_point() else t
        for name in domain.inputs
    }


def results(slug: str, domain: Domain, case: Case) -> Tensors:
    """What is stored of a case, by the names of its results; some need only be finite."""
    stored, part = expected(slug), f"{domain.part}:" if domain.part else ""
    names = [name for name in domain.returns if name not in domain.only_finite(case)]
    return {name: stored[f"{part}{case.source}.{name}"] for name in names}


def close(found: torch.Tensor, wanted: torch.Tensor, atol: float = 1e-5) -> bool:
    return found.shape == wanted.shape and torch.allclose(
        found.double(), wanted.double(), rtol=1e-4, atol=atol
    )
