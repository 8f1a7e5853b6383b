"""The scale of pixels."""

import numpy as np

from lib.residual_perturbation.pixels import pixel_scale

X = np.random.default_rng(0).integers(0, 200, (9, 4, 5, 3), np.uint8)


def test_standardised_pixels_have_mean_0_and_deviation_1_in_every_channel():
    x = X.copy()
    x[..., 1] = 7
    shift, factor = pixel_scale("standardised", x, 255)
    assert shift.dtype == factor.dtype == np.float32 and shift.shape == factor.shape == (3,)
    seen = (x - shift) * factor
    np.testing.assert_allclose(seen.mean((0, 1, 2)), 0, atol=1e-5)
    np.testing.assert_allclose(seen.std((0, 1, 2)), [1, 0, 1], atol=1e-5)


def test_the_other_scales_are_fixed():
    for scale, factor in (("unit", 1 / 16), ("pixels", 1)):
        shift, found = pixel_scale(scale, X, 16)
        assert not shift.any() and (found == np.float32(factor)).all()
