"""DP-SGD for ResNet8: the step that is accounted for, on what may be seen."""

from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)
from opacus.optimizers import DPOptimizerFastGradientClipping
from scipy.stats import kstest
from sklearn.datasets import load_digits

from lib.core.errors import InputError
from lib.core.seeding import generator
from lib.residual_perturbation.dp_sgd import train_residual_dp_sgd
from lib.residual_perturbation.network import PerturbedResNet8
from lib.residual_perturbation.noise import NoiseForm
from lib.residual_perturbation.prediction import predicted_probabilities
from lib.residual_perturbation.residual_recipe import ResidualRecipe
from lib.residual_perturbation.training import Replica, ResidualTrainer
from lib.training import dp_sgd as dp_sgd
from lib.training.context import Context
from lib.training.sgd_recipe import SgdRecipe, account
from pate_accountant import training_run

pytestmark = pytest.mark.usefixtures("device")

CPU = torch.device("cpu")
RNG = np.random.default_rng(3)
X, Y = RNG.integers(0, 256, (30, 6, 6, 2), np.uint8), RNG.integers(0, 3, 30)
NETWORK = PerturbedResNet8(channels=2, classes=3, widths=(4, 6, 8), norm="group", groups=2)
REPLICA = Replica("one", np.arange(5, 18))
RECIPE = SgdRecipe(batch=13, epochs=1, rate=0.5, clip=0.3)  # one step, of all of the rows
CASES = {"sgd": replace(RECIPE, batch=4, epochs=2, decay=0.5), "adam": replace(RECIPE, batch=4, optimizer="adam")}


def run(recipe=RECIPE, sigma=0.0, network=NETWORK, x=X, y=Y, replica=REPLICA, seed=1, **others):
    return train_residual_dp_sgd(network, x, y, replica, recipe, sigma, Context(seed, ("job",), CPU), **others)


def flat(trained):
    """All weights, (numbers,)."""
    weights = [array.ravel() for name, array in trained.arrays.items() if name.startswith("weight.")]
    return np.concatenate(weights).astype(float)


def as_bytes(trained):
    return {name: array.tobytes() for name, array in trained.arrays.items()}


def first(network=NETWORK, seed=1):
    return network.module(generator(seed, "job", "one", "weights"))


def sample_gradients(x, y, network=NETWORK):
    """Gradient of every sample's loss at the first weights, (n, numbers) in double precision, without Opacus."""
    module = first(network).double()
    images = torch.from_numpy(x / 255).movedim(-1, 1)
    found = []
    for image, label in zip(images, torch.from_numpy(y), strict=True):
        gradients = torch.autograd.grad(F.cross_entropy(module(image[None]), label[None]), module.parameters())
        found.append(torch.cat([gradient.flatten() for gradient in gradients]).numpy())
    return np.array(found)


def always(rows, monkeypatch):
    """Every batch has these rows."""
    monkeypatch.setattr(dp_sgd, "poisson_batch", lambda rng, samples, rate: np.array(rows, np.int64))


# ---------------------------------------------------------------- what a step does


@pytest.mark.parametrize("skip", [True, False])
@pytest.mark.parametrize("clip", [0.3, 100.0])
@pytest.mark.parametrize("drawn", [13, 6])
def test_a_step_is_the_sum_of_clipped_gradients_over_the_expected_size(skip, clip, drawn, monkeypatch):
    """Of the replica's rows on [0, 1], 13 of them expected, at the first weights of `train_residual`."""
    always(range(drawn), monkeypatch)
    network, recipe = replace(NETWORK, skip=skip), replace(RECIPE, clip=clip)
    gradients = sample_gradients(X[5 : 5 + drawn], Y[5 : 5 + drawn], network)
    norms = np.linalg.norm(gradients, axis=1)
    assert (norms > 0.3).any() and (norms < 100).all()
    before = run(replace(recipe, epochs=0), network=network)
    plain = ResidualTrainer(
        network, X, Y, [REPLICA], ResidualRecipe(epochs=1, batch=128, rate=0.1), Context(1, ("job",), CPU)
    ).trained()
    np.testing.assert_array_equal(flat(before), flat(plain))
    moved = flat(run(recipe, network=network)) - flat(before)
    np.testing.assert_allclose(moved, -0.5 * np.minimum(1, clip / norms) @ gradients / 13, rtol=1e-3, atol=1e-6)


