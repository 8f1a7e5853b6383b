"""Training and test sets: disjoint, balanced, from the official parts where there are such, keyed by seed and job."""

import numpy as np
import pytest

from lib.core.errors import InputError
from lib.core.files import save_arrays
from lib.data.supervised import divided

RNG = np.random.default_rng(4)
X = np.arange(200 * 4, dtype=np.uint16).reshape(200, 2, 2)  # every image another one
Y = np.arange(200) % 4


@pytest.fixture
def whole(tmp_path):
    save_arrays(tmp_path / "whole.npz", x=X, y=Y, fingerprint=np.array("ab" * 32))
    return tmp_path / "whole.npz"


@pytest.fixture
def official(tmp_path):
    arrays = {"x_train": X[:150], "y_train": Y[:150], "x_test": X[150:], "y_test": Y[150:]}
    save_arrays(tmp_path / "official.npz", **arrays, fingerprint=np.array("cd" * 32))
    return tmp_path / "official.npz"


def keys(x):
    return set((x[:, 0, 0] * 1000).round().astype(int))


def test_the_parts_are_disjoint_balanced_and_in_the_unit_interval(whole):
    images = divided(whole, 120, 40, 1000, 1, "split", "whole")
    assert images.x.shape == (120, 2, 2) and images.test_x.shape == (40, 2, 2)
    assert not keys(images.x) & keys(images.test_x)
    assert np.bincount(images.labels).tolist() == [30] * 4 and np.bincount(images.test_labels).tolist() == [10] * 4
    assert images.x.dtype == np.float32 and 0 <= images.x.min() and images.x.max() <= 1
    np.testing.assert_array_equal((images.x[:, 0, 0] * 1000).round().astype(int) // 4 % 4, images.labels)


def test_the_draw_is_keyed_by_seed_and_job(whole):
    first, same, other = (divided(whole, 100, 50, 1000, 1, "split", name) for name in ("a", "a", "b"))
    np.testing.assert_array_equal(first.x, same.x)
    assert (first.x != other.x).any()
    assert (first.x != divided(whole, 100, 50, 1000, 2, "split", "a").x).any()


def test_official_parts_are_kept(official):
    images = divided(official, 100, 50, 1000, 1, "split")
    np.testing.assert_allclose(images.test_x, X[150:] / 1000, rtol=1e-6)  # all of it, in its order
    assert keys(images.x) <= set(range(0, 600, 4))
    assert images.fingerprint == "cd" * 32


@pytest.mark.parametrize(("train", "test"), [(0, 10), (10, 0), (201, 1), (180, 40), (199, 1), (1, 50)])
def test_too_few_samples_are_named(whole, train, test):
    with pytest.raises(InputError, match=r"whole\.npz"):
        divided(whole, train, test, 1000, 1, "split")


def test_a_wrong_largest_value_is_named(whole):
    with pytest.raises(InputError, match="allowed is 0 to 255"):
        divided(whole, 100, 50, 255, 1, "split")
