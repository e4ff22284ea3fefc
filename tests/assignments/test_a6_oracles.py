"""The expected tensors of a6 against what is known without the instructor's solution.

The numbers printed in the assignment's text, the same things computed with NumPy entry by entry,
and the library's own modules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import nbformat
import numpy as np
import pytest
import torch
from conftest import ROOT
from PIL import Image
from safetensors.torch import load_file
from torch.nn import functional as F
from transformers import ViTConfig, ViTModel

from autograder.checking import Battery
from autograder.checking.inputs import DISTANCE
from checks.a6_vit_finetuning import (
    check_attention_distance,
    check_attention_heatmap,
    check_compute_metrics,
    check_cover,
    check_patch_projection,
    check_patchify,
    check_position_similarity,
    check_predict,
    check_transform,
    training,
)

A6 = "a6_vit_finetuning"
EXPECTED = Path(check_transform.__file__).parent / "expected"

Tensors = dict[str, torch.Tensor]
Oracle = Callable[..., torch.Tensor]


def expected(slug: str) -> dict[str, torch.Tensor]:
    return load_file(EXPECTED / f"{slug}.safetensors")


def close(found: torch.Tensor, wanted: torch.Tensor, atol: float = 1e-5) -> bool:
    return found.shape == wanted.shape and torch.allclose(
        found.double(), wanted.double(), rtol=1e-4, atol=atol
    )


def answers(*slugs: str) -> dict[str, object]:
    """What the instructor's solutions define, run without a notebook."""
    notebook = nbformat.read(ROOT / "source" / A6 / f"{A6}.ipynb", as_version=4)
    names: dict[str, object] = {"torch": torch, "nn": torch.nn, "F": F, "np": np, "re": re}
    for cell in notebook.cells:
        if cell.id in slugs:
            exec(cell.source, names)
    return names


def pillow_only(image: Image.Image, size: tuple[int, int]) -> np.ndarray:
    """Numbers from 0 to 1, channels first, by Pillow's own resizing."""
    resized = image.convert("RGB").resize(size[::-1], Image.Resampling.BILINEAR)
    return np.asarray(resized, dtype=np.float64).transpose(2, 0, 1) / 255


def pictures(inputs: Mapping[str, object]) -> list[Image.Image]:
    """The images that the check sends, each in its mode and its size."""
    images, modes = inputs["images"], inputs["modes"]
    assert isinstance(images, torch.Tensor)
    assert isinstance(modes, str)
    return [  # all opaque: how clear an image is does not show in RGB
        Image.fromarray(pixels[5 * n :, 3 * n :]).convert(mode)
        for n, (pixels, mode) in enumerate(zip(images.numpy(), modes.split(), strict=True))
    ]


@pytest.mark.parametrize("case", check_transform.CASES | check_transform.OTHER_MODES)
def test_pixel_values_are_what_pillow_and_the_formula_make(case: str) -> None:
    inputs = (check_transform.CASES | check_transform.OTHER_MODES)[case]
    stored = expected("transform")[f"{case}.pixel_values"]
    wanted = np.stack([(pillow_only(one, (48, 48)) - 0.5) / 0.5 for one in pictures(inputs)])
    assert close(stored, torch.from_numpy(wanted))


def test_another_processor_has_another_size_mean_and_deviation() -> None:
    stored = expected("transform")["other_processor.pixel_values"]
    mean, deviation = np.array([0.2, 0.3, 0.4]), np.array([0.5, 0.6, 0.7])
    images = pictures(check_transform.CASES["colour"])
    scaled = np.stack([pillow_only(one, (20, 28)) for one in images])
    wanted = (scaled - mean[:, None, None]) / deviation[:, None, None]
    assert close(stored, torch.from_numpy(wanted))


