"""Votes are whole numbers that sum to the number of teachers, or they are refused."""

import numpy as np
import pytest

from lib.core.errors import InputError
from lib.data import registry
from lib.data.sources import pate_votes

SIZES = {"queries": 3, "classes": 2, "teachers": 250}
VOTES = np.array([[250.0, 0.0], [100.0, 150.0], [0.0, 250.0]])


@pytest.fixture
def files(tmp_path):
    """Votes, indices and labels of three queries."""
    paths = [tmp_path / f"{name}.npy" for name in ("votes", "indices", "labels")]
    for path, array in zip(paths, (VOTES, np.array([2, 0]), np.array([0, 1, 1], np.int32)), strict=True):
        np.save(path, array)
    return paths


def test_small_files_are_decoded(files):
    found = pate_votes.read_mnist(files, **SIZES, published=2)
    assert {name: array.dtype for name, array in found.items()} == {
        "votes": np.int16,
        "published_indices": np.int64,
        "published_labels": np.int64,
    }
    np.testing.assert_array_equal(found["votes"], VOTES)
    np.testing.assert_array_equal(found["published_indices"], [2, 0])
    np.testing.assert_array_equal(pate_votes.read_svhn([files[0], files[2]], **SIZES)["labels"], [0, 1, 1])
    np.testing.assert_array_equal(pate_votes.read_adult(files[:1], **SIZES)["votes"], VOTES)


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ([np.nan, 250.0], "not finite"),
        ([np.inf, -np.inf], "not finite"),
        ([100.5, 149.5], "not a whole number"),
        ([-1.0, 251.0], "negative"),
        ([100.0, 149.0], "sums to 249, expected 250"),
    ],
)
def test_bad_votes_are_refused_by_row(files, row, fault):
    votes = VOTES.copy()
    votes[1] = row
    np.save(files[0], votes)
    with pytest.raises(InputError, match=rf"votes\.npy: .*row 1.*{fault}"):
        pate_votes.read_votes(files[0], **SIZES)


@pytest.mark.parametrize(
    "votes", [VOTES[:2], VOTES.T, VOTES.astype(str), VOTES.astype(complex), VOTES > 0, np.float64(250)]
)
def test_votes_of_another_shape_or_dtype_are_refused_by_name(files, votes):
    np.save(files[0], votes)
    with pytest.raises(InputError, match=r"votes\.npy: .*(shape|dtype)"):
        pate_votes.read_votes(files[0], **SIZES)


@pytest.mark.parametrize(
    ("position", "array", "fault"),
    [
        (1, np.array([1, 1]), "same query index twice"),
        (1, np.array([1, 3]), "values 1 to 3, expected 0 to 2"),
        (1, np.array([1.0, 2.0]), "dtype"),
        (2, np.array([0, 1, 2]), "values 0 to 2, expected 0 to 1"),
        (2, np.array([0, 1]), "shape"),
    ],
)
def test_bad_indices_and_labels_are_refused_by_name(files, position, array, fault):
    np.save(files[position], array)
    with pytest.raises(InputError, match=rf"{files[position].name}: .*{fault}"):
        pate_votes.read_mnist(files, **SIZES, published=2)


def test_the_published_votes_are_known(data_root):
    svhn = registry.load("pate_votes_svhn", "pate_votes", "data_root", data_root)
    assert svhn["votes"].shape == (26032, 10)
    assert (svhn["votes"].argmax(axis=1) == svhn["labels"]).mean() == pytest.approx(0.8818, abs=5e-5)
    mnist = registry.load("pate_votes_mnist", "pate_votes", "data_root", data_root)
    assert mnist["votes"].max() == 215
    assert (mnist["published_indices"].min(), mnist["published_indices"].max()) == (39, 7537)
    agreement = (mnist["votes"].argmax(axis=1) == mnist["published_labels"]).mean()
    assert agreement == pytest.approx(0.969, abs=5e-4)
    truth = registry.load("mnist", "mnist", "data_root", data_root)["y_test"][:9000]
    assert (mnist["votes"].argmax(axis=1) == truth).mean() == pytest.approx(0.9437, abs=5e-5)