def test_nothing_but_the_rows_and_the_white_tells_on_the_result():
    """Neither images left out, whose pixels no scale is made from, nor how images of one channel are given."""
    x, y = X.copy(), Y.copy()
    x[:5], x[18:], y[18:] = 255 - x[:5], 0, 2
    assert as_bytes(run(x=x, y=y)) == as_bytes(run())
    assert as_bytes(run(x=X // 2, largest=127.5)) != as_bytes(run())
    doubled = run(x=X // 2 * 2)
    np.testing.assert_array_equal(flat(run(x=X // 2, largest=127.5)), flat(doubled))
    assert not doubled.arrays["shift"].any() and (doubled.arrays["factor"] == np.float32(1 / 255)).all()
    gray = replace(NETWORK, channels=1)
    assert as_bytes(run(x=X[..., 0], network=gray)) == as_bytes(run(x=X[..., :1], network=gray))


def test_the_learning_rate_falls_after_so_many_epochs(monkeypatch):
    """Every step adds the same: all of the rows, with a rate too small to tell on their gradients."""
    always(range(13), monkeypatch)
    recipe = replace(RECIPE, rate=2e-3, decay=0.25, decay_every=2)
    at = [flat(run(replace(recipe, epochs=epochs))) for epochs in range(6)]
    moved = np.linalg.norm(np.diff(at, axis=0), axis=1)
    np.testing.assert_allclose(moved / moved[0], [1, 1, 0.25, 0.25, 0.0625], rtol=0.02)


def test_what_is_trained_can_be_asked_for_predictions():
    trained = run(CASES["sgd"], 1.0)
    assert trained.names == ("one",) and not (trained.arrays["gamma"].any() or trained.arrays["pi"].any())
    module = first()
    module.load_state_dict(
        {name: torch.from_numpy(trained.arrays[f"weight.{name}"][0]) for name in module.state_dict()}
    )
    with torch.no_grad():
        expected = module(torch.from_numpy(X / 255).float().movedim(-1, 1)).double().softmax(1)
    found = predicted_probabilities(NETWORK, trained, X, Context(1, ("job",), CPU))
    np.testing.assert_allclose(found[0], expected, rtol=1e-4)


@pytest.mark.slow
def test_it_learns_and_less_noise_learns_more():
    digits = load_digits()
    x, y = digits.images.astype(np.uint8)[:500], digits.target[:500]
    network = PerturbedResNet8(channels=1, classes=10, widths=(8, 16, 16), norm="group", groups=4)
    recipe = SgdRecipe(batch=50, epochs=8, rate=0.02, optimizer="adam", clip=1.0)
    replica = Replica("one", np.arange(400))
    right = []
    for sigma in (0.0, 20.0):
        trained = run(recipe, sigma, network, x, y, replica, largest=16.0)
        found = predicted_probabilities(network, trained, x[400:], Context(1, ("job",), CPU))[0].argmax(1)
        right.append((found == y[400:]).mean())
    assert right[0] > 0.6 and right[1] < right[0] - 0.2


# ---------------------------------------------------------------- privacy of a step


def summed(rows, recipe, monkeypatch, **data):
    """What noise is added to in the first step, a sum over the rows, (numbers,)."""
    seen = []
    actual = DPOptimizerFastGradientClipping.add_noise

    def noting(optimizer):
        seen.append(torch.cat([p.summed_grad.double().flatten() for p in optimizer.params]).numpy())
        actual(optimizer)

    with monkeypatch.context() as patch:
        always(rows, patch)
        patch.setattr(DPOptimizerFastGradientClipping, "add_noise", noting)
        run(recipe, 1.0, **data)
    return seen[0]


@pytest.mark.slow
@pytest.mark.parametrize("clip", [1e-3, 0.3, 3.0])
@pytest.mark.parametrize("images", ["random", "bright", "faint", "alike"])
def test_a_sample_moves_the_sum_by_no_more_than_the_clip(clip, images, monkeypatch):
    """Every sample left out in turn; what is clipped moves it by the clip itself, so that half is no bound."""
    x = {"random": X, "bright": X // 2 + 128, "faint": X // 250, "alike": np.broadcast_to(X[5], X.shape)}[images]
    y = np.zeros_like(Y) if images == "alike" else Y
    recipe = replace(RECIPE, clip=clip)
    norms = np.linalg.norm(sample_gradients(x[5:18], y[5:18]), axis=1)
    whole = summed(range(13), recipe, monkeypatch, x=x, y=y)
    for row in range(13):
        rest = [other for other in range(13) if other != row]
        distance = np.linalg.norm(whole - summed(rest, recipe, monkeypatch, x=x, y=y))
        assert distance <= clip
        assert distance == pytest.approx(min(clip, norms[row]), rel=1e-3)


def test_noise_on_the_weights_has_the_accounted_deviation(monkeypatch):
    """Sigma C / B on every weight, fresh with every step, and nothing else in an empty batch."""
    always([], monkeypatch)
    network, sigma = replace(NETWORK, widths=(8, 12, 16), groups=4), 2.0
    at = [flat(run(replace(RECIPE, rate=1.0, epochs=epochs), sigma, network)) for epochs in range(11)]
    noise = np.diff(at, axis=0) / (sigma * 0.3 / 13)
    assert noise.shape == (10, len(at[0])) and noise.size > 60_000
    assert noise.std() == pytest.approx(1, rel=5 / np.sqrt(2 * noise.size))
    assert noise.mean() == pytest.approx(0, abs=5 / np.sqrt(noise.size))
    assert kstest(noise.ravel(), "norm").pvalue > 1e-3
    products = (noise @ noise.T)[~np.eye(10, dtype=bool)] / noise.shape[1]
    assert np.abs(products).max() < 5 / np.sqrt(noise.shape[1])


def test_empty_batches_without_noise_move_nothing(monkeypatch):
    always([], monkeypatch)
    for recipe in CASES.values():
        assert as_bytes(run(recipe)) == as_bytes(run(replace(recipe, epochs=0)))


def test_a_run_is_charged_for_every_noise_it_adds(monkeypatch):
    added = []
    actual = DPOptimizerFastGradientClipping.add_noise

    def adding(optimizer):
        added.append(optimizer.noise_multiplier * optimizer.max_grad_norm)
        actual(optimizer)

    monkeypatch.setattr(DPOptimizerFastGradientClipping, "add_noise", adding)
    drawn = []
    draw = dp_sgd.poisson_batch
    monkeypatch.setattr(dp_sgd, "poisson_batch", lambda *given: drawn.append(given[1:]) or draw(*given))
    for recipe in CASES.values():
        run(recipe, 1.3)
        charged = account(len(REPLICA.rows), recipe, 1.3)
        steps = charged.epochs * training_run.steps_per_epoch(charged.samples, charged.batch)
        assert added == [pytest.approx(1.3 * 0.3, rel=1e-12)] * steps
        assert drawn == [(13, charged.rate)] * steps
        assert charged.sensitivity == 1 and training_run.check(charged, np.arange(2.0, 32.0)) <= training_run.AGREEMENT
        added.clear()
        drawn.clear()


# ---------------------------------------------------------------- whole runs


def test_runs_differ_by_name_seed_and_sigma():
    recipe = CASES["sgd"]
    runs = [run(recipe, 1.3), run(recipe, 1.4), run(recipe, 1.3, seed=2)]
    runs.append(run(recipe, 1.3, replica=replace(REPLICA, name="two")))
    assert len({as_bytes(trained)["weight.stem.weight"] for trained in runs}) == 4
    assert as_bytes(run(recipe, 1.3)) == as_bytes(runs[0])


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"network": replace(NETWORK, norm="batch")}, "norm 'batch'"),
        ({"replica": replace(REPLICA, gamma=0.5)}, "replica one: gamma 0.5, pi 0.25"),
        ({"replica": replace(REPLICA, pi=0.5)}, "replica one: gamma 0.0, pi 0.5"),
        (
            {"replica": replace(REPLICA, gamma=0.5), "network": replace(NETWORK, form=NoiseForm("multiplicative"))},
            "pi 0",
        ),
        ({"replica": replace(REPLICA, rows=np.array([0, 30]))}, "from 0 to 29"),
        ({"replica": replace(REPLICA, rows=np.array([3, 3]))}, "must be different"),
        ({"recipe": replace(RECIPE, clip=None)}, "clip None"),
        ({"recipe": replace(RECIPE, batch=14)}, "batch 14: there are only 13 samples"),
        ({"sigma": -1.0}, "sigma -1"),
        ({"x": X.astype(float)}, "float64"),
        ({"x": X[..., :1]}, "2 channels"),
        ({"y": Y + 1}, "from 0 to 2"),
    ],
)
def test_what_does_not_fit_is_refused(change, match):
    with pytest.raises(InputError, match=match):
        run(**change)


def test_the_run_that_diverges_is_named():
    with pytest.raises(InputError, match=r"run one: its weights after step \d+ of 80 are not finite"):
        run(replace(CASES["sgd"], rate=1e38, epochs=20), 1.3)
