"""What check files are written with: probes, replies, and assertions whose text students may read.

A check is a pytest test in `checks/<assignment>/check_<slug>.py`. Its function is named
`check_<name>`, its docstring's first line tells the student what it looks at, `@points` says what
it is worth. It asks the student's code through probes (`student.run(probe, **inputs)`) and judges
the reply, either against expected tensors (`expected.match`) or by a property that holds for any
right answer (`expect`, `expect_shape`, `expect_close`).
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from errno import EAGAIN, EFBIG, ENOSPC
from functools import partial
from typing import Any, Protocol, Self, overload

import pytest
import torch

from autograder.box.probes import ProbeRun, Scalar
from autograder.checking.kinds import OBSERVED
from autograder.course.limits import Limits
from autograder.results import sentences
from autograder.results.model import ErrorMap, Status

points = pytest.mark.points
values = pytest.mark.values

UNFIT = ("AttributeError", "IndexError", "KeyError", "TypeError")  # what an unfit answer raises


class Seen(str):
    """A sentence of a check that names a mistake by itself, with where to look for it.

    Attributes:
        name: of the mistake.
        hint: where to look; that of `kinds.OBSERVED` where none is given.
    """

    name: str
    hint: str

    def __new__(cls, sentence: str, name: str, hint: str = "") -> Self:
        made = super().__new__(cls, sentence)
        made.name, made.hint = name, hint or OBSERVED[name]
        return made


class CheckFailure(AssertionError):
    """A check did not hold; the text is for the student.

    Attributes:
        status: what stood in the way; "wrong" for a wrong answer.
        error_map: where compared values are wrong.
        observed: what was seen to be wrong, a name in `kinds.OBSERVED` or that of a sentence that
            is `Seen`; empty for nothing of these.
        hint: where to look for what was seen.
    """

    def __init__(
        self,
        sentence: str,
        status: Status = "wrong",
        error_map: ErrorMap | None = None,
        observed: str = "",
    ) -> None:
        super().__init__(sentence)
        self.status = status
        self.error_map = error_map
        self.observed, self.hint = observed, OBSERVED.get(observed, "")
        if isinstance(sentence, Seen):
            self.observed, self.hint = sentence.name, sentence.hint

    def anew(self, sentence: str = "", observed: str = "") -> CheckFailure:
        """The same, in other words if any are given; `observed` where nothing was seen before.

        It is without the frames of whoever raised it, which hold all that they knew.
        """
        said = sentence or self.args[0]
        return CheckFailure(said, self.status, self.error_map, self.observed or observed)


class MissingAnswer(CheckFailure):
    """The notebook does not define what a probe asked for.

    Attributes:
        name: what is not defined.
    """

    def __init__(self, name: str) -> None:
        super().__init__(sentences.missing_name(name), "error")
        self.name = name


class Probe:
    """A function that runs next to the student's code; only its source travels.

    Attributes:
        takes: names of what it asks for, beside its first parameter.
        silent: whether its replies are no part of what tells one mistake from another.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        uses: Sequence[Callable[..., Any]] = (),
        silent: bool = False,
    ) -> None:
        """`uses`: classes and functions that travel along, each as bare as the probe."""
        self.name = function.__name__
        self.takes = _named_parameters(function)
        self.source = "\n".join(_bare_source(part) for part in (*uses, function))
        self.silent = silent


def _named_parameters(function: Callable[..., Any]) -> frozenset[str]:
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return frozenset(one.name for one in parameters if one.kind is not one.VAR_KEYWORD)


@overload
def probe(function: Callable[..., dict[str, Any]]) -> Probe: ...


@overload
def probe(
    *, uses: Sequence[Callable[..., Any]] = ..., silent: bool = ...
) -> Callable[[Callable[..., dict[str, Any]]], Probe]: ...


def probe(
    function: Callable[..., dict[str, Any]] | None = None,
    *,
    uses: Sequence[Callable[..., Any]] = (),
    silent: bool = False,
) -> Probe | Callable[[Callable[..., dict[str, Any]]], Probe]:
    """Marks a function of (answers, **inputs) as a probe.

    It may use `torch` and `nn`, imports of its own, and the classes and functions that it names as
    `uses`, nothing else of its module. `answers` has the student's names as attributes. It returns
    a dict of tensors, numbers, strings, booleans. `silent`: see `Probe`.
    """
    if function is None:
        return partial(Probe, uses=uses, silent=silent)
    return Probe(function, uses=uses, silent=silent)


def _bare_source(function: Callable[..., Any]) -> str:
    """Without decorators and annotations, whose names the box does not know."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    for part in ast.walk(tree):
        if isinstance(part, ast.FunctionDef):
            part.decorator_list, part.returns = [], None
        elif isinstance(part, ast.arg):
            part.annotation = None
    return ast.unparse(tree)


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
    status = _exceeded(name, text)
    if limits is not None and status != "error":
        raise CheckFailure(sentences.lost(status, limits, "Your code"), status)
    if name in UNFIT and not run.error["lines"]:  # in the probe, and not in the student's code
        raise CheckFailure(sentences.unfit(name, text), status)
    said = sentences.raised(name, text, run.error["lines"])
    if limits is not None and _wants_processes(name, text):
        said = f"{said}\n{sentences.processes(limits)}"
    raise CheckFailure(said, status)


def _exceeded(name: str, text: str) -> Status:
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


def expect(holds: bool | torch.Tensor, sentence: str) -> None:
    """Fails the check with `sentence` unless it holds; a tensor does when it is a single truth."""
    single = not isinstance(holds, torch.Tensor) or holds.numel() == 1
    if not (single and bool(holds)):
        raise CheckFailure(sentence)


def first_that_holds(attempts: Sequence[Callable[[], None]]) -> None:
    """Passes when one of several right ways holds; otherwise fails as the first one did."""
    failures: list[CheckFailure] = []
    for attempt in attempts:
        try:
            return attempt()
        except CheckFailure as failure:
            failures.append(failure)
    raise failures[0]
