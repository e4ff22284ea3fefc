"""Dishes on a table, drawn by a random number generator: images with labels and with masks.

`draw_dishes(names, per_class, seed)` makes a data set. Shape, colour, size, place, turn, plate,
tablecloth, light and what else lies on the table vary from image to image. The same arguments give
the same images. Because everything is drawn, it is known which pixels show the dish: its mask.
"""

import math

import numpy as np
from menu import DISHES, FROM_THE_SIDE, Brush, shifted
from PIL import Image, ImageDraw

SIZE = 96  # pixels on a side
DETAIL = 2  # drawn this much larger, then reduced, for soft edges
CLOTHS = np.array(
    [
        (150, 110, 75),
        (205, 200, 195),
        (90, 110, 130),
        (62, 62, 68),
        (190, 170, 140),
        (130, 150, 120),
    ]
)
PLATES = ((240, 240, 238), (72, 77, 86), (200, 215, 225), (225, 205, 170))

NAMES = tuple(DISHES)
PRETRAINED = NAMES[:12]  # the tiny model has seen these
NEW = NAMES[12:]  # and never these


def draw_dish(name, rng, size=SIZE):
    """One image (size, size, 3) of uint8, and the mask of its dish (size, size) of bool."""
    canvas, cloth = _table(rng, size)
    large = size * DETAIL
    radius = large * rng.uniform(0.22, 0.34)
    middle = tuple(rng.uniform(0.85 * radius, large - 0.85 * radius, 2))
    turn = rng.normal(0, 0.18) if name in FROM_THE_SIDE else rng.uniform(0, 2 * math.pi)
    _clutter(ImageDraw.Draw(canvas), rng, large)
    ground = _plate(ImageDraw.Draw(canvas), rng, middle, radius) if rng.random() < 0.6 else cloth
    mask = Image.new("L", canvas.size)
    DISHES[name](Brush(canvas, mask, rng, middle, radius, turn, ground), rng)
    image = _lit(np.asarray(canvas.reduce(DETAIL), dtype=float), rng)
    return image, np.asarray(mask.reduce(DETAIL)) > 127


def draw_dishes(names, per_class, seed, size=SIZE):
    """`per_class` images of each dish, shuffled: images (N, size, size, 3), labels, masks.

    A label is the place of the dish's name in `names`.
    """
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat(np.arange(len(names)), per_class))
    drawn = [draw_dish(names[label], rng, size) for label in labels]
    images, masks = zip(*drawn, strict=True)
    return np.stack(images), labels, np.stack(masks)


def _table(rng, size):
    """An empty table with a patterned cloth, and the colour of the cloth."""
    colour = CLOTHS[rng.integers(len(CLOTHS))] + rng.normal(0, 18, 3)
    rows, columns = np.mgrid[:size, :size] / size
    angle, waves = rng.uniform(0, math.pi), rng.uniform(5, 14)
    along = columns * math.cos(angle) + rows * math.sin(angle)
    across = rows * math.cos(angle) - columns * math.sin(angle)
    kind = rng.integers(4)
    if kind == 0:
        pattern = np.zeros((size, size))
    elif kind == 1:
        pattern = np.sign(np.sin(2 * waves * along))
    elif kind == 2:
        pattern = np.sign(np.sin(2 * waves * along) * np.sin(2 * waves * across))
    else:
        pattern = np.sin(3 * waves * along + 2 * np.sin(4 * across))
    cloth = colour + rng.uniform(8, 26) * pattern[..., None]
    canvas = Image.fromarray(np.clip(cloth, 0, 255).astype(np.uint8))
    canvas = canvas.resize((size * DETAIL, size * DETAIL), Image.Resampling.BILINEAR)
    return canvas, shifted(colour, (0, 0, 0))


def _clutter(canvas, rng, large):
    """Up to two other things on the table: a knife, a glass, a napkin."""
    for _ in range(rng.integers(0, 3)):
        x, y = rng.uniform(0, large, 2)
        colour, kind = tuple(rng.integers(60, 240, 3).tolist()), rng.integers(3)
        if kind == 0:
            angle = rng.uniform(0, 2 * math.pi)
            end = (x + 0.5 * large * math.cos(angle), y + 0.5 * large * math.sin(angle))
            canvas.line([(x, y), end], fill=colour, width=large // 48)
            continue
        half = large * rng.uniform(0.06, 0.15)
        shape = canvas.ellipse if kind == 1 else canvas.rectangle
        shape([x - half, y - half, x + half, y + half], fill=colour)


def _plate(canvas, rng, middle, radius):
    """A plate below the dish; returns the colour of its flat."""
    colour = shifted(PLATES[rng.integers(len(PLATES))], rng.normal(0, 10, 3))
    flat = shifted(colour, (-14, -14, -14))
    rim = radius * rng.uniform(1.15, 1.35)
    for reach, fill in ((rim, colour), (0.86 * rim, flat)):
        x, y = middle
        canvas.ellipse([x - reach, y - reach, x + reach, y + reach], fill=fill)
    return flat


def _lit(image, rng):
    """The image under a light of random strength, colour and direction, with a camera's noise."""
    ramp = np.linspace(-1, 1, len(image))
    ramp = ramp[:, None, None] if rng.random() < 0.5 else ramp[None, :, None]
    contrast, brightness = rng.uniform(0.75, 1.15), rng.uniform(-22, 22)
    light = (1 + rng.uniform(-0.25, 0.25) * ramp) * (1 + rng.normal(0, 0.05, 3))
    noise = rng.uniform(2, 9) * rng.standard_normal(image.shape, dtype=np.float32)
    return np.clip(((image - 128) * contrast + 128 + brightness) * light + noise, 0, 255).astype(
        np.uint8
    )
