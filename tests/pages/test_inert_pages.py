"""The feedback page and formgrader's view of a hostile submission, in a real browser."""

from __future__ import annotations

import copy
import html
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
from browser import dump_dom
from conftest import A1, ROOT
from hostile_markup import HOSTILE, HOSTILE_MARKDOWN, PIXEL, SVG, armed, findings, marks
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.api import Gradebook
from warm_commands import run_module

from autograder.course.assignments import Assignment
from autograder.pages.inert import POLICY

OF_THE_PAGE = re.compile(
    r'id="(summary|notebook|question-\d+)(-title)?"'
    r'|<svg( (class|viewBox|width|height|role|aria-[a-z]+|preserveAspectRatio)="[^"]*")+>'
    r'(\s*<(circle|path|rect)( [\w-]+="[^"<]*")+/>)+\s*</svg>'
    r'|<math display="(inline|block)">[^"\']*("[\w. ]*"[^"\']*)*?</math>'
)

HOSTILE_CELL = f"""
import base64
from IPython.display import HTML, JSON, SVG, Javascript, Markdown, display, publish_display_data

for text in {list(HOSTILE.values())!r}:
    display(HTML(text))
    print(text, end="")
for text in {list(HOSTILE_MARKDOWN.values())!r}:
    display(Markdown(text))
display(SVG({armed(SVG, "svg")!r}))
display(Javascript({armed("{js}", "javascript")!r}))
display(HTML({armed("<script>{js}</script>", "isolated")!r}), metadata={{"isolated": True}})
publish_display_data({{"application/vnd.jupyter.widget-view+json": {{"model_id": "a"}}}})
publish_display_data(
    {{"image/png": base64.b64decode({PIXEL!r})}},
    {{"image/png": {{"width": {armed("1 onload={js}", "width")!r}}}}},
)
start = '<svg xmlns="http://www.w3.org/2000/svg">'
display(SVG(start + '<path fill="url(' + " " * 900_000 + '#"/></svg>'))
nested = "".join(
    f'<g id="a{{n}}">' + f'<use href="#a{{n - 1}}"/>' * 10 + "</g>" for n in range(1, 10)
)
display(SVG(start + '<g id="a0"><rect/></g>' + nested + '<use href="#a9"/></svg>'))
display(HTML("<p " + " ".join(f"a{{n}}" for n in range(80_000)) + ">"))
display(Markdown("```python\\n" + "a." * 20_000 + "\\n```"))
print("\\ud800 \\x1b[38m")
raise ValueError({HOSTILE["image-error"]!r})
"""

HONEST_CELL = """
import matplotlib.pyplot as plt
import torch
from IPython.display import HTML, display

plt.plot([1, 3, 2])
plt.show()
display(HTML('<table border="1" class="dataframe"><tr><td>0.25</td></tr></table>'))
torch.zeros(2) @ torch.zeros(3)
"""

UNGUARDED = """
c.pop("HTMLExporter")
c.GenerateFeedback.pop("preprocessors")
c.GenerateFeedback.exporter_class = "nbconvert.exporters.HTMLExporter"
"""


def hostile_submission(release: NotebookNode) -> NotebookNode:
    notebook = copy.deepcopy(release)
    notebook.cells += [new_markdown_cell(text) for text in HOSTILE_MARKDOWN.values()]
    notebook.cells += [new_markdown_cell(text) for text in HOSTILE.values()]
    notebook.cells += [new_code_cell(HOSTILE_CELL), new_code_cell(HONEST_CELL)]
    notebook.cells.append(new_code_cell("a." * 20_000))
    notebook.cells.append(new_code_cell(HOSTILE["script"], metadata={"tags": ["<script>"]}))
    return notebook


