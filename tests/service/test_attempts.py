"""Attempts are kept, given out and erased; in SQLite and on a server."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from mini_course import MINI, make_course
from postgres_server import databases
from sqlalchemy import create_engine, inspect, text

from autograder.cli import main
from autograder.course.assignments import Course
from autograder.errors import UsageError
from autograder.pages.class_report.asking import Ask
from autograder.results.fingerprint import Fingerprint
from autograder.results.model import CheckResult, Diagnosis, QuestionResult
from autograder.service.attempts import Attempts, KeptAttempt, database_url
from autograder.service.policy import CheckService, Policy
from autograder.service.tables import Table
from autograder.service.who import make_key, pseudonym, read_key

ROWS = Diagnosis("misconception", "rows", "The rows are added.")
CHECKS = [
    CheckResult("shape", "The shape.", 1.0, True),
    CheckResult("values", "The values.", 2.0, False, "They are wrong.\nAll.", "wrong", ROWS),
    CheckResult("large", "Large ones.", 2.0, False, "They are wrong.\nAll.", "wrong"),
]
RESULT = QuestionResult("double", "wrong", 1, 5, CHECKS, fingerprint=Fingerprint("f", [0.5]))


def kept(student: str = "demo-a", at: float = 100.0, **others: object) -> KeptAttempt:
    given = {"assignment": MINI, "question": "double", "digest": "d" * 64, "passed": False}
    return KeptAttempt(at=at, student=student, **{**given, "result": RESULT, **others})  # type: ignore


@pytest.fixture(scope="module")
def server() -> Iterator[Callable[[str], str]]:
    with databases() as made:
        yield made


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'service.db'}"
    made: Callable[[str], str] = request.getfixturevalue("server")
    return made(f"attempts_{abs(hash(request.node.name))}")


@pytest.fixture
def store(url: str) -> Iterator[Attempts]:
    found = Attempts(url)
    yield found
    found.close()


def test_what_was_kept_is_there_when_the_store_is_opened_again(store: Attempts, url: str) -> None:
    store.keep(kept(), CHECKS[1:])
    again = Attempts(url)
    [found] = again.of_student("demo-a", MINI)
    [ask] = again.asks(MINI)
    with again._engine.connect() as connection:
        rows = connection.execute(text("SELECT * FROM check_service_mistake ORDER BY id"))
        told = [row[2:] for row in rows]
    again.close()
    assert found == kept()
    assert told == [
        ("values", "misconception", "rows", "The rows are added."),
        ("large", "", "", "They are wrong."),
    ]
    assert ask == Ask(
        "demo-a", "double", "d" * 64, False, ("The rows are added.", "They are wrong.")
    )


def test_equal_questions_are_listed_together_and_only_ones_own(store: Attempts) -> None:
    for student, digest, at in [("demo-a", "x", 50), ("demo-a", "x", 60), ("demo-b", "y", 70)]:
        store.keep(kept(student, at, digest=digest), [])
    store.keep(kept("demo-a", 80, digest="z", question="triple"), [])
    assert store.times("demo-a", MINI, "double", since=0) == {"x": [50, 60]}
    assert store.times("demo-a", MINI, "double", since=55) == {"x": [60]}
    assert store.times("demo-b", MINI, "double", since=0) == {"y": [70]}
    assert [one.question for one in store.of_student("demo-a", MINI)] == [
        "triple",
        "double",
        "double",
    ]
    assert [one.at for one in store.newest(2)] == [70, 80]


def test_many_threads_keep_at_once_and_none_is_lost(store: Attempts) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: store.keep(kept(f"demo-{n}", n), CHECKS[1:]), range(40)))
    assert len(store.asks(MINI)) == 40


def test_what_is_erased_is_gone_and_others_stay(store: Attempts) -> None:
    for student in ("demo-a", "demo-b", "demo-a"):
        store.keep(kept(student), CHECKS[1:])
    assert store.erase({"demo-a"}) == 2
    assert store.students() == ["demo-b"]
    assert [len(ask.sentences) for ask in store.asks(MINI)] == [2]


def test_the_migrations_make_the_tables_that_the_code_has(store: Attempts, url: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    engine = create_engine(url)
    with engine.connect() as connection:
        options = {"version_table": "check_service_version", "compare_type": True}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, Table.metadata) == []
        assert inspect(connection).has_table("check_service_version")
    engine.dispose()


def test_an_attempt_outlives_a_process_that_is_killed(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'service.db'}"
    code = f"""
