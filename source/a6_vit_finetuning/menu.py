"""The menu: twenty dishes, each a function that draws one of its kind with a brush."""

import math

import numpy as np
from PIL import ImageDraw

CREAM, CRUST, TOMATO = (247, 242, 232), (204, 145, 78), (203, 48, 42)
LEAF, CHEESE, CHOCOLATE = (92, 158, 58), (245, 195, 66), (92, 56, 38)
PINK, MINT = (236, 140, 170), (160, 213, 172)


class Brush:
    """Draws in the coordinates of a dish: the middle is (0, 0), its rim has the radius 1.

    All that it draws belongs to the dish and goes into the mask, except a hole.
    """

    def __init__(self, canvas, mask, rng, middle, radius, turn, ground):
        self.rng = rng
        self._canvas, self._mask = ImageDraw.Draw(canvas), ImageDraw.Draw(mask)
        self._middle, self._radius, self._ground = middle, radius, ground
        self._cos, self._sin = math.cos(turn), math.sin(turn)

    def _place(self, points):
        (left, top), r, cos, sin = self._middle, self._radius, self._cos, self._sin
        return [(left + r * (x * cos - y * sin), top + r * (x * sin + y * cos)) for x, y in points]

    def polygon(self, points, colour, inside=255):
        placed = self._place(points)
        self._canvas.polygon(placed, fill=colour)
        self._mask.polygon(placed, fill=inside)

    def line(self, points, colour, width):
        placed, pixels = self._place(points), max(1, round(width * self._radius))
        self._canvas.line(placed, fill=colour, width=pixels, joint="curve")
        self._mask.line(placed, fill=255, width=pixels)

    def disc(self, x, y, radius, colour, flat=1.0, wobble=0.0, inside=255):
        """An ellipse `flat` times as high as wide, whose rim swings by the share `wobble`."""
        phase = self.rng.uniform(0, 2 * math.pi) if wobble else 0.0
        points = []
        for angle in _around(24 if radius > 0.2 else 10):
            r = radius * (1 + wobble * math.sin(3 * angle + phase))
            points.append((x + r * math.cos(angle), y + flat * r * math.sin(angle)))
        self.polygon(points, colour, inside)

    def hole(self, radius):
        self.disc(0, 0, radius, self._ground, inside=0)

    def box(self, left, top, right, bottom, colour):
        self.polygon([(left, top), (right, top), (right, bottom), (left, bottom)], colour)

    def dome(self, base, height, colour):
        """A half disc that stands on the line y = base."""
        arc = np.linspace(0, math.pi, 18)
        self.polygon([(math.cos(a), base - height * math.sin(a)) for a in arc], colour)

    def tint(self, *colours, spread=20):
        """One of the colours, slightly changed."""
        colour = colours[self.rng.integers(len(colours))] if len(colours) > 1 else colours[0]
        return shifted(colour, self.rng.normal(0, spread, 3))

    def spots(self, count, within):
        """Places spread evenly over a disc."""
        angles = self.rng.uniform(0, 2 * math.pi, count)
        radii = within * np.sqrt(self.rng.uniform(0, 1, count))
        return list(zip(radii * np.cos(angles), radii * np.sin(angles), strict=True))


def _around(count):
    return np.linspace(0, 2 * math.pi, count, endpoint=False)


def shifted(colour, by):
    return tuple(
        int(min(255, max(0, part + change))) for part, change in zip(colour, by, strict=True)
    )


def pizza(brush, rng):
    brush.disc(0, 0, 1, brush.tint((196, 140, 70)), wobble=0.03)
    brush.disc(0, 0, 0.84, brush.tint((240, 190, 80)))
    for x, y in brush.spots(rng.integers(5, 9), 0.66):
        brush.disc(x, y, rng.uniform(0.12, 0.18), brush.tint((190, 40, 35)))
    for x, y in brush.spots(rng.integers(2, 6), 0.7):
        brush.disc(x, y, 0.07, brush.tint((50, 120, 40)))


def donut(brush, rng):
    brush.disc(0, 0, 0.95, brush.tint((200, 145, 85)))
    brush.disc(0, 0, 0.86, brush.tint(PINK, CHOCOLATE, CREAM, (150, 200, 230)), wobble=0.05)
    for x, y in brush.spots(16, 0.8):
        if math.hypot(x, y) > 0.45:
            brush.disc(x, y, 0.05, tuple(rng.integers(40, 255, 3).tolist()))
    brush.hole(rng.uniform(0.25, 0.36))


def fried_egg(brush, rng):
    for x, y in rng.uniform(-0.2, 0.2, (3, 2)):
        brush.disc(x, y, rng.uniform(0.62, 0.78), brush.tint(CREAM, spread=7), wobble=0.16)
    x, y = rng.uniform(-0.15, 0.15, 2)
    brush.disc(x, y, rng.uniform(0.26, 0.38), brush.tint((245, 175, 30)))


