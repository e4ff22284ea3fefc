"""The preprocessors that `nbgrader autograde` and formgrader run.

Theory of operation. nbgrader converts a submission twice. While it sanitizes, `RepairCells` puts
the notebook back into the shape of its release and leaves its flags in the notebook's metadata,
which never comes from the student. While it autogrades, `GradeInBox` runs the cells in a box and
the checks in this process, then gives each graded cell exactly one output that nbgrader takes for
the score. An assignment without checks of its own keeps nbgrader's meaning: its cells run in the
box, and nbgrader reads their points from their outputs; `SaveScores` records them and leaves the
result that says so. Of the settings of `Execute`, those about kernels have no meaning here.
"""

from __future__ import annotations

import filecmp
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors import CheckCellMetadata, Execute, OverwriteCells, SaveAutoGrades
from nbgrader.utils import determine_grade
from traitlets import Bool
from traitlets.config import LoggingConfigurable

from autograder.course.assignments import Assignment, Course
from autograder.course.cells import grade_id, name_of
from autograder.course.gradebook import Grade, are_same_points
from autograder.course.settings import GradingOptions
from autograder.errors import Unready
from autograder.grading.cache import VerdictCache
from autograder.grading.identity import Identity
from autograder.intake.bare import METADATA
from autograder.intake.own_texts import is_essay, told, where_own_texts_stand
from autograder.intake.submission import Repaired, repair
from autograder.nbgrader.scores import code_digest, write_scores
from autograder.nbgrader.work import Work
from autograder.results.history import History
from autograder.results.model import Graded, SubmissionResult
from autograder.results.stored import RESULT_NAME, sound_result, write_result

if TYPE_CHECKING:  # who records verdicts that the cache keeps needs neither torch nor a zygote
    from autograder.nbgrader.ordinary import Run

RUN = "run in a box"  # in the resources, what became of an ordinary assignment
Converted = tuple[NotebookNode, dict[str, Any]]


class RepairCells(OverwriteCells):  # type: ignore[misc]
    """Takes ids, points, order and locked cells from the release, and answers from the student."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> Converted:
        assignment = _assignment(self, resources)
        if not assignment.has_checks:
            _forget_submitted_result(self, resources)
            nb, resources = super().preprocess(nb, resources)
            assignment.expect_no_checks(nb)
            return nb, resources
        if not assignment.release_path.is_file():
            raise Unready(
                f"{assignment.release_path} is missing: "
                f"run `nbgrader generate_assignment {assignment.id}`"
            )
        repaired = repair(nb, assignment.release)
        for flag in repaired.flags:
            self.log.warning("%s: %s", resources["nbgrader"]["student"], flag)
        repaired.notebook.metadata[METADATA] = {
            "flags": repaired.flags,
            "unanswered": sorted(repaired.unanswered),
            "submitted": code_digest(nb),
        }
        return repaired.notebook, resources


class CheckMetadata(CheckCellMetadata):  # type: ignore[misc]
    """Checks as its base does; metadata that come from a release were checked with it."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> Converted:
        if _assignment(self, resources).has_checks:
            return nb, resources
        return super().preprocess(nb, resources)  # type: ignore[no-any-return]