import os, signal
from autograder.results.model import QuestionResult
from autograder.service.attempts import Attempts, KeptAttempt
store = Attempts({url!r})
right = QuestionResult("double", "ok", 5, 5)
store.keep(KeptAttempt(1, "demo-a", "mini", "double", "d", True, right), [])
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    store = Attempts(url)
    assert [one.question for one in store.of_student("demo-a")] == ["double"]
    store.close()


def test_nobody_else_may_read_the_file_and_nothing_erased_stays_in_it(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    store = Attempts(f"sqlite:///{path}")
    store.keep(kept("demo-forgotten"), CHECKS[1:])
    files = list(tmp_path.iterdir())
    assert {file.stat().st_mode & 0o077 for file in files} == {0}
    assert any(b"demo-forgotten" in file.read_bytes() for file in files)
    store.erase({"demo-forgotten"})
    assert not any(b"demo-forgotten" in file.read_bytes() for file in tmp_path.iterdir())
    store.close()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("nonsense", "cannot open the database of attempts: Could not parse"),
        ("sqlite:////no/such/folder/x.db", "cannot open .*No such file or directory"),
        ("oracle://here", "cannot be oracle: let c.CheckService.database"),
        ("mysql+pymysql://here", r"cannot be mysql\+pymysql: "),
        ("postgresql+pg8000://here", r"cannot be postgresql\+pg8000: "),
    ],
)
def test_a_database_that_cannot_be_opened_is_one_sentence(url: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        Attempts(url)
    assert "\n" not in str(caught.value)


def test_attempts_go_where_the_gradebook_is_unless_the_course_says_otherwise(
    tmp_path: Path,
) -> None:
    course, policy = Course(make_course(tmp_path)), Policy.of(CheckService())
    assert database_url(course, policy) == f"sqlite:///{tmp_path / 'service.db'}"
    with (tmp_path / "nbgrader_config.py").open("a") as file:
        file.write("c.CourseDirectory.db_url = 'postgresql://here/grades'\n")
    assert database_url(course, policy) == "postgresql://here/grades"
    elsewhere = Policy.of(CheckService(database="sqlite:///elsewhere.db"))
    assert database_url(course, elsewhere) == "sqlite:///elsewhere.db"


def test_the_command_exports_renames_and_erases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(make_course(tmp_path))
    store = Attempts(f"sqlite:///{tmp_path / 'service.db'}")
    for student in ("demo-a", "demo-b"):
        store.keep(kept(student), CHECKS[1:])

    def say(*arguments: str) -> str:
        assert main(["attempts", *arguments]) == 0
        return capsys.readouterr().out

    [found] = json.loads(say("--export", "demo-a"))
    assert (found["student"], found["at"]) == ("demo-a", "1970-01-01T00:01:40+00:00")
    assert found["result"]["checks"][1]["diagnosis"]["name"] == "rows"
    assert say("--pseudonyms") == "names replaced: 2\n"
    assert say("--pseudonyms") == "names replaced: 0\n"
    assert not {"demo-a", "demo-b"} & set(store.students())
    (tmp_path / "service.key").unlink(missing_ok=True)  # which revokes all tokens
    [renamed] = json.loads(say("--export", "demo-a"))
    assert {**renamed, "student": "demo-a"} == found
    assert say("--erase", "demo-a") == "attempts erased: 1\n"
    assert json.loads(say("--export", "demo-a")) == []
    assert len(store.students()) == 1
    store.close()


def test_pseudonyms_that_were_made_with_the_key_of_tokens_are_still_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(make_course(tmp_path))
    tokens = tmp_path / "service.key"
    make_key(tokens)
    store = Attempts(f"sqlite:///{tmp_path / 'service.db'}")
    store.keep(kept(pseudonym("demo-a", read_key(tokens))), CHECKS[1:])
    store.close()
    for _ in range(2):
        assert main(["attempts", "--export", "demo-a"]) == 0
        assert len(json.loads(capsys.readouterr().out)) == 1
        tokens.unlink(missing_ok=True)
    assert (tmp_path / "pseudonyms.key").stat().st_mode & 0o777 == 0o600


def test_sqlite_has_a_journal_that_lets_others_read_while_one_writes(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    Attempts(f"sqlite:///{path}").close()
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()
