"""Training of segmentation networks: it learns, on what it is given and nothing else."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from lib.core.errors import InputError
from lib.core.seeding import generator
from lib.models.unet3d import UNet3D
from lib.segmentation.loss import segmentation_loss
from lib.segmentation.prediction import predicted_masks
from lib.segmentation.segmentation_recipes import SegmentationRecipe
from lib.segmentation.training import SegmentationTrainer, curve, train_segmentation
from lib.training.context import Context
from tests.segmentation.volumes import SIDES, blobs, dice

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]

CPU = torch.device("cpu")
WIDTHS = (4, 4, 4, 4, 4)
NETWORK = UNet3D(channels=1, outputs=1, widths=WIDTHS)
X, Y = blobs(5)
ROWS = np.array([3, 1])
RECIPE = SegmentationRecipe(steps=4, batch=1, patch=(32, 16, 16), warm_up=1)


def run(network=NETWORK, images=X, targets=Y, rows=ROWS, recipe=RECIPE, seed=1, job=("job",), **others):
    return train_segmentation(network, images, targets, rows, recipe, Context(seed, job, CPU, **others))[0]


def as_bytes(weights):
    return {name: weight.tobytes() for name, weight in weights.items()}


def predicted(weights, network=NETWORK, images=X, rows=ROWS, **others):
    return np.stack(list(predicted_masks(network, weights, images, rows, CPU, **others)))


# ---------------------------------------------------------------- what is learnt


@pytest.mark.parametrize("loss", ["cross_entropy", "dice_and_cross_entropy"])
def test_two_volumes_are_learnt(loss):
    recipe = replace(RECIPE, steps=60, rate=0.02, loss=loss)
    masks = predicted(run(recipe=recipe), patch=recipe.patch)
    assert masks.shape == (2, 1, *SIDES)
    assert min(dice(mask[0] > 0.5, Y[row] > 0) for mask, row in zip(masks, ROWS, strict=True)) > 0.8


def test_several_classes_are_learnt():
    images, labels = blobs(2, classes=2)
    network = replace(NETWORK, outputs=3)
    recipe = replace(RECIPE, steps=60, rate=0.02, patch=SIDES)
    masks = predicted(
        run(network, images, labels, np.arange(2), recipe), network, images, np.arange(2), patch=(32,) * 3
    )
    for mask, label in zip(masks.argmax(1), labels, strict=True):
        assert min(dice(mask == kind, label == kind) for kind in range(3)) > 0.8


def test_soft_masks_are_learnt_as_probabilities():
    """What a network gives where masks say 0.2 and 0.7 with the same images as where they say 0 and 1."""
    soft = np.where(Y > 0, 0.7, 0.2)[:, None].astype(np.float16)
    recipe = replace(RECIPE, steps=120, rate=0.02, loss="cross_entropy")
    masks = predicted(run(targets=soft, recipe=recipe), patch=recipe.patch)[:, 0]
    inside = Y[ROWS] > 0
    assert masks[inside].mean() == pytest.approx(0.7, abs=0.05)
    assert masks[~inside].mean() == pytest.approx(0.2, abs=0.05)


# ---------------------------------------------------------------- what a step does


def test_a_step_is_adams_on_the_loss_of_its_batch():
    """By torch's own pieces: prior biases, a rate that rises and falls, and a gradient of no more than `longest`."""
    recipe = SegmentationRecipe(
        steps=2, batch=2, patch=(32, 32, 16), augmented=0.0, rate=0.01, warm_up=1, longest=0.02
    )  # the whole volume
    share = (Y[ROWS] > 0).mean()
    module = NETWORK.module(generator(1, "job", "weights"), shares=np.array([share]))
    bias = module.get_parameter("output.conv.conv.bias").item()
    assert 1 / (1 + np.exp(-bias)) == pytest.approx(share, rel=1e-5)
    optimizer = torch.optim.Adam(module.parameters())
    images, masks = torch.from_numpy(X[ROWS]), torch.from_numpy(Y[ROWS] > 0).float()[:, None]
    for rate in (0.005, 0.005):
        optimizer.param_groups[0]["lr"] = rate
        p = module(images).sigmoid()
        entropy = -(masks * p.log() + (1 - masks) * (1 - p).log()).mean()
        overlap = (2 * (p * masks).sum() + 1e-5) / ((p + masks).sum() + 1e-5)
        optimizer.zero_grad()
        (entropy + 1 - overlap).backward()
        assert torch.nn.utils.clip_grad_norm_(module.parameters(), 0.02) > 0.02
        optimizer.step()
    # every step has both rows, in an order that tells on rounding alone, which Adam's first steps enlarge
    first = NETWORK.module(generator(1, "job", "weights"))
    for name, weight in run(recipe=recipe).items():
        np.testing.assert_allclose(weight, module.get_parameter(name).detach().numpy(), atol=2e-3)
        assert np.abs(weight - first.get_parameter(name).detach().numpy()).max() > 3e-3


