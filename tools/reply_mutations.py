"""Right replies with one value replaced, for checks to judge without raising anything odd.

The solution's replies are recorded once. A mutation then stands for what a strange answer could
send, and the checks of its question judge the recorded replies with that one in its place.
"""

from __future__ import annotations

import hashlib
import inspect
import pickle
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from autograder.box.probes import ProbeRun
from autograder.checking.asking import Reply, reply_or_failure
from autograder.checking.comparing import comparisons
from autograder.checking.expected import Expected
from autograder.checking.failures import CheckFailure
from autograder.checking.probing import Probe
from autograder.course.assignments import Assignment, Course
from autograder.course.cells import CHECK_PREFIX
from autograder.grading.check_package import CheckPackage
from autograder.grading.grader import Grader
from autograder.grading.judge import CHECK_SECONDS, Findings, Judge
from autograder.grading.patience import Patience
from autograder.grading.session import Session
from autograder.grading.transcripts import Heard, Utterance

ROOT = Path(__file__).resolve().parent.parent
GONE = object()
OTHER_VALUES: dict[str, Any] = {
    "gone": GONE,
    "a list": list,
    **{
        f"value {value!r}": value
        for value in (None, True, False, 0, -1, 7, 10**30, 0.5, -1e308, "", "meta", "\u00e9" * 3)
    },
    "a number": torch.tensor(1.0),
    "no number": torch.zeros(0),
    "a truth": torch.tensor([[True]]),
    "far apart": torch.tensor([-1, 10**15]),
    "a table of NaN": torch.full((2, 3), torch.nan),
    "eight dimensions": torch.ones(1, 1, 1, 1, 1, 1, 1, 1),
    "a complex number": torch.tensor([1 + 2j]),
    "too many bytes": torch.zeros(2**25, dtype=torch.uint8),
}
OTHER_TENSORS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "long": lambda t: _real(t).long(),
    "bool": lambda t: _real(t) > 0,
    "half": lambda t: _real(t).half(),
    "double": lambda t: _real(t).double(),
    "bytes": lambda t: _real(t).to(torch.uint8),
    "complex": lambda t: _real(t).float() * 1j,
    "nan": lambda t: torch.full_like(_real(t), torch.nan, dtype=torch.float32),
    "infinite": lambda t: torch.full_like(_real(t), torch.inf, dtype=torch.float32),
    "huge": lambda t: torch.full_like(_real(t).long(), 10**12),
    "negative": lambda t: -1 - _real(t).long(),
    "empty": lambda t: t[..., :0] if t.dim() else t.reshape(1)[:0],
    "first": lambda t: t[:1] if t.dim() else t.reshape(1),
    "none": lambda t: t[:0] if t.dim() else t.reshape(1)[:0],
    "one": lambda t: t.reshape(-1)[:1].reshape(()) if t.numel() else torch.tensor(0.0),
    "flat": lambda t: t.reshape(-1),
    "deeper": lambda t: t[None],
    "turned": lambda t: t.transpose(0, -1).contiguous() if t.dim() else t.reshape(1, 1),
    "twice": lambda t: torch.cat([t, t]) if t.dim() else torch.stack([t, t]),
}


