"""A person's own labelled images, one `.npz` or a folder of each class: for attacks and PATE on data of any kind."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, UnidentifiedImageError

from lib.core.errors import InputError
from lib.data.formats import check_array, labelled_images, read_npz, reading
from lib.data.spec import DatasetSpec

_MOST = 2**33  # bytes of an array
_FILES = (".png", ".jpg", ".jpeg")
_GREY, _COLOUR = ("1", "L"), ("P", "RGB", "RGBA")  # modes of Pillow of 8 bits a channel; transparency is dropped


def read(files: Sequence[Path]) -> dict[str, np.ndarray]:
    """X (n, h, w) or (n, h, w, c) uint8, 0 to 255, of 1 or 3 channels; y (n,) int64, 0 to classes - 1, all of them.

    Raises InputError, naming the file, if it holds something else.
    """
    (file,) = files
    return _read_folder(file) if file.is_dir() else _read_npz(file)


def _read_folder(folder: Path) -> dict[str, np.ndarray]:
    """Images in a folder of each class, as of torchvision's ImageFolder: classes and files in the order of names."""
    inside = sorted(path for path in folder.iterdir() if path.name[0] != ".")
    classes = [path for path in inside if path.is_dir()]
    if len(classes) < 2 or len(classes) < len(inside):
        other = [path.name for path in inside if not path.is_dir()]
        raise InputError(
            f"{folder}: {len(classes)} folders{f' and the file {other[0]}' if other else ''}; allowed is a folder for "
            "each of two classes or more, and nothing else"
        )
    images = [(path, label) for label, each in enumerate(classes) for path in _images(each)]
    colour = [_form(path) for path, _ in images]
    size = colour[0][0]
    for (path, _), (own, _) in zip(images, colour, strict=True):
        if own != size:
            raise InputError(
                f"{path}: {own[0]} x {own[1]} pixels, and {images[0][0]} has {size[0]} x {size[1]}; allowed is one: "
                "scale them first"
            )
    mode = "RGB" if any(of_colour for _, of_colour in colour) else "L"
    x = np.empty((len(images), size[1], size[0], *((3,) if mode == "RGB" else ())), np.uint8)
    if x.nbytes > _MOST:
        raise InputError(f"{folder}: {x.nbytes} bytes of pixels; allowed are {_MOST}")
    for row, (path, _) in zip(x, images, strict=True):
        with reading(path, "image"), Image.open(path) as image:
            row[...] = np.asarray(image.convert(mode))
    return {"x": x, "y": np.array([label for _, label in images], np.int64)}


def _images(folder: Path) -> list[Path]:
    """Find the image files of a class, sorted; InputError for another file, or none."""
    found = sorted(path for path in folder.iterdir() if path.name[0] != ".")
    for path in found:
        if path.suffix.lower() not in _FILES or not path.is_file():
            raise InputError(f"{path}: no image; allowed in the folder of a class are files {', '.join(_FILES)}")
    if not found:
        raise InputError(f"{folder}: no image; every class needs images")
    return found


def _form(path: Path) -> tuple[tuple[int, int], bool]:
    """Width and height of an image, and whether it has colours; InputError where it is no image of 8 bits a channel."""
    with reading(path, "image"):
        try:
            with Image.open(path, formats=("PNG", "JPEG")) as image:
                if image.mode not in (*_GREY, *_COLOUR):
                    raise InputError(
                        f"{path}: pixels of mode {image.mode}; allowed are grey or RGB of 8 bits a channel"
                    )
                return image.size, image.mode in _COLOUR
        except (UnidentifiedImageError, Image.DecompressionBombError) as error:
            raise ValueError(error) from error


def _read_npz(file: Path) -> dict[str, np.ndarray]:
    arrays = read_npz(file, ("x", "y"), _MOST)
    x, y = arrays["x"], arrays["y"]
    if x.ndim not in (3, 4) or (x.ndim == 4 and x.shape[3] not in (1, 3)) or 0 in x.shape:
        raise InputError(
            f"{file}: x of shape {x.shape}, expected (images, height, width) or (.., 1 or 3 channels), none of them 0"
        )
    check_array(f"{file}: y", y, kinds="ui", shape=(None,))
    if not len(y) or len(np.unique(y)) != int(y.max()) + 1:
        raise InputError(f"{file}: labels {np.unique(y)[:10].tolist()}, expected all of 0 to classes - 1")
    x, y = labelled_images(file, x, y, shape=x.shape[1:], classes=int(y.max()) + 1)
    return {"x": x, "y": y}


DATASETS = {
    "own_images": DatasetSpec(
        title="Your own images",
        samples="as many as there are",
        fingerprint=None,
        known_by="its own samples, whatever they are",
        licence="yours",
        homepage="docs/own_images.md",
        obtain="put PNG or JPEG files of one size into a folder of each class, or write the .npz with numpy.savez: x, "
        "images as uint8, and y, labels from 0",
        sources=("data_root",),
        read=read,
        layouts=(("own_images.npz",), ("own_images/",)),
        private=True,
    )
}
