"""DP-SGD for segmentation: a patient moves a step by no more than is charged for, and so much noise is added."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from opacus.optimizers import DPOptimizerFastGradientClipping
from scipy.stats import kstest

from lib.core.errors import InputError
from lib.core.seeding import generator
from lib.models.unet3d import UNet3D
from lib.segmentation.clipping import JointClipping, LayerwiseClipping
from lib.segmentation.dp_sgd import SegmentationSgdTrainer, train_segmentation_dp_sgd, with_joint_clip
from lib.segmentation.loss import segmentation_loss
from lib.segmentation.patches import Patches
from lib.segmentation.segmentation_recipes import SegmentationSgdRecipe
from lib.training import dp_sgd as dp_sgd
from lib.training.context import Context
from lib.training.sgd_recipe import account
from pate_accountant import training_run
from tests.segmentation.test_volume_clipping import expected_sum, loop, norm
from tests.segmentation.volumes import SIDES, blobs

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]

CPU = torch.device("cpu")
NETWORK = UNet3D(channels=1, outputs=1, widths=(2, 2, 2, 2, 2))
X, Y = blobs(6)
ROWS = np.array([4, 0, 3, 1])
RECIPE = SegmentationSgdRecipe(batch=4, epochs=1, rate=0.5, clip=0.01, optimizer="sgd", patch=(32, 16, 16))
SHARES = np.array([0.1])  # public
KINDS = {"layers": LayerwiseClipping, "joint": JointClipping}


def run(recipe=RECIPE, sigma=0.0, network=NETWORK, images=X, targets=Y, rows=ROWS, seed=1, job=("job",), **others):
    return train_segmentation_dp_sgd(
        network, images, targets, rows, recipe, sigma, SHARES, Context(seed, job, CPU, **others)
    )


def first(network=NETWORK):
    return network.module(generator(1, "job", "weights"), shares=SHARES)


def flat(weights):
    return np.concatenate([np.asarray(weight, float).ravel() for weight in weights])


def as_bytes(weights):
    return {name: weight.tobytes() for name, weight in weights.items()}


def always(places, monkeypatch):
    """Every batch has the patients at these places among the rows."""
    monkeypatch.setattr(dp_sgd, "poisson_batch", lambda rng, samples, rate: np.array(places, np.int64))


def patches(rows, recipe=RECIPE):
    """The patches of the first step."""
    source = Patches(X, Y, 1, 1, recipe)
    rngs = [generator(1, "job", f"patch 0 {row}") for row in rows]
    return [torch.from_numpy(array).double() for array in source.draw(rngs, np.array(rows))]


def losses(logits, masks):
    return segmentation_loss(logits, masks, RECIPE.loss)


# ---------------------------------------------------------------- what a step does


@pytest.mark.parametrize("clipping", KINDS)
@pytest.mark.parametrize("drawn", [4, 1])
def test_a_step_is_the_sum_of_clipped_gradients_over_the_expected_size(clipping, drawn, monkeypatch):
    """Each patient's by autograd alone; 4 are expected, however many are drawn."""
    always(range(drawn), monkeypatch)
    recipe = replace(RECIPE, clipping=clipping)
    module = first().double()
    samples = loop(module, *patches(ROWS[:drawn]), losses)
    total = 0.01 * (41**0.5 if clipping == "layers" else 1)
    assert max(norm(gradients) for gradients in samples) > total
    expected = flat(expected_sum(KINDS[clipping], module, samples, total))
    before = flat(weight.detach() for weight in first().parameters())
    moved = flat(run(recipe).values()) - before
    np.testing.assert_allclose(moved, -0.5 * expected / 4, rtol=2e-2, atol=2e-5 * np.abs(expected).max())


# ---------------------------------------------------------------- privacy of a step


def summed(places, recipe, monkeypatch, **data):
    """What noise is added to in the first step, (numbers,)."""
    seen = []
    actual = DPOptimizerFastGradientClipping.add_noise

    def noting(optimizer):
        seen.append(flat(p.summed_grad for p in optimizer.params))
        actual(optimizer)

    with monkeypatch.context() as patch:
        always(places, patch)
        patch.setattr(DPOptimizerFastGradientClipping, "add_noise", noting)
        run(recipe, 1.0, **data)
    return seen[0]


@pytest.mark.parametrize("clipping", KINDS)
@pytest.mark.parametrize("clip", [1e-9, 0.05])
def test_a_patient_moves_the_sum_by_no_more_than_the_clip(clipping, clip, monkeypatch):
    """Every patient left out in turn; where all is clipped, they move it by the bound itself: half is no bound."""
    # with only two voxels at the last resolution, its normalisation would leave its layers nearly no gradient
    recipe = replace(RECIPE, clipping=clipping, clip=clip, patch=SIDES)
    bound = with_joint_clip(recipe, NETWORK).clip
    assert bound == pytest.approx(clip * (41**0.5 if clipping == "layers" else 1))
    whole = summed(range(3), recipe, monkeypatch)
    for place in range(3):
        rest = [other for other in range(3) if other != place]
        distance = np.linalg.norm(whole - summed(rest, recipe, monkeypatch))
        assert distance <= bound
        if clip < 1e-3:
            assert distance > 0.999 * bound


