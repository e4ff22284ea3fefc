"""One submission under way: its cells, and who answers the probes of its checks.

Theory of operation. The cells run (see `run_of_cells`). Then the probes run, in the box in which
the last cell ran. One that breaks it costs its own question; whoever asks for the others had better
open another session (see `alone`), because here all cells would be replayed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from nbformat import NotebookNode

from autograder.box.outside.client import BoxLost
from autograder.box.probes import Scalar
from autograder.checking.asking import OneCheck, Reply, Student, reply_or_failure
from autograder.checking.failures import CheckFailure, MissingAnswer
from autograder.checking.probing import Probe, expect_probe
from autograder.course.cells import cell_magic, grade_id
from autograder.grading.run_of_cells import RunOfCells, Terms
from autograder.grading.transcripts import Heard, Utterance
from autograder.results import sentences

DEFINING = {"%%time", "%%capture", "%%prun"}  # what these run, they run in the notebook
TIMING = {"%%timeit"}  # what this runs may raise, and defines nothing


class Session(RunOfCells):
    """Answers the probes of a notebook's checks (a `Student`), once its cells have run.

    Attributes:
        heard: what the probes of each check brought back.
        sent: the tensors that went down with the probes of each question, by slug.
        undefined: slugs of questions whose checks asked for a name that nothing defines.
        emptied: slugs of those of them whose own cell holds no code.
        broken: whether a probe has cost the box in which the cells ran.
        raised_in: the probe of each question, by slug, in which an error was raised last, and where
            in it.
        spent_by_probes: seconds of the processor of the longest probe of each question, by slug.
    """

    def __init__(self, terms: Terms, notebook: NotebookNode) -> None:
        """Nothing runs yet."""
        super().__init__(terms, notebook)
        self._probes: Counter[str] = Counter()
        self._before: dict[tuple[str, str], int] = {}
        self._current = ("", "")
        self.heard = Heard()
        self.sent: dict[str, list[torch.Tensor]] = {}
        self.undefined: set[str] = set()
        self.emptied: set[str] = set()
        self.broken = False
        self.spent_by_probes: dict[str, float] = {}
        self.raised_in: dict[str, str] = {}

    def answer_again(self, slug: str, source: str) -> Student:
        """Runs another answer to a question where its cell ran, and gives who may be asked then.

        What was asked of the last one is forgotten.
        """
        (number,) = [n for n, cell in enumerate(self._cells) if grade_id(cell) == slug]
        self._cells[number].source = source
        self._skipped.discard(number)
        for forgotten in (self.lost, self._raised, self.sent):
            forgotten.pop(slug, None)
        self.heard.forget(slug)
        self.errors.discard(slug)
        try:
            self._run_cell(self._ready_box(), self._cells[number])
        except BoxLost as loss:
            self._lose_cell(number, loss)
        return _Again(self)

    def anew(self) -> Student:
        """This session as one whom the checks of a question have not met."""
        return _Anew(self)

    def branched(self, cells: Sequence[NotebookNode]) -> Session:
        """A session that goes on with `cells` in a fork of this one's box.

        Nothing may be asked of this one until it has ended. It has a submission's time.
        """
        terms = replace(self._terms, deadline=None, own=None)
        other = Session(terms, NotebookNode(cells=[*self._cells, *cells]))
        other._box, other._reached = self._ready_box().branch(), self._reached
        return other

    def give_up(self, slug: str, why: str) -> None:
        """Answers no probe of a question, for want of time; `why` is told."""
        self.lost[slug] = ("timeout", why)

    def begin(self, slug: str, check: str) -> None:
        """Says for which check of which question the next probes run."""
        self._current = slug, check
        self._probes[slug] = self._before.setdefault((slug, check), self._probes[slug])

    def run(self, probe: Probe, **inputs: torch.Tensor | Scalar) -> Reply:
        """See `autograder.checking.Student`."""
        expect_probe(probe, inputs)
        slug, _ = self._current
        if slug in self.lost:
            status, sentence = self.lost[slug]
            raise CheckFailure(sentence, status)
        given = [value for value in inputs.values() if isinstance(value, torch.Tensor)]
        self.sent.setdefault(slug, []).extend(given)
        self._probes[slug] += 1
        seed = self._probes[slug]  # the same in every submission, so that mistakes compare
        try:
            box = self._ready_box()
            seconds = self._terms.pace.of_probe(slug)
            found = box.run_probe(probe.source, probe.name, inputs, self._deadline, seed, seconds)
        except BoxLost as loss:
            self._box, self.broken = None, True
            why = self._why(loss, "Your code")
            self.lost[slug] = (loss.status, why)
            if loss.status == "timeout" and loss.seconds is not None:
                self.hung.add(slug)
            raise CheckFailure(why, loss.status) from loss
        self.spent_by_probes[slug] = max(self.spent_by_probes.get(slug, 0.0), box.spent)
        if not probe.silent:
            self.heard.hear(*self._current, Utterance.of(found))
        if found.error is not None:
            self.raised_in[slug] = probe.told(found.error["probe_line"])
        try:
            return reply_or_failure(found, self._limits)
        except MissingAnswer as missing:
            self.undefined.add(slug)
            raise CheckFailure(self.why_missing(missing.name), missing.status) from missing

    def why_missing(self, name: str) -> str:
        """See `autograder.checking.Student`: the question's own cell may have raised."""
        slug, _ = self._current
        cell, raised = self._cell_of(slug), self._raised.get(slug)
        magic = cell_magic(cell)
        if magic and magic not in (DEFINING | TIMING if raised else DEFINING):
            return sentences.kept_by_magic(name, magic)
        if raised:
            return sentences.cell_raised(*raised, sentences.not_defined(name))
        if not magic and all(line.lstrip()[:1] in ("", "#") for line in cell.source.splitlines()):
            self.emptied.add(slug)
            return sentences.unanswered()
        return sentences.missing_name(name)

    def _cell_of(self, slug: str) -> NotebookNode:
        return next(cell for cell in self._cells if grade_id(cell) == slug)

    def expect_cell_ran(self, so: str) -> None:
        """See `autograder.checking.Student`."""
        if raised := self._raised.get(self._current[0]):
            raise CheckFailure(sentences.cell_raised(*raised, so), "error")

    def note(self, tensors: Mapping[str, torch.Tensor], facts: Mapping[str, Any]) -> None:
        """See `autograder.checking.Student`."""
        self.heard.note(*self._current, tensors, facts)


class _Anew:
    """The same session, whom checks have not met."""

    def __init__(self, session: Session) -> None:
        self.run = session.run
        self.note = session.note
        self.why_missing = session.why_missing
        self.expect_cell_ran = session.expect_cell_ran


class _Again(_Anew, OneCheck):
    """The same for one check at a time."""
