"""Who answers the probes of a check, what they bring back, and what it means when they raise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from errno import EAGAIN, EFBIG, ENOSPC
from typing import Any, Protocol, Self

import torch

from autograder.box.probes import ProbeRun, Scalar
from autograder.checking.failures import CheckFailure, MissingAnswer
from autograder.checking.probing import Probe
from autograder.course.limits import Limits
from autograder.results import sentences
from autograder.results.model import Status

UNTRACED = ("RecursionError", "MemoryError")  # which end wherever they happen to


class Reply(Mapping[str, "torch.Tensor | Scalar"]):
    """What a probe brought back, by name; asking for what is not there fails the check."""

    def __init__(self, run: ProbeRun) -> None:
        self._run = run

    @classmethod
    def of(cls, tensors: dict[str, torch.Tensor]) -> Self:
        """A reply that holds `tensors` alone."""
        return cls(ProbeRun(tensors))

    def __getitem__(self, name: str) -> torch.Tensor | Scalar:
        if name in self._run.tensors:
            return self._run.tensors[name]
        if name in self._run.values:
            return self._run.values[name]
        if name in self._run.kinds:
            raise CheckFailure(sentences.not_a_tensor(name, self._run.kinds[name]))
        raise CheckFailure(sentences.missing_value(name))

    def __contains__(self, name: object) -> bool:
        run = self._run
        return name in run.tensors or name in run.values or name in run.kinds

    def __iter__(self) -> Iterator[str]:
        return iter([*self._run.tensors, *self._run.values, *self._run.kinds])

    def __len__(self) -> int:
        return len(self._run.tensors) + len(self._run.values) + len(self._run.kinds)

    def parts(self) -> tuple[Mapping[str, torch.Tensor], Mapping[str, Any]]:
        """Its tensors, and all else that tells it from other replies."""
        return self._run.tensors, {"values": self._run.values, "kinds": self._run.kinds}

    def tensor(self, name: str) -> torch.Tensor:
        """The tensor called `name`; the check fails when it is something else."""
        value = self[name]
        if not isinstance(value, torch.Tensor):
            raise CheckFailure(sentences.not_a_tensor(name, type(value).__name__))
        return value

    def floats(self, name: str) -> torch.Tensor:
        """The floating-point tensor `name`, of any sizes, in float64."""
        tensor = self.tensor(name)
        if not tensor.is_floating_point():
            raise CheckFailure(sentences.dtype(name, tensor.dtype, torch.float32))
        return tensor.double()

    def number(self, name: str) -> float:
        """The floating-point tensor `name`, which must be a single number."""
        tensor = self.floats(name)
        if tensor.numel() != 1:
            raise CheckFailure(sentences.plain_shape(name, tensor.shape, torch.Size()))
        return tensor.item()


class Student(Protocol):
    """Where a check asks: the box while grading, the live kernel while authoring."""

    def run(self, probe: Probe, **inputs: torch.Tensor | Scalar) -> Reply:
        """The reply of `probe` on `inputs`.

        Raises:
            CheckFailure: the student's code raised, hung, or broke off.
        """

    def why_missing(self, name: str) -> str:
        """A sentence about `name`, which the notebook does not define."""

    def expect_cell_ran(self, so: str) -> None:
        """Fails the check where the question's own cell raised; `so` says what is not there then.

        Raises:
            CheckFailure: it did.
        """

    def note(self, tensors: Mapping[str, torch.Tensor], facts: Mapping[str, Any]) -> None:
        """Keeps what tells this answer from others, in the check that is running."""


class OneCheck:
    """Marks a `Student` of whom a check asks no more than it looks at itself."""


def reply_or_failure(run: ProbeRun, limits: Limits | None = None) -> Reply:
    """The reply in `run`, or the failure that the student's exception amounts to.

    `limits` are those that the student's code ran under, if any.
    """
    if run.error is None:
        return Reply(run)
    name, text = run.error["name"], run.error["text"]
    if name == "MissingName":
        raise MissingAnswer(text)
    if name == "NotImplementedError" and not text:  # torch says by the same name what it cannot do
        raise CheckFailure(sentences.not_implemented(), "error")
    status = exceeded(name, text)
    if limits is not None and status != "error":
        raise CheckFailure(sentences.lost(status, limits, "Your code"), status)
    by_student = run.error["lines"] or name in UNTRACED or _wants_processes(name, text)
    if not by_student:  # it was raised in the probe, over what the answer gave
        raise CheckFailure(sentences.unfit(name, text), status)
    said = sentences.raised(name, text, run.error["lines"])
    if limits is not None and _wants_processes(name, text):
        said = f"{said}\n{sentences.processes(limits)}"
    raise CheckFailure(said, status)


def exceeded(name: str, text: str) -> Status:
    """The status of an exception: that of the limit which it shows to be exceeded, or "error"."""
    if name == "MemoryError" or (name == "RuntimeError" and "allocate memory" in text):
        return "memory"
    if name == "OSError" and text.startswith((f"[Errno {ENOSPC}]", f"[Errno {EFBIG}]")):
        return "output"
    return "error"


def _wants_processes(name: str, text: str) -> bool:
    return (name == "RuntimeError" and "can't start new thread" in text) or (
        name == "BlockingIOError" and text.startswith(f"[Errno {EAGAIN}]")
    )
