"""The box's shell gives the outputs of a real kernel, and more where an import fails."""

import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import shell_runs
from conftest import ROOT
from nbclient import NotebookClient
from normal_form import in_normal_form
from shell_runs import RunCells, text_of

from autograder.box.inside.bundles import prepared

NOTEBOOKS = sorted(Path(__file__).with_name("notebooks").glob("*.ipynb"))
environment, zygote, run = shell_runs.environment, shell_runs.zygote, shell_runs.run  # fixtures


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_puts_out_what_it_does_in_a_kernel(
    path: Path, run: RunCells, environment: dict[str, str], tmp_path: Path
) -> None:
    notebook = nbformat.read(path, as_version=4)
    runs = run(*(cell.source for cell in notebook.cells))
    desk = tmp_path / "desk"
    desk.mkdir()
    client = NotebookClient(notebook, kernel_name="python3", allow_errors=True, timeout=60)
    client.execute(
        env=environment, cwd=str(desk), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    for cell, ours in zip(notebook.cells, runs, strict=True):
        expected = in_normal_form([prepared(output)[0] for output in cell.outputs], desk)
        found = in_normal_form(ours["outputs"], tmp_path)
        if "frames-differ" in cell.metadata.get("tags", ()):
            for output in expected + found:
                del output["traceback"]
        assert found == expected, cell.id
        assert ours["execution_count"] == cell.execution_count
        cell.outputs = [nbformat.from_dict(output) for output in ours["outputs"]]
    nbformat.validate(notebook)


def test_making_the_shell_writes_below_its_directory_only(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    home, profile = tmp_path / "home", tmp_path / "profile"
    home.mkdir()
    code = (
        "import sys, threading; from autograder.box.inside.shell import make_shell;"
        "make_shell(sys.argv[1]); assert threading.active_count() == 1;"
        "assert 'sqlite3' not in sys.modules and 'zmq' not in sys.modules"
    )
    scrubbed = {**environment, "PYTHONPATH": str(ROOT), "HOME": str(home), "TMPDIR": str(home)}
    command = [sys.executable, "-B", "-c", code, str(profile)]
    subprocess.run(command, check=True, env=scrubbed, cwd=home)
    assert list(home.iterdir()) == []
    assert profile.is_dir()


def test_input_is_refused_with_the_message_of_a_kernel(run: RunCells) -> None:
    (only,) = run("input('Name? ')")
    assert only["error"] == "StdinNotImplementedError"


def test_text_between_cells_belongs_to_none(run: RunCells) -> None:
    waits = "import threading, time\ndef late():\n    time.sleep(0.2); print('in time')\n"
    starts = "asleep = threading.Timer(0, late); asleep.start()"
    first, second = run(waits + starts, "asleep.join()")
    assert text_of(first) == ""
    assert text_of(second) == "in time\n"


def test_a_command_without_terminals_prints_the_same(run: RunCells) -> None:
    command = "!echo one; echo two >&2; exit 3"
    blind = "import os\ndef openpty(): raise OSError\nos.openpty = openpty"
    seen, code, _, blindly, same_code = run(command, "_exit_code", blind, command, "_exit_code")
    assert text_of(blindly) == text_of(seen) == "one\r\ntwo\r\n"
    assert code["outputs"][0]["data"] == same_code["outputs"][0]["data"] == {"text/plain": "3"}


def test_data_that_is_no_text_or_that_no_page_shows_is_left_out(run: RunCells) -> None:
    shown = "{'text/plain': {1}, 'text/latex': {'c': 1}, 'text/html': 'kept', 'x/y': 'hidden'}"
    (only,) = run(f"display({shown}, raw=True)")
    assert only["outputs"][0]["data"] == {"text/html": "kept"}


def test_text_that_is_no_unicode_comes_back_as_some(run: RunCells) -> None:
    (only,) = run("print('\\ud800'); display('\\ud800'); float('nan')")
    assert json.dumps(only["outputs"], ensure_ascii=False).encode()
    assert text_of(only) == "?\n"


def test_settings_of_one_box_do_not_reach_the_next(run: RunCells) -> None:
    run("import sys; sys.modules['made_up'] = sys; left = 1")
    (only,) = run("import sys; 'made_up' in sys.modules, 'left' in globals(), In[1][:6]")
    assert only["outputs"][0]["data"] == {"text/plain": "(False, False, 'import')"}
    assert only["execution_count"] == 1


MISSING = """from google.colab import drive
drive.mount("/content/drive")
import torch_that_is_missing as gone, math
folder = drive.path
import json
1 + 1"""


def test_behind_an_import_of_what_is_not_installed_a_cell_goes_on(run: RunCells) -> None:
    first, second, third = run(MISSING, "folder", "folder\njson.dumps(3)")
    told = [output.get("evalue") for output in first["outputs"][:4]]
    assert told == [
        "No module named 'google'",
        "name 'drive' is not defined",
        "No module named 'torch_that_is_missing'",
        "name 'drive' is not defined",
    ]
    assert first["outputs"][4]["data"]["text/plain"] == "2"
    assert first["error"] is not None
    assert second["error"] == "NameError"
    assert third["outputs"][-1]["data"]["text/plain"] == "'3'"


NOT_HERE = {
    "try: import gone\nexcept ImportError:\n    %pip install gone\n    import gone": "'gone'",
    "if True:\n    import gone as other\nelse:\n    other = 1\nother.load()": "'gone'",
    "exec('import gone')": "'gone'",
    "def load():\n    import gone\n\nload()": "'gone'",
    "import importlib\nfound = importlib.import_module('gone')\nfound": "'gone'",
    "raise ImportError('It needs another library')": "needs another library",
    "%load_ext gone": "'gone'",
    "%watermark -v": "`%watermark` not found",
}


@pytest.mark.parametrize("source", NOT_HERE)
def test_wherever_a_statement_asks_for_what_is_not_installed_the_next_ones_run(
    run: RunCells, source: str
) -> None:
    first, second = run(f"{source}\nimport json as right\nleft = 1", "right.dumps(left)")
    assert second["outputs"][0]["data"]["text/plain"] == "'1'"
    assert NOT_HERE[source] in first["did_without"]


BACKENDS = ["notebook", "qt", "tk", "widget", "of_a_later_version"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_plots_are_inline_whatever_is_asked_for(run: RunCells, backend: str) -> None:
    draws = "import matplotlib.pyplot as plt\nplt.plot([1]); plt.show()"
    (only,) = run(f"%matplotlib {backend}\n{draws}")
    assert only["error"] is None
    told, figure = only["outputs"]
    assert f"'{backend}' is not there" in told["text"]
    assert "image/png" in figure["data"]


def test_where_nothing_follows_a_cell_has_not_gone_on(run: RunCells) -> None:
    told = [done["did_without"] for done in run("1\nimport gone", "%%nothing\n1", "1\n2")]
    assert told == ["", "", ""]


@pytest.mark.parametrize(
    "source",
    [
        "import json\nnobody\nleft = 1",
        "from json import nothing\nleft = 1",
        "import gone\nraise KeyError(1)\nleft = 1",
        "import gone\nleft = (\n",
    ],
)
def test_behind_any_other_error_it_stops(run: RunCells, source: str) -> None:
    *_, last = run(source, "left")
    assert last["outputs"][0]["ename"] == "NameError"
