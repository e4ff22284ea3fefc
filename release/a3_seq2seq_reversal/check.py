"""Asks the check service about an answer, in any kernel of IPython:

    %load_ext check
    %check                      lists the questions
    %check QUESTION             what the service says of your answer, in the notebook as saved
    %check QUESTION FILE.ipynb  where the notebook is not found by itself

The service's address stands below or in AUTOGRADER_URL. Your token is read from AUTOGRADER_TOKEN,
from a secret of this name in Colab or Kaggle, or is asked for once. It goes to the service alone.
"""

from __future__ import annotations

import getpass
import json
import os
import shlex
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import suppress
from http.client import HTTPException, InvalidURL
from pathlib import Path
from typing import Any

ASSIGNMENT = "a3_seq2seq_reversal"
URL = ""

REPLY_BYTES = 4 << 20
REPLY_SECONDS = 30
LOST = 8  # times that the service may not answer, one after another
LONGEST_PAUSE = 20.0  # seconds
AT_MOST = 1800.0  # seconds of pauses for one question
NO_SERVICE = "No check service is set up for this course: AUTOGRADER_URL names none."
NO_ANSWER = "The check service does not answer. Ask again later."
ODD_TOKEN = "Your token holds a character that no token has: copy it once more."
NO_NOTEBOOK = "Your notebook is not found from here. Save it, and name its file: %check {} FILE"
NO_FILE = "There is no file {} here: name your notebook as it is named in its folder."
NOBODY = "A token is wanted, and nobody can type one here: set AUTOGRADER_TOKEN."

_token: list[str] = []  # once it was asked for


class Refused(Exception):
    """The service, or this file, says in one sentence why there is no answer."""

    def __init__(self, sentence: str, status: int = 0) -> None:
        super().__init__(sentence)
        self.status = status


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *request: Any) -> None:
        """A token goes to no other address than the one that was given."""


def load_ipython_extension(shell: Any) -> None:
    """Called by `%load_ext check`."""

    def check(line: str) -> None:
        """What the check service says of an answer: %check QUESTION [FILE.ipynb]."""
        if "NBGRADER_EXECUTION" in os.environ:  # it is being graded: there is nobody to ask
            return
        try:
            _check(shell, [*_words(line), "", ""][:2])
        except Refused as refused:
            print(_plain(refused))
        except KeyboardInterrupt:
            print("Stopped. What was asked may still be judged.")

    shell.register_magic_function(check, "line", "check")


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise Refused("It is asked as: %check QUESTION FILE.ipynb") from error


def _check(shell: Any, words: list[str]) -> None:
    question, file = words
    if not _address():
        raise Refused(NO_SERVICE)
    if not question:
        _show_questions()
        return
    notebook, name = _notebook(shell, question, file)
    body = {"assignment": ASSIGNMENT or name, "question": question, "notebook": notebook}
    _show(_answer(body))


def _address() -> str:
    url = (os.environ.get("AUTOGRADER_URL") or URL).strip().rstrip("/")
    with suppress(ValueError):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme in ("https", "http") and parts.hostname and parts.port != 0:
            return url
    return ""


def _show_questions() -> None:
    if not ASSIGNMENT:
        raise Refused("It is asked as: %check QUESTION")
    query = urllib.parse.urlencode({"assignment": ASSIGNMENT})
    told = _patiently("GET", f"api/questions?{query}")
    for question in told.get("questions", []):
        left = question.get("attempts_left")
        more = "" if left is None else f"  ({left} attempts left in this hour)"
        print(_plain(f"%check {question.get('slug')}{more}"))
    if not told.get("open", True):
        print("The check service is closed for this assignment.")


def _answer(body: dict[str, Any]) -> dict[str, Any]:
    """What the service answers in the end; asks anew where it has forgotten the question."""
    ticket, said, pause, waited = _patiently("POST", "api/checks", body), "", 0.4, 0.0
    while ticket.get("state") not in ("answered", "failed"):
        if (now := _progress(ticket)) != said:
            print(now)
            said = now
        if waited > AT_MOST:
            raise Refused("It takes too long. Ask again later.")
        _sleep(pause)
        waited, pause = waited + pause, min(pause * 1.3, 3.0)
        try:
            id = urllib.parse.quote(str(ticket.get("id")), "")
            ticket = _patiently("GET", f"api/checks/{id}")
        except Refused as refused:
            if refused.status != 404:
                raise
            ticket = _patiently("POST", "api/checks", body)
    if ticket["state"] == "failed" or not isinstance(ticket.get("answer"), dict):
        raise Refused(str(ticket.get("sentence") or NO_ANSWER))
    answer: dict[str, Any] = ticket["answer"]
    return answer


def _progress(ticket: dict[str, Any]) -> str:
    if ticket.get("state") == "running":
        return "Your answer is being checked."
    seconds = max(1, round(float(ticket.get("wait_seconds") or 0)))
    return f"Waiting at place {ticket.get('position')}: about {seconds} s."


def _show(answer: dict[str, Any]) -> None:
    print(_plain(f"{answer.get('question')}: {answer.get('words') or answer.get('status')}"))
    if answer.get("score") is not None:
        print(_plain(f"{answer['score']:g} of {answer.get('max_score', 0):g} points"))
    for check in answer.get("checks", []):
        mark = "held  " if check.get("passed") else "FAILED"
        print(_plain(f"  {mark}  {check.get('title') or ''}"))
        for text in (check.get("message"), check.get("diagnosis")):
            if text and not check.get("passed"):
                print("\n".join(f"          {line}" for line in _plain(text).splitlines()))
    if not answer.get("passed") and answer.get("rests_on"):
        print(_plain(f"It rests on {', '.join(answer['rests_on'])}: check that first."))
    if answer.get("reserved"):
        print(f"More checks are kept for the final grade: {answer['reserved']}.")
    if answer.get("attempts_left") is not None:
        print(f"Attempts left in this hour: {answer['attempts_left']}.")
    if (seconds := answer.get("next_in_seconds") or 0) >= 1:
        print(f"You may ask about it again in {seconds:.0f} s.")


