"""Per-sample clipping: the sum of clipped gradients that a loop over samples gives, and no sample beyond the clip."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from lib.models.resnet8 import ResNet8
from lib.training import per_sample_clipping
from lib.training.per_sample_clipping import PerSampleClipping

pytestmark = pytest.mark.usefixtures("module_device")

RNG = np.random.default_rng(7)


def resnet(channels=2, skip=True, norm="group", seed=0, scales=()):
    """With two stages whose shortcut projects; scales: powers of ten, by the beginning of the parameters' names."""
    rng = np.random.default_rng(seed)
    module = ResNet8(channels, 3, rng, (4, 6, 8), skip, norm, groups=2)
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if "norm" in name:  # ones and zeros would hide what is not multiplied, or not added
                parameter += torch.from_numpy(0.3 * rng.standard_normal(len(parameter))).float()
            for start, decade in scales:
                if name.startswith(start):
                    parameter *= 10.0**decade
    return module


def flat(gradients):
    return torch.cat([gradient.double().flatten() for gradient in gradients]).numpy()


def clipped_sum(module, x, y, clip, weights=None, last=False):
    """(numbers,); weights: of each sample's loss; last: whether channels come last in memory."""
    clipping = PerSampleClipping(module, clip)
    x = torch.tensor(x, dtype=torch.float32)
    x = x.movedim(1, -1).contiguous().movedim(-1, 1) if last else x
    x.requires_grad_()
    losses = F.cross_entropy(clipping(x), torch.tensor(y), reduction="none")
    clipping.backward((losses if weights is None else torch.tensor(weights) * losses).sum(), x)
    clipping.remove_hooks()
    return flat([parameter.grad for parameter in module.parameters()])


def loop(module, x, y):
    """Gradient of every sample, one at a time, (b, numbers), in double precision and without Opacus."""
    module = module.double()
    found = np.zeros((len(x), sum(parameter.numel() for parameter in module.parameters())))
    for i, (image, label) in enumerate(zip(torch.tensor(x).double(), torch.tensor(y), strict=True)):
        found[i] = flat(torch.autograd.grad(F.cross_entropy(module(image[None]), label[None]), module.parameters()))
    return found


@pytest.mark.slow
@settings(derandomize=True, deadline=None, max_examples=50)
@given(
    samples=st.sampled_from([0, 1, 2, 7]),
    channels=st.sampled_from([1, 3]),
    side=st.sampled_from([(4, 4), (5, 8), (9, 6)]),
    skip=st.booleans(),
    last=st.booleans(),
    seed=st.integers(0, 999),
)
def test_it_is_the_sum_of_a_loop_over_samples(samples, channels, side, skip, last, seed):
    """However images lie in memory, with clips that all, some and none of the samples exceed."""
    rng = np.random.default_rng(seed)
    x = rng.random((samples, channels, *side)).astype(np.float32)
    y = rng.integers(0, 3, samples)
    gradients = loop(resnet(channels, skip, seed=seed), x, y)
    norms = np.linalg.norm(gradients, axis=1)
    for clip in (0.5 * norms.min(initial=1), np.median(norms) if samples else 1.0, 2 * norms.max(initial=1)):
        found = clipped_sum(resnet(channels, skip, seed=seed), x, y, clip, last=last)
        np.testing.assert_allclose(found, np.minimum(1, clip / norms) @ gradients, rtol=1e-3, atol=1e-4 * clip)


