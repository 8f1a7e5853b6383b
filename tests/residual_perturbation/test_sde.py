"""The differential equations of Figures 1 and 8: the field as printed, the noise's size, and what can be recovered."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm

from lib.core.errors import InputError
from lib.residual_perturbation.scene import scene
from lib.residual_perturbation.sde import (
    STRATEGIES,
    backward,
    blurred,
    correlation,
    forward,
    relative_error,
    uniform_error,
    velocity_field,
)

FIXED = settings(derandomize=True, deadline=None, max_examples=40)
SIZE = 256
IMAGE = scene(SIZE)
FIELD = velocity_field(SIZE, SIZE)
STEPS = {"field": FIELD, "steps": 100, "step": 0.01}


def printed(image: np.ndarray) -> np.ndarray:
    """Algorithm 1 as it stands, pixel by pixel."""
    rows, cols, channels = image.shape
    moved = np.empty_like(image)
    for k in range(channels):
        for i in range(rows):
            for j in range(cols):
                offset_j = int((j + 50.0 * math.cos(2 * math.pi * i / 180)) % cols)
                offset_i = int((i + 50.0 * math.sin(2 * math.pi * i / 180)) % rows)
                moved[i, j, k] = image[(i + offset_j) % rows, (j + offset_i) % cols, k]
    return moved


@pytest.mark.parametrize("shape", [(256, 256, 1), (31, 47, 3), (1, 5, 2)])
def test_the_field_is_algorithm_1(shape):
    image = np.random.default_rng(0).random(shape)
    np.testing.assert_array_equal(velocity_field(*shape[:2])(image), printed(image))


def test_the_field_is_no_permutation():
    numbered = np.arange(SIZE * SIZE).reshape(SIZE, SIZE)
    assert len(np.unique(FIELD(numbered))) == 20608


def test_without_noise_the_end_is_the_exponential_of_the_field():
    rows, columns, start = 6, 5, np.random.default_rng(1).random((6, 5))
    field = velocity_field(rows, columns)
    basis = np.eye(rows * columns).reshape(-1, rows, columns)
    matrix = np.stack([field(unit).ravel() for unit in basis], axis=1)
    exact = (expm(matrix) @ start.ravel()).reshape(rows, columns)
    # Euler's method is of the first order: a tenth of the step, a tenth of the error
    errors = [relative_error(forward(start, field, steps, 1 / steps), exact) for steps in (100, 1000)]
    assert errors[0] < 0.03
    assert errors[1] == pytest.approx(errors[0] / 10, rel=0.05)


@FIXED
@given(st.integers(1, 4), st.floats(0.001, 0.2), st.integers(0, 2**32 - 1))
def test_a_step_of_the_ode_is_taken_and_taken_back_as_printed(steps, step, seed):
    image = np.random.default_rng(seed).random((7, 5, 3))
    field = velocity_field(7, 5)
    there = image
    for _ in range(steps):
        there = there + step * printed(there)
    np.testing.assert_allclose(forward(image, field, steps, step), there, rtol=1e-12)
    back = there
    for _ in range(steps):
        back = back - step * printed(back)
    np.testing.assert_allclose(backward(there, field, steps, step), back, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("direction", [forward, backward])
def test_the_noise_of_a_step_has_the_root_of_its_length_as_standard_deviation(direction):
    still = np.full((200, 200), 3.0)
    for strategy, scale in (("additive", 1.0), ("multiplicative", 3.0)):
        moved = direction(still, np.zeros_like, 1, 0.04, strategy, 0.5, np.random.default_rng(3))
        assert np.std(moved - still) == pytest.approx(0.5 * 0.2 * scale, rel=0.02)
        assert np.mean(moved - still) == pytest.approx(0, abs=0.01)


def test_a_whole_run_has_the_noise_of_its_time():
    start = np.full((300, 300), 2.0)
    still = {"field": np.zeros_like, "steps": 50, "step": 0.02, "noise": 0.7}
    added = forward(start, **still, strategy="additive", rng=np.random.default_rng(4))
    assert np.std(added) == pytest.approx(0.7, rel=0.02)
    times = forward(start, **still, strategy="multiplicative", rng=np.random.default_rng(5))
    # E x_t^2 = x_0^2 (1 + gamma^2 dt)^n and E x_t = x_0
    assert np.mean(times) == pytest.approx(2, rel=0.01)
    assert np.mean(times**2) == pytest.approx(4 * (1 + 0.49 * 0.02) ** 50, rel=0.02)


@pytest.mark.parametrize("scale", [1, 255])
def test_the_ode_is_inverted(scale):
    features = forward(scale * IMAGE, **STEPS)
    recovered = backward(features, **STEPS)
    assert relative_error(features, scale * IMAGE) > 0.5
    assert relative_error(recovered, scale * IMAGE) < 0.02
    assert correlation(recovered, scale * IMAGE) > 0.999


def stepped_back(strategy: str, scale: float, again: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(7)
    features = forward(scale * IMAGE, **STEPS, strategy=strategy, noise=1.0, rng=rng)
    return backward(features, **STEPS, strategy=strategy, noise=again, rng=rng)


@pytest.mark.slow
@pytest.mark.parametrize(("strategy", "about"), [("additive", 0.15), ("multiplicative", 0.08)])
def test_the_sde_is_not_inverted_by_stepping_back_on_pixels_in_0_1(strategy, about):
    recovered = stepped_back(strategy, 1)
    assert relative_error(recovered, IMAGE) > max(0.5, uniform_error(IMAGE))
    assert correlation(recovered, IMAGE) == pytest.approx(about, abs=0.02)


@pytest.mark.slow
def test_additive_noise_is_invisible_on_pixels_in_0_255_and_multiplicative_noise_is_not():
    assert relative_error(stepped_back("additive", 255), 255 * IMAGE) < 0.02
    assert correlation(stepped_back("additive", 255), 255 * IMAGE) == pytest.approx(0.9996, abs=1e-4)
    np.testing.assert_allclose(stepped_back("multiplicative", 255), 255 * stepped_back("multiplicative", 1), rtol=1e-9)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_blur_of_what_is_stepped_back_without_new_noise_shows_the_picture(strategy):
    recovered = blurred(stepped_back(strategy, 1, again=0.0), 7)
    assert relative_error(recovered, IMAGE) < 0.7 * uniform_error(IMAGE)
    assert correlation(recovered, IMAGE) > 0.8


def test_blurring_takes_means_of_squares_within_each_channel():
    image = np.zeros((9, 9, 2))
    image[4, 4, 0] = 9.0
    smooth = blurred(image, 1)
    np.testing.assert_allclose(smooth[3:6, 3:6, 0], 1.0)
    assert smooth.sum() == pytest.approx(9.0)
    assert not smooth[..., 1].any()
    np.testing.assert_array_equal(blurred(image, 0), image)


def test_errors_and_correlation_by_hand():
    image = np.array([[3.0, 4.0]])
    assert relative_error(np.array([[3.0, 5.0]]), image) == pytest.approx(1 / 5)
    assert uniform_error(image) == pytest.approx(math.sqrt(0.5) / 5)
    assert correlation(np.array([[8.0, 6.0]]), image) == pytest.approx(-1)


def test_the_scene_has_smooth_shades_edges_and_both_ends_of_the_range():
    assert IMAGE.shape == (SIZE, SIZE, 3)
    np.testing.assert_array_equal(IMAGE, scene(SIZE))
    assert 0 <= IMAGE.min() < 0.2
    assert 0.9 < IMAGE.max() <= 1
    assert np.abs(np.diff(IMAGE, axis=0)).max() > 0.3
    assert np.median(np.abs(np.diff(IMAGE, axis=0))) < 0.02


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"strategy": "both"}, "strategy 'both'"),
        ({"steps": 0}, "0 steps"),
        ({"step": 0.0}, "steps of 0.0"),
        ({"step": math.inf}, "steps of inf"),
        ({"noise": -1.0}, "noise -1.0"),
        ({"noise": math.nan}, "noise nan"),
        ({"rng": None}, "without a generator"),
    ],
)
@pytest.mark.parametrize("direction", [forward, backward])
def test_what_is_not_allowed_is_named(direction, change, named):
    allowed = STEPS | {"noise": 1.0, "rng": np.random.default_rng(0)}
    with pytest.raises(InputError, match=named):
        direction(IMAGE, **allowed | change)


def test_images_too_small_are_refused():
    with pytest.raises(InputError, match="0 x 3"):
        velocity_field(0, 3)
    with pytest.raises(InputError, match="15 pixels"):
        scene(15)
    with pytest.raises(InputError, match="blur of -1"):
        blurred(IMAGE, -1)
