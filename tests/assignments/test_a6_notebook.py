"""The whole notebook of a6: what fine-tuning reaches, and the switch to the real model and food."""

from __future__ import annotations

import multiprocessing
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
import torch
from conftest import ExecutedOf, GraderOf, build
from datasets import ClassLabel, Dataset, Features
from datasets import Image as ImageFeature
from local_hub import local_hub
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from PIL import Image
from running import printed
from sample_class import Sample
from transformers import ViTConfig, ViTForImageClassification, ViTImageProcessorPil

from autograder.checking import probe
from autograder.course.assignments import Course

A6 = "a6_vit_finetuning"
FOOD = [f"food_{number:03}" for number in range(101)]
CLASSES = 20
NOWHERE = "http://127.0.0.1:9"  # nothing listens there
FEW = 3  # attempts to reach a hub that is not there; retries would make more
COUNT = """
import sys


def count(event, arguments):
    if event == "socket.connect" and arguments[1][-1] == 9:
        with open("attempts", "a") as file:
            file.write("+")


sys.addaudithook(count)
"""
PER_CLASS = {"train": 17, "validation": 4}  # the first training image of each class is grey


@probe
def tables(answers: Any) -> dict[str, Any]:
    import PIL.Image
    from transformers import conversion_mapping

    built = conversion_mapping._checkpoint_conversion_mapping_cache is not None
    return {"formats": len(PIL.Image.OPEN), "weights": built}


def test_boxes_find_the_tables_by_which_weights_and_pictures_are_loaded(
    grader_of: GraderOf,
) -> None:
    with grader_of(A6).session(nbformat.v4.new_notebook()) as session:
        found = session.run(tables)
    assert int(str(found["formats"])) > 30
    assert found["weights"] is True


def run_all(course: Course, folder: Path, **env: str) -> NotebookNode:
    """The solved notebook as a student's kernel runs it in a folder of its own."""
    notebook = build(Sample("solved"), A6)
    shutil.copytree(course.assignment(A6).release_path.parent, folder, dirs_exist_ok=True)
    client = NotebookClient(notebook, kernel_name="python3", timeout=300)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    client.execute(env={**os.environ, **env}, cwd=str(folder), **quiet)
    return notebook


def percents(line: str) -> list[float]:
    return [float(number) for number in re.findall(r"([\d.]+)%", line)]


def test_pre_training_pays_and_the_class_token_looks_at_the_dish(
    executed_of: ExecutedOf,
) -> None:
    notebook = executed_of(A6)
    before, after, scratch = percents(printed(notebook, "fine_tune"))
    assert after >= 75
    assert scratch <= 40
    assert before <= 40
    assert re.search(r"Wall time:.*none +[\d.]+ s +[\d.]+ s", printed(notebook, "fine_tune"))
    shares = printed(notebook, "dish_figure")
    tuned = next(line for line in shares.splitlines() if line.startswith("after"))
    area = float(re.search(r"covers ([\d.]+) of", shares)[1])
    assert float(tuned.split()[-1]) >= 2.5 * area
    pictures = [cell.id for cell in notebook.cells if has_picture(cell)]
    assert len(pictures) == 11, pictures


def test_the_head_alone_goes_two_thirds_of_the_way_and_further_at_a_higher_rate(
    executed_of: ExecutedOf,
) -> None:
    told = printed(executed_of(A6), "head_only_table").splitlines()
    trained = [int(count.replace(",", "")) for count in told[1].split()[-3:]]
    assert trained[1] == trained[2] < 0.005 * trained[0]
    (before, *start), (whole, head, faster) = percents(told[2]), percents(told[3])
    assert start == [before, before]
    assert 0.55 < (head - before) / (whole - before) < 0.78
    assert faster > head + 5
    assert re.search(r"Wall time: .*[\d.]+ s +[\d.]+ s +[\d.]+ s", told[4])


def test_the_assembled_model_answers_as_the_librarys_does(executed_of: ExecutedOf) -> None:
    told = printed(executed_of(A6), "vision_transformer_same")
    same, images = map(int, re.findall(r"\d+", told))
    assert same == images == 320


