"""What the settings of a6 are worth on a GPU: one epoch of ViT-B/16 at 224 pixels, in one run.

(a) notebook: what `make_training_args` of the solved notebook sets for the real model.
(b) defaults: `TrainingArguments` as it comes, but for one epoch without checkpoints.

Both train the same architecture from the same random weights on the same generated images, through
the notebook's own `transform`, `collate_fn` and `make_trainer`. A few steps before the clock starts
warm up the device. Without a GPU there is nothing to compare, and a sentence says so.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import torch
from datasets import ClassLabel, Dataset, Features
from datasets import Image as ImageFeature
from PIL import Image
from transformers import (
    PrinterCallback,
    TrainingArguments,
    ViTConfig,
    ViTForImageClassification,
    ViTImageProcessorPil,
    set_seed,
)

ROOT = Path(__file__).resolve().parent.parent
ASSIGNMENT = ROOT / "source" / "a6_vit_finetuning"
sys.path.insert(0, str(ASSIGNMENT))

from dishes import NAMES, draw_dishes  # noqa: E402 - lies beside the notebook

CELLS = (
    "switch",
    "imports",
    "settings",
    "transform",
    "collate",
    "compute_metrics",
    "training_setup",
)
MIB = 1 << 20

Names = dict[str, Any]


@dataclass(frozen=True)
class Cost:
    """Of one epoch on the device."""

    images_per_second: float
    peak_memory_mib: float
    precision: str
    images_per_step: int


def notebook_names() -> Names:
    """What the cells of the solved notebook define that set up its real training."""
    os.environ["REAL_ASSETS"] = "1"
    notebook = nbformat.read(ASSIGNMENT / f"{ASSIGNMENT.name}.ipynb", as_version=4)
    sources = {cell.id: cell.source for cell in notebook.cells}
    half = [0.5, 0.5, 0.5]
    names: Names = {"processor": ViTImageProcessorPil(image_mean=half, image_std=half)}
    for cell in CELLS:
        exec(compile(sources[cell], cell, "exec"), names)
    return names


def generated_images(count: int, size: int) -> Dataset:
    """Drawn dishes of twenty classes, `size` pixels on a side."""
    images, labels, _ = draw_dishes(NAMES, -(-count // len(NAMES)), seed=0, size=size)
    features = Features({"image": ImageFeature(), "label": ClassLabel(names=list(NAMES))})
    columns = {"image": [Image.fromarray(one) for one in images], "label": labels.tolist()}
    return Dataset.from_dict(columns, features=features).select(range(count))


def default_arguments(folder: str, use_cpu: bool) -> TrainingArguments:
    return TrainingArguments(
        folder,
        num_train_epochs=1,
        save_strategy="no",
        remove_unused_columns=False,
        use_cpu=use_cpu,
        disable_tqdm=True,
    )


def measure(names: Names, args: TrainingArguments, config: ViTConfig, images: Dataset) -> Cost:
    """Trains for one epoch after a short warm-up; evaluation is left out."""
    args.eval_strategy = type(args.eval_strategy)("no")
    table = images.with_transform(names["transform"])
    step = args.train_batch_size * args.gradient_accumulation_steps
    warm = table.select(range(min(2 * step, len(table))))
    on_gpu = args.device.type == "cuda"
    for part in (warm, table):
        set_seed(0)
        trainer = None
        gc.collect()  # a trainer is full of circles, and its model would count as memory
        trainer = names["make_trainer"](ViTForImageClassification(config), args, part, None)
        trainer.remove_callback(PrinterCallback)
        if on_gpu:
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            torch.cuda.synchronize()
        started = time.perf_counter()
        trainer.train()
        if on_gpu:
            torch.cuda.synchronize()
        seconds = time.perf_counter() - started
    peak = torch.cuda.max_memory_allocated() / MIB if on_gpu else 0.0
    precision = next((name for name in ("bf16", "fp16") if getattr(args, name)), "fp32")
    return Cost(len(table) / seconds, peak, precision, step)


def compare(names: Names, config: ViTConfig, images: Dataset, folder: str) -> dict[str, Cost]:
    """Both arms, one after the other.

    The library keeps one precision for the whole process, which new arguments set anew: those of
    an arm are made right before it is measured.
    """
    on_cpu = names["MACHINE"]["use_cpu"]
    costs = {}
    for name, arguments in (
        ("notebook", lambda: names["make_training_args"](folder)),
        ("defaults", lambda: default_arguments(folder, on_cpu)),
    ):
        costs[name] = measure(names, arguments(), config, images)
    return costs


def main() -> None:
    """Measures, prints and stores the figures; says why when there is no GPU."""
    parser = argparse.ArgumentParser(description="Measure one epoch of ViT-B/16 on a GPU.")
    parser.add_argument("--images", type=int, default=2048, metavar="N")
    count = parser.parse_args().images
    if not torch.cuda.is_available():
        print("skipped: this machine has no GPU, and on a CPU one epoch would take hours")
        return
    names = notebook_names()
    images = generated_images(count, size=256)
    config = ViTConfig(num_labels=len(NAMES))
    with tempfile.TemporaryDirectory() as folder:
        costs = compare(names, config, images, folder)
    ratios = {
        "times_faster": costs["notebook"].images_per_second / costs["defaults"].images_per_second,
        "times_the_memory": costs["notebook"].peak_memory_mib / costs["defaults"].peak_memory_mib,
    }
    device = torch.cuda.get_device_name()
    record = {"device": device, "images": count, **{n: vars(c) for n, c in costs.items()}, **ratios}
    text = json.dumps(record, indent=1) + "\n"
    (ROOT / "bench" / "vit_finetune.json").write_text(text, encoding="utf-8")
    print(f"{device}, {count} images")
    for name, cost in costs.items():
        print(
            f"{name:9} {cost.images_per_second:8.1f} images a second, "
            f"{cost.peak_memory_mib:7.0f} MiB at most, {cost.precision}, "
            f"{cost.images_per_step} images a step"
        )
    print(f"the notebook's settings are {ratios['times_faster']:.1f} times as fast")


if __name__ == "__main__":
    main()