def nbgrader(folder: Path, *arguments: str) -> None:
    done = run_module("nbgrader", *arguments, folder=folder)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory, a1: Assignment) -> Path:
    """A course in which the hostile submission is graded and has its feedback."""
    folder = tmp_path_factory.mktemp("course")
    for name in ("source", "checks"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    path = folder / "submitted" / "demo" / A1 / f"{A1}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(hostile_submission(a1.release), path)
    for command in ("generate_assignment", "autograde", "generate_feedback"):
        nbgrader(folder, command, A1)
    return folder


def feedback_page(folder: Path) -> Path:
    return folder / "feedback" / "demo" / A1 / f"{A1}.html"


def test_a_feedback_page_without_the_guards_runs_the_students_scripts(
    graded: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(graded, tmp_path / "course")
    with (folder / "nbgrader_config.py").open("a") as file:
        file.write(UNGUARDED)
    path = folder / "autograded" / "demo" / A1 / f"{A1}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = [c for c in notebook.cells if "attachment:" not in c.source]
    path.unlink()
    nbformat.write(notebook, path)
    nbgrader(folder, "generate_feedback", A1, "--force")
    dom = dump_dom(feedback_page(folder).as_uri(), tmp_path / "profile")
    assert marks(dom) >= {"script", "image-error", "svg-load", "md-block"}


def test_the_feedback_page_runs_nothing_of_a_student(graded: Path, tmp_path: Path) -> None:
    page = feedback_page(graded).read_text()
    assert POLICY in html.unescape(page[: page.index("<style")])
    assert page.count("<meta") == 4
    body = page[page.index("<body") :]
    left = [f for f in findings(OF_THE_PAGE.sub("", body)) if "data:image/svg" not in f]
    assert left == []
    assert (
        body.count("data:image/svg+xml;base64,") == 2
    )  # not the one that is drawn a billion times
    for kept in (
        "data:image/png;base64,",
        'class="dataframe"',
        "ansi-red-fg",
        '<span class="k">def',
    ):
        assert kept in body
    assert ".ansi-red-fg, .ansi-red-intense-fg { color:" in page
    assert "\x1b" not in page
    assert marks(dump_dom(feedback_page(graded).as_uri(), tmp_path / "profile")) == set()


@pytest.fixture
def formgrader(tmp_path: Path) -> Iterator[Callable[[Path], str]]:
    """Serves a course's formgrader on the loopback; returns the address of its submission."""
    servers = []

    def serve(folder: Path) -> str:
        runtime = tmp_path / "runtime"
        environment = {**os.environ, "HOME": str(tmp_path), "JUPYTER_RUNTIME_DIR": str(runtime)}
        command = "-m jupyter_server --no-browser --allow-root --ip=127.0.0.1 --port=0"
        with (tmp_path / "server.log").open("w") as log:
            servers.append(
                subprocess.Popen(
                    [sys.executable, *command.split(), "--IdentityProvider.token="],
                    cwd=folder,
                    env={**environment, "JUPYTER_CONFIG_DIR": str(tmp_path / "config")},
                    stdout=log,
                    stderr=log,
                )
            )
        with Gradebook(f"sqlite:///{folder}/gradebook.db") as gradebook:
            submission = gradebook.find_submission_notebook(A1, A1, "demo").id
        return f"{server_address(runtime)}formgrader/submissions/{submission}/"

    yield serve
    for server in servers:
        server.terminate()
        server.wait()


def server_address(runtime: Path) -> str:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for path in runtime.glob("jpserver-*.json"):
            text = path.read_text()
            if text.endswith("}"):
                return str(json.loads(text)["url"])
        time.sleep(0.1)
    raise AssertionError("the server did not start")


def test_formgrader_runs_its_own_scripts_and_none_of_a_student(
    graded: Path, formgrader: Callable[[Path], str], tmp_path: Path
) -> None:
    dom = dump_dom(formgrader(graded), tmp_path / "profile")
    assert "data-original-title" in dom, "its own scripts did not run"
    assert ">0.25<" in dom
    assert marks(dom) == set()
    shown = set(findings(dom[dom.index('id="notebook"') :]))
    assert not {"<iframe>", "<object>", "<embed>", "<form>", "<base>"} & shown
