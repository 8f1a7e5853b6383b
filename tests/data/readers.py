"""An example of the files of every registered reader, and a check of all that it reads from them.

Readers come from the registries: a dataset, collection of volumes or kind of votes that has no example here fails
`tests/data/test_every_reader.py`.
"""

import csv
import gzip
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from PIL import Image

from lib.core.seeding import Draws
from lib.data import registry
from lib.data.volumes import own
from lib.data.volumes import registry as volumes
from lib.leaderboard.external import Elsewhere
from lib.plan.strict_yaml import check_files
from pate_accountant import votes_file
from tests.data.conftest import idx_bytes
from tests.data.test_adult import RECORD
from tests.data.volumes.conftest import WRITTEN, image, label, write_nifti


@dataclass(frozen=True)
class Reader:
    """One reader, and what it is tried with.

    name: of a registry. write: puts an example below a folder. read: reads all that lies there, asserts that these are
    data of the reader's kind, and raises InputError where they are not. whole: whether the example is read; False where
    the reader refuses all files but the published ones, by a digest.
    """

    name: str
    write: Callable[[Path], None]
    read: Callable[[Path], None]
    whole: bool = True


# ---------------------------------------------------------------- datasets

_PIXELS = {"mnist": (28, 28), "notmnist": (28, 28), "usps": (16, 16), "cifar": (32, 32, 3), "own": (5, 4, 3)}


def _drawn(module: str, names: Sequence[str]) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    images = {name: rng.integers(0, 256, (3, *_PIXELS[module]), np.uint8) for name in names if name[0] == "x"}
    return images | {name: np.array([1, 0, 2]) for name in names if name[0] == "y"}


