"""Autoencoders in training: they learn, and noise in training helps against noise."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from lib.core.errors import InputError
from lib.core.seeding import generator
from lib.encoders.autoencoder import AutoencoderDesign, AutoencoderEncoder
from lib.encoders.bound import checked_code
from lib.encoders.reconstruction import checked_spread, cross_entropy, noisy_reconstruction
from lib.segmentation.mask_autoencoder import AutoencoderTrainer, train_mask_autoencoder, voxel_cross_entropy
from lib.segmentation.segmentation_recipes import AutoencoderRecipe
from lib.training.context import Context

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]

CPU = torch.device("cpu")
SIDES = (12, 12, 8)
DESIGN = AutoencoderDesign((1, *SIDES), latent_dim=4, bound="clip", dimensions=3, widths=(4, 8))
QUICK = AutoencoderRecipe(epochs=3, sigma=0.3, batch=5, rate=3e-3)


def blobs(n, seed=0, radii=(2.0, 3.5)):
    """Masks (n, 1, *SIDES) uint8 of one ball each, of any place and size."""
    rng = np.random.default_rng(seed)
    axes = np.ogrid[tuple(slice(0, side) for side in SIDES)]
    masks = []
    for _ in range(n):
        centre = rng.uniform(0.3, 0.7, 3) * SIDES
        squares = sum((axis - at) ** 2 for axis, at in zip(axes, centre, strict=True))
        masks.append(squares < rng.uniform(*radii) ** 2)
    return np.array(masks, np.uint8)[:, None]


TRAIN, TEST = blobs(120), blobs(40, seed=1)


def error(design, arrays, sigma, seed=0):
    """Cross-entropy on masks not seen, under noise."""
    encoder = AutoencoderEncoder(design, arrays, CPU)
    found = noisy_reconstruction(encoder, TEST, sigma, np.random.default_rng(seed))
    checked_code(encoder.encode(TEST), encoder.radius)
    return cross_entropy(TEST, found).mean()


def mean_mask_error():
    return cross_entropy(TEST, np.broadcast_to(TRAIN.mean(axis=0, dtype=float), TEST.shape)).mean()


@pytest.mark.parametrize(
    ("bound", "dimensions"), [pytest.param("clip", 3, marks=pytest.mark.long), ("ball", 3), ("clip", 2)]
)
def test_it_learns_to_reconstruct_better_than_the_mean_mask(bound, dimensions):
    design = AutoencoderDesign((1, *SIDES), latent_dim=4, bound=bound, dimensions=dimensions, widths=(4, 8))
    batch = 8 * design.pieces
    recipe = AutoencoderRecipe(epochs=20, sigma=0.02, batch=batch, rate=1e-2)
    arrays = train_mask_autoencoder(design, TRAIN, recipe, Context(0, ("job",), CPU))
    assert error(design, arrays, 0.0) < 0.6 * mean_mask_error()


@pytest.mark.parametrize("latent", [2, 8])
def test_the_ball_does_not_collapse_under_noise(latent):
    """Few masks, rare tumour, noise from the first step on: codes stay apart, and no radius is saturated at 0."""
    design = AutoencoderDesign((1, *SIDES), latent_dim=latent, bound="ball", dimensions=3, widths=(4, 8))
    recipe = AutoencoderRecipe(epochs=30, sigma=0.2, batch=2, rate=5e-3)
    arrays = train_mask_autoencoder(design, TRAIN[:10], recipe, Context(0, ("job",), CPU))
    z = AutoencoderEncoder(design, arrays, CPU).encode(TRAIN[:10])
    assert checked_spread(z) > 0.3
    assert np.linalg.norm(z, axis=1).mean() > 0.5


def test_the_first_codes_are_standard():
    design = AutoencoderDesign((1, *SIDES), latent_dim=4, bound="ball", dimensions=3, widths=(4, 8))
    trainer = AutoencoderTrainer(design, TRAIN[:30], QUICK, Context(0, ("job",), CPU))
    raw = trainer._network.encode(torch.tensor(TRAIN[:30], dtype=torch.float32)).detach()
    torch.testing.assert_close(raw.mean(0), torch.zeros(5), rtol=0, atol=1e-3)
    torch.testing.assert_close(raw.std(0, correction=0), torch.ones(5), rtol=1e-3, atol=0)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
def test_noise_in_training_helps_where_there_is_noise(seed):
    """Fay et al. (2022, Figure 2): best at the noise trained for, at both ends."""
    quiet, noisy = (
        train_mask_autoencoder(
            DESIGN, TRAIN, AutoencoderRecipe(epochs=15, sigma=sigma, rate=1e-2), Context(seed, ("job",), CPU)
        )
        for sigma in (0.0, 0.5)
    )
    assert error(DESIGN, noisy, 0.5) < error(DESIGN, quiet, 0.5)
    assert error(DESIGN, quiet, 0.0) < error(DESIGN, noisy, 0.0)


def test_rare_voxels_are_expected_from_the_start():
    """The first loss is near that of the prevalence alone, far below that of an even chance."""
    share = TRAIN.mean()
    entropy = -(share * math.log(share) + (1 - share) * math.log(1 - share))
    losses = [AutoencoderTrainer(DESIGN, TRAIN, QUICK, Context(seed, ("job",), CPU)).advance() for seed in range(5)]
    assert np.median(losses) < 2 * entropy < math.log(2)


def test_several_classes_use_a_softmax():
    background = 1 - TRAIN
    y = np.concatenate([background, TRAIN * 0.75, TRAIN * 0.25], axis=1).astype(np.float32)
    design = AutoencoderDesign((3, *SIDES), latent_dim=4, widths=(4, 8))
    arrays = train_mask_autoencoder(design, y, QUICK, Context(0, ("job",), CPU))
    found = AutoencoderEncoder(design, arrays, CPU).decode(np.zeros((2, 4), np.float32))
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-6)
    assert found[:, 1].mean() > found[:, 2].mean()
    logits, soft = torch.randn(4, 3, 2, 2, 2), torch.rand(4, 3, 2, 2, 2).softmax(1)
    torch.testing.assert_close(voxel_cross_entropy(logits, soft), F.cross_entropy(logits, soft))


def test_every_epoch_takes_each_mask_once_in_an_order_of_its_own():
    y = np.broadcast_to(np.arange(12.0)[:, None, None, None, None] / 16, (12, 1, *SIDES))
    trainer, orders = AutoencoderTrainer(DESIGN, y, QUICK, Context(0, ("job",), CPU)), []
    assert (trainer.epoch_steps, trainer.steps) == (3, 9)
    for _ in range(3):
        batches = []
        for _ in range(3):
            batches.append(trainer._batch()[:, 0, 0, 0, 0].numpy() * 16)
            trainer.advance()
        assert [len(batch) for batch in batches] == [5, 5, 2]
        orders.append(tuple(np.concatenate(batches).astype(int)))
    assert all(sorted(order) == list(range(12)) for order in orders) and len(set(orders)) == 3
    assert orders[0] == tuple(generator(0, "job", "order 0").permutation(12))


def as_bytes(arrays):
    return {name: array.tobytes() for name, array in arrays.items()}


def test_seed_and_job_and_noise_matter_and_nothing_else():
    def train(seed=0, job="job", **change):
        recipe = AutoencoderRecipe(**{"epochs": 1, "sigma": 0.3, "batch": 5} | change)
        return as_bytes(train_mask_autoencoder(DESIGN, TRAIN[:10], recipe, Context(seed, (job,), CPU)))

    first = train()
    torch.manual_seed(5)
    np.random.seed(5)
    assert train() == first
    assert all(other != first for other in (train(seed=1), train(job="other"), train(sigma=0.0)))
    assert train(moved=True) == train(moved=True) != first
    assert train(loss="cross_entropy") == first != train(loss="dice_and_cross_entropy")
    assert train(longest=0.05, warm_up=[0.1, 0.5]) == first
    assert all(other != first for other in (train(longest=0.01), train(warm_up=(1.0, 0.5)), train(warm_up=(0.1, 1.0))))


def test_bad_input():
    with pytest.raises(InputError, match="no masks"):
        train_mask_autoencoder(DESIGN, TRAIN[:0], QUICK, Context(0, ("job",), CPU))
    with pytest.raises(InputError, match="masks of shape"):
        train_mask_autoencoder(DESIGN, TRAIN[:, :, :4], QUICK, Context(0, ("job",), CPU))
    with pytest.raises(InputError, match="masks from 0 to 3"):
        train_mask_autoencoder(DESIGN, TRAIN * 3, QUICK, Context(0, ("job",), CPU))
    with pytest.raises(InputError, match="is not finite"):
        recipe = AutoencoderRecipe(epochs=50, sigma=0.1, rate=1e30)
        train_mask_autoencoder(DESIGN, TRAIN[:10], recipe, Context(0, ("job",), CPU))
