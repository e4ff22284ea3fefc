"""What every door says of a class, read as those who come through it read it."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Collection, Mapping
from html import unescape
from pathlib import Path

import nbgrader.apps as nbgraders
from nbgrader.api import Gradebook
from nbgrader.apps.baseapp import NbGrader

from autograder.cli import main
from autograder.results.stored import read_result

APPS: dict[str, type[NbGrader]] = {
    "generate_assignment": nbgraders.GenerateAssignmentApp,
    "autograde": nbgraders.AutogradeApp,
    "generate_feedback": nbgraders.GenerateFeedbackApp,
    "export": nbgraders.ExportApp,
}
EXPORTERS = ("Canvas", "Moodle", "Questions")
TOTAL = re.compile(r'<p class="number"><b>([\d.]+)</b> <span>of ([\d.]+) points')
ROW = re.compile(
    r'<a href="#question-\d+">([^<]+)</a>.*?<span class="score">(.*?)</span>', re.DOTALL
)
STANDING = re.compile(
    r'<tr><th scope="row" class="sticky">(.*?)</th>\s*<td class="number"><strong>([\d.]+)</strong>'
    r"(.*?)</tr>",
    re.DOTALL,
)


def typed(line: str) -> int:
    """Runs one command of the pages in this process; its exit code."""
    program, *words = line.split()
    if program == "autograder":
        return main(words)
    app = APPS[words[0]]()
    app.initialize(words[1:])
    try:
        app.start()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def commands(page: Path, title: str) -> list[str]:
    """The commands of a section of a page, in their order."""
    section = page.read_text().partition(f"## {title}\n")[2].partition("\n## ")[0]
    found = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    return [line.partition("  #")[0].strip() for block in found for line in block.splitlines()]


class Doors:
    """The doors of one assignment with one notebook, in the course of the working folder."""

    def __init__(self, assignment: str, notebook: str | None = None) -> None:
        self.assignment, self.notebook = assignment, notebook or assignment
        self.folder = Path.cwd()

    def expect(
        self,
        totals: Mapping[str, float],
        *,
        waiting: Collection[str] = (),
        again: Collection[str] = (),
    ) -> None:
        """Opens every door: all say these totals, who waits, and who is to be looked at again."""
        for line in (
            f"nbgrader generate_feedback {self.assignment} --force",
            f"autograder report {self.assignment}",
            "nbgrader export --to=grades.csv",
            *(
                f"nbgrader export --exporter=autograder.nbgrader.exporters.{name}Exporter "
                f"--assignment={self.assignment} --to={name}.csv"
                for name in EXPORTERS
            ),
        ):
            assert typed(line) == 0, line
        points = self._gradebook(totals, waiting, again)
        self._feedback(totals, waiting, points)
        self._report(totals, waiting, again)
        self._exports(totals, waiting)
        self._json(totals)

    def _gradebook(
        self, totals: Mapping[str, float], waiting: Collection[str], again: Collection[str]
    ) -> dict[str, list[float]]:
        """The points of each student's questions, having compared the totals."""
        found, points = {}, {}
        with Gradebook(f"sqlite:///{self.folder}/gradebook.db") as gradebook:
            for one in gradebook.find_assignment(self.assignment).submissions:
                found[one.student_id] = one.score - one.late_submission_penalty
                points[one.student_id] = sorted(
                    grade.score for notebook in one.notebooks for grade in notebook.grades
                )
                assert one.needs_manual_grade == (one.student_id in {*waiting, *again})
        assert found == totals
        return points

    def _feedback(
        self,
        totals: Mapping[str, float],
        waiting: Collection[str],
        points: Mapping[str, list[float]],
    ) -> None:
        for student, total in totals.items():
            path = self.folder / "feedback" / student / self.assignment / f"{self.notebook}.html"
            page = path.read_text()
            shown = TOTAL.search(page)
            assert shown is not None
            assert float(shown[1]) == total, student
            assert ("Not final" in page) == (student in waiting), student
            assert "ook again" not in page
            if student not in waiting:
                rows = [re.search(r"<b>([\d.]+)</b>", row[1]) for row in ROW.findall(page)]
                assert sorted(float(row[1]) for row in rows if row) == points[student], student

    def _report(
        self, totals: Mapping[str, float], waiting: Collection[str], again: Collection[str]
    ) -> None:
        page = (self.folder / "reports" / f"{self.assignment}.html").read_text()
        rows = {
            unescape(re.sub(r"<[^>]+>", "", name)).strip(): (float(total), rest)
            for name, total, rest in STANDING.findall(page)
        }
        assert {student: total for student, (total, _) in rows.items()} == totals
        for student, (_, rest) in rows.items():
            assert ("waits for a person" in rest) == (student in waiting), student
            assert ("look again" in rest) == (student in again), student

    def _exports(self, totals: Mapping[str, float], waiting: Collection[str]) -> None:
        columns = {
            "grades": ("student_id", "score"),
            "Canvas": ("SIS Login ID", self.assignment),
            "Moodle": ("Username", self.assignment),
            "Questions": ("student_id", f"{self.assignment}/score"),
        }
        wanted = {s: "" if s in waiting else f"{total:g}" for s, total in totals.items()}
        for name, (student, score) in columns.items():
            with (self.folder / f"{name}.csv").open(newline="") as file:
                rows = list(csv.DictReader(file))
            if name == "grades":
                rows = [row for row in rows if row["assignment"] == self.assignment]
            assert {row[student]: row[score] for row in rows if row[student] in totals} == wanted

    def _json(self, totals: Mapping[str, float]) -> None:
        """What the checks alone gave: beside the notebook, in the gradebook, and by `grade`."""
        paths = [
            str(self.folder / "submitted" / student / self.assignment / f"{self.notebook}.ipynb")
            for student in totals
        ]
        output = self.folder / "verdicts.json"
        line = f"autograder grade {' '.join(paths)} --format json --output {output}"
        assert typed(line) == 0
        found = json.loads(output.read_text())
        for student, fresh in zip(totals, found if len(paths) > 1 else [found], strict=True):
            kept = read_result(self.folder / "autograded" / student / self.assignment)
            assert kept is not None
            assert (kept.score, kept.max_score) == (fresh["score"], fresh["max_score"]), student
            with Gradebook(f"sqlite:///{self.folder}/gradebook.db") as gradebook:
                grades = gradebook.find_submission_notebook(
                    self.notebook, self.assignment, student
                ).grades
                given = [grade.auto_score for grade in grades if grade.auto_score is not None]
            assert sum(given) == kept.score, student
