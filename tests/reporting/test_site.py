"""Pages as HTML: what may not get into one."""

import base64
import io
import random

import pytest
from PIL import Image

from lib.core.errors import InputError
from lib.reporting.site import _picture


@pytest.fixture(scope="module")
def drawn():
    """A picture with something on it."""
    pixels = random.Random(1).randbytes(30 * 20 * 3)
    stream = io.BytesIO()
    Image.frombytes("RGB", (30, 20), pixels).save(stream, "PNG")
    return stream.getvalue()


def test_a_picture_is_part_of_the_page_as_it_is(drawn):
    head, _, content = _picture("fig1.png", drawn).partition(",")
    assert head == "data:image/png;base64" and base64.b64decode(content) == drawn


def test_a_damaged_picture_is_refused_by_name(drawn):
    draw = random.Random(2)
    places = [*(draw.randrange(len(drawn)) for _ in range(200)), *range(len(drawn) - 20, len(drawn))]
    flipped = [drawn[:place] + bytes([drawn[place] ^ 1 << draw.randrange(8)]) + drawn[place + 1 :] for place in places]
    for content in [b"", b"GIF89a", drawn[: len(drawn) // 2], *(drawn[:place] for place in places), *flipped]:
        with pytest.raises(InputError, match=r"^fig1\.png: not a readable PNG file"):
            _picture("fig1.png", content)