@pytest.mark.slow
@settings(derandomize=True, deadline=None, max_examples=100)
@given(
    decades=st.tuples(st.integers(-12, 12), st.integers(-12, 12), st.integers(-12, 12)),
    loss=st.integers(-30, 30),
    clip=st.sampled_from([1e-6, 1e-2, 1.0]),
    seed=st.integers(0, 999),
)
def test_no_sample_exceeds_the_clip(decades, loss, clip, seed):
    """Gradients of any size; what is shorter stays as it is."""
    rng = np.random.default_rng(seed)
    x, y, weight = rng.random((1, 2, 5, 5)), rng.integers(0, 3, 1), np.float32([10.0**loss])
    scales = list(zip(("stem", "blocks", "linear"), decades, strict=True))
    whole = clipped_sum(resnet(seed=seed, scales=scales), x, y, 1e300, weight)
    found = clipped_sum(resnet(seed=seed, scales=scales), x, y, clip, weight)
    if not np.isfinite(whole).all():
        assert not np.isfinite(found).any()
    elif np.linalg.norm(whole) > clip:
        assert np.linalg.norm(found) == pytest.approx(clip, rel=1e-6)
        np.testing.assert_allclose(found, clip / np.linalg.norm(whole) * whole, rtol=1e-5, atol=1e-6 * clip)
    else:
        np.testing.assert_array_equal(found, whole)


X, Y = RNG.random((3, 2, 6, 6)), RNG.integers(0, 3, 3)


def test_gradients_whose_squares_vanish_or_overflow_are_clipped():
    """In single precision the squares would be 0, and infinite."""
    whole = clipped_sum(resnet(), X[:1], Y[:1], 1e300)
    for weight in (1e-30, 1e30):
        assert torch.tensor(weight).square() in (0, torch.inf)
        found = clipped_sum(resnet(), X[:1], Y[:1], 1e-32, np.float32([weight]))
        np.testing.assert_allclose(found, 1e-32 * whole / np.linalg.norm(whole), rtol=1e-3, atol=1e-36)


def test_a_gradient_of_zero_adds_nothing():
    assert not clipped_sum(resnet(), X[:2], Y[:2], 0.1, [0.0, 0.0]).any()
    found = clipped_sum(resnet(), X[:2], Y[:2], 0.1, [0.0, 1.0])
    np.testing.assert_allclose(found, clipped_sum(resnet(), X[1:2], Y[1:2], 0.1), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("weight", [np.inf, np.nan, 3e38])
def test_a_gradient_that_is_not_finite_spoils_the_sum(weight):
    """All of it: it is counted neither whole nor as nothing."""
    assert np.isnan(clipped_sum(resnet(scales=[("linear", 3)]), X, Y, 0.1, np.float32([1, weight, 1]))).all()


def test_nothing_is_left_of_the_pass_before():
    module = resnet()
    clipping = PerSampleClipping(module, 0.1)
    sums = []
    for rows in ([0, 1], [2], [], [0, 1]):
        x = torch.tensor(X[rows], dtype=torch.float32, requires_grad=True)
        clipping.backward(F.cross_entropy(clipping(x), torch.tensor(Y[rows]), reduction="sum"), x)
        sums.append(flat([parameter.grad for parameter in module.parameters()]))
    assert np.array_equal(sums[0], sums[3]) and not np.array_equal(sums[0], sums[1]) and not sums[2].any()


def test_a_convolution_with_a_bias_is_clipped_with_it():
    module = nn.Sequential(nn.Conv2d(2, 3, (3, 2), (2, 1), (1, 0)), nn.Flatten(), nn.Linear(3 * 3 * 5, 3))
    gradients = loop(module, X, Y)
    found = clipped_sum(module.float(), X, Y, 0.1)
    np.testing.assert_allclose(found, 0.1 / np.linalg.norm(gradients, axis=1) @ gradients, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("cache", [1, 2**13])
def test_it_is_all_one_how_many_samples_are_taken_together(cache, monkeypatch):
    """One at a time, and a few, the last of them fewer: the same bytes as all at once."""
    x, y = RNG.random((7, 2, 9, 6)), RNG.integers(0, 3, 7)
    whole = clipped_sum(resnet(), x, y, 0.1)
    monkeypatch.setattr(per_sample_clipping, "_CACHE", cache)
    assert clipped_sum(resnet(), x, y, 0.1).tobytes() == whole.tobytes()


def test_samples_that_see_their_batch_are_refused():
    with pytest.raises(NotImplementedError, match="buffers"):
        PerSampleClipping(resnet(norm="batch"), 1.0)