def _plain(text: object) -> str:
    """Without what a terminal would obey."""
    return "".join(c for c in str(text) if c == "\n" or c.isprintable())


def _notebook(shell: Any, question: str, file: str) -> tuple[dict[str, Any], str]:
    """The notebook without its outputs, and the name of its file."""
    found = None if file else _from_colab()
    name = ""
    if found is None:
        path = Path(file).expanduser() if file else _path(shell)
        if path is None or not path.is_file():
            raise Refused(NO_FILE.format(file) if file else NO_NOTEBOOK.format(question))
        saved = time.strftime("%H:%M:%S", time.localtime(path.stat().st_mtime))
        print(f"Asking about {path.name} as it was saved at {saved}.")
        name = path.stem
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise Refused(f"{path.name} cannot be read as a notebook.") from error
    if not isinstance(found, dict) or not isinstance(found.get("cells"), list):
        raise Refused("What was found is no notebook of nbformat 4.")
    for cell in (cell for cell in found["cells"] if isinstance(cell, dict)):
        cell["source"] = "".join(cell.get("source", ""))  # a file holds lines
        if cell.get("cell_type") == "code":
            cell.update(outputs=[], execution_count=None)
    return found, name


def _from_colab() -> Any:
    """The notebook as the page of Colab has it; None elsewhere."""
    try:
        from google.colab import _message  # type: ignore[import-not-found]

        return _message.blocking_request("get_ipynb", timeout_sec=30)["ipynb"]
    except (ImportError, TypeError, KeyError):
        return None


def _path(shell: Any) -> Path | None:
    """The file of the notebook: as VS Code or Jupyter name it, or the assignment's, or the only."""
    named = [shell.user_ns.get("__vsc_ipynb_file__"), os.environ.get("JPY_SESSION_NAME")]
    for name in [*named, f"{ASSIGNMENT}.ipynb"]:
        if isinstance(name, str) and name.endswith(".ipynb"):
            for path in (Path(name), Path(Path(name).name)):
                if path.is_file():
                    return path
    here = sorted(Path().glob("*.ipynb"))
    return here[0] if len(here) == 1 else None


def _patiently(method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """What the service says; asks again while it does not answer, or its queue is full."""
    pause = 1.0
    for left in reversed(range(LOST)):
        try:
            return _asked(method, path, body)
        except (OSError, HTTPException) as error:
            if not left:
                raise Refused(NO_ANSWER) from error
        except Refused as refused:
            if refused.status not in (502, 503, 504) or not left:
                raise
        _sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)
    raise Refused(NO_ANSWER)


def _asked(method: str, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
    """One request; asks for a token where one is wanted and none is known."""
    token = _known_token()
    try:
        return _sent(method, path, body, token)
    except Refused as refused:
        if refused.status != 401:
            raise
        if token and not _token:
            raise
        _token[:] = [_sound(_typed())]
    try:
        return _sent(method, path, body, _token[0])
    except Refused as refused:
        if refused.status == 401:
            _token.clear()  # so that it is asked for again
        raise


def _typed() -> str:
    try:
        return getpass.getpass("Your token for the check service: ")
    except EOFError:
        raise Refused(NOBODY) from None


def _known_token() -> str:
    if _token:
        return _token[0]
    names = ("AUTOGRADER_TOKEN", "JUPYTERHUB_API_TOKEN")
    given = next((os.environ[name] for name in names if os.environ.get(name)), "")
    return _sound(given or _secret())


def _sound(token: str) -> str:
    """A token as a request can carry it."""
    token = token.strip()
    if not (token.isascii() and token.isprintable()):
        raise Refused(ODD_TOKEN)
    return token


def _secret() -> str:
    """The token among the secrets of Colab or Kaggle."""
    try:
        from google.colab import userdata

        return str(userdata.get("AUTOGRADER_TOKEN"))
    except Exception:  # of Colab's own kinds: there is no such secret, or it is not given
        pass
    try:
        from kaggle_secrets import UserSecretsClient  # type: ignore[import-not-found]

        return str(UserSecretsClient().get_secret("AUTOGRADER_TOKEN"))
    except Exception:
        return ""


def _sent(method: str, path: str, body: dict[str, Any] | None, token: str) -> dict[str, Any]:
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"token {token}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{_address()}/{path}", data, headers, method=method)
    opener = urllib.request.build_opener(_NoRedirect)
    try:
        with opener.open(request, timeout=REPLY_SECONDS) as reply:
            return _read(reply)
    except urllib.error.HTTPError as error:
        with error:
            told = {}
            with suppress(OSError, HTTPException):
                told = _read(error)
            sentence = told.get("error") or f"The check service says {error.code}."
            raise Refused(str(sentence), error.code) from error
    except (UnicodeError, InvalidURL) as error:
        raise Refused(NO_SERVICE) from error


def _read(reply: Any) -> dict[str, Any]:
    said = reply.read(REPLY_BYTES)
    try:
        told = json.loads(said)
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise HTTPException("no JSON object")
    return told


def _sleep(seconds: float) -> None:
    time.sleep(seconds)
