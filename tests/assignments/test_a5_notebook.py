"""The notebook of a5: the switch to the real models, its figures, its written answer."""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import IDS, ROOT, ExecutedOf, build
from local_hub import local_hub
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from running import printed
from sample_class import Sample

from autograder.course.assignments import Course
from autograder.pages.inert import SanitizeOutputs

A5 = "a5_transformer_anatomy"
SOURCE = ROOT / "source" / A5
SWITCH = "%env REAL_ASSETS=1"
REAL_NAMES = {"tiny-bert": "google-bert/bert-base-uncased", "tiny-t5": "google-t5/t5-small"}
NOWHERE = "http://127.0.0.1:9"


def solved() -> NotebookNode:
    return build(Sample("solved"), A5)


def cell(notebook: NotebookNode, name: str) -> NotebookNode:
    return next(c for c in notebook.cells if c.id == name)


def run(notebook: NotebookNode, folder: Path, **env: str) -> NotebookNode:
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    NotebookClient(notebook, kernel_name="python3", timeout=180).execute(
        env={**os.environ, **env}, cwd=str(folder), **quiet
    )
    return notebook


def loading(switched_on: bool) -> NotebookNode:
    """The notebook up to the cell that loads the models."""
    notebook = solved()
    last = next(n for n, c in enumerate(notebook.cells) if c.id == "models")
    notebook.cells = notebook.cells[: last + 1]
    if switched_on:
        notebook.cells.insert(0, nbformat.v4.new_code_cell(SWITCH))
    return notebook


@pytest.fixture(scope="module")
def executed(executed_of: ExecutedOf) -> NotebookNode:
    return executed_of(A5)


def test_run_all_shows_every_figure(executed: NotebookNode) -> None:
    for name in (
        *("tokenization_figure", "batch_figure", "embedding_figure", "positional_encoding_figure"),
        *("bert_embeddings_figure", "mask_figures", "self_attention_maps", "early_late_figure"),
        *("interactive", "cls_figure", "look_ahead_figure", "teacher_forcing"),
        *("cross_attention_figure", "cross_interactive", "silence_figure"),
    ):
        assert any("image/png" in o.get("data", {}) for o in cell(executed, name).outputs), name


def test_the_students_layers_compute_what_berts_layers_compute(executed: NotebookNode) -> None:
    lines = printed(executed, "transplant").splitlines()
    assert len(lines) == 4
    assert all(float(line.split()[-1]) < 1e-5 for line in lines)


def test_the_students_attention_computes_what_t5s_decoder_computes(executed: NotebookNode) -> None:
    lines = printed(executed, "t5_transplant").splitlines()
    assert len(lines) == 2
    assert all(float(line.split()[-1]) < 1e-5 for line in lines)


def test_the_students_loop_translates(executed: NotebookNode) -> None:
    said = printed(executed, "translate")
    assert "la vieille vache traverse le pont parce qu'elle est fatiguée." in said
    assert "le vieux cheval traverse le pont parce qu'il est large." in said


@pytest.mark.parametrize(("name", "layers"), [("interactive", 3), ("cross_interactive", 2)])
def test_an_interactive_figure_is_whole_in_the_saved_notebook(
    executed: NotebookNode, name: str, layers: int
) -> None:
    reopened = nbformat.reads(nbformat.writes(executed), as_version=4)
    figures = [
        output.data["application/vnd.plotly.v1+json"]
        for output in cell(reopened, name).outputs
        if "application/vnd.plotly.v1+json" in output.get("data", {})
    ]
    assert len(figures) == 1
    (trace,) = figures[0]["data"]
    (menu,) = figures[0]["layout"]["updatemenus"]
    labels = [button["label"] for button in menu["buttons"]]
    heads = {f"layer {i + 1}, head {j + 1}" for i in range(layers) for j in range(4)}
    assert heads <= set(labels)
    rows, columns = len(trace["z"]), len(trace["z"][0])
    assert len(figures[0]["layout"]["yaxis"]["ticktext"]) == rows
    assert len(figures[0]["layout"]["xaxis"]["ticktext"]) == columns
    for button in menu["buttons"]:
        (table,) = button["args"][0]["z"]
        assert [len(row) for row in table] == [columns] * rows
        assert all(sum(row) == pytest.approx(1, abs=0.02) for row in table)
    assert len(json.dumps(figures[0])) < 200_000


def test_feedback_which_has_no_script_shows_a_picture(executed: NotebookNode) -> None:
    for name in ("interactive", "cross_interactive"):
        page = copy.deepcopy(executed)
        page.cells = [cell(page, name)]
        page.cells[0].source = ""
        page, _ = SanitizeOutputs().preprocess(page, {})
        html, _ = HTMLExporter(template_name="basic").from_notebook_node(page)
        assert "Here it cannot run." in html
        assert html.count("data:image/png") == 1
        assert "plotly" not in html.lower()