def burger(brush, rng):
    bun = brush.tint(CRUST)
    brush.dome(-0.15, 0.72, bun)
    layers = [LEAF, TOMATO, CHEESE, CHOCOLATE]
    rng.shuffle(layers)
    for number, colour in enumerate(layers):
        half, top = rng.uniform(0.9, 1.05), -0.15 + 0.1625 * number
        brush.box(-half, top, half, top + 0.1625, brush.tint(tuple(colour)))
    brush.box(-0.95, 0.5, 0.95, 0.78, bun)
    for x in np.linspace(-0.5, 0.5, 5):
        brush.disc(x, -0.5 + rng.uniform(-0.12, 0.12), 0.05, brush.tint(CREAM, spread=8))


def sushi(brush, rng):
    count, fish = rng.integers(2, 4), brush.tint((245, 125, 75), (230, 80, 90), (240, 200, 70))
    for number in range(count):
        y = 0.66 * (number - (count - 1) / 2)
        brush.box(-0.8, y - 0.22, 0.8, y + 0.22, brush.tint(CREAM, spread=6))
        brush.box(-0.86, y - 0.26, 0.86, y + 0.04, brush.tint(fish, spread=9))
        brush.box(-0.13, y - 0.28, 0.13, y + 0.24, brush.tint((25, 40, 30), spread=8))


def soup(brush, rng):
    brush.disc(0, 0, 1, brush.tint((225, 225, 230)))
    broth = brush.tint((215, 90, 40), (225, 165, 60), (110, 140, 50), (150, 95, 50))
    brush.disc(0, 0, 0.82, broth)
    turns = np.linspace(0, rng.uniform(6, 10), 30)
    swirl = [(0.07 * t * math.cos(t), 0.07 * t * math.sin(t)) for t in turns]
    brush.line(swirl, brush.tint(CREAM, spread=8), 0.07)
    for x, y in brush.spots(4, 0.6):
        brush.disc(x, y, 0.05, brush.tint((40, 110, 40)))


def salad(brush, rng):
    for x, y in brush.spots(20, 0.8):
        leaf = brush.tint((90, 155, 50), spread=28)
        brush.disc(x, y, rng.uniform(0.2, 0.34), leaf, flat=rng.uniform(0.45, 0.8), wobble=0.2)
    for x, y in brush.spots(rng.integers(3, 6), 0.6):
        brush.disc(x, y, 0.16, brush.tint(TOMATO))


def spaghetti(brush, rng):
    for _ in range(18):
        wide, high, start = rng.uniform(0.3, 0.95), rng.uniform(0.3, 0.95), rng.uniform(0, 6.28)
        curve = [
            (wide * math.cos(t), high * math.sin(t + 0.4))
            for t in np.linspace(start, start + 4, 14)
        ]
        brush.line(curve, brush.tint((235, 200, 110), spread=16), 0.08)
    brush.disc(0, 0, rng.uniform(0.3, 0.42), brush.tint((180, 45, 30)), wobble=0.15)


def ice_cream(brush, rng):
    brush.polygon([(-0.45, -0.05), (0.45, -0.05), (0, 1.1)], brush.tint((210, 150, 85)))
    for x in (-0.2, 0, 0.2):
        brush.line([(x, 0), (0.3 * x, 0.8)], brush.tint((160, 105, 55), spread=8), 0.05)
    for number in range(rng.integers(1, 3)):
        ball = brush.tint((245, 225, 190), PINK, CHOCOLATE, MINT)
        x, y = rng.uniform(-0.1, 0.1), -0.28 - 0.42 * number
        brush.disc(x, y, 0.46 - 0.06 * number, ball, wobble=0.05)


def pancakes(brush, rng):
    count = rng.integers(3, 6)
    for number in range(count):
        x, y = rng.uniform(-0.06, 0.06), 0.5 - 0.24 * number
        brush.disc(x, y, 0.9, brush.tint((150, 90, 40), spread=8), flat=0.4)
        brush.disc(0, y - 0.06, 0.88, brush.tint((230, 175, 95), spread=10), flat=0.39)
    top = 0.44 - 0.24 * (count - 1)
    brush.disc(0, top, 0.5, brush.tint((150, 75, 20)), flat=0.4, wobble=0.15)
    brush.box(-0.14, top - 0.12, 0.14, top + 0.1, brush.tint((252, 235, 130), spread=8))


def cake_slice(brush, rng):
    icing = brush.tint(CREAM, spread=6)
    side = [(-0.95, 0.1), (0.95, -0.25), (0.95, 0.6), (-0.95, 0.65)]
    brush.polygon(side, brush.tint((240, 205, 150), CHOCOLATE, TOMATO))
    brush.line([(-0.95, 0.36), (0.95, 0.2)], icing, 0.12)
    brush.polygon([(-0.95, 0.1), (0.3, -0.7), (0.95, -0.25)], icing)
    brush.disc(rng.uniform(0.25, 0.4), -0.45, 0.16, brush.tint((205, 30, 50)))


