"""A small dataset in a module of its own, and MNIST in miniature."""

import gzip
import os
import struct
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lib.core.files import fingerprint
from lib.data import sources
from lib.data.sources import mnist

TOY_MODULE = '''
"""Two arrays in one file."""
from lib.data.formats import check_array, read_npz
from lib.data.spec import DatasetSpec


def read(files):
    arrays = read_npz(files[0], ("x", "y"), 2**20)
    check_array(files[0], arrays["x"], kinds="i", shape=(None, 2))
    return arrays


DATASETS = {
    name: DatasetSpec(
        title="A toy | set",
        samples="4 rows",
        fingerprint=fingerprint,
        licence="none",
        homepage="https://example.org",
        obtain="draw it yourself",
        sources=("data_root",),
        read=read,
        layouts=(("toy/all.npz",), ("all.npz",)),
        unordered=unordered,
    )
    for name, fingerprint, unordered in (("toy", "ORDERED", ()), ("toy_unordered", "UNORDERED", (("x", "y"),)))
}
'''


@pytest.fixture
def toy_arrays() -> dict[str, np.ndarray]:
    """Four samples of two numbers, and their labels."""
    return {"x": np.arange(8).reshape(4, 2), "y": np.array([3, 2, 1, 0])}


@pytest.fixture
def toy(tmp_path, monkeypatch, toy_arrays) -> str:
    """The name of a source module that holds the datasets `toy` and `toy_unordered`."""
    # Known beforehand: the SHA-256 of each row's bytes, x before y, ranks the four samples so.
    ranked = {name: array[[0, 2, 1, 3]] for name, array in toy_arrays.items()}
    text = TOY_MODULE.replace("UNORDERED", fingerprint(**ranked)).replace("ORDERED", fingerprint(**toy_arrays))
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "toy_source.py").write_text(text)
    monkeypatch.setattr(sources, "__path__", [*sources.__path__, str(folder)])
    yield "toy_source"
    sys.modules.pop("lib.data.sources.toy_source", None)


def idx_bytes(array: np.ndarray) -> bytes:
    """The idx file of an array of unsigned bytes."""
    return struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape) + array.astype(np.uint8).tobytes()


@pytest.fixture
def write_mnist():
    """A function that writes the four arrays below `root` as one of MNIST's layouts."""

    def write(root: Path, layout: tuple[str, ...], arrays: dict[str, np.ndarray]) -> None:
        root.mkdir(parents=True, exist_ok=True)
        if len(layout) == 1:
            np.savez_compressed(root / layout[0], **arrays)
            return
        for file, name in zip(layout, ("x_train", "y_train", "x_test", "y_test"), strict=True):
            path = root / file
            path.parent.mkdir(parents=True, exist_ok=True)
            content = idx_bytes(arrays[name])
            path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)

    return write


@pytest.fixture
def data_root() -> Path:
    """The directory of the real files; tests that ask for it are skipped where DATA_ROOT does not name one."""
    if not os.environ.get("DATA_ROOT"):
        pytest.skip("needs the real data: set DATA_ROOT to their directory")
    return Path(os.environ["DATA_ROOT"])


@pytest.fixture
def small_mnist(monkeypatch) -> dict[str, np.ndarray]:
    """Arrays of a few images; registered under the name `mnist` for the length of the test."""
    generator = np.random.default_rng(0)
    arrays = {
        "x_train": generator.integers(0, 256, (7, 28, 28), dtype=np.uint8),
        "y_train": generator.integers(0, 10, 7, dtype=np.uint8),
        "x_test": generator.integers(0, 256, (3, 28, 28), dtype=np.uint8),
        "y_test": generator.integers(0, 10, 3, dtype=np.uint8),
    }
    decoded = {name: array.astype(np.int64) if name[0] == "y" else array for name, array in arrays.items()}
    small = replace(mnist.DATASETS["mnist"], fingerprint=fingerprint(**decoded))
    monkeypatch.setitem(mnist.DATASETS, "mnist", small)
    return arrays
