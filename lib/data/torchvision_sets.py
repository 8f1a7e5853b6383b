"""Datasets that torchvision has: it downloads them, with its mirrors and digests, and decodes their files.

torchvision takes seconds to import, so it is imported where it is used: who only lists datasets does not wait for it.
"""

import gzip
import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import numpy as np

from lib.core.errors import InputError
from lib.core.files import reading

SPLITS = ("train", "test")
# Of CIFAR's pickles, and the archives that they come in, as several public projects have them: torchvision has but MD5,
# and whoever makes two files of one MD5 digest decides what an unpickler runs.
SHA256 = {
    "cifar-10-python.tar.gz": "6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce",
    "cifar-10-batches-py/data_batch_1": "54636561a3ce25bd3e19253c6b0d8538147b0ae398331ac4a2d86c6d987368cd",
    "cifar-10-batches-py/data_batch_2": "766b2cef9fbc745cf056b3152224f7cf77163b330ea9a15f9392beb8b89bc5a8",
    "cifar-10-batches-py/data_batch_3": "0f00d98ebfb30b3ec0ad19f9756dc2630b89003e10525f5e148445e82aa6a1f9",
    "cifar-10-batches-py/data_batch_4": "3f7bb240661948b8f4d53e36ec720d8306f5668bd0071dcb4e6c947f78e9682b",
    "cifar-10-batches-py/data_batch_5": "d91802434d8376bbaeeadf58a737e3a1b12ac839077e931237e0dcd43adcb154",
    "cifar-10-batches-py/test_batch": "f53d8d457504f7cff4ea9e021afcf0e0ad8e24a91f3fc42091b8adef61157831",
    "cifar-10-batches-py/batches.meta": "f962466ef690d46b226450fb9aadc74ba4bc64a76aa526b5827fe4bc5c7125cb",
    "cifar-100-python.tar.gz": "85cd44d02ba6437773c5bbd22e183051d648de2e7d6b014e1ef29b855ba677a7",
    "cifar-100-python/train": "735e79b04f092ca3d2e6d07f368c0a7d70d48c48d28865950cc24454cf45129b",
    "cifar-100-python/test": "4b67687d9933c4db8f0831104447f15b93774f4f464bd0516f0f0f2ac83b7864",
    "cifar-100-python/meta": "a5d4786345c961390f865e93b434dbd5c6904ce880667e0cb888c97d449f28b9",
}
_PART = 2**20  # bytes unpacked at a time


def download(root: Path, kind: str) -> None:
    """Put the files of `torchvision.datasets.{kind}` below `root`, as it lays them out; raises what it raises."""
    for split in SPLITS:
        _opened(kind, root, split, download=True)


def decoded(kind: str, files: Mapping[str, Path], most: int | None = None) -> dict[str, np.ndarray]:
    """Return the arrays x_train, y_train, x_test, y_test that `torchvision.datasets.{kind}` decodes.

    files: by the names that torchvision has for them below its root; an archive stands for the files in it. most:
    bytes of a file, unpacked, where no digest is known. Raises InputError, naming the file, if one is missing, is not
    the one that torchvision knows by its MD5 digest, and `SHA256` by another (as CIFAR's are before they are
    unpickled), is larger, or cannot be decoded.
    """
    digests = _digests(kind)
    for name, path in files.items():
        with reading(path, kind):
            found = _datasets().utils.calculate_md5(path) if name in digests else None
        if found != (expected := digests.get(name)):
            raise InputError(f"{path}: not the file of torchvision's {kind}: expected MD5 {expected}, found {found}")
        if name in SHA256:
            with open(path, "rb") as stream:
                found = hashlib.file_digest(stream, "sha256").hexdigest()
            if found != SHA256[name]:
                raise InputError(f"{path}: not the published {name}: expected SHA-256 {SHA256[name]}, found {found}")
    arrays: dict[str, np.ndarray] = {}
    with _laid_out(files, kind, most) as root:
        for split in SPLITS:
            with _explained(", ".join(map(str, files.values())), kind):
                part = _opened(kind, root, split)
                arrays[f"x_{split}"] = np.asarray(part.data)
                arrays[f"y_{split}"] = np.asarray(part.labels if kind == "SVHN" else part.targets)
    return arrays


def _datasets() -> ModuleType:
    import torchvision.datasets

    return torchvision.datasets


def _opened(kind: str, root: Path, split: str, download: bool = False) -> Any:
    """One split of a set of torchvision's."""
    which = {"split": split} if kind == "SVHN" else {"train": split == "train"}
    return getattr(_datasets(), kind)(root, download=download, **which)


def _digests(kind: str) -> dict[str, str]:
    """Return the MD5 digests torchvision knows, by file; none of MNIST's, whose archives may have been packed anew."""
    known = getattr(_datasets(), kind)
    if kind in ("USPS", "SVHN"):
        return {name: md5 for _, name, md5 in known.split_list.values()}
    if kind in ("CIFAR10", "CIFAR100"):
        batches = [*known.train_list, *known.test_list, (known.meta["filename"], known.meta["md5"])]
        return {f"{known.base_folder}/{name}": md5 for name, md5 in batches} | {known.filename: known.tgz_md5}
    return {}


@contextmanager
def _laid_out(files: Mapping[str, Path], kind: str, most: int | None) -> Iterator[Path]:
    """Lay files out where torchvision looks for them, in a temporary folder: links, or what archives hold."""
    with TemporaryDirectory() as folder:
        for name, path in files.items():
            place = Path(folder, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            if most is not None:
                with reading(path, kind):
                    _copied(path, place.with_suffix("") if path.suffix == ".gz" else place, most)
            elif path.suffix == ".gz":
                with _explained(str(path), kind):
                    _datasets().utils.extract_archive(path, place.parent)
            else:
                place.symlink_to(path.resolve())
        yield Path(folder)


def _copied(path: Path, place: Path, most: int) -> None:
    """Unpack a file; ValueError where it holds more than so many bytes, of which no more are read."""
    with gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as stream, open(place, "wb") as copy:
        left = most
        while part := stream.read(min(_PART, left + 1)):
            left -= len(part)
            if left < 0:
                raise ValueError(f"it holds more than the {most} bytes expected")
            copy.write(part)


@contextmanager
def _explained(where: str, kind: str) -> Iterator[None]:
    """Turn what torchvision raises, which is whatever a damaged file leads to, into an InputError of one line."""
    try:
        yield
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{where}: not readable as torchvision's {kind} ({reason})") from error
