"""NIfTI files as arrays of one orientation, or a clear refusal."""

import math
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import nibabel
import numpy as np
from nibabel.openers import ImageOpener

from lib.core.errors import InputError
from lib.core.files import reading
from lib.data.volumes import labels

MOST_VOXELS = 2**28  # of one file: a header of a few bytes may promise any number, and a stream unpack to as many

MOST_APART = 0.1  # between a voxel's places in two files of a subject, in sides of a voxel
_HEADERS = 2**20  # bytes of a file beside its voxels


def find(stem: Path) -> Path | None:
    """Return the file `stem`.nii.gz or `stem`.nii; None if there is neither."""
    paths = (stem.with_name(stem.name + suffix) for suffix in (".nii.gz", ".nii"))
    return next((path for path in paths if path.is_file()), None)


def existing(stem: Path, what: str) -> Path:
    """Return the file that `find` finds; InputError, saying that `what` is missing, if it finds none."""
    if path := find(stem):
        return path
    raise InputError(f"{stem.parent}: missing {what}, expected {stem.name}.nii.gz or {stem.name}.nii")


def load(path: Path, most: int = MOST_VOXELS) -> tuple[np.ndarray, np.ndarray]:
    """Return the array of a file, axes left to right, back to front, upwards; and its file's affine (4, 4).

    Raises InputError, naming the file, if it cannot be read, has no place in space, holds what is no real number of at
    most 8 bytes, or says that it has more than `most` voxels, before any of these is read.
    """
    with reading(path, "NIfTI"):
        try:
            image: Any = nibabel.load(path)
            axes = nibabel.aff2axcodes(image.affine)
            shape, kind = image.shape, image.get_data_dtype()
            if kind.kind not in "biuf" or kind.itemsize > 8:
                raise ValueError(f"voxels of type {kind}; allowed are real numbers of at most 8 bytes")
            if not 0 < math.prod(shape) <= most:
                raise ValueError(f"shape {shape}; allowed are 1 to {most} voxels")
            if None in axes or not np.isfinite(image.affine).all():
                raise ValueError("its affine leaves an axis without a direction or a place")
            _check_whole(path, 8 * most)
            array = _scaled(np.asarray(image.dataobj.get_unscaled()), image.dataobj.slope, image.dataobj.inter)
            return nibabel.apply_orientation(array, nibabel.io_orientation(image.affine)), image.affine
        except Exception as error:  # a damaged file may end the reader anywhere, in whatever way
            raise ValueError(" ".join(str(error).split()) or type(error).__name__) from error


def _check_whole(path: Path, most: int) -> None:
    """Read a compressed file to its end, where its checksum stands, which nibabel does not reach.

    Raises what the stream does where it is damaged, and ValueError where it unpacks to more than `most` bytes and 1 MiB
    of headers.
    """
    if path.suffix == ".nii":
        return
    left = most + _HEADERS
    with ImageOpener(str(path)) as stream:
        while part := stream.read(2**20):
            left -= len(part)
            if left < 0:
                raise ValueError(f"it unpacks to more than {most + _HEADERS} bytes")


def _scaled(array: np.ndarray, slope: float, inter: float) -> np.ndarray:
    """Numbers as the header scales them: nibabel's, in half the memory that it takes for them."""
    if (slope, inter) == (1, 0):
        return array
    array = array.astype(np.float64)
    array *= slope
    array += inter
    return array


def load_image(path: Path, most: int = MOST_VOXELS) -> tuple[np.ndarray, np.ndarray]:
    """`load` as float32, every number finite; InputError, naming the file, otherwise."""
    array, affine = load(path, most)
    array = array.astype(np.float32)
    if bad := np.size(array) - np.count_nonzero(np.isfinite(array)):
        raise InputError(f"{path}: {bad} voxels are NaN or infinite; allowed are finite numbers")
    return array, affine


def load_label(path: Path, values: Mapping[int, int], most: int = MOST_VOXELS) -> tuple[np.ndarray, np.ndarray]:
    """Return a label (X, Y, Z) uint8 in canonical numbers, by those of its source; and its file's affine (4, 4).

    Raises InputError, naming the file, for another number of dimensions, or a number that is not in `values`.
    """
    array, affine = load_image(path, most)
    if array.ndim != 3:
        raise InputError(f"{path}: shape {array.shape}, expected three dimensions")
    return labels.canonical(array, values, path), affine


def load_channels(paths: Sequence[Path], most: int = MOST_VOXELS) -> tuple[np.ndarray, np.ndarray]:
    """One file a channel: (channels, X, Y, Z) float32, and the first one's affine.

    Raises InputError, naming the file, where one is no volume or lies on another grid than the first.
    """
    first, affine = load_image(paths[0], most)
    image = np.empty((len(paths), *first.shape), np.float32)
    image[0] = first
    for number, path in enumerate(paths[1:], 1):
        channel, own_affine = load_image(path, most)
        check_grid(path, channel.shape, own_affine, first.shape, affine)
        image[number] = channel
    if first.ndim != 3:
        raise InputError(f"{paths[0]}: shape {first.shape}, expected three dimensions")
    return image, affine


def check_grid(
    path: Path, shape: tuple[int, ...], affine: np.ndarray, expected: tuple[int, ...], expected_affine: np.ndarray
) -> None:
    """Raise InputError, naming the file, unless its voxels lie where those of the subject's image do.

    shape, expected: as `load` turns the arrays. affine, expected_affine: of the files. Places are compared at the
    corners of the volume, between which nothing is further off; files that store them in different ways (quaternions,
    float32, a few decimals) may differ by MOST_APART.
    """
    if shape != expected:
        raise InputError(f"{path}: shape {shape}, but the subject's image has {expected}; they must agree")
    axes, expected_axes = ("".join(nibabel.aff2axcodes(each)) for each in (affine, expected_affine))
    if axes != expected_axes:
        raise InputError(f"{path}: axes run {axes}, but those of the subject's image {expected_axes}; they must agree")
    stored = [shape[int(axis)] for axis in nibabel.io_orientation(affine)[:, 0]]
    corners = np.array([(*corner, 1) for corner in product(*((0, side - 1) for side in stored))]).T
    apart = np.linalg.norm(((affine - expected_affine) @ corners)[:3], axis=0).max()
    apart /= np.linalg.norm(expected_affine[:3, :3], axis=0).min()
    if not apart <= MOST_APART:
        raise InputError(
            f"{path}: its position, spacing or rotation is not that of the subject's image: voxels lie more than "
            f"{MOST_APART} of a voxel's side apart (up to {apart:.3g}); they must agree"
        )
