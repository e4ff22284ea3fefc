"""The benchmark of fine-tuning: skipped with a sentence, and measuring where it can."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from conftest import ROOT
from transformers import ViTConfig

SCRIPT = ROOT / "bench" / "vit_finetune.py"
TINY = ViTConfig(
    hidden_size=16,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=16,
    num_labels=20,
)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    for name in ("REAL_ASSETS", "HF_HUB_OFFLINE"):  # the notebook's cells set them
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    spec = importlib.util.spec_from_file_location("vit_finetune", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "vit_finetune", module)
    spec.loader.exec_module(module)
    return module


def test_without_a_gpu_it_says_so_and_ends_well() -> None:
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        [sys.executable, str(SCRIPT)], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout.startswith("skipped: this machine has no GPU")


def test_both_arms_train_the_same_model_on_the_same_images(
    bench: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench.torch.cuda, "is_available", lambda: False)
    names = bench.notebook_names()
    images = bench.generated_images(70, size=64)
    assert len(images) == 70
    costs = bench.compare(names, TINY, images, str(tmp_path))
    assert costs["notebook"].images_per_step == names["TRAIN_BATCH"] == 64
    assert costs["defaults"].images_per_step == 8
    assert costs["notebook"].precision == costs["defaults"].precision == "fp32"
    assert all(cost.images_per_second > 0 for cost in costs.values())


def test_each_arm_computes_in_its_own_precision(
    bench: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a GPU the notebook trains in mixed precision and the defaults do not, in one process."""
    monkeypatch.setattr(bench.torch.cuda, "is_available", lambda: False)
    names = bench.notebook_names()
    names["MACHINE"]["bf16"] = True  # which a CPU can do, if slowly
    mixed: list[bool] = []

    class Noting(names["Trainer"]):  # type: ignore[misc]
        def compute_loss(self, model: Any, *parts: Any, **named: Any) -> Any:
            model.vit.register_forward_pre_hook(
                lambda *_: mixed.append(torch.is_autocast_enabled("cpu"))
            )
            return super().compute_loss(model, *parts, **named)

    names["Trainer"] = Noting
    images = bench.generated_images(64, size=64)
    costs = bench.compare(names, TINY, images, str(tmp_path))
    assert [cost.precision for cost in costs.values()] == ["bf16", "fp32"]
    assert mixed[0] is True
    assert mixed[-1] is False
    assert mixed == sorted(mixed, reverse=True)