class GradeInBox(GradingOptions, Execute):  # type: ignore[misc]
    """Runs cells in a box and checks in this process, and writes the scores nbgrader records."""

    take_unsettled = Bool(
        False,
        help="Take from the cache also a verdict that another run may change, as of a timeout.",
    ).tag(config=True)

    keeps_history = Bool(True, help="Put each verdict into the history, for instructors.").tag(
        config=True
    )

    def __call__(self, nb: NotebookNode, resources: dict[str, Any]) -> Converted:
        """See `Execute`.

        Raises:
            Unready: execution is switched off, and the assignment's checks need it.
        """
        assignment = _assignment(self, resources)
        if not self.enabled and assignment.has_checks:
            raise Unready(
                f"{assignment.id} is judged by hidden checks, which run the student's code: "
                "leave `--no-execute` away"
            )
        return super().__call__(nb, resources)  # type: ignore[no-any-return]

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> Converted:
        assignment = _assignment(self, resources)
        settings = self.settings()
        root = Path(_coursedir(self).root)
        if not assignment.has_checks:
            from autograder.grading.warm import warm_zygote
            from autograder.nbgrader.ordinary import run_in_box

            released = assignment.release_path.with_name(f"{resources['unique_key']}.ipynb")
            resources[RUN] = run_in_box(
                nb,
                lambda: warm_zygote(released, settings, root),
                settings.limits,
                _files(_folder(self, resources)),
            )
            return nb, resources
        left = nb.metadata.pop(METADATA)
        repaired = Repaired(nb, list(left["flags"]), frozenset(left["unanswered"]))
        identity, student = Identity.of(assignment, settings), resources["nbgrader"]["student"]
        graded = self._graded(repaired, identity, Course(root), student)
        write_scores(graded.notebook, graded.result)
        self.leave(resources, left["submitted"], graded.result)
        return graded.notebook, resources

    def leave(self, resources: dict[str, Any], work: str, result: SubmissionResult) -> None:
        """Leaves a verdict beside the autograded notebook, and in the history.

        Args:
            work: the digest of the code that was handed in.
        """
        student = resources["nbgrader"]["student"]
        named = replace(result, submission=f"{student}/{result.assignment}")
        write_result(_folder(self, resources), named)
        if self.keeps_history:
            self._remember(Path(_coursedir(self).root), student, work, result)

    def _remember(self, root: Path, student: str, work: str, result: SubmissionResult) -> None:
        """Puts a verdict into the history, without which grading goes on."""
        try:
            History(root, result.assignment).add(student, work, result)
        except OSError as error:
            self.log.warning("%s: the history of verdicts cannot be written: %s", student, error)

    def _graded(
        self, repaired: Repaired, identity: Identity, course: Course, student: str
    ) -> Graded:
        """The verdict that the cache keeps, or a new one, which it then keeps."""
        cache = VerdictCache.of(course, identity)

        def grade() -> Graded:
            from autograder.grading.ahead import DEPTH
            from autograder.grading.warm import look_ahead, warm_grader

            def work(submission: Repaired) -> Graded:
                grader = warm_grader(identity, course)
                return grader.grade_repaired(submission, identity.assignment.id)

            content = identity.of_content(repaired)
            turns = slice(look_ahead.begun_after(content), DEPTH)
            following = self._following(identity, student, turns)  # read while boxes are at work
            graded = look_ahead.take(content) or work(repaired)
            for later, submission in following.items():
                if later not in cache:
                    look_ahead.begin(later, partial(work, submission))
            return graded

        return cache.graded(repaired, grade, take_unsettled=self.take_unsettled)

    def _following(self, identity: Identity, student: str, turns: slice) -> dict[str, Repaired]:
        """What is likely to be graded in those turns after a student's, by content."""
        around = getattr(self.parent, "around", None)
        if around is None:
            return {}
        release = identity.assignment.release
        notebooks = around.following(identity.assignment.id, student, turns)
        repaired = [repair(notebook, release) for notebook in notebooks]
        return {identity.of_content(one): one for one in repaired}


