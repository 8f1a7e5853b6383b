"""CIFAR is the same data in every container and order; a pickle that is not the published one is not even read."""

import hashlib
import os
import pickle
import tarfile

import numpy as np
import pytest
from torchvision.datasets import CIFAR10

from lib.core.errors import InputError
from lib.data import registry, torchvision_sets
from lib.data.sources import cifar
from tests.data.made_sets import arrays_of, publish, register

SPECS = cifar.DATASETS
NAMES = ("cifar10", "cifar100")


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A function that makes a small set of that name and returns its arrays and where its files lie."""

    def make(name):
        arrays = arrays_of(name)
        publish(name, tmp_path / name, arrays, monkeypatch)
        register(name, arrays, monkeypatch)
        return arrays, tmp_path / name

    return make


@pytest.mark.parametrize("name", NAMES)
def test_every_container_in_any_order_decodes_to_the_same_samples(tmp_path, made, name):
    arrays, public = made(name)
    npz, folder, archive = SPECS[name].layouts
    np.savez(tmp_path / npz[0], **{key: value[::-1] for key, value in arrays.items()})
    expected = registry.load(name, "cifar", "data_root", tmp_path)
    assert (expected["x_train"].dtype, expected["y_test"].dtype) == (np.uint8, np.int64)
    for key, value in arrays.items():
        assert sorted(map(bytes, expected[key])) == sorted(map(bytes, value))
    for layout in (folder, archive):
        assert registry.required_files(name, "cifar", "data_root", public) == [public / file for file in layout]
        found = registry.load(name, "cifar", "data_root", public)
        for key, value in expected.items():
            np.testing.assert_array_equal(found[key], value)
        (public / folder[0]).unlink(missing_ok=True)


class Harmful:
    def __reduce__(self):
        return os.mkdir, ("ran",)


def with_archive(public, layout, archive):
    """The archive made anew of the folder, which goes."""
    with tarfile.open(public / archive, "w:gz") as tar:
        for file in layout:
            tar.add(public / file, file)
            (public / file).unlink()


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_a_pickle_that_is_not_the_published_one_is_not_read(tmp_path, monkeypatch, made, name, packed):
    monkeypatch.chdir(tmp_path)
    _, public = made(name)
    _, folder, (archive,) = SPECS[name].layouts
    for file in (folder[0], folder[-1]):  # a batch, and the names of the classes
        good = (public / file).read_bytes()
        (public / file).write_bytes(pickle.dumps(Harmful()))
        if packed:
            with_archive(public, folder, archive)
        with pytest.raises(InputError, match=rf"{archive if packed else file}: not the file of torchvision's CIFAR"):
            registry.load(name, "cifar", "data_root", public)
        assert not (tmp_path / "ran").exists()
        if packed:
            break
        (public / file).write_bytes(good)


@pytest.mark.parametrize("damage", [b"", b"no pickle"])
def test_damaged_batches_and_archives_are_refused_by_name(made, damage):
    _, public = made("cifar10")
    _, folder, (archive,) = SPECS["cifar10"].layouts
    (public / archive).write_bytes(damage)
    registry.load("cifar10", "cifar", "data_root", public)  # the folder comes first
    (public / folder[3]).write_bytes(damage)
    with pytest.raises(InputError, match=rf"{folder[3]}: not the file of torchvision's CIFAR10: expected MD5 \w+"):
        registry.load("cifar10", "cifar", "data_root", public)
    (public / folder[3]).unlink()
    with pytest.raises(InputError, match=rf"{archive}: not the file of torchvision's CIFAR10: expected MD5 \w+"):
        registry.load("cifar10", "cifar", "data_root", public)


def test_what_is_published_damaged_is_refused_by_name(made, monkeypatch):
    """Even where the digest says that all is well, which it never does."""
    _, public = made("cifar10")
    archive = SPECS["cifar10"].layouts[2][0]
    (public / archive).write_bytes(b"no archive")
    monkeypatch.setattr(CIFAR10, "tgz_md5", hashlib.md5(b"no archive", usedforsecurity=False).hexdigest())
    with pytest.raises(InputError, match=rf"{archive}: not the published {archive}: expected SHA-256"):
        cifar.read([public / archive], 10)
    monkeypatch.setitem(torchvision_sets.SHA256, archive, hashlib.sha256(b"no archive").hexdigest())
    with pytest.raises(InputError, match=rf"{archive}: not readable as torchvision's CIFAR10 \(not a gzip file"):
        cifar.read([public / archive], 10)


@pytest.mark.parametrize(
    ("name", "array", "fault"),
    [
        ("x_train", np.zeros((10, 3, 32, 32), np.uint8), "shape"),
        ("x_train", np.zeros((10, 32, 32, 3), np.float32), "dtype"),
        ("y_train", np.full(10, 10), "values"),
        ("y_test", np.zeros(3, int), "3 labels for 4 images"),
    ],
)
def test_other_arrays_are_refused_by_name(tmp_path, name, array, fault):
    np.savez(tmp_path / "cifar10.npz", **{**arrays_of("cifar10"), name: array})
    with pytest.raises(InputError, match=rf"cifar10\.npz: .*{fault}"):
        registry.load("cifar10", "cifar", "data_root", tmp_path)


def test_a_subset_does_not_pass_for_the_whole(tmp_path):
    few = {"x_train": np.zeros((100, 32, 32, 3), np.uint8), "y_train": np.arange(100)}
    np.savez(tmp_path / "cifar100.npz", **few, x_test=few["x_train"], y_test=few["y_train"])
    with pytest.raises(InputError, match=r"cifar100\.npz: not the complete CIFAR-100: 1 to 1 train images of a class"):
        registry.load("cifar100", "cifar", "data_root", tmp_path)
    with pytest.raises(InputError, match=r"no complete set of files.*MD5 of its files"):
        registry.required_files("cifar100", "cifar", "data_root", tmp_path / "nothing")


@pytest.mark.slow
def test_as_many_other_images_do_not_pass_for_the_whole(tmp_path):
    x = np.zeros((50000, 32, 32, 3), np.uint8)
    np.savez(tmp_path / "cifar100.npz", x_train=x, y_train=np.arange(50000) % 100, x_test=x[:10000],
             y_test=np.arange(10000) % 100)  # fmt: skip
    with pytest.raises(InputError, match=r"cifar100\.npz: other training images than CIFAR-100's"):
        registry.load("cifar100", "cifar", "data_root", tmp_path)


def test_other_files_of_cifar100_are_refused_by_name(tmp_path):
    for file in SPECS["cifar100"].layouts[1]:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes(b"another file")
    with pytest.raises(InputError, match=r"train: not the file of torchvision's CIFAR100: expected MD5 16019d7e"):
        registry.load("cifar100", "cifar", "data_root", tmp_path)


def test_the_sums_of_cifar100_are_its_published_moments():
    pixels = 50000 * 32 * 32
    means = (0.5070751592371323, 0.48654887331495095, 0.4409178433670343)
    deviations = (0.2673342858792401, 0.2564384629170883, 0.27615047132568404)
    for total, squares, mean, deviation in zip(cifar._SUMS_100, cifar._SQUARES_100, means, deviations, strict=True):
        assert total / pixels / 255 == pytest.approx(mean, rel=1e-15)
        assert squares / pixels / 255**2 - mean**2 == pytest.approx(deviation**2, rel=1e-13)


def test_real_cifar10_as_torchvision_lays_it_out(tmp_path, monkeypatch, data_root):
    arrays = registry.load("cifar10", "cifar", "data_root", data_root)
    for split, count in (("train", 5000), ("test", 1000)):
        np.testing.assert_array_equal(np.bincount(arrays[f"y_{split}"]), [count] * 10)
    means = arrays["x_train"].reshape(-1, 3).mean(axis=0) / 255
    np.testing.assert_allclose(means, [0.49140, 0.48216, 0.44653], atol=5e-6)
    publish("cifar10", tmp_path, arrays, monkeypatch)
    found = registry.load("cifar10", "cifar", "data_root", tmp_path)  # by the fingerprint of the real set
    np.testing.assert_array_equal(found["y_train"], arrays["y_train"])


def test_the_real_subset_of_cifar100_is_balanced(data_root):
    arrays = registry.load("cifar100_subset", "cifar", "data_root", data_root)
    np.testing.assert_array_equal(np.bincount(arrays["y_train"]), [100] * 100)
    np.testing.assert_array_equal(np.bincount(arrays["y_test"]), [50] * 100)
