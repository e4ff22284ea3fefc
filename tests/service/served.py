"""A check service over a farm that answers what the test says, for tests of its routes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
from httpx import Response
from mini_course import MINI, make_course
from starlette.testclient import TestClient

from autograder.course.assignments import Assignment, Course
from autograder.course.settings import read_settings
from autograder.farm.worker import Outcome
from autograder.grading.identity import Identity
from autograder.results.model import CheckResult, Diagnosis, QuestionResult, Status
from autograder.service.attempts import Attempts
from autograder.service.hub import HubSettings
from autograder.service.policy import CheckService, Policy
from autograder.service.running import Start, assembled
from autograder.service.who import Tokens, key_file, make_key

TEACHER = "demo-teacher"
ROWS = Diagnosis("misconception", "rows", "It is multiplied by 3.")
SECRET = "hidden-by-reservation"


class FakeFarm:
    """Workers that find an answer right when it doubles; they stop while they are held."""

    def __init__(self) -> None:
        self.judged: list[bytes] = []
        self.go_on = threading.Event()
        self.go_on.set()
        self.workers = 2
        self.dies = False

    def checked(
        self, assignment: str, slug: str, reserved: frozenset[str], notebook: bytes, name: str
    ) -> Outcome:
        self.judged.append(notebook)
        assert self.go_on.wait(30)
        if self.dies:
            raise OSError("the worker is gone")
        right = b"return 2 * x" in notebook
        told = None if right else ROWS
        checks = [
            CheckResult(
                "values", "The values.", 3, right, "" if right else "Wrong.", diagnosis=told
            ),
            CheckResult("negative_values", f"A {SECRET}.", 2, b"abs(" not in notebook),
        ]
        status: Status = "ok" if right else "wrong"
        status = "crash" if b"_exit" in notebook else status
        return Outcome("graded", question=QuestionResult(slug, status, 0, 5, checks))

    def warm(self, assignments: list[str]) -> None:
        assert assignments == [MINI]

    def room(self) -> int:
        return self.workers


class Served:
    """A running service, and those who ask it."""

    def __init__(self, course: Course, policy: Policy, farm: FakeFarm, store: Attempts) -> None:
        self.course, self.policy, self.farm, self.store = course, policy, farm, store
        self.tokens = Tokens(key_file(course), policy)
        self.client: TestClient

    def header(self, student: str) -> dict[str, str]:
        return {"Authorization": f"token {self.tokens.made(student, 1)}"}

    def get(self, path: str, student: str = "demo-a", **more: Any) -> Response:
        return self.client.get(path, headers=self.header(student), **more)

    def post(self, body: object, student: str = "demo-a", **headers: str) -> Response:
        found = {**self.header(student), **headers}
        return self.client.post("/api/checks", json=body, headers=found)

    def ask(self, answer: str, student: str = "demo-a", question: str = "double") -> Response:
        return self.post(self.question(answer, question), student)

    def question(self, answer: str, question: str = "double") -> dict[str, Any]:
        """A body that asks about an answer to `double`."""
        release = self.course.root / "release" / MINI / f"{MINI}.ipynb"
        assignment = Assignment(MINI, release, self.course.root)
        notebook = nbformat.from_dict(assignment.release)
        for cell in notebook.cells:
            if cell.id == "double":
                cell.source = f"def double(x):\n    return {answer}"
        return {"assignment": MINI, "question": question, "notebook": notebook}

    def answered(self, answer: str, student: str = "demo-a") -> dict[str, Any]:
        """What a student is told in the end."""
        ticket = self.ask(answer, student).json()
        return self.events(ticket["id"], student)[-1][1]

    def events(self, id: str, student: str = "demo-a") -> list[tuple[str, dict[str, Any]]]:
        """All that is told of a ticket, until its end."""
        import json

        text = self.get(f"/api/checks/{id}/events", student).text
        parts = [part.splitlines() for part in text.strip().split("\n\n")]
        found = [part for part in parts if not part[0].startswith(":")]
        return [(n.removeprefix("event: "), json.loads(d.removeprefix("data: "))) for n, d in found]


@contextmanager
def serving(
    folder: Path,
    *,
    open_to: str | None = None,
    hub: HubSettings | None = None,
    database: str = "",
    **options: Any,
) -> Iterator[Served]:
    """A service of the mini course with these options."""
    if not (folder / "release").is_dir():
        make_course(folder)
    course = Course(folder)
    policy = Policy.of(CheckService(**{"instructors": [TEACHER], **options}))
    policy.expect_fits(course)
    make_key(key_file(course))
    identity = Identity.of(course.assignment_with_checks(MINI), read_settings(folder))
    store = Attempts(database or f"sqlite:///{folder / 'service.db'}")
    farm = FakeFarm()
    served = Served(course, policy, farm, store)
    start = Start("127.0.0.1", 0, 1, open_to=open_to)
    app = assembled(course, policy, [identity], store, farm, start, hub)
    url = "http://127.0.0.1:8765"
    try:
        with TestClient(app, url, raise_server_exceptions=False) as client:
            served.client = client
            yield served
    finally:
        farm.go_on.set()
        store.close()


Serve = Callable[..., Served]
