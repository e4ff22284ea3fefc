"""Expected tensors: what the instructor's solution answers, kept in safetensors files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Self

import torch
from safetensors.torch import load_file, save

from autograder.checking.asking import Reply
from autograder.checking.comparing import ATOL, RTOL, Compared, compare, comparisons
from autograder.checking.failures import CheckFailure
from autograder.errors import Ungraded, UsageError

Shapes = dict[str, tuple[int, ...]]
PARAMETER = "parameter"
ROUNDINGS = 8  # by which numbers of one dtype may differ between machines


class Expected:
    """The expected tensors of one question; a check compares replies with them by case."""

    recording = False
    """Whether expected tensors are being made: the one who is asked is the solution."""

    def __init__(self, tensors: dict[str, torch.Tensor], part: str = "") -> None:
        self.tensors = tensors
        self._part = part
        self._shapes: dict[str, Shapes] = {}

    def of(self, part: str) -> Self:
        """Those of a part of the question's checks, kept in the same file under its name."""
        if not part:
            return self
        other = type(self)(self.tensors, f"{self._part}{part}:")
        other._shapes = self._shapes
        return other

    @classmethod
    def load(cls, path: Path) -> Expected:
        """Those in `path`; none when the question's checks compare with no expected tensor."""
        return cls(load_file(path) if path.is_file() else {})

    def match(self, case: str, reply: Reply, *, atol: float = ATOL, rtol: float = RTOL) -> None:
        """Every tensor stored for `case` must be in the reply with the same values.

        Raises:
            CheckFailure: one differs, or is not there.
            Ungraded: nothing is stored for `case`.
        """
        start = f"{self._part}{case}."
        wanted = {
            key.removeprefix(start): tensor
            for key, tensor in self.tensors.items()
            if key.startswith(start)
        }
        if not wanted:
            raise Ungraded(f"no expected tensors for case '{case}': run `autograder expected`")
        for name, tensor in wanted.items():
            compare(name, reply.tensor(name), tensor, atol=atol, rtol=rtol)

    def stored(self, key: str) -> torch.Tensor | None:
        """The tensor stored under `key`, if there is one."""
        return self.tensors.get(f"{self._part}{key}")

    def match_one(
        self, key: str, name: str, found: torch.Tensor, *, atol: float = ATOL, rtol: float = RTOL
    ) -> None:
        """The tensor `found`, called `name`, must have the values stored under `key`.

        Raises:
            CheckFailure: it has not.
            Ungraded: nothing is stored under `key`.
        """
        if (wanted := self.stored(key)) is None:
            raise Ungraded(f"no expected tensor '{key}': run `autograder expected`")
        compare(name, found, wanted, atol=atol, rtol=rtol)

    def shapes_of(self, case: str, solution: Callable[[], Shapes]) -> Shapes:
        """The parameters of the solution's module in a case, by name, in their order.

        `solution` asks the solution itself, while expected tensors are made.
        """
        start = f"{self._part}{case}.{PARAMETER}."
        if known := self._shapes.get(start):
            return known
        found = {
            key.removeprefix(start): tuple(tensor.tolist())
            for key, tensor in self.tensors.items()
            if key.startswith(start)
        }
        self._shapes[start] = {name.partition(".")[2]: found[name] for name in sorted(found)}
        return self._shapes[start]

    def accepts(self, case: str, reply: Reply, *, atol: float = ATOL, rtol: float = RTOL) -> bool:
        """Whether `match` would pass."""
        try:
            self.match(case, reply, atol=atol, rtol=rtol)
        except CheckFailure:
            return False
        return True


class Recorder(Expected):
    """Stores what it is asked to match: a right solution makes the expected tensors."""

    recording = True

    def __init__(self, tensors: dict[str, torch.Tensor], part: str = "") -> None:
        super().__init__(tensors, part)
        self._tolerances: dict[str, tuple[float, float]] = {}
        self._matched: list[tuple[str, set[str]]] = []

    def of(self, part: str) -> Self:
        other = super().of(part)
        other._tolerances, other._matched = self._tolerances, self._matched
        return other

    def tolerances(self, key: str) -> tuple[float, float]:
        """How far from what is stored under `key` it may lie, absolutely and relatively.

        As far as the most generous who asks for it allows, and as machines differ in rounding.
        """
        atol, rtol = self._tolerances.get(key, (0.0, 0.0))
        dtype = self.tensors[key].dtype
        roundings = ROUNDINGS * torch.finfo(dtype).eps if dtype.is_floating_point else 0.0
        return max(atol, ATOL), max(rtol, RTOL, roundings)

    def match(self, case: str, reply: Reply, *, atol: float = ATOL, rtol: float = RTOL) -> None:
        """Stores every tensor of the reply.

        Raises:
            UsageError: there is something else in it, which would never be compared.
        """
        self._matched.append((f"{self._part}{case}.", set(reply)))
        for name in reply:
            if not isinstance(value := reply[name], torch.Tensor):
                raise UsageError(
                    f"`expected.match` compares tensors alone, and `{name}` is of type "
                    f"{type(value).__name__}: make it a tensor in the probe, or leave it out of "
                    "what is matched and judge it by `expect`"
                )
            self._store(f"{case}.{name}", value, atol=atol, rtol=rtol)
            comparisons.append(Compared(value))

    def match_one(
        self, key: str, name: str, found: torch.Tensor, *, atol: float = ATOL, rtol: float = RTOL
    ) -> None:
        self._store(key, found, atol=atol, rtol=rtol)
        comparisons.append(Compared(found))

    def shapes_of(self, case: str, solution: Callable[[], Shapes]) -> Shapes:
        if not (known := super().shapes_of(case, solution)):
            known = solution()
            for number, (name, shape) in enumerate(known.items()):
                key = f"{self._part}{case}.{PARAMETER}.{number:03}.{name}"
                self.tensors[key] = torch.tensor(shape, dtype=torch.int64)
        return known

    def _store(self, key: str, value: torch.Tensor, *, atol: float, rtol: float) -> None:
        key = f"{self._part}{key}"
        if value.is_floating_point() and (value.isnan().any() or _is_infinite(value)):
            raise UsageError(
                f"the solution gives infinite numbers, or NaN, for `{key}`: no answer can be "
                "compared with them; leave that case out by `without=` of the domain, or say what "
                "such an answer should be"
            )
        before = self._tolerances.get(key, (0.0, 0.0))
        self._tolerances[key] = max(atol, before[0]), max(rtol, before[1])
        if key in self.tensors:
            compare(key, value, self.tensors[key], atol=atol, rtol=rtol)
        else:
            self.tensors[key] = value

    def expect_matchable(self) -> None:
        """Looks at what is stored for each case that was matched: all of it will be asked for.

        Raises:
            UsageError: a check gave less than that, so that no answer would pass it.
        """
        for start, names in self._matched:
            stored = {key for key in self.tensors if key.startswith(start)}
            if other := sorted(stored - {f"{start}{name}" for name in names}):
                raise UsageError(
                    f"other checks store `{other[0]}` for the case `{start[:-1]}`, which an "
                    "`expected.match` gives without it: call one of the cases otherwise; a battery "
                    "has cases of its own, like `example` and `long`"
                )

    def as_bytes(self) -> bytes:
        """The safetensors file: the same bytes for the same tensors."""
        data: bytes = save({name: self.tensors[name] for name in sorted(self.tensors)})
        return data


def _is_infinite(found: torch.Tensor) -> bool:
    """Whether there are numbers, and no finite one among them."""
    return found.numel() > 0 and not found.isfinite().any()
