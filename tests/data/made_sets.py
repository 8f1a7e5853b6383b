"""Small sets in the files that torchvision's public places serve, and torchvision told that these are the real ones."""

import bz2
import gzip
import hashlib
import pickle
import tarfile
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import scipy.io
import torchvision.datasets

from lib.core.files import fingerprint
from lib.data import registry, torchvision_sets
from lib.data.sources import cifar
from lib.data.spec import canonical
from tests.data.conftest import idx_bytes
from tests.data.python2_pickle import batch

# The name that torchvision has for each dataset; its module, the shape of an image, and the number of classes.
KINDS = {"mnist": "MNIST", "cifar10": "CIFAR10", "cifar100": "CIFAR100", "usps_libsvm": "USPS", "svhn": "SVHN"}
MODULES = {"mnist": "mnist", "cifar10": "cifar", "cifar100": "cifar", "usps_libsvm": "usps", "svhn": "svhn"}
_SHAPES = {"mnist": (28, 28), "cifar10": (32, 32, 3), "cifar100": (32, 32, 3), "usps_libsvm": (16, 16),
           "svhn": (32, 32, 3)}  # fmt: skip


def arrays_of(name: str, train: int = 10, test: int = 4) -> dict[str, np.ndarray]:
    """Images and labels, drawn."""
    rng = np.random.default_rng(len(name))
    classes = 100 if name == "cifar100" else 10
    return {
        "x_train": rng.integers(0, 256, (train, *_SHAPES[name]), np.uint8),
        "y_train": rng.integers(0, classes, train),
        "x_test": rng.integers(0, 256, (test, *_SHAPES[name]), np.uint8),
        "y_test": np.arange(test) % classes,
    }


def _md5(path: Path) -> str:
    return hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()


def _sparse(x: np.ndarray, y: np.ndarray) -> bytes:
    """Lines of LIBSVM: a class from 1, and pixels from -1 to 1, which torchvision rounds down to whole grey values."""
    pixels = np.minimum((x.reshape(len(x), -1) + 0.5) / 255 * 2 - 1, 1)
    lines = (
        f"{label + 1} " + " ".join(f"{k}:{value:.6f}" for k, value in enumerate(row, 1)) + "\n"
        for label, row in zip(y, pixels, strict=True)
    )
    return "".join(lines).encode()


def batches(name: str, arrays: dict[str, np.ndarray]) -> dict[str, bytes]:
    """What an archive of CIFAR holds, by file: the batches of the training set, that of the test set, the names."""
    kind = getattr(torchvision.datasets, KINDS[name])
    label = b"fine_labels" if name == "cifar100" else b"labels"
    files = {}
    for number, (file, *_) in enumerate(kind.train_list):
        x, y = (np.array_split(arrays[f"{part}_train"], len(kind.train_list))[number] for part in "xy")
        files[file] = batch(x, y, label)
    files[kind.test_list[0][0]] = batch(arrays["x_test"], arrays["y_test"], label)
    return files | {kind.meta["filename"]: pickle.dumps({kind.meta["key"]: ["one", "two"]}, 2)}


def publish(
    name: str, folder: Path, arrays: dict[str, np.ndarray], monkeypatch, url: str = "http://127.0.0.1:1"
) -> None:
    """Write the public files to `folder`, and let torchvision know their digests and that they are served at `url`."""
    kind = getattr(torchvision.datasets, KINDS[name])
    folder.mkdir(parents=True, exist_ok=True)
    if name == "mnist":
        contents = [arrays[key] for key in ("x_train", "y_train", "x_test", "y_test")]
        for (file, _), content in zip(kind.resources, contents, strict=True):
            (folder / file).write_bytes(gzip.compress(idx_bytes(content)))
        monkeypatch.setattr(kind, "resources", [(file, _md5(folder / file)) for file, _ in kind.resources])
        monkeypatch.setattr(kind, "mirrors", [f"{url}/"])
    elif name.startswith("cifar"):
        inside = folder / kind.base_folder
        inside.mkdir()
        for file, content in batches(name, arrays).items():
            (inside / file).write_bytes(content)
        with tarfile.open(folder / kind.filename, "w:gz") as tar:
            tar.add(inside, kind.base_folder)
        for listed in ("train_list", "test_list"):
            known = [[file, _md5(inside / file)] for file, _ in getattr(kind, listed)]
            monkeypatch.setattr(kind, listed, known)
        monkeypatch.setattr(kind, "meta", kind.meta | {"md5": _md5(inside / kind.meta["filename"])})
        monkeypatch.setattr(kind, "tgz_md5", _md5(folder / kind.filename))
        monkeypatch.setattr(kind, "url", f"{url}/{kind.filename}")
        files = [folder / kind.filename, *inside.iterdir()]
        digests = {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
        monkeypatch.setattr(torchvision_sets, "SHA256", digests)
    else:
        known = dict(kind.split_list)
        for split in ("train", "test"):
            file, x, y = known[split][1], arrays[f"x_{split}"], arrays[f"y_{split}"]
            if name == "svhn":  # images last, in the order of rows, columns and channels; the digit 0 is class 10
                columns = np.where(y == 0, 10, y).astype(np.uint8)[:, None]
                scipy.io.savemat(folder / file, {"X": x.transpose(1, 2, 3, 0), "y": columns}, do_compression=True)
            else:
                (folder / file).write_bytes(bz2.compress(_sparse(x, y)))
            known[split] = [f"{url}/{file}", file, _md5(folder / file)]
        monkeypatch.setattr(kind, "split_list", known)


def register(name: str, arrays: dict[str, np.ndarray], monkeypatch) -> None:
    """Let the registry know the dataset by the fingerprint of these arrays; CIFAR-100 is read as any other set."""
    spec = registry.get(MODULES[name], name)
    if name == "cifar100":
        spec = replace(spec, read=partial(cifar.read, classes=100))
    known = fingerprint(**canonical(arrays, spec.unordered))
    datasets = import_module(f"lib.data.sources.{MODULES[name]}").DATASETS
    monkeypatch.setitem(datasets, name, replace(spec, fingerprint=known, known_by=""))
