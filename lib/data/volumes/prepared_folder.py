"""Prepared volumes: a folder that is written whole or not at all, and whose readers check what they get.

index.json names subjects, patients, channels, classes and the digests; image.npy (n, channels, X, Y, Z) float16 is read
in place; labels.npz has one compressed member a subject, so that masks of full size need little room.
"""

import hashlib
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lib.core.errors import InputError
from lib.core.files import atomic_folder, fingerprint, read_sealed_json, reading, write_sealed_json
from lib.core.provenance import file_digest
from lib.core.secret import keyed

_INDEX, _IMAGE, _LABELS = "index.json", "image.npy", "labels.npz"
_EARLIEST = (1980, 1, 1, 0, 0, 0)  # a date for the archive's members, so that the same labels give the same bytes


class LabelVolumes:
    """The labels (n, X, Y, Z) uint8 of a prepared folder; only the subjects asked for are read."""

    dtype, ndim = np.dtype(np.uint8), 4

    def __init__(self, path: Path, subjects: int, shape: tuple[int, int, int]) -> None:
        """path: of labels.npz, already checked."""
        self._path, self.shape = path, (subjects, *shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: int | slice | Sequence[int] | np.ndarray) -> np.ndarray:
        """One subject's (X, Y, Z), or those of a slice, of numbers or of a mask (m, X, Y, Z), copied."""
        chosen = np.arange(len(self))[rows]
        with reading(self._path, ".npz"), np.load(self._path, allow_pickle=False) as archive:
            if chosen.ndim == 0:
                return archive[str(chosen)]
            labels = np.empty((len(chosen), *self.shape[1:]), np.uint8)
            for label, row in zip(labels, chosen, strict=True):
                label[:] = archive[str(row)]
            return labels

    def __array__(self, dtype: np.dtype | None = None, copy: bool | None = None) -> np.ndarray:
        """All of them; memory is as large as the shape says."""
        return self[:] if dtype is None else self[:].astype(dtype)


@dataclass(frozen=True)
class PreparedVolumes:
    """Volumes of one shape, by subject.

    image: (n, channels, X, Y, Z) float16, mapped from the file, None where labels alone were prepared; label:
    (n, X, Y, Z) uint8, read when asked for. names: subjects, sorted; groups: the patient of each; fingerprint: SHA-256
    (hex) of names and samples; channels: of the image; classes: tumour classes that the labels tell apart.
    """

    image: np.ndarray | None
    label: LabelVolumes
    names: list[str]
    groups: list[str]
    fingerprint: str
    channels: tuple[str, ...]
    classes: int

    @property
    def images(self) -> np.ndarray:
        """Return `image`; InputError where labels alone were prepared."""
        if self.image is None:
            raise InputError("prepared volumes: labels alone; this job needs the images, too")
        return self.image

    def masks(self, rows: Sequence[int] | np.ndarray, classes: int) -> np.ndarray:
        """Return the true soft masks (m, C, X, Y, Z) float32, 0 or 1, of some subjects.

        classes: 1 for whole tumour, C = 1; or as many as the labels tell apart, C = classes + 1, background first.
        Raises InputError for another number.
        """
        if classes not in (1, self.classes):
            allowed = " or ".join(map(str, sorted({1, self.classes})))
            raise InputError(f"masks of {classes} classes: the labels tell {self.classes} apart, allowed: {allowed}")
        wanted = np.arange(len(self.names))[np.asarray(rows, np.int64)]
        count = 1 if classes == 1 else classes + 1
        masks = np.empty((len(wanted), count, *self.label.shape[1:]), np.float32)
        for mask, row in zip(masks, wanted, strict=True):
            label = self.label[row]
            if classes == 1:
                mask[0] = label > 0
            else:
                for number, values in enumerate(mask):
                    values[:] = label == number
        return masks


