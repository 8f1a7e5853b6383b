"""SVHN is read as torchvision reads it, in the order of its files; other files are refused by name."""

import numpy as np
import pytest
import scipy.io
import torchvision.datasets

from lib.core.errors import InputError
from lib.data import registry
from lib.data.samples import samples_of
from lib.data.sources import svhn
from tests.data.made_sets import arrays_of, publish, register

SPEC = svhn.DATASETS["svhn"]


@pytest.mark.parametrize("folder", ["", "svhn"])
def test_made_files_are_read_in_their_order(tmp_path, monkeypatch, folder):
    arrays = arrays_of("svhn")
    assert 0 in arrays["y_test"]  # which the files call 10
    publish("svhn", tmp_path / folder, arrays, monkeypatch)
    assert 10 in scipy.io.loadmat(tmp_path / folder / "test_32x32.mat")["y"]
    register("svhn", arrays, monkeypatch)
    found = registry.load("svhn", "svhn", "data_root", tmp_path)
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == (np.uint8 if name[0] == "x" else np.int64)
    samples = samples_of("svhn.npz", found | {"fingerprint": np.array("known")})
    assert samples.official_train == 10  # the test set, which published votes are about, follows in its order
    np.testing.assert_array_equal(samples.x[10:], arrays["x_test"])


def test_other_files_are_refused_by_name(tmp_path, monkeypatch):
    publish("svhn", tmp_path, arrays_of("svhn"), monkeypatch)
    (tmp_path / "test_32x32.mat").write_bytes(b"another file")
    with pytest.raises(InputError, match=r"test_32x32\.mat: not the file of torchvision's SVHN: expected MD5 \w+"):
        registry.load("svhn", "svhn", "data_root", tmp_path)
    (tmp_path / "test_32x32.mat").unlink()
    with pytest.raises(InputError, match=r"only test_32x32\.mat missing.*MD5 e26dedcc.*torchvision\.datasets\.SVHN"):
        registry.load("svhn", "svhn", "data_root", tmp_path)


def test_a_small_set_does_not_pass_for_the_whole(tmp_path, monkeypatch):
    """Files that are of the right format and not the published ones."""
    with monkeypatch.context() as forgotten:
        publish("svhn", tmp_path, arrays_of("svhn"), forgotten)
    with pytest.raises(InputError, match=r"train_32x32\.mat: .* expected MD5 e26dedcc434d2e4c54c9b2d4a06d8373"):
        registry.load("svhn", "svhn", "data_root", tmp_path)


@pytest.mark.parametrize(("name", "module"), [("SVHN", "svhn"), ("USPS", "usps")])
def test_the_page_names_the_digests_that_torchvision_checks(name, module):
    spec = registry.get(module, "svhn" if module == "svhn" else "usps_libsvm")
    known = getattr(torchvision.datasets, name).split_list
    for split, file in zip(("train", "test"), spec.downloaded, strict=True):
        assert known[split][1] == file
        assert f"{known[split][2]} ({file})" in spec.known_by