def _real(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.real if tensor.is_complex() else tensor


@dataclass(frozen=True)
class Mutation:
    """One replaced value: in which reply to which check of which question, and by what."""

    slug: str
    check: str
    reply: int
    key: str
    how: str


class _Stand:
    """What any `Student` does beside answering probes; a box's is never without an answer here."""

    def __init__(self, slug: str, check: str) -> None:
        self._current = slug, check

    def why_missing(self, name: str) -> str:
        """The solution defines all names."""
        raise AssertionError(f"{name} is missing")

    def expect_cell_ran(self, so: str) -> None:
        """Those of the solution did."""

    def note(self, tensors: Mapping[str, torch.Tensor], facts: Mapping[str, Any]) -> None:
        """As a session does, and forgets it."""
        Heard().note(*self._current, tensors, facts)


class _Recording(_Stand):
    """Asks a session for one check; what an earlier check asked for in the same words is known."""

    def __init__(self, session: Session, known: dict[str, ProbeRun], slug: str, check: str) -> None:
        super().__init__(slug, check)
        self._session, self._known = session, known
        self.kept: list[ProbeRun] = []
        session.begin(slug, check)

    def run(self, probe: Probe, **inputs: Any) -> Reply:
        asked = hashlib.sha256(pickle.dumps((probe.source, inputs))).hexdigest()
        if asked not in self._known:
            tensors, rest = self._session.run(probe, **inputs).parts()
            self._known[asked] = ProbeRun(dict(tensors), dict(rest["values"]), dict(rest["kinds"]))
        self.kept.append(self._known[asked])
        return Reply(self.kept[-1])


class Replies(_Stand):
    """Answers one check with recorded replies, one of them mutated."""

    def __init__(self, recorded: Sequence[ProbeRun], mutation: Mutation) -> None:
        super().__init__(mutation.slug, mutation.check)
        self._recorded, self._mutation = recorded, mutation
        self._asked = 0

    def run(self, probe: Probe, **inputs: Any) -> Reply:
        """The next recorded reply; what was not recorded fails the check, as a hang would."""
        if self._asked >= len(self._recorded):
            raise CheckFailure("nothing was recorded", "crash")
        found = self._recorded[self._asked]
        if self._asked == self._mutation.reply:
            found = mutated(found, self._mutation.key, self._mutation.how)
            Utterance.of(found)
        self._asked += 1
        return reply_or_failure(found)


class Checks:
    """The checks of an assignment beside the replies of its solution.

    Attributes:
        heard: the replies, in order, by question and check.
    """

    def __init__(self, assignment: Assignment) -> None:
        """Asks the solution, which must pass each check."""
        slugs = [question.slug for question in assignment.questions]
        files = {slug: assignment.check_file(slug) for slug in slugs}
        package = CheckPackage(assignment.checks)
        self._judge = Judge([*files.values()], package)
        self._modules = {slug: package.module(file) for slug, file in files.items()}
        self._patience = Patience(CHECK_SECONDS)
        self._expected_of = {s: Expected.load(assignment.expected_file(s)) for s in slugs}.get
        self.heard: dict[str, dict[str, list[ProbeRun]]] = {}
        with Grader(assignment) as grader, grader.session(assignment.solved) as session:
            session.run_cells()
            for slug, module in self._modules.items():
                known: dict[str, ProbeRun] = {}
                self.heard[slug] = {}
                for name in [name for name in vars(module) if name.startswith(CHECK_PREFIX)]:
                    check = name.removeprefix(CHECK_PREFIX)
                    asking = _Recording(session, known, slug, check)
                    self._call(slug, check, asking)
                    self.heard[slug][check] = asking.kept

    def mutations(self) -> Iterator[Mutation]:
        """Every one, question by question."""
        for slug, checks in self.heard.items():
            for check, replies in checks.items():
                for number, found in enumerate(replies):
                    for key in [*found.tensors, *found.values]:
                        for how in [
                            *OTHER_VALUES,
                            *(OTHER_TENSORS if key in found.tensors else []),
                        ]:
                            yield Mutation(slug, check, number, key, how)

    def of_each_kind(self, count: int, chance: random.Random) -> list[Mutation]:
        """For each question and each way to replace a value so many mutations, by chance."""
        kinds: dict[tuple[str, str], list[Mutation]] = {}
        for one in self.mutations():
            kinds.setdefault((one.slug, one.how), []).append(one)
        return [one for alike in kinds.values() for one in chance.sample(alike, count)]

    def raised(self, mutation: Mutation) -> Exception | None:
        """What its check raises other than an assertion, called as pytest would call it.

        pytest itself takes most of the time of `judged`.
        """
        comparisons.clear()
        try:
            with self._patience.with_this_thread(), suppress(AssertionError):
                self._call(mutation.slug, mutation.check, self._replies(mutation))
        except Exception as error:
            return error
        return None

    def judged(self, mutation: Mutation) -> Findings:
        """What its check finds."""
        return self._judge.findings(
            mutation.slug,
            self._replies(mutation),
            self._expected_of,
            lambda slug, check: None,
            only=mutation.check,
        )

    def _replies(self, mutation: Mutation) -> Replies:
        return Replies(self.heard[mutation.slug][mutation.check], mutation)

    def _call(self, slug: str, check: str, student: _Recording | Replies) -> None:
        function = getattr(self._modules[slug], CHECK_PREFIX + check)
        given = {"student": student, "expected": self._expected_of(slug)}
        wanted = inspect.signature(function).parameters
        function(**{name: given[name] for name in wanted})


def mutated(found: ProbeRun, key: str, how: str) -> ProbeRun:
    """The reply with something else under `key`: a tensor, a value, a type's name, or nothing."""
    other = OTHER_VALUES[how] if how in OTHER_VALUES else OTHER_TENSORS[how](found.tensors[key])
    left = ProbeRun(
        {name: tensor for name, tensor in found.tensors.items() if name != key},
        {name: value for name, value in found.values.items() if name != key},
    )
    if isinstance(other, torch.Tensor):
        left.tensors[key] = other
    elif other is list:
        left.kinds[key] = "list"
    elif other is not GONE:
        left.values[key] = other
    return left


def main(seconds: float) -> int:
    """Judges mutations of every assignment for its share of `seconds`; 1 when a check raised."""
    course = Course(ROOT)
    share = seconds / len(course.assignment_ids())
    broken = 0
    for name in course.assignment_ids():
        checks = Checks(course.assignment(name))
        mutations = list(checks.mutations())
        random.shuffle(mutations)
        end = time.monotonic() + share
        for mutation in mutations:
            if time.monotonic() > end:
                break
            if raised := checks.raised(mutation):
                print(f"{name}: {mutation}: {raised}")
                broken = 1
    return broken


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))