def test_the_rate_rises_and_falls():
    recipe = replace(RECIPE, steps=100, warm_up=20, rate=0.5)
    rates = [recipe.rate_at(step) for step in range(100)]
    assert np.argmax(rates) == 20 and 0 < rates[0] < 0.03 and 0.4 < max(rates) < 0.5 and rates[-1] < 1e-3


@pytest.mark.parametrize("channels", [1, 3])
def test_the_loss_is_of_a_whole_batch(channels):
    rng = torch.Generator().manual_seed(0)
    logits = torch.randn(3, channels, 4, 4, 4, generator=rng)
    masks = torch.rand(3, channels, 4, 4, 4, generator=rng)
    masks = masks if channels == 1 else masks / masks.sum(1, keepdim=True)
    p = logits.sigmoid() if channels == 1 else logits.softmax(1)
    entropy = -(masks * p.log()).sum(1)
    entropy -= ((1 - masks) * (1 - p).log()).sum(1) if channels == 1 else 0
    torch.testing.assert_close(segmentation_loss(logits, masks, "cross_entropy"), entropy.mean())
    kinds = slice(0 if channels == 1 else 1, None)
    over = (0, 2, 3, 4)
    overlap = (2 * (p * masks).sum(over) + 1e-5) / ((p + masks).sum(over) + 1e-5)
    expected = entropy.mean() + (1 - overlap[kinds]).mean()
    torch.testing.assert_close(segmentation_loss(logits, masks, "dice_and_cross_entropy"), expected)


def test_a_history_tells_how_training_went():
    recipe = replace(RECIPE, steps=60, rate=0.02)
    _, history = train_segmentation(NETWORK, X, Y, ROWS, recipe, Context(1, ("job",), CPU))
    assert history.shape == (60, 2) and np.isfinite(history).all() and (history[:, 1] <= 1).all()
    rows = curve(history, 6)
    assert [row["step"] for row in rows] == [10, 20, 30, 40, 50, 60]
    assert rows[-1]["loss"] == pytest.approx(history[50:, 0].mean()) and rows[-1]["loss"] < rows[0]["loss"]
    assert rows[-1]["dice"] > max(0.7, rows[0]["dice"])
    assert len(curve(history[:3], 6)) == 3


def test_every_volume_is_seen_as_often():
    """In each pass over the rows once, in an order that passes do not share, whatever the batch."""
    recipe = replace(RECIPE, steps=30, batch=2)
    marked = np.broadcast_to(np.arange(5, dtype=np.float32)[:, None, None, None, None], X.shape)
    trainer = SegmentationTrainer(NETWORK, marked, Y, np.array([4, 0, 2]), recipe, Context(1, ("job",), CPU))
    seen = []
    for trainer.step in range(30):
        seen.extend(trainer._batch()[0][:, 0, 0, 0, 0].int().tolist())
    passes = np.reshape(seen, (20, 3))
    assert (np.sort(passes, axis=1) == [0, 2, 4]).all() and len({tuple(order) for order in passes}) == 6


