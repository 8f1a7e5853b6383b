"""CIFAR is the same data in every container and order; a batch that names anything else is refused, and not run."""

import io
import os
import pickle
import tarfile
from dataclasses import replace

import numpy as np
import pytest

from lib.core.errors import InputError
from lib.core.files import fingerprint
from lib.data import registry
from lib.data.cifar_batches import parse_batch
from lib.data.sources import cifar
from lib.data.spec import canonical
from tests.data.python2_pickle import array, batch, text

SPECS = cifar.DATASETS
RNG = np.random.default_rng(5)
PIXELS = RNG.integers(0, 256, (14, 32, 32, 3), np.uint8)


def arrays_of(classes):
    labels = RNG.integers(0, classes, 14)
    return {"x_train": PIXELS[:10], "y_train": labels[:10], "x_test": PIXELS[10:], "y_test": labels[10:]}


def small(monkeypatch, name, classes):
    """A few images, registered under `name` for the length of the test."""
    arrays = arrays_of(classes)
    known = fingerprint(**canonical(arrays, SPECS[name].unordered))
    monkeypatch.setitem(SPECS, name, replace(SPECS[name], fingerprint=known, known_by="", read=reader(classes)))
    return arrays


def reader(classes):
    return lambda files: cifar.read(files, classes)


def write_batches(root, layout, arrays, label):
    """The batches of the training set in its order, then that of the test set."""
    parts = len(layout) - 1
    for number, file in enumerate(layout):
        x, y = (np.array_split(arrays[f"{name}_train"], parts)[number] if number < parts else arrays[f"{name}_test"]
                for name in "xy")  # fmt: skip
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_bytes(batch(x, y, label))


def pack(root, layout, archive):
    with tarfile.open(root / archive, "w:gz") as tar:
        for file in layout:
            tar.add(root / file, file)
            (root / file).unlink()


@pytest.mark.parametrize(("name", "classes", "label"), [("cifar10", 10, b"labels"), ("cifar100", 100, b"fine_labels")])
def test_every_container_in_any_order_decodes_to_the_same_samples(tmp_path, monkeypatch, name, classes, label):
    arrays = small(monkeypatch, name, classes)
    npz, batches, archive = SPECS[name].layouts
    np.savez(tmp_path / npz[0], **{key: value[::-1] for key, value in arrays.items()})
    expected = registry.load(name, "cifar", "data_root", tmp_path)
    assert (expected["x_train"].dtype, expected["y_test"].dtype) == (np.uint8, np.int64)
    assert sorted(map(bytes, expected["x_train"])) == sorted(map(bytes, arrays["x_train"]))
    (tmp_path / npz[0]).unlink()
    write_batches(tmp_path, batches, arrays, label)
    for _ in range(2):
        found = registry.load(name, "cifar", "data_root", tmp_path)
        for key, value in expected.items():
            np.testing.assert_array_equal(found[key], value)
        if (tmp_path / batches[0]).is_file():
            pack(tmp_path, batches, archive[0])
    assert registry.required_files(name, "cifar", "data_root", tmp_path) == [tmp_path / archive[0]]


def test_a_batch_is_read_as_it_was_written():
    x, y = parse_batch(batch(PIXELS, np.arange(14), b"labels"), "labels", "data_batch_1")
    np.testing.assert_array_equal(x, PIXELS)
    np.testing.assert_array_equal(y, np.arange(14))
    again = pickle.dumps({"data": PIXELS.transpose(0, 3, 1, 2).reshape(14, -1), "labels": list(range(14))}, protocol=4)
    np.testing.assert_array_equal(parse_batch(again, "labels", "data_batch_1")[0], PIXELS)


class Harmful:
    def __reduce__(self):
        return os.mkdir, ("ran",)


@pytest.mark.parametrize("protocol", range(6))
def test_what_a_batch_asks_to_call_is_not_called(tmp_path, monkeypatch, protocol):
    monkeypatch.chdir(tmp_path)
    for content in (Harmful(), {"data": Harmful(), "labels": []}):
        with pytest.raises(
            InputError, match=r"data_batch_1: not a readable CIFAR batch file \(it names (posix|nt)\.mkdir"
        ):
            parse_batch(pickle.dumps(content, protocol), "labels", "data_batch_1")
    assert list(tmp_path.iterdir()) == []


GOOD = batch(PIXELS, np.arange(14), b"labels")
ROW = np.zeros((1, 3072), np.uint8)


def head(*entries):
    return b"\x80\x02}(" + b"".join(entries) + b"u."


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "not a readable CIFAR batch"),
        (b"no pickle", "not a readable CIFAR batch"),
        (GOOD[:-30], "not a readable CIFAR batch"),
        (GOOD.replace(b"u1", b"O8"), "unsigned bytes"),
        (GOOD.replace(b"\x89T", b"\x88T"), "unsigned bytes"),
        (b"\x80\x02](e.", "lacks data or labels"),
        (batch(PIXELS, np.arange(14), b"fine_labels"), "lacks data or labels"),
        (batch(PIXELS, np.arange(13), b"labels"), "13 labels for 14 images"),
        (head(text(b"labels"), b"]", text(b"data"), b"N"), "unsigned bytes"),
        (head(text(b"labels"), text(b"0"), text(b"data"), array(ROW)), "not a list of integers"),
        (head(text(b"labels"), b"](\x88e", text(b"data"), array(ROW)), "not a list of integers"),
        (head(text(b"labels"), b"]", text(b"data"), array(ROW[:, :3071])), "unsigned bytes"),
    ],
)
def test_damaged_and_other_batches_are_refused_by_name(content, fault):
    with pytest.raises(InputError, match=rf"test_batch: .*{fault}"):
        parse_batch(content, "labels", "test_batch")


