"""A person's own images are read as they are, and what is no set of labelled images is refused in one line."""

import numpy as np
import pytest
from PIL import Image

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


def write_folder(folder, x: np.ndarray, y: np.ndarray, suffix: str = ".png"):
    """DIR/own_images/CLASS/NUMBER.png, as torchvision's ImageFolder reads it; classes b0, b1, ..."""
    for number, (image, label) in enumerate(zip(x, y, strict=True)):
        path = folder / "own_images" / f"b{label}" / f"{number}{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(image).save(path)
    (folder / "own_images" / ".hidden").touch()
    return folder / "own_images"


@pytest.mark.parametrize("shape", [(6, 16, 20), (6, 16, 20, 3)])
def test_a_folder_of_each_class_is_what_imagefolder_reads(shape, tmp_path):
    from torchvision.datasets import ImageFolder

    x, y = images(*shape), np.array([0, 1, 2, 2, 1, 0])
    folder = write_folder(tmp_path, x, y)
    (folder / ".hidden").unlink()  # ImageFolder passes over files beside the classes
    found, theirs = load(tmp_path), ImageFolder(folder)
    assert found["x"].shape == shape and found["y"].tolist() == theirs.targets == [0, 0, 1, 1, 2, 2]
    for image, (other, _) in zip(found["x"], theirs, strict=True):
        assert np.array_equal(image if len(shape) == 4 else np.stack([image] * 3, axis=-1), np.asarray(other))


def test_files_of_jpeg_and_of_several_modes_are_read_as_colours(tmp_path):
    folder = write_folder(tmp_path, images(4, 16, 20), LABELS, ".jpg")
    for mode, name in (("RGB", "c.JPEG"), ("P", "p.png"), ("RGBA", "a.png")):
        image = Image.fromarray(images(16, 20, 3))
        (image.convert(mode) if mode != "P" else image.quantize()).save(folder / "b0" / name)
    found = load(tmp_path)
    assert found["x"].shape == (7, 16, 20, 3) and found["y"].tolist() == [0] * 5 + [1] * 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda folder: (folder / "b1" / "notes.txt").write_text("x"), "b1/notes.txt: no image; allowed"),
        (lambda folder: (folder / "notes.txt").write_text("x"), "2 folders and the file notes.txt; allowed is"),
        (lambda folder: (folder / "b1" / "1.png").write_text("x"), "b1/1.png: "),
        (lambda folder: (folder / "c").mkdir(), "c: no image; every class needs images"),
        (lambda folder: Image.new("L", (5, 16)).save(folder / "b1" / "5.png"), "5 x 16 pixels, and"),
        (lambda folder: Image.new("I;16", (20, 16)).save(folder / "b1" / "5.png"), "pixels of mode I;16; allowed are"),
        (lambda folder: (folder / "b1").rename(folder / ".b1"), "1 folders; allowed is a folder for each of two"),
    ],
)
def test_a_folder_of_anything_else_is_refused_in_one_line(tmp_path, change, said):
    change(write_folder(tmp_path, images(4, 16, 20), LABELS))
    with pytest.raises(InputError) as caught:
        load(tmp_path)
    assert said in str(caught.value) and "\n" not in str(caught.value)
