"""The primitives of generated images against their definitions, and in numbers that no machine may change."""

import colorsys

import numpy as np
import pytest

from lib.data import drawing

RNG = np.random.default_rng(1)


def test_the_table_of_cosines_is_far_from_every_rounding_and_right():
    exact = np.cos(np.arange(1024) * 2 * np.pi / 1024) * 2**14
    away = np.abs(exact - np.floor(exact) - 0.5)
    assert away.min() > 1e-6  # an error in the last bit of a cosine moves this by some 1e-12
    cos, sin = drawing.turned(np.arange(-2048, 2048))
    np.testing.assert_allclose(cos, np.cos(np.arange(-2048, 2048) * 2 * np.pi / 1024), atol=2**-15)
    np.testing.assert_allclose(sin, np.sin(np.arange(-2048, 2048) * 2 * np.pi / 1024), atol=2**-15)


def test_directions_are_unit_vectors_and_rotation_keeps_lengths():
    cos, sin = drawing.directions(RNG, (50,))
    np.testing.assert_allclose(cos**2 + sin**2, 1, atol=1e-4)
    u, v = drawing.rotated(np.float32(3), np.float32(4), cos, sin)
    np.testing.assert_allclose(drawing.length(u, v), 5, rtol=1e-4)


def test_draws_have_their_range_and_moments():
    numbers = drawing.uniform(RNG, -2, 5, (20000,))
    assert numbers.dtype == np.float32 and -2 <= numbers.min() < -1.99 and 4.99 < numbers.max() <= 5
    normal = drawing.bell(RNG, (20000,))
    assert normal.dtype == np.float32 and np.abs(normal).max() <= 3
    assert abs(normal.mean()) < 0.03 and abs(normal.std() - 1) < 0.03


def test_waves_ramps_and_mixtures():
    np.testing.assert_allclose(drawing.wave(np.array([-1, -0.5, 0, 0.25, 0.5, 3])), [1, 0, 1, 0.5, 0, 1])
    np.testing.assert_allclose(drawing.ramp(np.array([-9, -0.5, -0.25, 0, 0.5, 9])), [0, 0, 0.25, 0.5, 1, 1])
    np.testing.assert_allclose(drawing.mix(np.array([2.0, 2.0]), 4.0, np.array([0, 0.25])), [2, 2.5])


@pytest.mark.parametrize("colour", [(0.0, 1.0, 1.0), (0.4, 0.3, 0.8), (0.95, 0.7, 0.2), (0.5, 0.0, 0.6)])
def test_hues_are_those_of_the_standard_library(colour):
    found = drawing.hue(*(np.array([value], np.float32) for value in colour))[0]
    np.testing.assert_allclose(found, colorsys.hsv_to_rgb(*colour), atol=1e-6)


def test_patchwork_takes_its_values_at_whole_numbers_and_repeats():
    values = RNG.random((2, 4, 4), np.float32)
    x, y = drawing.grid(4)
    u, v = np.broadcast_to(x + 1.5, (2, 4, 4)), np.broadcast_to(y + 1.5, (2, 4, 4))
    np.testing.assert_array_equal(drawing.patchwork(values, u, v), values)
    np.testing.assert_array_equal(drawing.patchwork(values, u - 8, v + 4), values)
    between = drawing.patchwork(values, u + 0.5, v)
    np.testing.assert_allclose(between[:, :, 0], (values[:, :, 0] + values[:, :, 1]) / 2, rtol=1e-6)
