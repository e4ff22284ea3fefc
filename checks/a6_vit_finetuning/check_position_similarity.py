"""Checks of `position_similarity(position_embeddings)`: cosines of all pairs of positions."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_floats,
    expect_shape,
    expect_unchanged,
    numbers,
    points,
    probe,
    same,
)
from autograder.results import sentences

from . import wording


@probe
def compared(answers: Any, embeddings: Any) -> dict[str, Any]:
    return {"similarity": answers.position_similarity(embeddings), "embeddings": embeddings}


@probe
def of_a_parameter(answers: Any, embeddings: Any) -> dict[str, Any]:
    similarity = answers.position_similarity(torch.nn.Parameter(embeddings)).detach()
    try:  # the meta device stands in for any device that is not the CPU
        device = answers.position_similarity(embeddings.to("meta")).device.type
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        device = "meta" if "meta tensors" in str(error) else "mixed"
    return {"similarity": similarity, "device": device}


def _spread(seed: int, tokens: int, size: int) -> torch.Tensor:
    """Embeddings of very different lengths."""
    lengths = torch.linspace(0.2, 6, tokens).view(1, tokens, 1)
    return lengths * numbers(seed, 1, tokens, size)


# Many positions, few numbers each, and the other way round; a single position.
CASES = {
    "many": _spread(1, 13, 4),
    "long": _spread(2, 5, 24),
    "single": _spread(3, 2, 6),
}


def _count(embeddings: torch.Tensor) -> dict[str, int]:
    return {"N": embeddings.shape[1] - 1, "M": embeddings.shape[1] - 1}


@points(2)
def check_shape_leaves_the_class_token_out(student: Student, expected: Expected) -> None:
    """(1, 1 + N, D) becomes (N, N)."""
    for embeddings in CASES.values():
        reply = student.run(compared, embeddings=embeddings)
        expect_shape(reply, "similarity", **_count(embeddings))


@points(4)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """The similarities have the right values."""
    for case, embeddings in CASES.items():
        reply = student.run(compared, embeddings=embeddings)
        expected.match(case, Reply.of({"similarity": reply.tensor("similarity")}))


@points(2)
def check_length_does_not_matter(student: Student, expected: Expected) -> None:
    """A vector made longer or shorter is as similar to the others as before."""
    embeddings = CASES["many"]
    factors = torch.linspace(0.5, 4, 13).view(1, 13, 1)
    reply = student.run(compared, embeddings=embeddings)
    found = expect_floats(reply, "similarity", **_count(embeddings))
    second = student.run(compared, embeddings=embeddings * factors)
    scaled = expect_floats(second, "similarity", **_count(embeddings))
    expect(same(found, scaled, 1e-4), wording.LENGTH_MATTERS)
    expect((found.amax() - found.amin()) > 1e-3, sentences.same_everywhere("similarity"))


@points(1)
def check_symmetric_with_ones(student: Student, expected: Expected) -> None:
    """The table is symmetric, its diagonal is 1, and nothing lies outside -1 and 1."""
    for embeddings in CASES.values():
        reply = student.run(compared, embeddings=embeddings)
        found = expect_floats(reply, "similarity", **_count(embeddings))
        expect(same(found, found.T, 1e-4), wording.NOT_SYMMETRIC)
        expect(same(found.diagonal(), torch.ones(len(found)).double(), 1e-4), wording.NOT_SYMMETRIC)
        expect(found.abs().max() < 1.001, wording.NOT_SYMMETRIC)


@points(1)
def check_keeps_dtype_device_and_input(student: Student, expected: Expected) -> None:
    """A float64 parameter gives float64, a device is kept, and the input stays as it is."""
    embeddings = CASES["long"]
    reply = student.run(of_a_parameter, embeddings=embeddings.double())
    found = expect_shape(reply, "similarity", **_count(embeddings))
    expect(found.dtype == torch.float64, sentences.float64_lost("similarity", found.dtype))
    expect(reply["device"] == "meta", sentences.other_device())
    expect_unchanged(student.run(compared, embeddings=embeddings), {"embeddings": embeddings})
