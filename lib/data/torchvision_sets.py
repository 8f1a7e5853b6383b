"""Datasets that torchvision has: it downloads them, with its mirrors and digests, and decodes their files.

torchvision takes seconds to import, so it is imported where it is used: who only lists datasets does not wait for it.
"""

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


def download(root: Path, kind: str) -> None:
    """Put the files of `torchvision.datasets.{kind}` below `root`, as it lays them out; raises what it raises."""
    for split in SPLITS:
        _opened(kind, root, split, download=True)


def decoded(kind: str, files: Mapping[str, Path]) -> dict[str, np.ndarray]:
    """The arrays x_train, y_train, x_test, y_test that `torchvision.datasets.{kind}` decodes.

    files: by the names that torchvision has for them below its root; an archive stands for the files in it.
    Raises InputError, naming the file, if one is missing, is not the one that torchvision knows by its MD5 digest
    (which CIFAR's are before they are unpickled), or cannot be decoded.
    """
    digests = _digests(kind)
    for name, path in files.items():
        with reading(path, kind):
            found = _datasets().utils.calculate_md5(path) if name in digests else None
        if found != (expected := digests.get(name)):
            raise InputError(f"{path}: not the file of torchvision's {kind}: expected MD5 {expected}, found {found}")
    arrays: dict[str, np.ndarray] = {}
    with _laid_out(files, kind) as root:
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
    """The MD5 digests that torchvision knows, by file; none of MNIST's, whose archives may have been packed anew."""
    known = getattr(_datasets(), kind)
    if kind in ("USPS", "SVHN"):
        return {name: md5 for _, name, md5 in known.split_list.values()}
    if kind in ("CIFAR10", "CIFAR100"):
        batches = [*known.train_list, *known.test_list, (known.meta["filename"], known.meta["md5"])]
        return {f"{known.base_folder}/{name}": md5 for name, md5 in batches} | {known.filename: known.tgz_md5}
    return {}


@contextmanager
def _laid_out(files: Mapping[str, Path], kind: str) -> Iterator[Path]:
    """A temporary folder with the files where torchvision looks for them: links to them, or what archives hold."""
    with TemporaryDirectory() as folder:
        for name, path in files.items():
            place = Path(folder, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".gz":
                with _explained(str(path), kind):
                    _datasets().utils.extract_archive(path, place.parent)
            else:
                place.symlink_to(path.resolve())
        yield Path(folder)


@contextmanager
def _explained(where: str, kind: str) -> Iterator[None]:
    """Turn what torchvision raises, which is whatever a damaged file leads to, into an InputError of one line."""
    try:
        yield
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{where}: not readable as torchvision's {kind} ({reason})") from error
