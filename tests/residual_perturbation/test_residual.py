"""Perturbed residual networks trained together: as an ordinary loop, and as alone."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from lib.core.errors import InputError
from lib.core.files import load_arrays, save_arrays
from lib.core.seeding import generator, integer_seed
from lib.models.resnet8 import FEATURES, INPUT, STEM, SUMS
from lib.residual_perturbation.network import PerturbedResNet8
from lib.residual_perturbation.noise import NoiseForm
from lib.residual_perturbation.residual_recipe import ResidualRecipe
from lib.residual_perturbation.training import Replica, ResidualTrainer
from lib.training.context import Context

pytestmark = pytest.mark.usefixtures("device")

CPU = torch.device("cpu")
RNG = np.random.default_rng(3)
X, Y = RNG.integers(0, 256, (60, 8, 8, 2), np.uint8), RNG.integers(0, 5, 60)
FORMS = [NoiseForm(), NoiseForm(scaling="std"), NoiseForm(start="stem"), NoiseForm("multiplicative", floor=0.1)]
NETWORK = PerturbedResNet8(channels=2, classes=5, widths=(4, 6, 8))
RECIPE = ResidualRecipe(epochs=3, batch=8, rate=0.1, weight_decay=1e-3, milestones=(1, 2))
# the same part with other gammas, the same gamma with another part, and one without noise
REPLICAS = [
    Replica("a", np.arange(20), 0.5),
    Replica("b", np.arange(20), 2.0),
    Replica("c", np.arange(30, 50), 0.5),
    Replica("d", np.arange(20)),
]


def make(replicas=REPLICAS, network=NETWORK, recipe=RECIPE, x=X, y=Y, seed=1, loop=None):
    return ResidualTrainer(network, x, y, replicas, recipe, Context(seed, ("job",), CPU), loop=loop)


def advance(trainer, steps=9):
    for _ in range(steps):
        trainer.advance()
    return trainer


def row(trainer, k):
    """All arrays of one replica."""
    found = {name: np.asarray(value)[k] for name, value in trainer.state().items() if name != "step"}
    return found | {name: value[k] for name, value in trainer.trained().arrays.items()}


def as_bytes(arrays):
    return {name: np.asarray(value).tobytes() for name, value in arrays.items()}


# ---------------------------------------------------------------- one network


@pytest.mark.parametrize("form", FORMS)
def test_training_is_an_ordinary_loop_with_the_noise_of_its_stream(form):
    """One module of torch, its optimiser, and noise drawn and added by hand."""
    network = replace(NETWORK, form=form)
    trainer = make([Replica("a", np.arange(10, 30), 0.5, 0.3)], network)
    module = network.module(generator(1, "job", "a", "weights"))
    optimiser = torch.optim.SGD(module.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-3)
    stream = torch.Generator().manual_seed(integer_seed(1, "job", "a", "noise"))
    images = X[10:30].astype(float)
    images = (images - images.mean((0, 1, 2))) / images.std((0, 1, 2))
    images = torch.from_numpy(images.astype(np.float32)).movedim(-1, 1)
    shapes = module.site_shapes(8, 8)
    for epoch in range(3):
        order = generator(1, "job", "a", f"order {epoch}").permutation(20)
        for start in (0, 8, 16):
            rows = order[start : start + 8]
            end = FEATURES if form.strategy == "multiplicative" else {"image": INPUT, "stem": STEM}[form.start]
            sites = sorted([*SUMS, end])
            noise = {}
            for site in sites:
                channels, *place = shapes[site]
                drawn = torch.empty(len(rows), *place, channels).normal_(generator=stream).movedim(-1, 1)
                noise[site] = drawn * (0.3 if site == end else 0.5)

            def perturb(site, carried, value, noise=noise):
                if site not in noise:
                    return value
                if form.strategy == "multiplicative":
                    carried = torch.where(carried < 0, carried.clamp(max=-0.1), carried.clamp(min=0.1))
                    return value + carried * noise[site]
                return value + noise[site] * (value.std() if form.scaling == "std" else 1)

            for group in optimiser.param_groups:
                group["lr"] = 0.1 * 0.1**epoch
            optimiser.zero_grad()
            nn.functional.cross_entropy(module(images[rows], perturb), torch.from_numpy(Y[10:30][rows])).backward()
            optimiser.step()
            trainer.advance()
    assert trainer.step == trainer.steps == 9
    for name, value in module.state_dict().items():
        found = trainer.trained().arrays[f"weight.{name}"][0]
        np.testing.assert_allclose(found, value.numpy(), rtol=1e-3, atol=1e-4, err_msg=name)


def test_every_epoch_takes_each_row_once_in_an_order_of_its_own():
    trainer, orders = make(), []
    for _ in range(3):
        batches = []
        for _ in range(trainer.epoch_steps):
            batches.append(trainer._batch().numpy().copy())
            trainer.advance()
        assert [batch.shape for batch in batches] == [(4, 8), (4, 8), (4, 4)]
        orders.append(np.concatenate(batches, axis=1))
        for replica, order in zip(REPLICAS, orders[-1], strict=True):
            assert sorted(order) == list(replica.rows)
    flat = [tuple(order) for epoch in orders for order in epoch]
    assert len(set(flat)) == len(flat)


def test_the_learning_rate_falls_at_the_milestones():
    recipe = ResidualRecipe(epochs=9, rate=0.1, milestones=(2, 4, 6), drop=0.25, batch=128)
    np.testing.assert_allclose([recipe.rate_at(k) for k in range(8)], 0.1 * 0.25 ** np.array([0, 0, 1, 1, 2, 2, 3, 3]))


# ---------------------------------------------------------------- many networks


def assert_close(one, two, tolerance):
    for name, array in one.items():
        np.testing.assert_allclose(two[name], array, rtol=tolerance, atol=tolerance, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_one_trained_beside_others_is_the_one_trained_alone(form):
    """To 1e-5 of all that it is made of after nine steps in single precision, and its noise to the bit."""
    network = replace(NETWORK, form=form)
    together = advance(make(network=network))
    for k, replica in enumerate(REPLICAS):
        alone = advance(make([replica], network))
        found, expected = row(together, k), row(alone, 0)
        assert found.pop("noise").tobytes() == expected.pop("noise").tobytes()
        assert_close(found, expected, 1e-5)


@pytest.mark.parametrize("form", FORMS)
def test_all_at_once_they_agree_with_one_after_the_other(form):
    """To 1e-4 of a weight after nine steps in single precision."""
    network = replace(NETWORK, form=form)
    one, two = (advance(make(network=network, loop=loop)).trained().arrays for loop in (True, False))
    assert_close(one, two, 1e-4)


def test_replicas_differ_by_gamma_part_name_and_seed():
    replicas = [*REPLICAS, Replica("e", np.arange(20), 0.5)]
    stems = list(advance(make(replicas)).trained().arrays["weight.stem.weight"])
    stems += list(advance(make(replicas, seed=2)).trained().arrays["weight.stem.weight"])
    assert len({stem.tobytes() for stem in stems}) == 10


@pytest.mark.slow
def test_what_one_replica_sees_changes_no_bit_of_another():
    x = X.copy()
    x[30:50] = 255 - x[30:50]
    one, two = advance(make()), advance(make(x=x))
    assert [as_bytes(row(one, k)) == as_bytes(row(two, k)) for k in range(4)] == [True, True, False, True]
    x[50:] = 0  # nor does what nobody sees
    assert as_bytes(advance(make(x=x)).state()) == as_bytes(two.state())


def test_running_statistics_are_trained_and_saved(tmp_path):
    trained = advance(make()).trained()
    assert trained.names == ("a", "b", "c", "d")
    for name in ("norm", "blocks.0.norm1", "blocks.2.norm2"):
        assert (trained.arrays[f"weight.{name}.running_var"] != 1).all()
        assert (trained.arrays[f"weight.{name}.num_batches_tracked"] == 9).all()
    save_arrays(tmp_path / "trained.npz", **trained.arrays)
    loaded = load_arrays(tmp_path / "trained.npz")
    assert as_bytes(loaded) == as_bytes(trained.arrays)


def test_more_noise_fits_less():
    from sklearn.datasets import load_digits

    digits = load_digits()
    replicas = [Replica(f"gamma {gamma}", np.arange(150), gamma) for gamma in (0.0, 20.0)]
    network = replace(NETWORK, channels=1, classes=10)
    trainer = make(
        replicas, network, ResidualRecipe(epochs=8, batch=25, rate=0.1), digits.images.astype(np.uint8), digits.target
    )
    losses = []
    trainer._check_finite = lambda values, what: losses.append(values.numpy().copy())
    advance(trainer, trainer.steps)
    plain, noisy = np.mean(losses[-6:], axis=0)
    assert plain < 0.5 < 1.5 < noisy


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize("loop", [True, False])
def test_the_replica_that_diverges_is_named(loop):
    replicas = [REPLICAS[3], Replica("wild", np.arange(20), 3e38)]
    with pytest.raises(InputError, match=r"replica wild: the loss at step 0 of 9 is not finite; take a smaller"):
        advance(make(replicas, loop=loop))
    with pytest.raises(InputError, match="not finite"):
        advance(make(recipe=replace(RECIPE, rate=1e30, weight_decay=1e30, milestones=())))


def test_a_network_with_weights_that_are_not_finite_is_not_handed_out():
    trainer = advance(make(recipe=replace(RECIPE, rate=3e38)), 1)
    trainer._weights["linear.bias"].data[2] = math.nan
    trainer._weights["stem.weight"].data[:2] = 0
    with pytest.raises(InputError, match=r"replica \w: .* after step 1 is not finite"):
        trainer.trained()


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"x": X.astype(float)}, "float64"),
        ({"x": X[..., :1]}, "2 channels"),
        ({"y": Y[:5]}, "60 are needed, from 0 to 4"),
        ({"y": Y + 1}, "from 0 to 4"),
        ({"replicas": []}, "none"),
        ({"replicas": [REPLICAS[0], REPLICAS[0]]}, "a, a"),
        ({"replicas": [REPLICAS[0], Replica("z", np.arange(19))]}, r"replica z: its part has shape \(19,\)"),
        ({"replicas": [Replica("z", np.array([0, 0]))]}, "replica z: rows"),
        ({"replicas": [Replica("z", np.array([0, 60]))]}, "from 0 to 59"),
        ({"replicas": [Replica("z", np.arange(9), -1.0)]}, "replica z: gamma -1.0"),
        ({"replicas": [Replica("z", np.arange(9), 1.0, math.nan)]}, "pi nan"),
    ],
)
def test_what_does_not_fit_is_refused(change, match):
    with pytest.raises(InputError, match=match):
        make(**change)