class SaveScores(SaveAutoGrades):  # type: ignore[misc]
    """Records as its base does; of an ordinary assignment it leaves a result that says `in-box`.

    A text whose cell holds nothing is worth nothing, unless the student has written one elsewhere:
    then it waits for a person, as the others do.
    A score that a person has given stays decided. Only where what it was given for has changed, the
    verdict or the work, instructors are asked to look again (`course.gradebook`).
    """

    def _add_score(self, cell: NotebookNode, resources: dict[str, Any]) -> None:
        names = (self.notebook_id, self.assignment_id, self.student_id)
        grade = self.gradebook.find_grade(grade_id(cell), *names)
        before, to_look_at = grade.auto_score, grade.needs_manual_grade
        super()._add_score(cell, resources)
        if elsewhere := self._is_elsewhere(cell):
            grade.auto_score, grade.needs_manual_grade = None, True
            self.gradebook.db.commit()
        if grade.manual_score is not None:
            same = are_same_points(grade.auto_score, before)
            changed = not same or self._work.has_changed(cell, anywhere=elsewhere)
            grade.needs_manual_grade = to_look_at or changed
            self.gradebook.db.commit()

    def _add_comment(self, cell: NotebookNode, resources: dict[str, Any]) -> None:
        super()._add_comment(cell, resources)
        if self._is_elsewhere(cell):
            names = (self.notebook_id, self.assignment_id, self.student_id)
            comment = self.gradebook.find_comment(grade_id(cell), *names)
            comment.auto_comment = told(name_of(cell), self._own_texts)
            self.gradebook.db.commit()

    def _is_elsewhere(self, cell: NotebookNode) -> bool:
        """Whether a written answer may stand in another cell, for its own holds nothing."""
        return bool(self._own_texts) and is_essay(cell) and determine_grade(cell)[0] is not None

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> Converted:
        around = getattr(self.parent, "around", None)
        earlier = around.earlier.get(resources["nbgrader"]["notebook"]) if around else None
        self._own_texts = where_own_texts_stand(nb) if any(map(is_essay, nb.cells)) else ""
        self._work = Work(nb, earlier)
        nb, resources = super().preprocess(nb, resources)
        run: Run | None = resources.pop(RUN, None)
        if run is None:
            return nb, resources
        from autograder.nbgrader.ordinary import in_box_result, merged

        names, folder = resources["nbgrader"], _folder(self, resources)
        submission = f"{names['student']}/{names['assignment']}"
        grades, several = self._recorded()
        result = in_box_result(names["assignment"], submission, nb, grades, run)
        if several:
            result = merged(names["notebook"], result, sound_result(folder))
        write_result(folder, result)
        for flag in run.flags:
            self.log.warning("%s: %s", submission, flag)
        self.log.info(
            "%s: %s graded by the tests in its cells (in-box, sandbox %s): %g of %g points",
            *(submission, names["notebook"], run.sandbox, result.score, result.max_score),
        )
        return nb, resources

    def _recorded(self) -> tuple[list[Grade], bool]:
        """The grades that no person gives, and whether the assignment has other notebooks too."""
        with Gradebook(self.db_url) as gradebook:
            notebook = gradebook.find_notebook(self.notebook_id, self.assignment_id)
            tests = {c.name for c in notebook.grade_cells if c.cell_type == "code"}
            tests -= {c.name for c in notebook.solution_cells}
            submitted = gradebook.find_submission_notebook(
                self.notebook_id, self.assignment_id, self.student_id
            )
            grades = [Grade.of(grade) for grade in submitted.grades if grade.name in tests]
            return grades, len(gradebook.find_assignment(self.assignment_id).notebooks) > 1


def _coursedir(preprocessor: LoggingConfigurable) -> Any:
    """nbgrader's CourseDirectory: the exporter's parent is the converter, which holds it."""
    return preprocessor.parent.parent.coursedir  # type: ignore[union-attr]


def _assignment(preprocessor: LoggingConfigurable, resources: dict[str, Any]) -> Assignment:
    coursedir = _coursedir(preprocessor)
    name = resources["nbgrader"]["assignment"]
    release = Path(coursedir.format_path(coursedir.release_directory, ".", name)).resolve()
    return Course(Path(coursedir.root)).released(name, release)


def _folder(preprocessor: LoggingConfigurable, resources: dict[str, Any]) -> Path:
    """Where nbgrader is writing this submission's autograded notebook."""
    coursedir, names = _coursedir(preprocessor), resources["nbgrader"]
    path = coursedir.format_path(
        coursedir.autograded_directory, names["student"], names["assignment"]
    )
    return Path(path).resolve()


def _files(folder: Path) -> dict[str, Path]:
    """What the student's code finds beside its notebook, by its path there."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".ipynb")
    named = {str(path.relative_to(folder)): path for path in found}
    named.pop(RESULT_NAME, None)
    return named


def _forget_submitted_result(preprocessor: LoggingConfigurable, resources: dict[str, Any]) -> None:
    """Takes away a result that the student handed in, which nbgrader has just copied."""
    coursedir, names = _coursedir(preprocessor), resources["nbgrader"]
    submitted = Path(
        coursedir.format_path(coursedir.submitted_directory, names["student"], names["assignment"]),
        RESULT_NAME,
    )
    copied = _folder(preprocessor, resources) / RESULT_NAME
    if submitted.is_file() and copied.is_file() and filecmp.cmp(submitted, copied, shallow=False):
        copied.unlink()
