"""One record never moves what is released by more than the stated sensitivity, and some record by just that."""

import itertools

import numpy as np
import pytest
import torch

from lib.core.errors import InputError
from lib.dp_mac import cdbn_release as release
from lib.dp_mac.cdbn_sensitivity import (
    PUBLISHED_CHEBYSHEV,
    hidden_sensitivity,
    output_sensitivity,
    patches,
    published_chebyshev,
    published_hidden,
    published_output,
)

SHAPES = [(1, 4, 3, 2), (2, 5, 3, 2), (1, 6, 2, 1), (3, 4, 1, 2)]  # channels, side, size, stride
CLIPS = [1.0, 0.4, 0.05]


def norm(matrix):
    """L1 norm of what noise is added to: the upper triangle."""
    return matrix.triu().abs().sum().item()


def images(rng, channels, side):
    """Random, binary, sparse, black, white and one-pixel images."""
    shape = (40, channels, side, side)
    drawn = [
        rng.random(shape),
        4 * rng.random(shape) - 2,
        rng.integers(0, 2, shape),
        rng.random(shape) < 0.1,
        np.zeros(shape)[:1],
    ]
    single = np.zeros(shape)[:1]
    single[0, 0, side // 2, side // 2] = 1
    return torch.tensor(np.concatenate([*drawn, single, np.ones(shape)[:1]]), dtype=torch.float64)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("clip", CLIPS)
def test_adding_an_image_moves_hidden_coefficients_by_the_sensitivity_at_most(shape, clip):
    channels, side, size, stride = shape
    bound = hidden_sensitivity(channels, side, size, stride, clip)
    pool = images(np.random.default_rng(0), channels, side)
    moments = [release.hidden_moments(image[None], size, stride, clip) for image in pool]
    moved = [norm(moment) for moment in moments]
    assert max(moved) <= bound and max(moved) == pytest.approx(bound, rel=1e-8)  # attained, by the white image too
    assert moved[-1] == pytest.approx(bound, rel=1e-8)
    # a sum over records: the neighbour's difference is the record's own coefficients, whatever the others are
    with_all = release.hidden_moments(pool, size, stride, clip)
    without = release.hidden_moments(pool[1:], size, stride, clip)
    torch.testing.assert_close(with_all - without, moments[0])
    replaced = max(norm(a - b) for a, b in itertools.combinations(moments[::6] + moments[-3:], 2))
    assert replaced <= 2 * bound
    if clip == 1:
        constants = patches(pool[:1], size, stride).shape[1]
        assert replaced == pytest.approx(bound - constants)  # black against white


@pytest.mark.parametrize("features", [1, 3, 8])
@pytest.mark.parametrize("clip", [*CLIPS, 0.5])
def test_adding_a_record_moves_output_coefficients_by_the_sensitivities_at_most(features, clip):
    bounds = output_sensitivity(features, clip)
    corners = np.array(list(itertools.product((0.0, 1.0), repeat=features)))
    pool = torch.tensor(np.concatenate([4 * np.random.default_rng(1).random((200, features)) - 1, corners]))
    found = [release.output_sums(row[None], torch.tensor([1]), 3, clip) for row in pool]
    moved = [max(norms) for norms in zip(*((a.abs().sum().item(), norm(b)) for a, b in found), strict=True)]
    assert moved[0] <= bounds[0] and moved[1] <= bounds[1]
    assert moved[0] == pytest.approx(bounds[0], rel=1e-8)
    # tight where the clipped norm is whole, by q of ones; else |q|^2 <= |q|_1 is loose, but no more than by C / C^2
    assert moved[1] == pytest.approx(bounds[1], rel=1e-8) if clip == 1 else moved[1] >= bounds[0] ** 2 / 2 * (1 - 1e-8)
    other = release.output_sums(pool[-1:], torch.tensor([2]), 3, clip)
    assert (found[-1][0] - other[0]).abs().sum().item() == pytest.approx(2 * bounds[0])  # replacing attains twice


def test_the_hidden_sensitivity_in_closed_form():
    # patches without padding: 16 pixels, one each
    assert hidden_sensitivity(3, 4, 1, 1) == 16 * 4 * 5 / 2
    assert hidden_sensitivity(1, 28, 5, 2) < 196 * 26 * 27 / 2
    assert hidden_sensitivity(1, 28, 5, 2, 0.5) == hidden_sensitivity(1, 28, 5, 2) / 2


def published_violation(filters, side, size, stride=2, channels=1):
    """By how much the coefficients move, over `published_hidden`, for one white image that is added.

    The objective is the sum over filters, positions and powers l of a_l ((w * v + b) / Z)^l, plus c sum v. In the
    weights of one filter the norm of its coefficients is sum |a_l| ((|v|_1 + 1) / Z)^l (the multinomial formula), here
    with the code's own Z, the largest value in the batch. The code's 2 is for replacing a record.
    """
    white = torch.ones(1, channels, side, side, dtype=torch.float64)
    h = patches(white, size, stride).sum(-1) + 1
    magnitudes = {power: abs(value) for power, value in PUBLISHED_CHEBYSHEV.items()}
    moved = filters * published_chebyshev(h / h.max(), magnitudes).sum() + white.sum()
    return float(moved) / published_hidden(white, size, stride)


def test_the_published_hidden_sensitivity_is_exceeded():
    found = [published_violation(filters, 28, 5) for filters in (1, 2, 10, 32)]
    assert found == pytest.approx([0.71, 1.01, 3.46, 10.18], abs=0.01)
    assert published_violation(64, 14, 5, channels=32) == pytest.approx(29.7, abs=0.1)
    dark, light = torch.zeros(2, 1, 8, 8), torch.ones(2, 1, 8, 8)
    assert published_hidden(dark, 5) != published_hidden(light, 5)  # it is a function of the private data


@pytest.mark.parametrize("classes", [2, 4])
def test_the_published_output_sensitivity_holds_for_its_taylor_coefficients(classes):
    hidden, rng = 3, np.random.default_rng(2)
    corners = np.array(list(itertools.product((0.0, 1.0), repeat=hidden)))

    def coefficients(row, label):
        halves = 0.5 - np.eye(classes)[label]
        return np.concatenate([np.outer(halves, row).ravel(), np.tile(np.outer(row, row).ravel() / 8, classes)])

    pool = [coefficients(row, label) for row in [*corners, *rng.random((20, hidden))] for label in range(classes)]
    largest = max(np.abs(a - b).sum() for a, b in itertools.combinations(pool, 2))
    assert largest <= published_output(hidden, classes)
    assert max(np.abs(one).sum() for one in pool) == pytest.approx(published_output(hidden, classes) / 2)


@pytest.mark.parametrize("clip", [0.0, -1.0, 1.1, float("nan")])
def test_a_clip_outside_its_range_is_refused(clip):
    with pytest.raises(InputError, match="clip"):
        hidden_sensitivity(1, 4, 3, 2, clip)


def test_patches_are_those_of_a_padded_convolution():
    x = torch.arange(32.0).reshape(2, 1, 4, 4)
    found = patches(x, 3, 2)
    assert found.shape == (2, 4, 9)
    assert found[0, 0].tolist() == [0, 1, 2, 4, 5, 6, 8, 9, 10]  # one zero at the end, none before
    assert found[1, 3].tolist() == [26, 27, 0, 30, 31, 0, 0, 0, 0]