@pytest.mark.parametrize(
    ("name", "array", "fault"),
    [
        ("x_train", np.zeros((10, 3, 32, 32), np.uint8), "shape"),
        ("x_train", np.zeros((10, 32, 32, 3), np.float32), "dtype"),
        ("y_train", np.full(10, 10), "values"),
        ("y_test", np.zeros(3, int), "3 labels for 4 images"),
    ],
)
def test_other_arrays_are_refused_by_name(tmp_path, monkeypatch, name, array, fault):
    np.savez(tmp_path / "cifar10.npz", **{**small(monkeypatch, "cifar10", 10), name: array})
    with pytest.raises(InputError, match=rf"cifar10\.npz: .*{fault}"):
        registry.load("cifar10", "cifar", "data_root", tmp_path)


def test_damaged_archives_are_refused_by_name(tmp_path):
    path = tmp_path / "cifar-10-python.tar.gz"
    path.write_bytes(b"no archive")
    with pytest.raises(InputError, match=r"cifar-10-python\.tar\.gz: not a readable \.tar\.gz"):
        cifar.read([path], 10)
    with tarfile.open(path, "w:gz") as tar:
        tar.addfile(tarfile.TarInfo("cifar-10-batches-py/data_batch_1"), io.BytesIO())
    with pytest.raises(InputError, match=r"cifar-10-python\.tar\.gz: not a readable \.tar\.gz.*data_batch_2"):
        cifar.read([path], 10)


def test_a_subset_does_not_pass_for_the_whole(tmp_path):
    few = {"x_train": np.zeros((100, 32, 32, 3), np.uint8), "y_train": np.arange(100)}
    np.savez(tmp_path / "cifar100.npz", **few, x_test=few["x_train"], y_test=few["y_train"])
    with pytest.raises(InputError, match=r"cifar100\.npz: not the complete CIFAR-100: 1 to 1 train images of a class"):
        registry.load("cifar100", "cifar", "data_root", tmp_path)
    with pytest.raises(InputError, match=r"no complete set of files.*MD5 of its files"):
        registry.required_files("cifar100", "cifar", "data_root", tmp_path / "nothing")


def test_as_many_other_images_do_not_pass_for_the_whole(tmp_path):
    x = np.zeros((50000, 32, 32, 3), np.uint8)
    np.savez(tmp_path / "cifar100.npz", x_train=x, y_train=np.arange(50000) % 100, x_test=x[:10000],
             y_test=np.arange(10000) % 100)  # fmt: skip
    with pytest.raises(InputError, match=r"cifar100\.npz: other training images than CIFAR-100's"):
        registry.load("cifar100", "cifar", "data_root", tmp_path)


def test_altered_files_of_cifar100_are_refused_by_name(tmp_path):
    layout = SPECS["cifar100"].layouts[1]
    write_batches(tmp_path, layout, arrays_of(100), b"fine_labels")
    with pytest.raises(InputError, match=r"train: another file than the dataset's: expected MD5 16019d7e"):
        registry.load("cifar100", "cifar", "data_root", tmp_path)


def test_the_sums_of_cifar100_are_its_published_moments():
    pixels = 50000 * 32 * 32
    means = (0.5070751592371323, 0.48654887331495095, 0.4409178433670343)
    deviations = (0.2673342858792401, 0.2564384629170883, 0.27615047132568404)
    for total, squares, mean, deviation in zip(cifar._SUMS_100, cifar._SQUARES_100, means, deviations, strict=True):
        assert total / pixels / 255 == pytest.approx(mean, rel=1e-15)
        assert squares / pixels / 255**2 - mean**2 == pytest.approx(deviation**2, rel=1e-13)


def test_real_cifar10_as_torchvision_lays_it_out(tmp_path, data_root):
    arrays = registry.load("cifar10", "cifar", "data_root", data_root)
    for split, count in (("train", 5000), ("test", 1000)):
        np.testing.assert_array_equal(np.bincount(arrays[f"y_{split}"]), [count] * 10)
    means = arrays["x_train"].reshape(-1, 3).mean(axis=0) / 255
    np.testing.assert_allclose(means, [0.49140, 0.48216, 0.44653], atol=5e-6)
    write_batches(tmp_path, SPECS["cifar10"].layouts[1], arrays, b"labels")
    found = registry.load("cifar10", "cifar", "data_root", tmp_path)
    np.testing.assert_array_equal(found["y_train"], arrays["y_train"])


def test_the_real_subset_of_cifar100_is_balanced(data_root):
    arrays = registry.load("cifar100_subset", "cifar", "data_root", data_root)
    np.testing.assert_array_equal(np.bincount(arrays["y_train"]), [100] * 100)
    np.testing.assert_array_equal(np.bincount(arrays["y_test"]), [50] * 100)
