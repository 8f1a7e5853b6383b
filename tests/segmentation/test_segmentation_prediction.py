"""Prediction of whole volumes: windows cover all of it, and are averaged as asked."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from lib.core.errors import InputError
from lib.models.unet3d import UNet3D
from lib.segmentation.prediction import predicted_masks

pytestmark = pytest.mark.usefixtures("one_thread")

CPU = torch.device("cpu")
NETWORK = UNet3D(channels=2, outputs=3, widths=(2, 2, 2, 2, 2))
MODULE = NETWORK.module(np.random.default_rng(0)).eval()
WEIGHTS = {name: weight.detach().numpy() for name, weight in MODULE.named_parameters()}
X = np.random.default_rng(1).random((3, 2, 36, 32, 16)).astype(np.float32)
ROWS = np.array([2, 0])


def run(network=NETWORK, weights=WEIGHTS, images=X, rows=ROWS, **others):
    return np.stack(list(predicted_masks(network, weights, images, rows, CPU, **others)))


def whole(image, sigmoid=False):
    with torch.no_grad():
        logits = MODULE(torch.from_numpy(image[None]))
    return (logits.sigmoid() if sigmoid else logits.softmax(1))[0].numpy()


def test_one_window_gives_the_networks_probabilities():
    found = run(images=X[:, :, :32], patch=(64, 64, 64))
    assert found.dtype == np.float32 and found.shape == (2, 3, 32, 32, 16)
    for mask, row in zip(found, ROWS, strict=True):
        np.testing.assert_allclose(mask, whole(X[row, :, :32]), atol=1e-5)


def test_windows_that_overlap_are_averaged():
    """Of 36 voxels the first and last 32: both count alike, or more in the middle of a window."""
    first, last = whole(X[2, :, :32]), whole(X[2, :, 4:])
    constant, gaussian = (run(rows=ROWS[:1], blend=blend)[0] for blend in ("constant", "gaussian"))
    for mask in (constant, gaussian):
        np.testing.assert_allclose(mask[:, :4], first[:, :4], atol=1e-5)
        np.testing.assert_allclose(mask[:, -4:], last[:, -4:], atol=1e-5)
        np.testing.assert_allclose(mask.sum(0), 1, atol=1e-5)
    np.testing.assert_allclose(constant[:, 4:32], (first[:, 4:] + last[:, :28]) / 2, atol=1e-5)
    near_first = np.abs(gaussian[:, 5] - first[:, 5]).mean() / np.abs(last[:, 1] - first[:, 5]).mean()
    near_last = np.abs(gaussian[:, 30] - last[:, 26]).mean() / np.abs(first[:, 30] - last[:, 26]).mean()
    assert near_first < 0.45 and near_last < 0.45


def test_windows_overlap_by_half_of_their_sides():
    """Of 64 voxels, windows of 32 begin at 0, 16 and 32: all but the ends are seen twice."""
    image = np.random.default_rng(2).random((1, 2, 64, 16, 16)).astype(np.float32)
    windows = [whole(image[0, :, start : start + 32]) for start in (0, 16, 32)]
    (found,) = run(images=image, rows=np.array([0]), patch=(32, 16, 16), blend="constant")
    expected = np.concatenate(
        [
            windows[0][:, :16],
            (windows[0][:, 16:] + windows[1][:, :16]) / 2,
            (windows[1][:, 16:] + windows[2][:, :16]) / 2,
            windows[2][:, 16:],
        ],
        axis=1,
    )
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_one_output_is_a_sigmoid():
    network = replace(NETWORK, outputs=1)
    module = network.module(np.random.default_rng(0))
    weights = {name: weight.detach().numpy() for name, weight in module.named_parameters()}
    with torch.no_grad():
        expected = [module(torch.from_numpy(X[row : row + 1, :, :32]))[0].sigmoid().numpy() for row in ROWS]
    np.testing.assert_allclose(run(network, weights, X[:, :, :32]), expected, atol=1e-5)


def test_the_same_again_whatever_else_is_predicted():
    both = run()
    assert both.tobytes() == run().tobytes()
    np.testing.assert_array_equal(run(rows=ROWS[1:]), both[1:])
    half = X.astype(np.float16)
    np.testing.assert_array_equal(run(images=half), run(images=half.astype(np.float32)))


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"images": np.full_like(X, np.inf)}, "image 2: its values are not all finite"),
        ({"images": X[:, :1]}, "2 floating-point channels"),
        ({"images": X[0]}, "images"),
        ({"rows": np.array([3])}, "from 0 to 2"),
        ({"blend": "mean"}, "blend 'mean'"),
        ({"patch": (8, 64, 64)}, "at least 16"),
        ({"weights": {name: np.full_like(w, np.nan) for name, w in WEIGHTS.items()}}, "network gives .* not finite"),
    ],
)
def test_what_does_not_fit_is_refused(change, match):
    with pytest.raises(InputError, match=match):
        run(**change)
