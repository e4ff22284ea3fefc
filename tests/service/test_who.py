"""Who asks is told by signed tokens, which nobody can forge, alter or keep for ever."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from pathlib import Path

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mini_course import MINI, make_course

from autograder.cli import main
from autograder.errors import UsageError
from autograder.service.policy import CheckService, Policy
from autograder.service.who import (
    Asker,
    Open,
    Tokens,
    is_pseudonym,
    is_student_name,
    make_key,
    pseudonym,
    read_key,
)

POLICY = Policy.of(CheckService(instructors=["demo-teacher"]))
AUDIENCE = "autograder check service"


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "service.key"
    make_key(path)
    return path


@pytest.fixture
def tokens(key: Path) -> Tokens:
    return Tokens(key, POLICY)


def claims(**others: object) -> dict[str, object]:
    now = int(time.time())
    return {"sub": "demo-a", "aud": AUDIENCE, "iat": now, "exp": now + 60, **others}


def test_a_token_tells_whose_it_is(tokens: Tokens) -> None:
    assert tokens.read(tokens.made("demo-a", 1)) == Asker("demo-a")
    assert tokens.read(tokens.made("demo-a", 1, MINI)) == Asker("demo-a", MINI)
    assert tokens.read(tokens.made("demo-teacher", 1)) == Asker("demo-teacher", instructs=True)
    assert asyncio.run(tokens.asker(tokens.made("Zoë Ω", 1))) == Asker("Zoë Ω")


def test_a_token_ends(tokens: Tokens, key: Path) -> None:
    over = jwt.encode(claims(exp=int(time.time()) - 1), read_key(key), "HS256")
    assert tokens.read(over) is None


def test_with_another_key_every_token_is_anothers(tokens: Tokens, key: Path) -> None:
    token = tokens.made("demo-a", 1)
    key.unlink()
    assert tokens.read(token) is None
    make_key(key)
    assert tokens.read(token) is None
    assert tokens.read(tokens.made("demo-a", 1)) == Asker("demo-a")


def unsigned(algorithm: str) -> str:
    parts = ({"alg": algorithm, "typ": "JWT"}, claims())
    coded = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in parts]
    return b".".join([*coded, b""]).decode()


def test_forged_tokens_are_nobodys(tokens: Tokens, key: Path) -> None:
    own = tokens.made("demo-a", 1)
    head, body, signature = own.split(".")
    told = json.loads(base64.urlsafe_b64decode(body + "=="))
    other = base64.urlsafe_b64encode(json.dumps({**told, "sub": "demo-b"}).encode()).decode()
    forged = [
        "",
        "x",
        "..",
        own[:-2],
        own + "A",
        f"{head}.{other.rstrip('=')}.{signature}",
        unsigned("none"),
        unsigned("None"),
        unsigned("HS256"),
        jwt.encode(claims(), "k" * 64, "HS256"),
        jwt.encode(claims(), read_key(key) + b"k" * 64, "HS512"),
        jwt.encode(claims(), read_key(key) + b"", "HS512"),
        "é" * 20,
        "\ud800",
        "a" * 1_000_000,
    ]
    assert [tokens.read(token) for token in forged] == [None] * len(forged)


@pytest.mark.parametrize(
    "wrong",
    [
        {"aud": "another service"},
        {"aud": None},
        {"sub": 7},
        {"sub": ""},
        {"sub": "../demo-b"},
        {"sub": "demo-a\r\nX-Student: demo-b"},
        {"assignment": ["mini"]},
        {"iat": int(time.time()) + 3600},
        {"exp": "never"},
    ],
)
def test_claims_that_no_token_of_ours_has_are_refused(
    tokens: Tokens, key: Path, wrong: dict[str, object]
) -> None:
    made = {name: value for name, value in claims(**wrong).items() if value is not None}
    try:
        token = jwt.encode(made, read_key(key), "HS256")
    except TypeError:  # PyJWT does not write it: by hand
        token = jwt.api_jws.encode(json.dumps(made).encode(), read_key(key), "HS256")
    assert tokens.read(token) is None


@pytest.mark.parametrize("missing", ["sub", "exp", "aud", "iat"])
def test_a_token_says_all_that_ours_say(tokens: Tokens, key: Path, missing: str) -> None:
    made = {name: value for name, value in claims().items() if name != missing}
    assert tokens.read(jwt.encode(made, read_key(key), "HS256")) is None


@given(st.text(max_size=300))
def test_no_text_makes_the_reader_raise(text: str) -> None:
    assert Tokens(Path("/nowhere/service.key"), POLICY).read(text) is None


@pytest.mark.parametrize(
    ("name", "fits"),
    [
        ("demo-a", True),
        ("zoë.o'neil@uni.example", True),
        ("a" * 128, True),
        ("a" * 129, False),
        ("", False),
        (".", False),
        ("..", False),
        (".hidden", True),
        ("a/b", False),
        ("a+b", False),
        ("*", False),
        (" a", False),
        ("a\n", False),
        ("a\x00b", False),
    ],
)
def test_students_are_called_as_nbgrader_can_call_them(name: str, fits: bool) -> None:
    assert is_student_name(name) is fits


def test_the_key_is_its_owners_alone_and_is_not_made_twice(key: Path) -> None:
    assert key.stat().st_mode & 0o777 == 0o600
    found = read_key(key)
    make_key(key)
    assert read_key(key) == found
    key.chmod(0o640)
    with pytest.raises(UsageError, match=r"others can read the key .*chmod 600"):
        read_key(key)


def test_a_key_that_is_none_is_refused(tmp_path: Path, key: Path) -> None:
    key.write_bytes(b"short")
    with pytest.raises(UsageError, match="too short to be safe"):
        read_key(key)
    link = tmp_path / "link"
    link.symlink_to(key)
    with pytest.raises(UsageError, match="cannot read the key"):
        make_key(link)


def test_open_is_one_student_who_may_see_all() -> None:
    assert asyncio.run(Open("demo-a").asker("")) == Asker("demo-a", instructs=True)
    with pytest.raises(UsageError, match="can be no student's name"):
        Open("a/b")


def test_pseudonyms_differ_by_name_and_by_key() -> None:
    made = {pseudonym(name, key) for name in ("demo-a", "demo-b") for key in (b"1", b"2")}
    assert len(made) == 4
    assert all(is_pseudonym(one) for one in made)
    assert not is_pseudonym("student-a")


def test_the_command_prints_a_token_that_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(make_course(tmp_path))
    assert main(["token", "demo-a", "--days", "2", "--assignment", MINI]) == 0
    token = capsys.readouterr().out.strip()
    assert Tokens(tmp_path / "service.key", POLICY).read(token) == Asker("demo-a", MINI)
    found = jwt.decode(token, options={"verify_signature": False})
    assert found["exp"] - found["iat"] == 2 * 86_400
    for wrong in (["a/b"], ["demo-a", "--days", "0"], ["demo-a", "--assignment", "none"]):
        assert main(["token", *wrong]) == 2