def test_nothing_but_the_rows_tells_on_the_result():
    images, labels = X.copy(), Y.copy()
    images[[0, 2, 4]], labels[[0, 2, 4]] = np.nan, 7
    assert as_bytes(run(images=images, targets=labels)) == as_bytes(run())
    half = X.astype(np.float16)
    assert as_bytes(run(images=half)) == as_bytes(run(images=half.astype(np.float32)))


def test_labels_and_the_masks_that_they_are_give_the_same():
    assert as_bytes(run(targets=(Y[:, None] > 0).astype(np.float16))) == as_bytes(run())
    images, labels = blobs(5, classes=2)
    network = replace(NETWORK, outputs=3)
    masks = np.eye(3, dtype=np.float32)[labels].transpose(0, 4, 1, 2, 3)
    assert as_bytes(run(network, images, masks)) == as_bytes(run(network, images, labels))


def test_a_memory_map_gives_the_same(tmp_path):
    for name, array in (("x", X), ("y", Y)):
        np.save(tmp_path / f"{name}.npy", array)
    images, labels = (np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in "xy")
    weights = run(images=images, targets=labels)
    assert as_bytes(weights) == as_bytes(run())
    np.testing.assert_array_equal(predicted(weights, images=images), predicted(weights))


def test_a_patch_larger_than_the_volume_is_clipped():
    assert as_bytes(run(recipe=replace(RECIPE, patch=(64, 64, 64)))) == as_bytes(
        run(recipe=replace(RECIPE, patch=SIDES))
    )


# ---------------------------------------------------------------- whole runs


def test_runs_differ_by_job_and_seed_and_not_by_the_runs_before():
    name = "output.conv.conv.weight"
    first = as_bytes(run())
    torch.manual_seed(5)
    assert len({as_bytes(run(**change))[name] for change in ({"seed": 2}, {"job": ("other",)}, {})}) == 3
    assert as_bytes(run()) == first


# ---------------------------------------------------------------- refusals


def with_nan():
    images = X.copy()
    images[1] = np.nan
    return images


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"images": with_nan()}, "image 1: its values are not all finite"),
        ({"images": X[:, 0]}, r"images \(5, 32, 32, 16\)"),
        ({"images": np.repeat(X, 2, axis=1)}, "of 1 channels"),
        ({"images": Y[:, None]}, "uint8"),
        ({"targets": Y[:4]}, r"targets \(4, 32, 32, 16\)"),
        ({"targets": Y[..., :-1]}, "targets"),
        ({"targets": Y.astype(np.int64)}, "targets .* int64"),
        ({"targets": np.full((5, 1, *SIDES), np.nan, np.float32)}, "target [13]: .* probabilities"),
        ({"targets": np.full((5, 1, *SIDES), 1.5, np.float32)}, "target [13]: .* probabilities"),
        ({"targets": np.zeros((5, 2, *SIDES), np.float32)}, "masks of 1 channels"),
        ({"network": replace(NETWORK, outputs=3), "targets": Y * 3}, "label 3; allowed are 0 to 2"),
        ({"rows": np.array([], np.int64)}, "rows"),
        ({"rows": np.array([1, 1])}, "rows of volumes must be different"),
        ({"rows": np.array([5])}, "from 0 to 4"),
        ({"rows": np.array([-1])}, "from 0 to 4"),
        ({"rows": np.array([0.0])}, "float64"),
        ({"recipe": replace(RECIPE, patch=(16, 16, 16))}, "at least 32"),
        ({"recipe": replace(RECIPE, patch=(32, 8, 32))}, "at least 16"),
        ({"images": X[..., :8], "targets": Y[..., :8]}, "every side must be at least 16"),
        ({"recipe": replace(RECIPE, rate=1e30)}, "not finite"),
    ],
)
def test_what_does_not_fit_is_refused(change, match):
    with pytest.raises(InputError, match=match):
        run(**change)
