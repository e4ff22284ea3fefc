"""`%check`, of the standard library alone, which comes with each release."""

from __future__ import annotations

import ast
import importlib.util
import json
import socketserver
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from conftest import IDS, ROOT
from nbformat.v4 import new_code_cell, new_notebook, new_output, writes

from autograder.nbgrader.releasing import check_file
from jupyter.fake_service import DIAGNOSIS, RIGHT, TOKEN, FakeService, fake_service

NAME = "demo"


class Shell:
    """As much of IPython as the file needs."""

    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {}
        self.magics: dict[str, Any] = {}

    def register_magic_function(self, function: Any, kind: str, name: str) -> None:
        assert kind == "line"
        self.magics[name] = function

    def check(self, line: str) -> None:
        self.magics["check"](line)


@pytest.fixture
def module(tmp_path: Path) -> Iterator[ModuleType]:
    path = tmp_path / "check.py"
    path.write_text(check_file(NAME, ""))
    spec = importlib.util.spec_from_file_location("check", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    yield made
    path.unlink()


@pytest.fixture
def pauses(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long it would have waited."""
    slept = list[float]()
    monkeypatch.setattr(module, "_sleep", slept.append)
    return slept


@pytest.fixture
def shell(
    module: ModuleType, pauses: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Shell:
    """A kernel beside a notebook with a wrong answer."""
    monkeypatch.chdir(tmp_path)
    for name in (
        "JPY_SESSION_NAME",
        "NBGRADER_EXECUTION",
        "AUTOGRADER_URL",
        "JUPYTERHUB_API_TOKEN",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AUTOGRADER_TOKEN", TOKEN)
    write(tmp_path / f"{NAME}.ipynb", "wrong")
    made = Shell()
    module.load_ipython_extension(made)
    return made


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeService]:
    with fake_service() as running:
        monkeypatch.setenv("AUTOGRADER_URL", running.url)
        yield running


def write(path: Path, source: str) -> None:
    cell = new_code_cell(source, metadata={"nbgrader": {"grade_id": "attention", "solution": True}})
    cell.outputs = [new_output("stream", text="secret output")]
    path.write_text(writes(new_notebook(cells=[cell])))


def test_a_wrong_answer_is_diagnosed_and_a_right_one_passes(
    shell: Shell, service: FakeService, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.check("attention")
    said = capsys.readouterr().out
    assert "Waiting at place 3: about 12 s." in said
    assert "FAILED  The values" in said
    assert DIAGNOSIS in said
    assert "It rests on positional_encoder: check that first." in said
    assert "Attempts left in this hour: 7." in said
    assert service.bodies[0]["assignment"] == NAME
    assert "secret output" not in json.dumps(service.bodies[0])
    write(tmp_path / f"{NAME}.ipynb", RIGHT)
    shell.check("attention")
    assert "FAILED" not in capsys.readouterr().out


def test_without_a_question_it_lists_them(
    shell: Shell, service: FakeService, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.check("")
    assert capsys.readouterr().out == "%check attention  (7 attempts left in this hour)\n"


def test_without_a_service_it_says_so_in_one_sentence(
    shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.check("attention")
    assert capsys.readouterr().out.count("\n") == 1


def test_while_it_is_graded_it_says_and_asks_nothing(
    shell: Shell,
    service: FakeService,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    shell.check("attention")
    assert capsys.readouterr().out == ""
    assert service.seen == []


def test_it_asks_again_while_the_queue_is_full_and_where_it_was_forgotten(
    shell: Shell, service: FakeService, pauses: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    service.faults = [(503, {"error": "Too many wait."}, {}), (502, {"error": "Gone."}, {})]
    service.forgets = 1
    shell.check("attention")
    assert DIAGNOSIS in capsys.readouterr().out
    assert len(service.bodies) == 2
    assert pauses[:2] == [1.0, 2.0]


def test_it_gives_up_on_a_service_that_is_gone(
    shell: Shell,
    pauses: list[float],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("AUTOGRADER_URL", "http://127.0.0.1:9")
    shell.check("attention")
    assert "does not answer" in capsys.readouterr().out
    assert sum(pauses) < 120


def test_a_refusal_is_one_sentence_that_no_terminal_obeys(
    shell: Shell, service: FakeService, capsys: pytest.CaptureFixture[str]
) -> None:
    service.faults = [(429, {"error": "Too often.\x1b[2J"}, {})]
    shell.check("attention")
    assert capsys.readouterr().out.endswith("Too often.[2J\n")


def test_a_token_is_asked_for_once_and_only_where_one_is_wanted(
    shell: Shell, service: FakeService, module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AUTOGRADER_TOKEN")
    prompts = list[str]()
    monkeypatch.setattr(module.getpass, "getpass", lambda text: prompts.append(text) or TOKEN)
    service.token = None
    shell.check("attention")
    assert prompts == []
    service.token = TOKEN
    shell.check("attention")
    shell.check("attention")
    assert len(prompts) == 1
    assert len(service.bodies) == 3


def test_where_nobody_can_type_a_token_a_sentence_says_so(
    shell: Shell,
    service: FakeService,
    module: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def closed(text: str) -> str:
        raise EOFError

    monkeypatch.delenv("AUTOGRADER_TOKEN")
    monkeypatch.setattr(module.getpass, "getpass", closed)
    shell.check("attention")
    assert capsys.readouterr().out.endswith(f"{module.NOBODY}\n")
    assert service.bodies == []


def test_a_file_that_is_not_there_is_named(
    shell: Shell, service: FakeService, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.check("attention missing.ipynb")
    assert "There is no file missing.ipynb here" in capsys.readouterr().out
    assert service.bodies == []


def test_a_token_that_no_request_can_carry_is_refused_at_once_and_not_kept(
    shell: Shell,
    service: FakeService,
    module: ModuleType,
    pauses: list[float],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("AUTOGRADER_TOKEN")
    copied = [f"{TOKEN}\N{HORIZONTAL ELLIPSIS}", f"{TOKEN}\nx", TOKEN]
    monkeypatch.setattr(module.getpass, "getpass", lambda text: copied.pop(0))
    for _ in range(2):
        shell.check("attention")
        assert capsys.readouterr().out.endswith(f"{module.ODD_TOKEN}\n")
    shell.check("attention")
    assert DIAGNOSIS in capsys.readouterr().out
    monkeypatch.setenv("AUTOGRADER_TOKEN", "\N{HORIZONTAL ELLIPSIS}")
    module._token.clear()
    shell.check("")
    assert capsys.readouterr().out == f"{module.ODD_TOKEN}\n"
    assert len(pauses) == 1  # between the question and its answer


@pytest.mark.parametrize(
    "url",
    [
        "http://[",
        "http://127.0.0.1:x",
        "http://127.0.0.1:99999",
        "http://127.0.0.1/\u2026",
        "file:/",
    ],
)
def test_an_address_that_is_none_is_said_at_once(
    shell: Shell,
    module: ModuleType,
    pauses: list[float],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    url: str,
) -> None:
    monkeypatch.setenv("AUTOGRADER_URL", url)
    shell.check("")
    assert (capsys.readouterr().out, pauses) == (f"{module.NO_SERVICE}\n", [])


def test_what_answers_no_http_does_not_answer(
    shell: Shell,
    module: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Nonsense(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.rfile.readline()
            self.wfile.write(b"nonsense\r\n\r\n")

    with socketserver.TCPServer(("127.0.0.1", 0), Nonsense) as server:
        monkeypatch.setenv("AUTOGRADER_URL", f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        shell.check("")
        server.shutdown()
        thread.join()
    assert capsys.readouterr().out == f"{module.NO_ANSWER}\n"


def test_a_line_that_ends_within_quotes_is_told_how_it_is_asked(
    shell: Shell, service: FakeService, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.check("attention 'my notebook.ipynb")
    assert capsys.readouterr().out == "It is asked as: %check QUESTION FILE.ipynb\n"


def test_the_notebook_is_found_where_the_kernel_names_it(
    shell: Shell, service: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir()
    for place, source in (("vs.ipynb", "of VS Code"), ("jpy.ipynb", "of Jupyter")):
        write(other / place, source)
    write(tmp_path / "named.ipynb", "named")
    monkeypatch.setenv("JPY_SESSION_NAME", str(other / "jpy.ipynb"))
    shell.check("attention")
    shell.user_ns["__vsc_ipynb_file__"] = str(other / "vs.ipynb")
    shell.check("attention")
    shell.check("attention named.ipynb")
    colab = SimpleNamespace(
        blocking_request=lambda name, timeout_sec: {
            "ipynb": {"cells": [{"source": "of Colab", "metadata": {}, "cell_type": "code"}]}
        }
    )
    monkeypatch.setitem(sys.modules, "google", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "google.colab", SimpleNamespace(_message=colab))
    service.faults = [(404, {"error": "Seen."}, {})]
    shell.check("attention")
    sent = [body["notebook"]["cells"][0]["source"] for body in service.bodies]
    assert sent == ["of Jupyter", "of VS Code", "named"]


def test_a_redirect_takes_the_token_nowhere(
    shell: Shell, service: FakeService, capsys: pytest.CaptureFixture[str]
) -> None:
    service.faults = [(307, {}, {"Location": f"{service.url}/api/questions"})]
    shell.check("attention")
    assert "says 307" in capsys.readouterr().out
    assert len(service.seen) == 1


@pytest.mark.parametrize("assignment", IDS)
def test_each_release_has_it_of_the_standard_library_alone(assignment: str) -> None:
    text = (ROOT / "release" / assignment / "check.py").read_text()
    assert text == check_file(assignment, "")
    tree = ast.parse(text)
    loaded = {
        name.name.partition(".")[0]
        for node in tree.body
        if isinstance(node, ast.Import)
        for name in node.names
    }
    assert loaded <= sys.stdlib_module_names


def test_the_address_of_the_service_stands_in_it_whatever_it_is() -> None:
    url = 'https://demo.example/"\n\\'
    tree = ast.parse(check_file(NAME, url))
    named = {
        node.targets[0].id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    }
    assert (named["ASSIGNMENT"], named["URL"]) == (NAME, url)
