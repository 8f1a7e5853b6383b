"""Autoencoders as encoders: the bound on the code for every mask, pieces, and what does not fit."""

import math

import numpy as np
import pytest
import torch

from lib.core.errors import InputError
from lib.core.files import load_arrays, save_arrays
from lib.encoders.autoencoder import AutoencoderDesign, AutoencoderEncoder, code_of, weights_of
from lib.encoders.ball import ball_activation
from lib.encoders.bound import checked_code

CPU = torch.device("cpu")
SHAPE = (2, 6, 9, 5)
DESIGNS = [
    AutoencoderDesign(SHAPE, latent_dim=4, bound=bound, dimensions=dimensions, widths=(3, 4))
    for bound in ("ball", "clip")
    for dimensions in (2, 3)
]
RNG = np.random.default_rng(0)
MASKS = {
    "random": RNG.random((20, *SHAPE), np.float32),
    "binary": (RNG.random((20, *SHAPE)) > 0.9).astype(np.uint8),
    "empty": np.zeros((2, *SHAPE), np.float32),
    "full": np.ones((2, *SHAPE), np.float32),
}


def weights(design, scale=1.0, seed=0):
    arrays = weights_of(design.network(np.zeros(2), np.random.default_rng(seed)))
    return {name: array * np.float32(scale) for name, array in arrays.items()}


@pytest.mark.parametrize("design", DESIGNS, ids=str)
@pytest.mark.parametrize("scale", [0.0, 1e-12, 1.0, 100.0, 1e9])
@pytest.mark.parametrize("kind", MASKS)
def test_the_code_stays_within_its_bound(design, scale, kind):
    """Whatever the weights: none, tiny ones, and ones that drive float32 to its edge."""
    encoder = AutoencoderEncoder(design, weights(design, scale), CPU)
    z = checked_code(encoder.encode(MASKS[kind]), encoder.radius)
    assert z.shape == (len(MASKS[kind]), encoder.latent_dim)
    checked_code(z.reshape(-1, design.latent_dim), 1.0)
    assert encoder.radius == math.sqrt(design.pieces)
    if (
        scale == 100.0 and design.bound == "clip" and kind != "empty"
    ):  # saturated: the bound is attained, and half of it fails
        assert np.linalg.norm(z, axis=1).max() > 0.99 * encoder.radius
        with pytest.raises(InputError, match="above the bound"):
            checked_code(z, encoder.radius / 2)


@pytest.mark.parametrize("bound", ["ball", "clip"])
def test_codes_of_extreme_numbers(bound):
    rows = torch.tensor([[0.0] * 4, [1e30] * 4, [-1e30] * 4, [1e-40] * 4, [3.0, 4.0, 0.0, 0.0]])
    rows.requires_grad_()
    code = code_of(rows, bound)
    assert (code.double().norm(dim=1) <= 1 + 1e-6).all()
    code.sum().backward()
    assert rows.grad.isfinite().all()


def test_codes_are_the_papers():
    raw = torch.randn(50, 5, generator=torch.Generator().manual_seed(0)) * 2
    np.testing.assert_allclose(code_of(raw, "ball"), ball_activation(raw.numpy()), rtol=1e-5, atol=1e-7)
    norm = np.linalg.norm(raw.numpy(), axis=1, keepdims=True)
    np.testing.assert_allclose(code_of(raw, "clip"), raw.numpy() / np.maximum(1, norm), rtol=1e-6)


@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_masks_come_back_as_probabilities_piece_by_piece(design, monkeypatch):
    monkeypatch.setattr("lib.encoders.autoencoder._VOXELS", 3 * 270)  # several batches, the last one smaller
    arrays = weights(design)
    encoder = AutoencoderEncoder(design, arrays, CPU)
    y = MASKS["random"]
    z = encoder.encode(y)
    found = encoder.decode(z * 3)
    assert found.shape == y.shape and found.dtype == np.float32
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-6)
    # by hand, one volume and one slice at a time
    network = design.network(np.zeros(2), np.random.default_rng(0))
    for k in (0, 17):
        parts = [y[k]] if design.dimensions == 3 else [y[k][..., place] for place in range(SHAPE[3])]
        with torch.inference_mode():
            codes = [code_of(network.encode(torch.from_numpy(p.copy())[None]), design.bound)[0] for p in parts]
            back = [network.decode(3 * code[None])[0].softmax(0).numpy() for code in codes]
        np.testing.assert_allclose(z[k], np.concatenate(codes), atol=1e-6)
        expected = back[0] if design.dimensions == 3 else np.stack(back, axis=-1)
        np.testing.assert_allclose(found[k], expected, atol=1e-5)


def test_one_channel_is_a_probability():
    design = AutoencoderDesign((1, 4, 4, 4), latent_dim=3, widths=(2,))
    arrays = weights_of(design.network([-2.0], np.random.default_rng(0)))
    found = AutoencoderEncoder(design, arrays, CPU).decode(np.zeros((1, 3), np.float32))
    assert ((found > 0) & (found < 1)).all()


def test_the_whole_code_may_be_clipped_to_less():
    design = DESIGNS[2]
    assert design.dimensions == 2
    encoder = AutoencoderEncoder(design, weights(design, 100.0), CPU, radius=1.0)
    z = checked_code(encoder.encode(MASKS["random"]), 1.0)
    assert np.linalg.norm(z, axis=1).min() > 0.99


def test_split_and_joined_is_the_same():
    for design in DESIGNS:
        assert (design.join(design.split(MASKS["random"])) == MASKS["random"]).all()


def test_weights_saved_and_read(tmp_path):
    design, y = DESIGNS[0], MASKS["random"]
    save_arrays(tmp_path / "weights.npz", **weights(design))
    again = AutoencoderEncoder(design, load_arrays(tmp_path / "weights.npz"), CPU)
    assert again.encode(y).tobytes() == AutoencoderEncoder(design, weights(design), CPU).encode(y).tobytes()


def test_masks_of_too_few_axes():
    with pytest.raises(InputError, match=r"masks \(4, 4, 4\): allowed are \(C, X, Y, Z\)"):
        AutoencoderDesign((4, 4, 4), latent_dim=4)


def test_what_does_not_fit():
    encoder = AutoencoderEncoder(DESIGNS[0], weights(DESIGNS[0]), CPU)
    with pytest.raises(InputError, match="do not fit"):
        AutoencoderEncoder(DESIGNS[0], weights(DESIGNS[1]), CPU)
    with pytest.raises(InputError, match="masks from"):
        encoder.encode(MASKS["random"] * 2)
    with pytest.raises(InputError, match="codes of shape"):
        encoder.decode(np.zeros((1, 3), np.float32))
