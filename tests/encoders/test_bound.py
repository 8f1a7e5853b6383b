"""The bound on a code holds in exact arithmetic, for numbers of every size, and what breaks it is refused."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from lib.core.errors import InputError
from lib.encoders.bound import checked_code, clip_to_ball

SHAPES = array_shapes(min_dims=2, max_dims=3, max_side=6)
RADII = st.one_of(st.sampled_from([1.0, 0.5, math.sqrt(3), 1e-30, 1e30]), st.floats(1e-6, 1e6))
WIDE = st.floats(allow_nan=False, allow_infinity=False)
NARROW = st.floats(width=32, allow_nan=False, allow_infinity=False)


def squared(row):
    """Squared norm without any rounding."""
    return sum(Fraction(float(value)) ** 2 for value in row)


@settings(max_examples=150, deadline=None)
@given(arrays(np.float64, SHAPES, elements=WIDE), RADII)
def test_the_norm_is_bounded_exactly(z, radius):
    clipped = clip_to_ball(z, radius)
    assert clipped.dtype == np.float32 and clipped.shape == z.shape
    for row in clipped.reshape(-1, z.shape[-1]):
        assert squared(row) <= Fraction(radius) ** 2
    assert checked_code(clipped, radius) is clipped


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(arrays(np.float32, SHAPES, elements=NARROW), st.floats(1e-6, 1e6))
def test_what_lies_inside_stays_and_what_lies_outside_lands_on_the_sphere(z, radius):
    clipped = clip_to_ball(z, radius)
    for before, after in zip(z.reshape(-1, z.shape[-1]), clipped.reshape(-1, z.shape[-1]), strict=True):
        if squared(before) <= (Fraction(radius) * (1 - Fraction(1, 10**11))) ** 2:
            assert after.tobytes() == before.tobytes()
        else:
            length = math.sqrt(squared(after))
            assert length >= radius * (1 - 2e-7)
            direction = np.abs(before.astype(float)) / np.abs(before.astype(float)).max()
            wanted = direction / np.linalg.norm(direction) * radius
            np.testing.assert_allclose(np.abs(after), wanted, rtol=1e-6, atol=1.5e-45)  # the smallest float32
            assert (np.sign(after) * np.sign(before) >= 0).all()


def test_clipping_twice_is_clipping_once():
    z = np.random.default_rng(0).standard_normal((50, 7)) * 10
    once = clip_to_ball(z, 0.3)
    assert clip_to_ball(once, 0.3).tobytes() == once.tobytes()


def test_plain_rounding_would_break_the_bound():
    """What clipping is for: vectors normalised in float32 are often longer than 1."""
    z = np.random.default_rng(0).standard_normal((200, 9)).astype(np.float32)
    plain = z / np.linalg.norm(z, axis=1, keepdims=True)
    assert sum(squared(row) > 1 for row in plain) > 20
    with pytest.raises(InputError, match="above the bound 1"):
        checked_code(plain, 1.0)
    checked_code(clip_to_ball(plain, 1.0), 1.0)


def test_rows_beyond_one_portion(monkeypatch):
    monkeypatch.setattr("lib.encoders.bound._ROWS", 10)
    z = np.random.default_rng(0).standard_normal((23, 4))
    clipped = clip_to_ball(z, 0.5)
    assert (np.linalg.norm(clipped.astype(float), axis=1) <= 0.5).all()
    clipped[17, 2] = 1.0
    with pytest.raises(InputError, match="code 17: its norm"):
        checked_code(clipped, 0.5)


def test_half_the_radius_is_refused():
    z = clip_to_ball(np.random.default_rng(0).standard_normal((5, 30)), 2.0)
    with pytest.raises(InputError, match="above the bound 1"):
        checked_code(z, 1.0)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite(value):
    z = np.zeros((3, 2))
    z[1, 1] = value
    for refuse in (clip_to_ball, checked_code):
        with pytest.raises(InputError, match="code 1: it holds a number that is not finite"):
            refuse(z, 1.0)


@pytest.mark.parametrize("radius", [0.0, -1.0, math.nan, math.inf])
def test_a_radius_that_is_none(radius):
    for refuse in (clip_to_ball, checked_code):
        with pytest.raises(InputError, match="radius"):
            refuse(np.zeros((1, 2)), radius)


@pytest.mark.parametrize("z", [np.zeros(3), np.zeros((2, 3), int), [[0.0]]], ids=["1 axis", "integers", "a list"])
def test_what_is_no_array_of_codes(z):
    with pytest.raises(InputError, match="allowed are floating-point arrays"):
        checked_code(z, 1.0)


def test_a_code_of_no_axis():
    with pytest.raises(InputError, match="allowed are vectors"):
        clip_to_ball(np.float64(1), 1.0)


def test_empty_codes_pass():
    assert clip_to_ball(np.zeros((0, 3)), 1.0).shape == (0, 3)
    assert clip_to_ball(np.zeros((2, 0)), 1.0).shape == (2, 0)
