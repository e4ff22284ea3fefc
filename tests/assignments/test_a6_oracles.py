"""The expected tensors of a6 against what is known without the instructor's solution.

The numbers printed in the assignment's text, the same things computed with NumPy entry by entry,
and the library's own modules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import nbformat
import numpy as np
import pytest
import torch
from conftest import ROOT
from PIL import Image
from safetensors.torch import load_file
from torch.nn import functional as F

from checks.a6_vit_finetuning import (
    check_attention_distance,
    check_attention_heatmap,
    check_compute_metrics,
    check_patch_projection,
    check_patchify,
    check_position_similarity,
    check_predict,
    check_training_setup,
    check_transform,
)

A6 = "a6_vit_finetuning"
EXPECTED = Path(check_transform.__file__).parent / "expected"

Inputs = Mapping[str, torch.Tensor]


def expected(slug: str) -> dict[str, torch.Tensor]:
    return load_file(EXPECTED / f"{slug}.safetensors")


def close(found: torch.Tensor, wanted: torch.Tensor, atol: float = 1e-5) -> bool:
    return found.shape == wanted.shape and torch.allclose(
        found.double(), wanted.double(), rtol=1e-4, atol=atol
    )


def answers(*slugs: str) -> dict[str, object]:
    """What the instructor's solutions define, run without a notebook."""
    notebook = nbformat.read(ROOT / "source" / A6 / f"{A6}.ipynb", as_version=4)
    names: dict[str, object] = {"torch": torch, "F": F, "np": np}
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
    return [
        Image.fromarray(pixels[5 * n :, 3 * n :]).convert(mode)
        for n, (pixels, mode) in enumerate(zip(images.numpy(), modes.split(), strict=True))
    ]


@pytest.mark.parametrize("case", [*check_transform.CASES, "modes"])
def test_pixel_values_are_what_pillow_and_the_formula_make(case: str) -> None:
    inputs = {**check_transform.CASES, "modes": check_transform.OTHER_MODES}[case]
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


@pytest.mark.parametrize("case", check_compute_metrics.CASES)
def test_accuracy_is_what_counting_gives(case: str) -> None:
    inputs = check_compute_metrics.CASES[case]
    rows = zip(inputs["logits"].tolist(), inputs["labels"].tolist(), strict=True)
    right = [max(row) == row[label] for row, label in rows]
    stored = expected("compute_metrics")[f"{case}.accuracy"]
    assert float(stored) == pytest.approx(sum(right) / len(right))
    assert check_compute_metrics.SHARES[case] == pytest.approx(sum(right) / len(right))


@pytest.mark.parametrize("case", check_predict.CASES)
def test_predictions_are_the_places_of_the_largest_logits(case: str) -> None:
    rows = check_predict.CASES[case].tolist()
    wanted = [row.index(max(row)) for row in rows]
    assert expected("predict")[f"{case}.classes"].tolist() == wanted


@pytest.mark.parametrize("case", check_patchify.CASES)
def test_patches_hold_the_pixels_that_the_definition_names(case: str) -> None:
    image, size = check_patchify.CASES[case]
    stored = expected("patchify")[f"{case}.patches"]
    for y, x in np.ndindex(*image.shape[:2]):
        assert torch.equal(stored[y // size, x // size, y % size, x % size], image[y, x])


@pytest.mark.parametrize("case", check_patch_projection.CASES)
def test_the_projection_is_a_matrix_product_with_flattened_patches(case: str) -> None:
    inputs = check_patch_projection.CASES[case]
    _, size, hidden = inputs["sizes"].tolist()
    flat = F.unfold(inputs["images"].double(), size, stride=size)  # (N, C * P * P, patches)
    weight = inputs["weight"].double().reshape(hidden, -1)
    wanted = weight @ flat + inputs["bias"].double()[:, None]
    assert close(expected("patch_projection")[f"{case}.vectors"].flatten(2), wanted)


@pytest.mark.parametrize("case", check_position_similarity.CASES)
def test_similarities_are_cosines_of_angles(case: str) -> None:
    vectors = check_position_similarity.CASES[case][0, 1:].double().numpy()
    stored = expected("position_similarity")[f"{case}.similarity"]
    wanted = np.array([[(a @ b) / np.sqrt((a @ a) * (b @ b)) for b in vectors] for a in vectors])
    assert close(stored, torch.from_numpy(wanted))


@pytest.mark.parametrize("case", check_attention_distance.CASES)
def test_distances_are_sums_over_all_pairs_of_patches(case: str) -> None:
    inputs = check_attention_distance.CASES[case]
    rows, columns = inputs["grid"].tolist()
    layers = inputs["layers"].double().numpy()
    wanted = np.zeros((layers.shape[0], layers.shape[2]))
    for layer, image, head in np.ndindex(*layers.shape[:3]):
        weights = layers[layer, image, head]
        for i in range(rows * columns):
            share = weights[1 + i, 1:] / weights[1 + i, 1:].sum()
            for j in range(rows * columns):
                down, right = i // columns - j // columns, i % columns - j % columns
                wanted[layer, head] += share[j] * inputs["patch_size"] * np.hypot(down, right)
    wanted /= layers.shape[1] * rows * columns
    stored = expected("attention_distance")[f"{case}.distances"]
    assert close(stored, torch.from_numpy(wanted), 1e-4)


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


@pytest.mark.parametrize("case", check_attention_heatmap.CASES)
def test_heat_maps_are_the_class_tokens_weights_enlarged(case: str) -> None:
    inputs = check_attention_heatmap.CASES[case]
    height, width = inputs["image_size"].tolist()
    weights = inputs["layers"][-1, 0, :, 0, 1:].double().numpy()
    maps = weights.reshape(-1, *inputs["grid"].tolist())
    wanted = np.stack([enlarged(one, height, width) for one in maps])
    assert close(expected("attention_heatmap")[f"{case}.heat"], torch.from_numpy(wanted))


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
    train, evaluation = check_training_setup.TRAIN_BATCH, check_training_setup.EVAL_BATCH
    assert f"LEARNING_RATE = {train}, {evaluation}, 1e-3" in settings
    assert check_training_setup.LEARNING_RATE == 1e-3
    assert f"LOG_STEPS = {check_training_setup.LOG_STEPS} " in settings


def test_answers_are_as_long_as_the_text_says() -> None:
    """Lines of each solution, in the order in which they stand in the notebook."""
    notebook = nbformat.read(ROOT / "source" / A6 / f"{A6}.ipynb", as_version=4)
    texts = " ".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    told = [
        [int(number) for number in re.findall(r"\d+", sentence)]
        for sentence in re.findall(r"Our answers? ha(?:s|ve) .*", texts)
    ]
    parts = (
        re.findall(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", cell.source, re.DOTALL)
        for cell in notebook.cells
        if cell.cell_type == "code"
    )
    assert told == [[len(part.splitlines()) - 1 for part in cell] for cell in parts if cell]