class Writer:
    """Takes one subject after the other; `writing` makes one and finishes the folder."""

    def __init__(self, folder: Path, subjects: int, channels: int | None, shape: tuple[int, int, int]) -> None:
        """channels: None to take labels alone."""
        self._folder, self._shape = folder, shape
        self._digests: list[str] = []
        self._labels = zipfile.ZipFile(folder / _LABELS, "w")
        self._image = None
        if channels is not None:
            # written and not mapped: on a full disk, what writes into a mapped file is killed without a word
            self._image = (folder / _IMAGE).open("wb")
            head = {"descr": "<f2", "fortran_order": False, "shape": (subjects, channels, *shape)}
            np.lib.format.write_array_header_1_0(self._image, head)

    def add(self, image: np.ndarray | None, label: np.ndarray) -> None:
        """Write the next subject: image (channels, X, Y, Z), stored as float16, and label (X, Y, Z) uint8."""
        row, arrays = len(self._digests), {"label": label}
        if self._image is not None:
            assert image is not None
            arrays["image"] = image.astype(np.float16, order="C")
            self._image.write(arrays["image"].astype("<f2", copy=False).data)
        member = zipfile.ZipInfo(f"{row}.npy", _EARLIEST)
        member.compress_type = zipfile.ZIP_DEFLATED
        with self._labels.open(member, "w", force_zip64=True) as stream:
            np.lib.format.write_array(stream, np.ascontiguousarray(label, np.uint8), allow_pickle=False)
        self._digests.append(fingerprint(**arrays))

    def finish(
        self,
        names: Sequence[str],
        groups: Sequence[str],
        channels: Sequence[str],
        classes: int,
        decoded: str,
        private: bool = False,
    ) -> None:
        """Write the index, once all subjects are there, in the order of `names`; decoded: `together` as they were.

        private: the fingerprint is a keyed one, since records and tables show it.
        """
        self.close()
        digest = together(names, self._digests)
        content = {
            "names": list(names),
            "groups": list(groups),
            "channels": list(channels),
            "classes": classes,
            "shape": list(self._shape),
            "fingerprint": keyed(digest, self._folder) if private else digest,
            "decoded": decoded,
            "files": {path.name: file_digest(path) for path in sorted(self._folder.iterdir())},
        }
        write_sealed_json(self._folder / _INDEX, content)

    def close(self) -> None:
        """Let go of the files."""
        self._labels.close()
        if self._image is not None:
            self._image.close()
            self._image = None


def together(names: Sequence[str], digests: Sequence[str]) -> str:
    """SHA-256 (hex) of subjects' names and the digest of each one's samples, in whatever order they come."""
    whole = hashlib.sha256()
    for name, digest in sorted(zip(names, digests, strict=True)):
        whole.update(f"{name} {digest}\n".encode())
    return whole.hexdigest()


@contextmanager
def writing(path: str | Path, subjects: int, channels: int | None, shape: tuple[int, int, int]) -> Iterator[Writer]:
    """Yield a Writer into a folder that is at `path` when the block ends without an error; `finish` it there."""
    with atomic_folder(path) as folder:
        writer = Writer(folder, subjects, channels, shape)
        try:
            yield writer
        finally:
            writer.close()


def read_prepared(path: str | Path) -> PreparedVolumes:
    """Return the prepared volumes of a folder, or of the index.json in it.

    Raises InputError, naming the file, if one is missing, cannot be read, or is not what was written.
    """
    path = Path(path)
    folder = path.parent if path.name == _INDEX else path
    content = read_sealed_json(folder / _INDEX)
    for name, digest in content["files"].items():
        if file_digest(folder / name) != digest:
            raise InputError(f"{folder / name}: not the file that was written; delete {folder} to remake it")
    image = None
    if _IMAGE in content["files"]:
        with reading(folder / _IMAGE, ".npy"):
            image = np.load(folder / _IMAGE, mmap_mode="r", allow_pickle=False)
    return PreparedVolumes(
        image,
        LabelVolumes(folder / _LABELS, len(content["names"]), tuple(content["shape"])),
        content["names"],
        content["groups"],
        content["fingerprint"],
        tuple(content["channels"]),
        content["classes"],
    )
