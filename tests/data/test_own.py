"""A person's own images are read as they are, and what is no set of labelled images is refused in one line."""

import numpy as np
import pytest

from lib.core.errors import InputError
from lib.data import registry


def write(folder, **arrays) -> None:
    """DIR/own_images.npz."""
    np.savez(folder / "own_images.npz", **arrays)


def images(*shape: int) -> np.ndarray:
    """Pixels that are all different images."""
    return np.random.default_rng(1).integers(0, 256, shape, dtype=np.uint8)


def load(folder) -> dict[str, np.ndarray]:
    """As `prepare_data` does."""
    return registry.load("own_images", "own", "data_root", folder)


@pytest.mark.parametrize("shape", [(6, 16, 20), (6, 16, 20, 1), (6, 16, 20, 3)])
def test_grey_and_colour_images_of_any_size_are_read(shape, tmp_path):
    x, y = images(*shape), np.array([0, 1, 2, 2, 1, 0], dtype=np.int32)
    write(tmp_path, x=x, y=y, more=np.zeros(3))
    found = load(tmp_path)
    assert (found["x"].dtype, found["y"].dtype, set(found)) == (np.uint8, np.int64, {"x", "y"})
    pairs = {(image.tobytes(), int(label)) for image, label in zip(x, y, strict=True)}
    assert {(image.tobytes(), int(label)) for image, label in zip(found["x"], found["y"], strict=True)} == pairs


def test_another_image_leaves_all_others_in_their_places(tmp_path):
    """Who is in which part goes by places: what is promised of one record replaced would else be of all."""
    x, y = images(6, 16, 16), np.array([0, 1, 0, 1, 0, 1])
    write(tmp_path, x=x, y=y)
    once = load(tmp_path)
    x[2] = 255 - x[2]
    write(tmp_path, x=x, y=y)
    again = load(tmp_path)
    assert [np.array_equal(*pair) for pair in zip(once["x"], again["x"], strict=True)] == [
        True,
        True,
        False,
        *[True] * 3,
    ]


LABELS = np.array([0, 1, 0, 1])


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"x": images(4, 16, 16)}, "lacks the arrays ['y']"),
        ({"x": images(4, 16, 16, 4), "y": LABELS}, "expected (images, height, width) or (.., 1 or 3 channels)"),
        ({"x": images(4, 256), "y": LABELS}, "expected (images, height, width)"),
        (
            {"x": images(4, 16, 16) / 255, "y": LABELS},
            "own_images.npz: x: dtype float64, expected unsigned integers (uint8)",
        ),
        ({"x": images(4, 16, 16), "y": LABELS[:3]}, "3 labels for 4 images"),
        ({"x": images(4, 16, 16), "y": LABELS + 1}, "labels [1, 2], expected all of 0 to classes - 1"),
        ({"x": images(4, 16, 16), "y": LABELS - 1}, "expected all of 0 to classes - 1"),
        (
            {"x": images(4, 16, 16), "y": LABELS / 1},
            "own_images.npz: y: dtype float64, expected unsigned integers (uint8) or signed",
        ),
        ({"x": images(0, 16, 16), "y": LABELS[:0]}, "x of shape (0, 16, 16), expected"),
        ({"x": images(4, 0, 16), "y": LABELS}, "channels), none of them 0"),
    ],
)
def test_anything_else_is_refused_with_the_name_of_the_file(arrays, said, tmp_path):
    write(tmp_path, **arrays)
    with pytest.raises(InputError) as caught:
        load(tmp_path)
    assert said in str(caught.value) and "own_images.npz" in str(caught.value) and "\n" not in str(caught.value)
