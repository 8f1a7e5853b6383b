"""The reference lines of autoencoders: known answers, and the scale of the errors they are compared with."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from lib.core.errors import InputError
from lib.dp_mac.evaluation import squared_errors
from lib.dp_mac.network import MacNetwork
from lib.dp_mac.references import mean_image_error, pca_error

X = (load_digits().data / 16).astype(np.float32)
TRAIN, TEST = X[:1500], X[1500:]


def test_the_mean_image_by_hand():
    train, x = np.array([[0.0, 0.0], [2.0, 4.0]]), np.array([[1.0, 2.0], [4.0, 6.0]])
    assert mean_image_error(train, x) == 25 / 2  # the mean is (1, 2)


def test_components_by_hand():
    train = np.array([[-2.0, 0.0], [2.0, 0.0], [0.0, -1.0], [0.0, 1.0]])
    assert pca_error(train, np.array([[5.0, 3.0], [1.0, 1.0]]), 1) == pytest.approx((9 + 1) / 2)
    assert pca_error(train, np.array([[5.0, 3.0]]), 2) == pytest.approx(0, abs=1e-20)


@settings(derandomize=True, deadline=None, max_examples=30)
@given(seed=st.integers(0, 999), samples=st.integers(2, 20), width=st.integers(1, 8), shift=st.floats(-5, 5))
def test_on_their_own_samples_components_leave_the_smallest_variances(seed, samples, width, shift):
    train = np.random.default_rng(seed).standard_normal((samples, width)) * np.arange(1, width + 1) + shift
    variances = np.sort(np.linalg.eigvalsh(np.cov(train, rowvar=False, bias=True).reshape(width, width)))[::-1]
    assert mean_image_error(train, train) == pytest.approx(variances.sum())
    for components in range(1, min(samples, width) + 1):
        assert pca_error(train, train, components) == pytest.approx(variances[components:].sum(), abs=1e-9)


@pytest.mark.slow
def test_they_are_on_the_scale_of_the_errors_and_the_same_every_time():
    """A network that is given the mean image, or the components, as its weights has their errors."""
    mean = TRAIN.mean(0)
    constant = MacNetwork((64, 64), output="squared_error", activation="linear", bias=True)
    weights = [torch.cat([torch.zeros(64, 64), torch.from_numpy(mean)[None]])[None]]
    x = torch.from_numpy(TEST)
    assert mean_image_error(TRAIN, TEST) == pytest.approx(float(squared_errors(constant, weights, x, x)), rel=1e-5)
    axes = np.linalg.svd(TRAIN.astype(float) - mean, full_matrices=False)[2][:10].T
    linear = MacNetwork((64, 10, 64), output="squared_error", activation="linear", bias=True)
    layers = [np.vstack([axes, -mean @ axes]), np.vstack([axes.T, mean])]
    weights = [torch.tensor(layer, dtype=torch.float32)[None] for layer in layers]
    found = pca_error(TRAIN, TEST, 10)
    assert found == pytest.approx(float(squared_errors(linear, weights, x, x)), rel=1e-5)
    assert found == pca_error(TRAIN, TEST, 10) < mean_image_error(TRAIN, TEST) / 2


@pytest.mark.parametrize("components", [0, -1, 65])
def test_impossible_numbers_of_components_are_refused(components):
    with pytest.raises(InputError, match=f"components {components}: allowed are 1 to 64"):
        pca_error(TRAIN, TEST, components)


@pytest.mark.parametrize(("train", "x"), [(TRAIN[:, :5], TEST), (TRAIN, TEST[:0]), (TRAIN[:0], TEST), (TRAIN, TEST[0])])
def test_samples_that_do_not_fit_are_refused(train, x):
    for refused in (lambda: mean_image_error(train, x), lambda: pca_error(train, x, 1)):
        with pytest.raises(InputError, match="rows of one width"):
            refused()
