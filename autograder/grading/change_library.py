"""Telling which kind of small change makes a right answer reply as a wrong one did.

Theory of operation. Of every small change to the solution (`mutations`) only the prints are kept of
what its probes bring back, check by check. An answer that fails the same checks with the same
prints shows that kind of change.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save

from autograder.checking.kinds import told
from autograder.grading.prints import DIGEST_BYTES, SUMS, Print, Prints
from autograder.grading.transcripts import Transcript, Transcripts, same
from autograder.results.fingerprint import DECIMALS, TOLERANCE, Fingerprint
from autograder.results.model import CheckResult, Diagnosis

PASSES, SILENT = -2, -1  # a check that the changed answer passes; fails with the right replies


@dataclass(frozen=True)
class RepliesOfChange:
    """Changes to the solution that reply alike.

    Attributes:
        kinds: each change's kind, and the word of the question at its place; empty for none.
        prints: by failed check, the fingerprint; None where it replies as the right answer does.
    """

    kinds: frozenset[tuple[str, str]]
    prints: Mapping[str, Print | None]


def change(kind: str, word: str, failed: Transcripts, right: Transcripts) -> RepliesOfChange:
    """One change that says `failed` in the checks it fails, where the right answer says `right`."""
    prints = {
        check: None if same(said, right.get(check, ())) else Print.of(said)
        for check, said in failed.items()
    }
    return RepliesOfChange(frozenset([(kind, word)]), prints)


@dataclass
class Library:
    """The changes to one question's solution.

    Attributes:
        checks: names of the checks, in the order of the columns.
        kinds: of each change.
        rows: (changes, checks): the number of a print, `PASSES` or `SILENT`.
        digests: of the prints, (prints, DIGEST_BYTES), uint8.
        sums: (prints, SUMS), float32.
    """

    checks: list[str] = field(default_factory=list)
    kinds: list[frozenset[tuple[str, str]]] = field(default_factory=list)
    rows: torch.Tensor = field(default_factory=lambda: torch.zeros(0, 0, dtype=torch.int16))
    digests: torch.Tensor = field(default_factory=lambda: torch.zeros(0, DIGEST_BYTES).byte())
    sums: torch.Tensor = field(default_factory=lambda: torch.zeros(0, SUMS))

    @classmethod
    def of(cls, changes: Sequence[RepliesOfChange]) -> Library:
        """Those of `changes` that fail a check, each kind of reply once."""
        checks = sorted({check for one in changes for check in one.prints})
        prints = Prints()
        kinds: dict[tuple[int, ...], frozenset[tuple[str, str]]] = {}

        def number(found: Print | None) -> int:
            return SILENT if found is None else prints.number(found)

        for one in changes:
            row = tuple(number(one.prints[c]) if c in one.prints else PASSES for c in checks)
            if any(place >= 0 for place in row):
                kinds[row] = kinds.get(row, frozenset()) | one.kinds
        if not kinds:
            return cls()
        rows = torch.tensor(list(kinds), dtype=torch.int16)
        return cls(checks, list(kinds.values()), rows, **prints.tensors())

    def matching(
        self,
        prints: Mapping[str, Print | None],
        failed: Collection[str],
        telling: Collection[str] | None = None,
    ) -> frozenset[tuple[str, str]]:
        """The kinds of the changes that fail just the `failed` checks, and have these `prints`.

        One of the `telling` prints, or of all, has to be another than that of the right answer.
        """
        if not self.kinds or not set(failed) <= set(self.checks):
            return frozenset()
        matches = torch.ones(len(self.kinds), dtype=torch.bool)
        tells = torch.zeros_like(matches)
        for column, check in enumerate(self.checks):
            places = self.rows[:, column].long()
            if check not in failed:
                matches &= places == PASSES
            elif check in prints:
                matches &= self._equal(places, prints[check])
                if telling is None or check in telling:
                    tells |= places >= 0
            else:
                matches &= places != PASSES
        found = [self.kinds[row] for row in (matches & tells).nonzero().flatten().tolist()]
        return frozenset().union(*found)

    def may_match(self, found: Mapping[str, Print | None], passed: Collection[str]) -> bool:
        """Whether a change passes the `passed` checks and has the prints `found` of others."""
        if not self.kinds or not found.keys() <= set(self.checks):
            return False
        matches = torch.ones(len(self.kinds), dtype=torch.bool)
        for column, check in enumerate(self.checks):
            places = self.rows[:, column].long()
            if check in passed:
                matches &= places == PASSES
            elif check in found:
                matches &= self._equal(places, found[check])
        return bool(matches.any())

    def _equal(self, places: torch.Tensor, mine: Print | None) -> torch.Tensor:
        if mine is None:
            return places == SILENT
        digest = torch.tensor(list(mine.digest), dtype=torch.uint8)
        equal = (self.digests == digest).all(dim=1)
        equal &= ((self.sums - mine.sums).abs() <= TOLERANCE).all(dim=1)
        return torch.where(places >= 0, equal[places.clamp(min=0)], places == SILENT)

    def as_bytes(self) -> bytes:
        """A safetensors file."""
        told = {"checks": self.checks, "kinds": [sorted(kinds) for kinds in self.kinds]}
        tensors = {"rows": self.rows, "digests": self.digests, "sums": self.sums}
        data: bytes = save(tensors, {"kinds": json.dumps(told)})
        return data

    @classmethod
    def load(cls, path: Path) -> Library:
        """What `as_bytes` wrote to `path`; an empty one when there is no file."""
        if not path.is_file():
            return cls()
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in ("rows", "digests", "sums")}
            said = json.loads(file.metadata()["kinds"])
        kinds = [frozenset((kind, word) for kind, word in row) for row in said["kinds"]]
        return cls(said["checks"], kinds, **tensors)


def name_kinds(
    checks: Sequence[CheckResult], heard: Mapping[str, Transcript], library: Library
) -> list[CheckResult]:
    """`checks` of one question, the failed ones without a diagnosis with the kind they show.

    It is told only where one kind explains all of them, and of those alone in which nothing was
    raised and no time ran out: of an error a print knows no more than the name.
    """
    if not library.kinds:
        return list(checks)
    failed = [check for check in checks if not check.passed]
    prints = {c.name: Print.of(heard.get(c.name, ())) for c in failed if c.diagnosis is None}
    telling = {c.name for c in failed if c.name in prints and c.status == "wrong"}
    found = library.matching(prints, [check.name for check in failed], telling)
    said = told([kind for kind, _ in found], [word for _, word in found]) if found else None
    if said is None:
        return list(checks)
    diagnosis = Diagnosis("kind", *said)
    return [replace(one, diagnosis=diagnosis) if one.name in telling else one for one in checks]


def fingerprint(
    checks: Sequence[CheckResult], heard: Mapping[str, Transcript]
) -> Fingerprint | None:
    """Of what an answer replied to those of `checks` that it failed; None when it failed none."""
    prints = {c.name: Print.of(heard.get(c.name, ())) for c in checks if not c.passed}
    if not prints:
        return None
    exact = json.dumps([[name, one.digest.hex()] for name, one in prints.items()])
    sums = torch.cat([one.sums for one in prints.values()]).tolist()
    digest = hashlib.sha256(exact.encode()).hexdigest()[: 2 * DIGEST_BYTES]
    return Fingerprint(digest, [round(one, DECIMALS) for one in sums])