def test_a_patient_is_a_whole_volume_with_its_labels(monkeypatch):
    """Another volume in the place of one changes its own part alone: that of the others is the same to the bit."""
    images, labels = X.copy(), Y.copy()
    images[ROWS[1]], labels[ROWS[1]] = X[5] + 3, 1
    data = {"images": images, "targets": labels}
    bound = with_joint_clip(RECIPE, NETWORK).clip
    one, other = summed([0, 1], RECIPE, monkeypatch), summed([0, 1], RECIPE, monkeypatch, **data)
    assert 0 < np.linalg.norm(one - other) <= 2 * bound
    rest = summed([0], RECIPE, monkeypatch)
    np.testing.assert_array_equal(summed([0], RECIPE, monkeypatch, **data), rest)
    alone = [summed([1], RECIPE, monkeypatch), summed([1], RECIPE, monkeypatch, **data)]
    for both, part in zip((one, other), alone, strict=True):  # in double precision, rounded once to single
        np.testing.assert_allclose(both, rest + part, rtol=0, atol=3e-7 * bound)


@pytest.mark.parametrize("clipping", KINDS)
def test_noise_on_the_weights_has_the_accounted_deviation(clipping, monkeypatch):
    """Sigma times the whole bound over B on every weight, fresh with every step, and nothing else in an empty batch."""
    always([], monkeypatch)
    network, sigma = replace(NETWORK, widths=(4, 8, 8, 8, 8)), 2.0
    recipe = replace(RECIPE, rate=1.0, clipping=clipping)
    at = [flat(run(replace(recipe, epochs=epochs), sigma, network).values()) for epochs in range(6)]
    bound = 0.01 * (41**0.5 if clipping == "layers" else 1)
    noise = np.diff(at, axis=0) / (sigma * bound / 4)
    assert noise.size > 50_000
    assert noise.std() == pytest.approx(1, rel=5 / np.sqrt(2 * noise.size) + 2e-5)
    assert noise.mean() == pytest.approx(0, abs=5 / np.sqrt(noise.size))
    assert kstest(noise.ravel(), "norm").pvalue > 1e-3
    products = (noise @ noise.T)[~np.eye(5, dtype=bool)] / noise.shape[1]
    assert np.abs(products).max() < 5 / np.sqrt(noise.shape[1])


def test_an_empty_batch_without_noise_moves_nothing(monkeypatch):
    always([], monkeypatch)
    assert as_bytes(run()) == as_bytes(run(replace(RECIPE, epochs=0)))


@pytest.mark.parametrize("clipping", KINDS)
def test_a_run_is_charged_for_every_noise_it_adds(clipping, monkeypatch):
    """At the rate batch / patients; the noise never below sigma times what a patient moves."""
    added, drawn = [], []
    actual, draw = DPOptimizerFastGradientClipping.add_noise, dp_sgd.poisson_batch

    def adding(optimizer):
        added.append(optimizer.noise_multiplier * optimizer.max_grad_norm)
        actual(optimizer)

    monkeypatch.setattr(DPOptimizerFastGradientClipping, "add_noise", adding)
    monkeypatch.setattr(dp_sgd, "poisson_batch", lambda *given: drawn.append(given[1:]) or draw(*given))
    recipe = replace(RECIPE, batch=1.5, epochs=2, clipping=clipping)
    run(recipe, 1.3)
    charged = account(len(ROWS), with_joint_clip(recipe, NETWORK), 1.3)
    steps = charged.epochs * training_run.steps_per_epoch(charged.samples, charged.batch)
    assert charged.rate == 1.5 / 4 and steps == 6 and charged.sensitivity == 1
    assert added == [pytest.approx(1.3 * with_joint_clip(recipe, NETWORK).clip, rel=1e-12)] * steps
    assert drawn == [(4, charged.rate)] * steps
    assert training_run.check(charged, np.arange(2.0, 32.0)) <= training_run.AGREEMENT


# ---------------------------------------------------------------- whole runs


def test_runs_differ_by_job_seed_and_sigma(monkeypatch):
    always([2], monkeypatch)
    name = "output.conv.conv.weight"
    changes = ({}, {"sigma": 1.4}, {"seed": 2}, {"job": ("other",)}, {"job": ("job", "other")})
    assert len({as_bytes(run(**{"sigma": 1.3, **change}))[name] for change in changes}) == 5
    assert as_bytes(run(sigma=1.3)) == as_bytes(run(sigma=1.3))


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"images": np.full_like(X, np.nan)}, "image [0134]: its values are not all finite"),
        ({"targets": Y[:2]}, "targets"),
        ({"rows": np.array([], np.int64)}, "rows"),
        ({"rows": np.array([0, 0])}, "must be different"),
        ({"recipe": replace(RECIPE, batch=5)}, "batch 5: there are only 4 samples"),
        ({"sigma": -1.0}, "sigma -1"),
        ({"sigma": np.nan}, "sigma nan"),
        ({"recipe": replace(RECIPE, rate=1e38, epochs=9, clip=10.0)}, "not finite"),
    ],
)
def test_what_does_not_fit_is_refused(change, match, monkeypatch):
    always(range(len(change.get("rows", ROWS))), monkeypatch)
    with pytest.raises(InputError, match=match):
        run(**change)


@pytest.mark.parametrize("change", [{"clip": 0.0}, {"clip": np.inf}, {"momentum": 0.5, "optimizer": "adam"}])
def test_what_is_no_recipe_is_refused(change):
    with pytest.raises(InputError, match=next(iter(change))):
        replace(RECIPE, **change)


def test_first_weights_and_shapes():
    weights = run(replace(RECIPE, epochs=0))
    assert all(np.array_equal(weights[name], weight.detach()) for name, weight in first().named_parameters())
    trainer = SegmentationSgdTrainer(
        NETWORK, X, Y, ROWS, replace(RECIPE, batch=4), 1.0, SHARES, Context(1, ("job",), CPU)
    )
    images, masks = trainer._batch()
    assert images.shape == masks.shape == (4, 1, 32, 16, 16) and SIDES == X.shape[2:]