def counted(logits: torch.Tensor, hits: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
    """The share of rows whose label is hit on purpose, or by chance."""
    best = [row.index(max(row)) for row in logits.tolist()]
    right = [
        hit == 1 or a == b for hit, a, b in zip(hits.tolist(), best, others.tolist(), strict=True)
    ]
    return torch.tensor(sum(right) / len(right))


def largest(logits: torch.Tensor) -> torch.Tensor:
    return torch.tensor([row.index(max(row)) for row in logits.tolist()])


def cut(image: torch.Tensor, side: torch.Tensor) -> torch.Tensor:
    """The patches pixel by pixel, as the definition names them."""
    (height, width, channels), size = image.shape, len(side)
    patches = torch.empty(height // size, width // size, size, size, channels)
    for y, x in np.ndindex(height, width):
        patches[y // size, x // size, y % size, x % size] = image[y, x]
    return patches


def joined(patches: torch.Tensor) -> torch.Tensor:
    rows, columns, size, _, channels = patches.shape
    image = torch.empty(rows * size, columns * size, channels)
    for y, x in np.ndindex(*image.shape[:2]):
        image[y, x] = patches[y // size, x // size, y % size, x % size]
    return image


def cosines(position_embeddings: torch.Tensor) -> torch.Tensor:
    vectors = position_embeddings[0, 1:].double().numpy()
    table = [[(a @ b) / np.sqrt((a @ a) * (b @ b)) for b in vectors] for a in vectors]
    return torch.tensor(np.array(table))


def summed(attentions: torch.Tensor, side: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """Distances as sums over all pairs of patches."""
    count, images, heads = attentions.shape[:3]
    found = np.zeros((count, heads))
    spots = [*np.ndindex(*places.shape)]
    apart = np.array([[len(side) * np.hypot(a - c, b - d) for c, d in spots] for a, b in spots])
    for layer, image, head in np.ndindex(count, images, heads):
        weights = attentions[layer, image, head, 1:, 1:].double().numpy()
        for row, far in zip(weights, apart, strict=True):
            found[layer, head] += sum(row * far) / sum(row)
    return torch.from_numpy(found / (images * len(spots)))


def heated(attentions: torch.Tensor, places: torch.Tensor, pixels: torch.Tensor) -> torch.Tensor:
    weights = attentions[-1, 0, :, 0, 1:].double().numpy().reshape(-1, *places.shape)
    return torch.from_numpy(np.stack([enlarged(one, *pixels.shape) for one in weights]))


def greyed(
    pixel_values: torch.Tensor, weights: torch.Tensor, chosen: torch.Tensor, places: torch.Tensor
) -> torch.Tensor:
    """Pixel by pixel: 0 where fewer than so many patches of the image have a larger weight."""
    found, (rows, columns) = pixel_values.clone(), places.shape
    height, width = pixel_values.shape[2:]
    for image, y, x in np.ndindex(len(found), height, width):
        patch = y * rows // height * columns + x * columns // width
        if sum(weights[image] > weights[image, patch]) < len(chosen):
            found[image, :, y, x] = 0
    return found


ORACLES: list[tuple[Battery, Oracle, str]] = [
    (check_compute_metrics.battery, counted, "compute_metrics"),
    (check_predict.battery, largest, "predict"),
    (check_patchify.there, cut, "patchify"),
    (check_patchify.back, joined, "patchify"),
    (check_position_similarity.battery, cosines, "position_similarity"),
    (check_position_similarity.short, cosines, "position_similarity"),
    (check_attention_distance.battery, summed, "attention_distance"),
    (check_attention_heatmap.battery, heated, "attention_heatmap"),
    (check_cover.battery, greyed, "cover"),
]


@pytest.mark.parametrize("which", range(len(ORACLES)))
def test_expected_tensors_are_what_the_definition_gives(which: int) -> None:
    battery, oracle, slug = ORACLES[which]
    domain, stored = battery.domain, expected(slug)
    (name,) = domain.returns
    part = f"{domain.part}:" if domain.part else ""
    keys = [f"{part}{case.id}.{name}" for case in domain.cases()]
    known = [(key, case) for key, case in zip(keys, domain.cases(), strict=True) if key in stored]
    assert len(known) > 1
    for key, case in known:
        tensors = domain.made.tensors(case)
        given = {name: tensors[f"{case.source}/{name}"] for name in domain.inputs}
        assert close(stored[key], oracle(**given), domain.atol or 1e-6), key


def test_the_projection_is_a_matrix_product_with_flattened_patches() -> None:
    domain, stored = check_patch_projection.domain, expected("patch_projection")
    for case in [case for case in domain.cases() if f"{case.id}.vectors" in stored]:
        sizes = case.sizes
        images = domain.made.tensors(case)[f"{case.source}/images"].double()
        flat = F.unfold(images, sizes["P"], stride=sizes["P"])  # (N, C * P * P, patches)
        shape = (sizes["D"], sizes["C"], sizes["P"], sizes["P"])
        weight = domain.made.role(case, "weight", shape).double().flatten(1)
        bias = domain.made.role(case, "bias", (sizes["D"],)).double()
        found = stored[f"{case.id}.vectors"].flatten(2)
        distance = DISTANCE if case.data == "distant" else 1
        assert close(found, weight @ flat + bias[:, None], 1e-4 * distance), case.id


SIZES = {
    "tiny": {"image_size": 48, "patch_size": 6, "hidden_size": 64, "intermediate_size": 128},
    "real": {"image_size": 224, "patch_size": 16, "hidden_size": 768, "intermediate_size": 3072},
}


@pytest.mark.parametrize(("size", "layers", "heads"), [("tiny", 4, 4), ("real", 12, 12)])
def test_the_assembled_model_computes_what_the_librarys_does(
    size: str, layers: int, heads: int
) -> None:
    """Within a tenth of what the visible check allows, also at the real sizes."""
    torch.manual_seed(0)
    depth = {"num_hidden_layers": layers, "num_attention_heads": heads}
    vit = ViTModel(ViTConfig(**SIZES[size], **depth), add_pooling_layer=False).eval()
    names = answers("patch_projection", "vision_transformer", "vision_transformer_weights")
    own: torch.nn.Module = names["with_weights_of"](vit)  # type: ignore[operator]
    side = vit.config.image_size
    pixels = 2 * torch.rand(2, 3, side, side) - 1
    with torch.no_grad():
        assert close(own(pixels), vit(pixels).last_hidden_state, 1e-4)


def enlarged(small: np.ndarray, height: int, width: int) -> np.ndarray:
    """Bilinear interpolation pixel by pixel: a patch covers an area, the border is repeated."""
    large = np.zeros((height, width))
    for y, x in np.ndindex(height, width):
        at = [
            min(max((place + 0.5) * size / full - 0.5, 0), size - 1)
            for place, size, full in zip((y, x), small.shape, (height, width), strict=True)
        ]
        (top, left), (down, right) = np.floor(at).astype(int), np.ceil(at).astype(int)
        a, b = at[0] - top, at[1] - left
        above = (1 - b) * small[top, left] + b * small[top, right]
        below = (1 - b) * small[down, left] + b * small[down, right]
        large[y, x] = (1 - a) * above + a * below
    return large


def test_the_printed_distances_are_right() -> None:
    names = answers("attention_distance")
    near = [[0.4, 0.2, 0.2, 0.2], [0.5, 0.25, 0.25, 0], [0, 0.5, 0, 0.5], [0.2, 0, 0, 0.8]]
    layer = torch.stack([torch.tensor(near), torch.full((4, 4), 0.25)])[None]
    found = names["attention_distance"]((layer,), 10, (1, 3))  # type: ignore[operator]
    assert close(found, torch.tensor([[5.0, 80 / 9]]))


def test_the_printed_heat_map_is_right() -> None:
    text = (ROOT / "source" / A6 / f"{A6}.ipynb").read_text()
    printed = re.findall(r'"((?:\d\.\d{4}  ){5}\d\.\d{4})\\n"', text)
    wanted = enlarged(np.array([[0.0, 0.1, 0.2], [0.4, 0.0, 0.0]]), 4, 6)
    assert len(printed) == 4
    numbers = torch.tensor([[float(number) for number in line.split()] for line in printed])
    assert close(numbers, torch.from_numpy(wanted), 6e-5)


def test_the_checks_know_the_settings_of_the_notebook() -> None:
    notebook = nbformat.read(ROOT / "source" / A6 / f"{A6}.ipynb", as_version=4)
    settings = next(cell.source for cell in notebook.cells if cell.id == "settings")
    train, evaluation = training.TRAIN_BATCH, training.EVAL_BATCH
    assert f"LEARNING_RATE = {train}, {evaluation}, 1e-3" in settings
    assert training.LEARNING_RATE == 1e-3
    assert f"LOG_STEPS = {training.LOG_STEPS} " in settings