def taco(brush, rng):
    for x in np.linspace(-0.75, 0.75, 9):
        y = -0.45 + 0.5 * x * x + rng.uniform(-0.1, 0.1)
        brush.disc(x, y, 0.2, brush.tint(LEAF, TOMATO, CHEESE, (120, 70, 45)))
    brush.dome(0.5, 1, brush.tint((235, 190, 95)))


def hot_dog(brush, rng):
    for length, width, colour in ((0.85, 0.36, (220, 165, 95)), (0.95, 0.15, (180, 70, 45))):
        part = brush.tint(colour)
        brush.box(-length, -width, length, width, part)
        brush.disc(-length, 0, width, part)
        brush.disc(length, 0, width, part)
    swings = rng.uniform(7, 10)
    mustard = [(x, 0.11 * math.sin(swings * x)) for x in np.linspace(-0.85, 0.85, 30)]
    brush.line(mustard, brush.tint((245, 205, 50), spread=10), 0.08)


def waffle(brush, rng):
    brush.box(-0.85, -0.85, 0.85, 0.85, brush.tint((225, 165, 80)))
    groove = brush.tint((160, 100, 40), spread=10)
    for at in np.linspace(-0.6, 0.6, 5):
        brush.line([(at, -0.85), (at, 0.85)], groove, 0.08)
        brush.line([(-0.85, at), (0.85, at)], groove, 0.08)
    if rng.random() < 0.5:
        brush.disc(0, 0, 0.3, brush.tint(CREAM, spread=5), wobble=0.15)


def fries(brush, rng):
    for x in np.linspace(-0.5, 0.5, 9):
        tip = (1.3 * x + rng.uniform(-0.1, 0.1), -0.95 + rng.uniform(0, 0.35))
        brush.line([(0.8 * x, 0.3), tip], brush.tint((245, 205, 85), spread=14), 0.09)
    bag = [(-0.6, -0.05), (0.6, -0.05), (0.45, 0.95), (-0.45, 0.95)]
    brush.polygon(bag, brush.tint(TOMATO, CREAM, (60, 90, 170)))


def cookie(brush, rng):
    brush.disc(0, 0, 0.95, brush.tint((205, 150, 90)), wobble=0.04)
    for x, y in brush.spots(rng.integers(9, 15), 0.8):
        brush.disc(x, y, rng.uniform(0.07, 0.13), brush.tint((75, 45, 30), spread=10))


def steak(brush, rng):
    brush.disc(0, 0, 1, brush.tint((225, 190, 170)), flat=0.68, wobble=0.13)
    brush.disc(0.03, 0.02, 0.88, brush.tint((140, 60, 45)), flat=0.64, wobble=0.13)
    for x in np.linspace(-0.5, 0.5, rng.integers(3, 6)):
        brush.line([(x - 0.2, -0.35), (x + 0.2, 0.35)], brush.tint((70, 35, 25), spread=8), 0.09)


def peas(brush, rng):
    for x, y in brush.spots(rng.integers(36, 46), 0.85):
        brush.disc(x, y, 0.15, brush.tint((110, 175, 60), spread=18))
        brush.disc(x - 0.04, y - 0.04, 0.05, brush.tint((180, 225, 130), spread=8))


def macarons(brush, rng):
    for x, y in ((-0.5, 0.35), (0.5, 0.35), (0, -0.4))[: rng.integers(2, 4)]:
        shell = brush.tint((240, 150, 175), (165, 210, 140), (250, 220, 130), (180, 150, 210))
        brush.disc(x, y + 0.16, 0.46, shell, flat=0.44)
        brush.box(x - 0.42, y - 0.1, x + 0.42, y + 0.08, brush.tint(CREAM, spread=6))
        brush.disc(x, y - 0.22, 0.46, shell, flat=0.48)


def croissant(brush, rng):
    outer = [(math.cos(t), 0.6 - 1.15 * math.sin(t)) for t in np.linspace(0, math.pi, 20)]
    inner = [(0.5 * math.cos(t), 0.62 - 0.45 * math.sin(t)) for t in np.linspace(math.pi, 0, 16)]
    brush.polygon(outer + inner, brush.tint((210, 145, 70)))
    fold = brush.tint((155, 95, 40), spread=8)
    for t in np.linspace(0.45, 2.7, rng.integers(5, 8)):
        start = (0.5 * math.cos(t), 0.62 - 0.45 * math.sin(t))
        brush.line([start, (math.cos(t + 0.15), 0.6 - 1.15 * math.sin(t + 0.15))], fold, 0.06)


DISHES = {
    dish.__name__: dish
    for dish in (
        *(pizza, donut, fried_egg, burger, sushi, soup, salad, spaghetti, ice_cream, pancakes),
        *(cake_slice, taco, hot_dog, waffle, fries, cookie, steak, peas, macarons, croissant),
    )
}
FROM_THE_SIDE = {"burger", "ice_cream", "pancakes", "cake_slice", "taco", "fries", "macarons"}
