"""From volumes of any size to prepared ones of one shape, a subject at a time."""

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from lib.core.errors import InputError
from lib.core.files import fingerprint
from lib.core.lean_monai import NormalizeIntensity, Resize, ResizeWithPadOrCrop
from lib.core.seeding import generator
from lib.data.volumes.geometry_settings import GeometrySettings
from lib.data.volumes.prepared_folder import together, writing
from lib.data.volumes.source import VolumeSource

_INTERVAL = 10.0  # seconds between two signs of progress


class Geometry(GeometrySettings):
    """Shape of prepared volumes, and how images and labels get it."""

    def image(self, image: np.ndarray) -> np.ndarray:
        """Resample the image (channels, X, Y, Z) float32: trilinear, smoothed before it gets coarser; padded with 0."""
        cut = self._cut(image)
        if cut.shape[1:] == tuple(self.shape):
            return cut
        return _array(Resize(self.shape, mode="trilinear", anti_aliasing=True)(cut))

    def label(self, label: np.ndarray) -> np.ndarray:
        """Return the label (X, Y, Z) uint8; padded with background."""
        cut = self._cut(label[None])
        if cut.shape[1:] == tuple(self.shape):
            return _array(cut)[0].astype(np.uint8)
        if self.label_mode == "nearest":
            return _array(Resize(self.shape, mode="nearest-exact")(cut))[0].astype(np.uint8)
        return self._majority(_array(cut))

    def _cut(self, volume: Any) -> Any:
        return volume if self.crop is None else _array(ResizeWithPadOrCrop(self.crop, mode="constant")(volume))

    def _majority(self, label: np.ndarray) -> np.ndarray:
        """Return what most of a new voxel's old ones have, of equally many the smaller number; label (1, X, Y, Z)."""
        area = Resize(self.shape, mode="area")
        best = np.zeros(self.shape, np.uint8)
        most = np.full(self.shape, -1, np.float32)
        for value in np.unique(label):
            share = _array(area((label == value).astype(np.float32)))[0]
            more = share > most
            best[more], most[more] = value, share[more]
        return best


def normalised(image: np.ndarray, where: object) -> np.ndarray:
    """Give each channel of the image (channels, X, Y, Z) mean 0 and variance 1 over its non-zero voxels, 0 elsewhere.

    Raises InputError, naming `where`, if a channel has no two different ones.
    """
    for number, channel in enumerate(image):
        brain = channel[channel != 0]
        if not brain.size or brain.min() == brain.max():
            raise InputError(f"{where}: channel {number} shows nothing: its non-zero voxels are all alike, or none")
    # It works in place.
    return _array(NormalizeIntensity(nonzero=True, channel_wise=True)(image.copy()))


def placed(volume: np.ndarray, box: tuple[int, int, int], starts: np.ndarray) -> np.ndarray:
    """Return a volume (..., X, Y, Z) in a box of zeros (..., *box), beginning at `starts`."""
    whole = np.zeros((*volume.shape[:-3], *box), volume.dtype)
    x, y, z = (slice(start, start + side) for start, side in zip(starts, volume.shape[-3:], strict=True))
    whole[..., x, y, z] = volume
    return whole


def shifted(shape: tuple[int, ...], box: tuple[int, int, int], seed: int, name: str) -> np.ndarray:
    """Draw where a subject's volume begins in its box: each place where all of it fits has the same chance.

    Raises InputError, naming the subject, for a volume that is larger than the box.
    """
    free = np.subtract(box, shape)
    if (free < 0).any():
        raise InputError(f"{name}: {tuple(shape)} voxels; shift allows at most crop = {tuple(box)}")
    return generator(seed, "shift", name).integers(free + 1)


def prepare(
    source: VolumeSource,
    folder: str | Path,
    geometry: Geometry,
    images: bool = True,
    expected: str | None = None,
    private: bool = False,
) -> None:
    """Normalise every subject of a source, bring it to one shape, and write what `read_prepared` reads.

    images: False for labels alone; then no image is read. expected: fingerprint of names and decoded samples, of images
    and labels or of labels alone (hex), None for whatever they are. private: whether results name them by a keyed
    digest alone. One subject is in memory at a time. Says how far it is, and the fingerprint of what is not private, on
    standard error. Raises InputError as the source does, and for another fingerprint; then nothing is written.
    """
    names, digests = source.subjects(), []
    with writing(folder, len(names), len(source.channels) if images else None, geometry.shape) as writer:
        said = time.monotonic()
        for number, name in enumerate(names, 1):
            if images:
                volume = source.read(name)
                digests.append(fingerprint(image=volume.image, label=volume.label))
                image, label = normalised(volume.image, name), volume.label
            else:
                image, label = None, source.label(name)
                digests.append(fingerprint(label=label))
            if geometry.shift is not None and geometry.crop is not None:
                starts = shifted(label.shape, geometry.crop, geometry.shift, name)
                image = None if image is None else placed(image, geometry.crop, starts)
                label = placed(label, geometry.crop, starts)
            writer.add(None if image is None else geometry.image(image), geometry.label(label))
            if time.monotonic() - said > _INTERVAL or number == len(names):
                print(f"{number} of {len(names)} volumes", file=sys.stderr, flush=True)
                said = time.monotonic()
        decoded = together(names, digests)
        shown = "no public one" if private else decoded
        print(f"fingerprint of the decoded volumes: {shown}", file=sys.stderr, flush=True)
        if expected not in (None, decoded):
            raise InputError(f"{folder}: other volumes than expected: fingerprint {shown}, expected {expected}")
        patients = [source.patient(name) for name in names]
        channels = source.channels if images else ()
        writer.finish(names, patients, channels, source.classes, decoded, private)


def _array(volume: np.ndarray | torch.Tensor) -> np.ndarray:
    """MONAI gives tensors with metadata, which are not wanted."""
    return volume.as_tensor().numpy() if hasattr(volume, "as_tensor") else np.asarray(volume)
