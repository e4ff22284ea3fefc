"""The boxes of one assignment: a warm zygote, and sessions in its boxes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Self, TypeVar

import nbformat
from nbformat import NotebookNode

from autograder.box.outside.lending import start_zygote
from autograder.box.outside.zygotes import Zygote
from autograder.course.assignments import Assignment
from autograder.course.cells import clear_outputs
from autograder.course.limits import Limits
from autograder.course.pace import Pace
from autograder.errors import Ungraded, ZygoteGone
from autograder.grading.names import imported_modules
from autograder.grading.own_time import OwnCells
from autograder.grading.run_of_cells import Terms
from autograder.grading.session import Session
from autograder.grading.under_way import seed_of

T = TypeVar("T")
DEATHS = 3  # zygotes lost over one submission, before it is given up


def by_some_zygote(
    work: Callable[[], T], notebook: NotebookNode, is_over: Callable[[], bool] = lambda: False
) -> T:
    """What `work` returns; it is begun anew, without outputs, whenever its zygote ends.

    Raises:
        ZygoteGone: it has ended, and `is_over` says that it should have.
        Ungraded: too many have ended.
    """
    for _ in range(DEATHS):
        try:
            return work()
        except ZygoteGone as gone:
            if is_over():
                raise
            last = gone
            for cell in notebook.cells:
                clear_outputs(cell)
    raise Ungraded(f"crash: {DEATHS} zygotes ended while they graded it; {last}") from last


class Runs:
    """Runs notebooks of one assignment in boxes. A context manager.

    Attributes:
        zygote: whose forks the boxes are.
    """

    def __init__(
        self,
        assignment: Assignment,
        limits: Limits | None = None,
        *,
        pace: Pace | None = None,
        lender: str = "",
    ) -> None:
        """Starts its zygote.

        Args:
            pace: how long the instructor's solution takes; None for what is stored of it.
            lender: where to ask for zygotes before one is started.
        """
        self.assignment = assignment
        self.pace = Pace.load(assignment.pace_file) if pace is None else pace
        self.limits = limits or Limits()
        self._closed = False
        self._renewing = threading.Lock()
        self._lender = lender
        self.zygote = self._new_zygote()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends it; a thread that is grading hears that its zygote is gone."""
        with self._renewing:
            self._closed = True
            self.zygote.close()

    def _new_zygote(self) -> Zygote:
        imports = imported_modules(self.assignment.release)
        return start_zygote(imports, self.assignment.hidden_folders(), self._lender)

    def _renew(self) -> None:
        """Replaces its zygote if that is gone.

        Raises:
            ZygoteGone: it has ended itself.
        """
        with self._renewing:
            if self._closed:
                raise ZygoteGone("the zygote is gone")
            if self.zygote.gone:
                self.zygote.close()
                self.zygote = self._new_zygote()

    def _by_some_zygote(self, work: Callable[[], T], notebook: NotebookNode) -> T:
        def begun() -> T:
            self._renew()
            return work()

        return by_some_zygote(begun, notebook, lambda: self._closed)

    def session(
        self,
        notebook: NotebookNode,
        deadline: float | None = None,
        seed: int | None = None,
        *,
        questions_under: Callable[[NotebookNode], set[str]] = lambda cell: set(),
        own: OwnCells | None = None,
        hurried: bool = False,
    ) -> Session:
        """A run of `notebook` in a box of its own.

        Args:
            deadline: when it ends, by `time.monotonic()`; None gives it a submission's time.
            seed: what its random numbers follow from; None for the notebook's text.
            questions_under: which questions a cell rests on.
            own: which of the student's own cells are left out; None for none.
            hurried: whether it has less time, since something that it runs has hung before.
        """
        release = self.assignment.release_path.parent
        terms = Terms(
            self.zygote,
            [question.slug for question in self.assignment.questions],
            self.limits,
            {str(path.relative_to(release)): path for path in self.assignment.assets()},
            seed_of(notebook) if seed is None else seed,
            deadline,
            questions_under,
            self.pace.hurried() if hurried else self.pace,
            own,
        )
        return Session(terms, notebook)

    @contextmanager
    def ran(
        self,
        cells: Sequence[NotebookNode],
        deadline: float | None = None,
        seed: int | None = None,
        own: OwnCells | None = None,
        *,
        hurried: bool = False,
    ) -> Iterator[Session]:
        """A session in a fresh box, in which `cells` have run; its arguments are as above."""
        notebook = nbformat.v4.new_notebook(cells=cells)
        with self.session(notebook, deadline, seed, own=own, hurried=hurried) as session:
            session.run_cells()
            yield session