def test_one_switch_brings_both_models_from_the_hub_each_file_once(tmp_path: Path) -> None:
    for small, real in REAL_NAMES.items():
        shutil.copytree(SOURCE / "assets" / small, tmp_path / "hub" / real)
    (tmp_path / "empty").mkdir()
    asked: list[str] = []
    with local_hub(tmp_path / "hub", asked) as address:
        found = run(
            loading(switched_on=True),
            tmp_path / "empty",
            HF_HOME=str(tmp_path / "home"),
            HF_ENDPOINT=address,
            HF_TOKEN="",
        )
    assert "BERT: 3 layers, 4 heads" in printed(found, "models")
    assert "T5: 2 layers, 4 heads" in printed(found, "models")
    weights = [path for path in asked if path.endswith("/model.safetensors")]
    assert sorted(path.partition("/resolve")[0] for path in weights) == sorted(REAL_NAMES.values())
    assert asked.count("") == 1  # does the hub answer at all?


def test_a_hub_that_cannot_be_reached_costs_one_sentence_and_no_patience(tmp_path: Path) -> None:
    notebook = loading(switched_on=True)
    started = time.monotonic()
    with pytest.raises(CellExecutionError) as failure:
        run(notebook, tmp_path, HF_HOME=str(tmp_path), HF_ENDPOINT=NOWHERE)
    assert time.monotonic() - started < 60  # of which the imports are nearly all
    assert failure.value.ename == "ConnectionError"
    assert failure.value.evalue == (
        "google-bert/bert-base-uncased is not on this machine, and the Hugging Face hub cannot be "
        "reached: connect to the network or take REAL_ASSETS away, then restart. (OSError)"
    )


def test_without_the_assets_the_notebook_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(CellExecutionError) as failure:
        run(loading(switched_on=False), tmp_path)
    assert failure.value.evalue == (
        "assets/tiny-bert is missing: put the folder `assets` of this assignment beside this "
        "notebook."
    )


@pytest.mark.parametrize("graded", [False, True])
def test_the_hub_is_offline_unless_switched_on_and_always_when_graded(
    graded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = {c.id: c.source for c in solved().cells}
    assert list(cells).index("settings") < list(cells).index("imports")
    for name, value in {"HF_ENDPOINT": NOWHERE, "HF_HUB_OFFLINE": "", "REAL_ASSETS": ""}.items():
        monkeypatch.setenv(name, value)  # and restored afterwards
    names: dict[str, Any] = {}
    exec(cells["settings"], names)
    assert (names["REAL"], os.environ["HF_HUB_OFFLINE"]) == (False, "1")
    monkeypatch.setenv("REAL_ASSETS", "1")
    if graded:
        monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    exec(cells["settings"], names)
    assert (names["REAL"], os.environ["HF_HUB_OFFLINE"]) == (not graded, "1")


@pytest.mark.parametrize("other", ["a4_text_classification", "a6_vit_finetuning"])
def test_the_switch_is_the_same_in_every_notebook_that_has_one(other: str) -> None:
    """Its sentence, and the function that asks whether the hub is there."""
    ours, theirs = (
        "\n".join(c.source for c in build(Sample("solved"), name).cells) for name in (A5, other)
    )
    sentence = f"put the line `{SWITCH}` into a new first cell, restart, and run all."
    function = ours[ours.index("def hub_answers") : ours.index('\nos.environ["TOKENIZERS_PARA')]
    for part in (sentence, function):
        assert part in ours
        assert part in theirs


@pytest.mark.parametrize(
    ("name", "written"), [(A5, "attention_essay"), ("a4_text_classification", "attention_reading")]
)
def test_the_written_answer_is_graded_by_hand_and_its_rubric_stays_with_the_instructor(
    name: str, written: str, course: Course
) -> None:
    source = nbformat.read(ROOT / "source" / name / f"{name}.ipynb", as_version=4)
    release = course.assignment(name).release
    essay = cell(release, written)
    assert essay.cell_type == "markdown"
    assert essay.source == "YOUR ANSWER HERE"
    settings = essay.metadata.nbgrader
    assert (settings.grade, settings.solution, settings.points) == (True, True, 5)
    rubric = cell(source, f"{written.replace('_', '-')}-rubric").source
    assert "Marking scheme" in rubric
    assert sum(int(line[2]) for line in rubric.splitlines() if line[:3].strip("| ").isdigit()) == 5
    texts = "\n".join(c.source for c in release.cells)
    assert "Marking scheme" not in texts
    assert not [line for line in rubric.splitlines() if len(line) > 30 and line in texts]


@pytest.mark.parametrize("name", IDS)
def test_automatic_and_manual_points_make_a_hundred(name: str, course: Course) -> None:
    cells = course.assignment(name).release.cells
    settings = [c.metadata.get("nbgrader", {}) for c in cells]
    assert sum(s["points"] for s in settings if s.get("grade")) == 100
