"""The drawn dishes and the tiny Vision Transformer of a6: what their cards say, and their maker."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from conftest import ROOT
from transformers import AutoImageProcessor, ViTForImageClassification

FOLDER = ROOT / "source" / "a6_vit_finetuning"
CHECKPOINT = FOLDER / "assets" / "tiny-vit"
sys.path.insert(0, str(FOLDER))

from dishes import NAMES, NEW, PRETRAINED, draw_dish, draw_dishes  # noqa: E402 - not installed
from make_vit import Plan, accuracy, pixels, pretrain, save  # noqa: E402 - tools/

SHORT = Plan(per_class=3, crops=6, masked_steps=2, joint_steps=2, batch=8)
MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def checkpoint() -> ViTForImageClassification:
    return ViTForImageClassification.from_pretrained(CHECKPOINT).eval()


def test_twenty_dishes_are_split_into_those_pre_trained_on_and_new_ones() -> None:
    assert len(set(NAMES)) == 20
    assert PRETRAINED + NEW == NAMES
    assert len(NEW) == 8


def test_the_same_seed_draws_the_same_pictures_and_another_seed_others() -> None:
    first, again, other = (draw_dishes(NEW, 2, seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other[0])


def test_every_class_is_drawn_equally_often_and_in_mixed_order() -> None:
    images, labels, masks = draw_dishes(NAMES, 3, seed=4)
    assert images.shape == (60, 96, 96, 3)
    assert images.dtype == np.uint8
    assert masks.shape == (60, 96, 96)
    assert masks.dtype == bool
    assert np.bincount(labels).tolist() == [3] * 20
    assert (np.diff(labels) < 0).any()


@pytest.mark.parametrize("name", NAMES)
def test_a_mask_shows_where_the_dish_is(name: str) -> None:
    """The dish differs from what lies around it, more than neighbouring places of the table do."""
    rng = np.random.default_rng(7)
    shares, contrasts = [], []
    for _ in range(8):
        image, mask = draw_dish(name, rng)
        shares.append(mask.mean())
        inside, outside = image[mask].mean(axis=0), image[~mask].mean(axis=0)
        contrasts.append(np.abs(inside - outside).max())
    assert min(shares) > 0.02
    assert max(shares) < 0.6
    assert np.median(contrasts) > 15


def test_a_donut_has_a_hole_in_its_mask() -> None:
    rng = np.random.default_rng(0)
    for _ in range(6):
        _, mask = draw_dish("donut", rng)
        rows, columns = np.nonzero(mask)
        middle = mask[int(rows.mean()) - 2 : int(rows.mean()) + 2, int(columns.mean())]
        touches_border = mask[0].any() or mask[-1].any() or mask[:, 0].any() or mask[:, -1].any()
        assert touches_border or not middle.any()


def test_the_checkpoint_is_as_small_as_its_card_says(checkpoint: ViTForImageClassification) -> None:
    card = (CHECKPOINT / "README.md").read_text()
    count = sum(parameter.numel() for parameter in checkpoint.parameters())
    assert f"{count:,}" in card
    assert (CHECKPOINT / "model.safetensors").stat().st_size < MEGABYTE
    assert tuple(checkpoint.config.id2label.values()) == PRETRAINED


def test_the_checkpoint_names_unseen_dishes_of_its_classes(
    checkpoint: ViTForImageClassification,
) -> None:
    images, labels, _ = draw_dishes(PRETRAINED, 20, seed=12)
    process = AutoImageProcessor.from_pretrained(CHECKPOINT, backend="pil")
    given = process(list(images), return_tensors="pt")["pixel_values"]
    assert torch.equal(given, pixels(images))
    with torch.no_grad():
        found = checkpoint(pixel_values=given).logits.argmax(dim=-1)
    assert float((found == torch.from_numpy(labels)).float().mean()) > 0.93


def test_neighbouring_positions_became_similar(checkpoint: ViTForImageClassification) -> None:
    places = checkpoint.vit.embeddings.position_embeddings[0, 1:].detach().view(8, 8, -1)
    similar = torch.cosine_similarity
    assert float(similar(places[:, 1:], places[:, :-1], dim=-1).mean()) > 0.6
    assert float(similar(places[:, :4], places[:, 4:], dim=-1).mean()) < 0.3


def test_the_maker_makes_the_same_weights_twice_and_what_the_notebook_loads(
    tmp_path: Path, checkpoint: ViTForImageClassification
) -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        first, second = pretrain(SHORT), pretrain(SHORT)
    finally:
        torch.set_num_threads(threads)
    for one, other in zip(first.parameters(), second.parameters(), strict=True):
        assert torch.equal(one, other)
    assert 0 <= accuracy(first) <= 1
    save(first, tmp_path)
    made = json.loads((tmp_path / "config.json").read_text())
    kept = json.loads((CHECKPOINT / "config.json").read_text())
    assert made == kept
    process = "preprocessor_config.json"
    assert (tmp_path / process).read_text() == (CHECKPOINT / process).read_text()
    loaded = ViTForImageClassification.from_pretrained(tmp_path)
    shapes = {name: value.shape for name, value in checkpoint.state_dict().items()}
    assert {name: value.shape for name, value in loaded.state_dict().items()} == shapes
    assert torch.equal(loaded.classifier.weight, first.classifier.weight)
