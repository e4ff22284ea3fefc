"""Pictures in base64: which of them a browser can draw without filling its memory."""

from __future__ import annotations

import binascii
import re
import warnings
from base64 import b64decode
from io import BytesIO

PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
PICTURE_URL = re.compile(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*")
MAX_PIXELS = 50_000_000  # four bytes each in a browser, however small the file is


def can_be_drawn(picture: str) -> bool:
    """Whether a picture, in base64 or as a `data:` URL, has at most MAX_PIXELS.

    What is no picture draws nothing.
    """
    return pixels(picture) <= MAX_PIXELS


def pixels(picture: str) -> float:
    """How many pixels it has; infinitely many where nobody can say."""
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings(action="ignore"):  # of many pixels, which are counted here
            width, height = Image.open(BytesIO(b64decode(picture.rpartition(",")[2]))).size
    except (UnidentifiedImageError, binascii.Error):
        return 0
    except Exception:  # how Pillow answers other odd files, and sizes beyond its own limit
        return float("inf")
    return float(width * height)
