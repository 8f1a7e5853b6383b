"""Patches of histology slides in the public folder layout, PATIENT/CLASS/PATIENT_idxN_xX_yY_classCLASS.png.

X and Y are the pixel of the slide that a patch begins at. At the border of a slide, patches are smaller than elsewhere:
they are left out, and counted.
"""

import hashlib
import itertools
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, UnidentifiedImageError

from lib.core.errors import InputError
from lib.core.files import reading

SIDE = 50  # pixels
CLASSES = ("0", "1")
_NAME = re.compile(r"(?P<patient>[A-Za-z0-9]+)_idx[0-9]+_x(?P<x>[0-9]+)_y(?P<y>[0-9]+)_class(?P<label>[01])\.png")


@dataclass(frozen=True, order=True)
class Patch:
    """One file: its patient, the pixel of the slide that it begins at, its class."""

    patient: str
    x: int
    y: int
    label: int
    path: Path


def list_patches(folder: Path) -> list[Patch]:
    """Return the patches below `folder`, by patient, x and y, whatever their sizes; hidden files are passed over.

    Raises InputError, naming what it found, if there are none, if a folder or file is none of the layout, if a name
    contradicts its folders, or if two files are of one place.
    """
    patches = []
    for patient in _entries(folder):
        for label in _entries(patient):
            if label.name not in CLASSES:
                raise InputError(f"{label}: not a folder of a class, allowed: {', '.join(CLASSES)}")
            patches += [_parse(path, patient.name, label.name) for path in _entries(label)]
    if not patches:
        raise InputError(f"{folder}: no patches; they belong in PATIENT/CLASS/PATIENT_idx5_xX_yY_classCLASS.png")
    patches.sort()
    for one, other in itertools.pairwise(patches):
        if (one.patient, one.x, one.y) == (other.patient, other.x, other.y):
            raise InputError(f"{other.path}: the same place of the same patient as {one.path}")
    return patches


def read_patches(patches: Sequence[Patch]) -> dict[str, np.ndarray]:
    """x (n, 50, 50, 3) uint8, RGB; y (n,) int64; group (n,), the patients; skipped (2,) int64, left out of each class.

    Patches smaller than 50 pixels along a side are the ones left out. Says how far it is on standard error.
    Raises InputError, naming the file, if one is no RGB image in PNG, larger, or has the pixels of another; patches of
    a single colour may be equal.
    """
    images = np.empty((len(patches), SIDE, SIDE, 3), np.uint8)
    kept: list[Patch] = []
    skipped = np.zeros(len(CLASSES), np.int64)
    known: dict[bytes, Path] = {}
    for number, patch in enumerate(patches, 1):
        image = _read(patch.path)
        if image is None:
            skipped[patch.label] += 1
            continue
        digest = hashlib.sha256(image.tobytes()).digest()
        if digest in known and (image != image[0, 0]).any():
            raise InputError(f"{patch.path}: the same pixels as {known[digest]}")
        known[digest] = patch.path
        images[len(kept)] = image
        kept.append(patch)
        if number % 20000 == 0:
            print(f"{number} of {len(patches)} patches", file=sys.stderr, flush=True)
    print(
        f"{len(kept)} patches; left out as smaller: {skipped[0]} of class 0, {skipped[1]} of class 1", file=sys.stderr
    )
    return {
        "x": images[: len(kept)],
        "y": np.array([patch.label for patch in kept], np.int64),
        "group": np.array([patch.patient for patch in kept], np.str_),
        "skipped": skipped,
    }


def _entries(folder: Path) -> list[Path]:
    """Return what lies in a folder, hidden files left out."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise InputError(f"{folder}: not a readable folder ({error.strerror})") from error


def _parse(path: Path, patient: str, label: str) -> Patch:
    """Return the patch that a file is by its name and its folders; InputError where they are not clear."""
    found = _NAME.fullmatch(path.name)
    if not found:
        raise InputError(f"{path}: ambiguous name, expected PATIENT_idx5_xX_yY_classCLASS.png")
    for what, of_folder in (("patient", patient), ("label", label)):
        if found[what] != of_folder:
            raise InputError(f"{path}: ambiguous, {found[what]} by its name and {of_folder} by its folder")
    return Patch(patient, int(found["x"]), int(found["y"]), int(label), path)


def _read(path: Path) -> np.ndarray | None:
    """Return the pixels of a whole patch, None for a smaller one."""
    with reading(path, "PNG"):
        try:
            with Image.open(path, formats=("PNG",)) as image:
                if image.mode != "RGB" or max(image.size) > SIDE:
                    raise InputError(
                        f"{path}: {image.width} x {image.height} pixels, {image.mode}; expected {SIDE} x {SIDE}, RGB"
                    )
                return np.asarray(image) if image.size == (SIDE, SIDE) else None
        except (UnidentifiedImageError, Image.DecompressionBombError) as error:
            raise ValueError(error) from error