def test_what_attention_points_at_is_needed_and_the_first_layer_points_at_it_too(
    executed_of: ExecutedOf,
) -> None:
    told = printed(executed_of(A6), "deletion_figure")
    lines = {line[:16].strip(): line[16:].split() for line in told.splitlines() if "%" in line}
    counts = told.splitlines()[0][16:].split()
    eighth = counts.index("8")
    shares = {
        name: [float(share.strip("%")) for share in lines[name]]
        for name in ("last layer", "first layer", "by lot", "the dish")
    }
    start = shares["last layer"][0]
    lost = {name: start - found[eighth] for name, found in shares.items()}
    assert lost["last layer"] > start / 2
    assert lost["by lot"] < start / 8
    assert lost["first layer"] > 0.8 * lost["last layer"]
    assert lost["the dish"] > lost["last layer"]
    assert told.rstrip().endswith("about as many.")


def has_picture(cell: NotebookNode) -> bool:
    return any("image/png" in output.get("data", {}) for output in cell.get("outputs", []))


@pytest.fixture(scope="module")
def hub_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Repositories with the names and the forms of the real ones, but small."""
    root = tmp_path_factory.mktemp("hub")
    model = root / "google" / "vit-base-patch16-224"
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = ViTConfig(intermediate_size=32, num_labels=1000, **sizes)
    ViTForImageClassification(config).save_pretrained(model)
    half = [0.5, 0.5, 0.5]
    ViTImageProcessorPil(image_mean=half, image_std=half).save_pretrained(model)
    food = root / "datasets" / "ethz" / "food101" / "data"
    food.mkdir(parents=True)
    for split, count in PER_CLASS.items():
        food_like(count).to_parquet(food / f"{split}-00000-of-00001.parquet")
    return root


def food_like(per_class: int) -> Dataset:
    """More classes than the notebook wants, one grey image in each class of the training images."""
    rng = np.random.default_rng(per_class)
    images, labels = [], []
    for label in range(CLASSES + 4):
        for number in range(per_class):
            pixels = rng.integers(0, 256, (30, 40 + number, 3), dtype=np.uint8)
            grey = number == 0 and per_class == PER_CLASS["train"]
            images.append(Image.fromarray(pixels).convert("L" if grey else "RGB"))
            labels.append(label)
    features = Features({"image": ImageFeature(), "label": ClassLabel(names=FOOD)})
    return Dataset.from_dict({"image": images, "label": labels}, features=features)


def test_the_switch_brings_the_model_and_the_food_from_the_hub(
    course: Course, tmp_path: Path, hub_folder: Path
) -> None:
    with local_hub(hub_folder) as address:
        notebook = run_all(
            course,
            tmp_path / "desk",
            REAL_ASSETS="1",
            HF_ENDPOINT=address,
            HF_HOME=str(tmp_path / "home"),
            HF_TOKEN="",
        )
    assert "google/vit-base-patch16-224" in printed(notebook, "settings")
    told = printed(notebook, "data")
    train = CLASSES * (PER_CLASS["train"] - 1)
    test = CLASSES * PER_CLASS["validation"]
    assert f"{train} images to train on and {test} to test with, {CLASSES} classes" in told
    assert ", ".join(name.replace("_", " ") for name in FOOD[:CLASSES]) in told
    assert "mode RGB" in told
    assert "224 x 224 pixels" in printed(notebook, "processor")
    assert len(percents(printed(notebook, "fine_tune"))) == 3
    assert "come without masks" in printed(notebook, "dish_figure")


def test_without_the_switch_nothing_asks_the_hub(course: Course, tmp_path: Path) -> None:
    """The address leads nowhere, and a name on the hub fails at once instead of after retries."""
    notebook = build(Sample("solved"), A6)
    notebook.cells = [cell for cell in notebook.cells if cell.id in ("switch", "imports")]
    code = 'AutoConfig.from_pretrained("google/vit-base-patch16-224")'
    notebook.cells.append(
        type(notebook.cells[0])(notebook.cells[0] | {"source": code, "id": "ask"})
    )
    shutil.copytree(course.assignment(A6).release_path.parent, tmp_path, dirs_exist_ok=True)
    client = NotebookClient(notebook, kernel_name="python3", timeout=180, allow_errors=True)
    environment = {**os.environ, "HF_ENDPOINT": NOWHERE, "HF_HOME": str(tmp_path)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    client.execute(env=environment, cwd=str(tmp_path), **quiet)
    assert "offline" in notebook.cells[-1].outputs[0].evalue


def test_a_hub_that_cannot_be_reached_costs_one_sentence_and_no_patience(
    course: Course, tmp_path: Path
) -> None:
    notebook = build(Sample("solved"), A6)
    start = ("versions", "switch", "imports", "settings", "helpers", "data")
    notebook.cells = [cell for cell in notebook.cells if cell.id in start]
    shutil.copytree(course.assignment(A6).release_path.parent, tmp_path, dirs_exist_ok=True)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(COUNT))
    client = NotebookClient(notebook, kernel_name="python3", timeout=60)
    environment = {**os.environ, "REAL_ASSETS": "1", "HF_ENDPOINT": NOWHERE}
    environment |= {"HF_HOME": str(tmp_path / "home")}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with pytest.raises(CellExecutionError) as raised:
        client.execute(env=environment, cwd=str(tmp_path), **quiet)
    attempts = (tmp_path / "attempts").read_text()
    assert 1 <= len(attempts) <= FEW
    assert raised.value.ename == "ConnectionError"
    assert "ethz/food101 is not on this machine" in raised.value.evalue
    assert "connect to the network or take REAL_ASSETS away" in raised.value.evalue
    assert "\n" not in raised.value.evalue


MACHINES = {
    "laptop": ({}, "cpu", "fp32", 0),
    "laptop, large model": ({"REAL": True}, "cpu", "fp32", 0),
    "new GPU": ({"cuda": True, "bf16": True}, "cuda", "bf16", 0),
    "new GPU, large model": ({"cuda": True, "bf16": True, "REAL": True}, "cuda", "bf16", 8),
    "old GPU, large model": ({"cuda": True, "REAL": True}, "cuda", "fp16", 8),
    "GPU without forks": ({"cuda": True, "REAL": True, "starts": "spawn"}, "cuda", "fp16", 0),
    "Apple, tiny model": ({"mps": True}, "cpu", "fp32", 0),
    "Apple, large model": ({"mps": True, "REAL": True}, "mps", "fp32", 0),
}


@pytest.mark.parametrize("machine", MACHINES)
def test_precision_device_and_workers_are_what_the_machine_can_do(
    machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    has, device, precision, workers = MACHINES[machine]
    cells = {cell.id: cell.source for cell in build(Sample("solved"), A6).cells}
    monkeypatch.setattr(torch.cuda, "is_available", lambda: has.get("cuda", False))
    monkeypatch.setattr(
        torch.cuda, "is_bf16_supported", lambda including_emulation: has.get("bf16", False)
    )
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: has.get("mps", False))
    monkeypatch.setattr(multiprocessing, "get_start_method", lambda: has.get("starts", "fork"))
    monkeypatch.setattr(os, "cpu_count", lambda: 16)
    names = {"torch": torch, "os": os, "multiprocessing": multiprocessing, "SEED": 0}
    names["REAL"] = has.get("REAL", False)
    code = re.search(r"def machine_settings.*?\n(?=if DEVICE)", cells["settings"], re.DOTALL)[0]
    exec(code, names)
    assert (names["DEVICE"], names["PRECISION"]) == (device, precision)
    made = names["MACHINE"]
    assert [made["bf16"], made["fp16"]] == [precision == "bf16", precision == "fp16"]
    assert made["use_cpu"] is (device == "cpu")
    assert made["dataloader_num_workers"] == workers


@pytest.mark.parametrize(("given", "kept"), [(None, "0"), ("2,3", "2"), ("", "")])
def test_one_gpu_is_used_however_many_there_are(
    given: str | None, kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The trainer would spread a batch for each over all of them, and take half as many steps."""
    for name in ("HF_HUB_OFFLINE", "REAL_ASSETS", "CUDA_VISIBLE_DEVICES"):
        monkeypatch.setenv(name, "")  # and restored afterwards
    if given is None:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    else:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", given)
    cells = {cell.id: cell.source for cell in build(Sample("solved"), A6).cells}
    exec(cells["switch"], {})
    assert os.environ["CUDA_VISIBLE_DEVICES"] == kept