def _npz(arrays: dict[str, np.ndarray]) -> bytes:
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def _npy(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def _idx(module: str, file: str) -> bytes:
    content = idx_bytes(_drawn(module, ("x",))["x"] if "images" in file else np.array([1, 0, 2]))
    return gzip.compress(content) if file.endswith(".gz") else content


def _votes(name: str, file: str) -> bytes:
    """Files of the shapes that published votes have."""
    read = registry.get("pate_votes", name).read.keywords
    if "indices" in file:
        return _npy(np.arange(read["published"]))
    if "labels" in file:
        return _npy(np.zeros(read["queries"], np.int64))
    votes = np.zeros((read["queries"], read["classes"]), np.int16)
    votes[:, 0], votes[:, 1] = read["teachers"] - 3, 3
    return _npy(votes)


def _patches(root: Path) -> None:
    for number, (patient, kind) in enumerate((("10", 0), ("10", 1), ("9", 1))):
        path = root / patient / str(kind) / f"{patient}_idx5_x{number}1_y51_class{kind}.png"
        path.parent.mkdir(parents=True)
        Image.fromarray(np.random.default_rng(number).integers(0, 256, (50, 50, 3), np.uint8)).save(path)


def _classes(root: Path) -> None:
    for kind in ("cat", "dog"):
        (root / kind).mkdir(parents=True)
        for number in range(2):
            pixels = np.random.default_rng(number).integers(0, 256, (5, 4, 3), np.uint8)
            Image.fromarray(pixels).save(root / kind / f"{number}.png")


def _example(module: str, name: str, file: str) -> bytes:
    """A file of a layout."""
    if module == "adult":
        return (RECORD * 3).encode()
    if module == "pate_votes":
        return _votes(name, file)
    if file.endswith(".npz"):
        split = module in ("mnist", "cifar")
        return _npz(_drawn(module, ("x_train", "y_train", "x_test", "y_test") if split else ("x", "y")))
    if "-ubyte" in file:
        return _idx(module, file)
    if module in ("cifar", "svhn", "usps"):
        return b"known by a digest, before anything is read"
    raise NotImplementedError(f"dataset {name}: tests/data/readers.py has no example of {file}")


def _write_layout(root: Path, module: str, name: str, layout: Sequence[str]) -> None:
    for file in layout:
        if file.endswith("/"):
            folders = {"idc": _patches, "own": _classes}
            if module not in folders:
                raise NotImplementedError(f"dataset {name}: tests/data/readers.py has no example of {file}")
            folders[module](root / file)
            continue
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_bytes(_example(module, name, file))


def _read_layout(root: Path, module: str, name: str, layout: Sequence[str]) -> None:
    arrays = registry.get(module, name).read([root / file for file in layout])
    for key, array in arrays.items():
        if key.startswith(("x", "votes")):
            assert array.dtype.kind in "ui" and len(array) and array[0].size
        if key.startswith("x"):
            assert len(array) == len(arrays[f"y{key[1:]}"])
        if key.startswith("y"):
            assert array.dtype == np.int64 and array.min() >= 0
    if "votes" in arrays:
        assert (arrays["votes"].sum(axis=1) == 250).all() and arrays["votes"].min() >= 0


def _is_known_by_digest(module: str, name: str, layout: Sequence[str]) -> bool:
    """Whether a layout holds files of one content only, or data that are known by their sums and counts."""
    return (
        module == "svhn"
        or name in ("cifar100", "idc")
        or any(
            file.endswith((".mat", ".bz2", ".tar.gz")) or (module == "cifar" and Path(file).suffix in ("", ".meta"))
            for file in layout
        )
    )


def datasets() -> list[Reader]:
    """Every layout of every dataset that is read from files."""
    readers = []
    for module in registry.modules():
        for name, spec in import_module(f"lib.data.sources.{module}").DATASETS.items():
            for layout in spec.layouts:
                what = {"module": module, "name": name, "layout": layout}
                readers.append(
                    Reader(
                        f"dataset {name} as {layout[0]}",
                        partial(_write_layout, **what),
                        partial(_read_layout, **what),
                        not _is_known_by_digest(module, name, layout),
                    )
                )
    return readers


# ---------------------------------------------------------------- volumes

_OWN = {
    "folders": {
        "images": {"flair": "{case}/flair.nii.gz"},
        "label": "{case}/seg.nii.gz",
        "labels": {"1": "whole"},
        "patient": "([a-z])_.*",
    },
    "datalist": {"list": "list.json", "channels": ["flair"], "labels": {"1": "whole"}},
}


def _write_own(root: Path, layout: str) -> None:
    for case in ("a_1", "b_1"):
        write_nifti(root / "mine" / case / "flair.nii.gz", image(1))
        write_nifti(root / "mine" / case / "seg.nii.gz", label(1))
    if layout == "datalist":
        items = [{"image": f"{case}/flair.nii.gz", "label": f"{case}/seg.nii.gz"} for case in ("a_1", "b_1")]
        (root / "mine/list.json").write_text(json.dumps({"training": items}))


def _read_volumes(root: Path, name: str, settings: dict) -> None:
    source = volumes.get(name, settings, root)
    for subject in source.subjects():
        volume = source.read(subject)
        assert volume.image.dtype == np.float32 and np.isfinite(volume.image).all()
        assert volume.label.dtype == np.uint8 and volume.label.max() <= 3
        assert volume.image.shape == (len(source.channels), *volume.label.shape) and volume.label.size
        assert source.patient(subject)


def collections() -> list[Reader]:
    """Every collection of volumes that is read from files, and every layout of a person's own."""
    found = []
    for name, spec in volumes.VOLUMES.items():
        if spec.folder is not None:
            found.append(Reader(f"volumes {name}", WRITTEN[name], partial(_read_volumes, name=name, settings={})))
    for layout in own.NEEDED:
        settings = {"layout": layout, "folder": "mine", **_OWN[layout]}
        read = partial(_read_volumes, name=own.NAME, settings=settings)
        found.append(Reader(f"volumes own as {layout}", partial(_write_own, layout=layout), read))
    return found


# ---------------------------------------------------------------- votes, predictions, configuration


def _write_votes(root: Path, layout: str, suffix: str) -> None:
    counts = np.array([[6, 1, 0], [4, 0, 3], [0, 7, 0], [2, 2, 3]])
    votes = counts if layout == "histograms" else np.array([[0, 2, 1, 1], [1, 0, 1, 2], [0, 0, 1, 1]])
    path = root / f"votes{suffix}"
    if suffix == ".csv":
        with path.open("w", newline="") as stream:
            csv.writer(stream).writerows(votes.tolist())
    else:
        path.write_bytes(_npy(votes) if suffix == ".npy" else _npz({"votes": votes}))


def _read_votes(root: Path, layout: str, suffix: str) -> None:
    found = votes_file.read_votes(root / f"votes{suffix}", layout)
    assert found.histograms.dtype == np.int64 and found.histograms.min() >= 0
    assert (found.histograms.sum(axis=1) == found.teachers).all() and found.teachers > 0


def _write_predictions(root: Path) -> None:
    (root / "none").mkdir()
    parts = {"probabilities": 4, "test_probabilities": 3}
    arrays = {name: np.full((size, 2), 0.5) for name, size in parts.items()}
    (root / "none/0.npz").write_bytes(_npz(arrays))


def _read_predictions(root: Path) -> None:
    tested = np.arange(3)
    given = SimpleNamespace(context=Draws(0, ("world", "none", "0")), public=SimpleNamespace(test_x=tested))
    board = Elsewhere(root, None, SimpleNamespace(samples=2, classes=2, epsilon=None))
    found = board.fit(given)(tested)
    assert found.shape == (3, 2) and np.isfinite(found).all()


def _write_configuration(root: Path) -> None:
    (root / "mine.yaml").write_text("preset: mine\nensembles: {digits: {teachers: 5}}\nfigures: [one, two]\n")


def readers() -> list[Reader]:
    """All of them."""
    votes = [
        Reader(
            f"votes {layout} as {suffix}",
            partial(_write_votes, layout=layout, suffix=suffix),
            partial(_read_votes, layout=layout, suffix=suffix),
        )
        for layout in votes_file.LAYOUTS
        for suffix in votes_file.READERS
    ]
    others = [
        Reader("predictions", _write_predictions, _read_predictions),
        Reader("configuration", _write_configuration, lambda root: check_files([root / "mine.yaml"])),
    ]
    return [*datasets(), *collections(), *votes, *others]
