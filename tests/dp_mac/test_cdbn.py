"""The network learns from released coefficients alone, the same bytes each time."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.polynomial import Polynomial
from sklearn.datasets import load_digits

from lib.core.errors import InputError
from lib.dp_mac import cdbn
from lib.dp_mac.cdbn import Cdbn, CdbnSettings, accuracy, fit_hidden, fit_output, train_cdbn
from lib.dp_mac.cdbn_published import PublishedSettings, claim, output_cost, train_published
from lib.dp_mac.cdbn_release import release_hidden, release_output
from lib.dp_mac.chebyshev import softplus
from lib.training.context import Context

pytestmark = pytest.mark.usefixtures("module_device")

CPU = torch.device("cpu")
SETTINGS = CdbnSettings(
    filters=(6, 8), sizes=(3, 3), stride=1, grid=4, clips=(1.0, 1.0, 1.0), hidden_steps=100, epochs=40, epoch_steps=20
)
QUICK = replace(SETTINGS, filters=(3, 2), hidden_steps=5, epochs=3, epoch_steps=2)


@pytest.fixture(scope="module")
def digits():
    found = load_digits()
    x, y = (found.images / 16)[:, None].astype(np.float32), found.target
    return x[:1400], y[:1400], x[1400:], y[1400:]


def trained(digits, settings=SETTINGS, epsilon=None, name="a", **options):
    x, y, x_test, y_test = digits
    evaluate = options.pop("evaluate", accuracy(x_test, y_test, CPU))
    return train_cdbn(settings, x, y, 10, epsilon, evaluate, Context(0, ("test", name), CPU, **options))


@pytest.mark.parametrize(("radius", "degree"), [(1.0, 2), (6.0, 2), (6.0, 3), (4.0, 1), (6.0, 8)])
def test_the_error_of_the_polynomial(radius, degree):
    found = softplus(radius, degree)
    x = np.random.default_rng(0).uniform(-radius, radius, 20000)
    error = np.abs(Polynomial(found.coefficients)(x) - np.logaddexp(0, x)).max()
    assert error <= found.error <= 1.05 * error + 1e-3
    assert len(found.coefficients) == degree + 1 and found.coefficients[1] == pytest.approx(0.5)


def test_hidden_training_lowers_the_objective_within_the_polynomials_interval(digits):
    moments = release_hidden(torch.tensor(digits[0]), 3, 2, 1.0, None, np.random.default_rng(0))
    weight, curve = fit_hidden(moments, 4, SETTINGS, np.random.default_rng(1))
    assert curve[-1] < curve[0] - 0.5 and np.isfinite(weight.numpy()).all()
    assert curve[-1] <= curve[:-1].min() + 1e-3
    filters = weight[:, 1:] / weight[:, 1:].norm(dim=1, keepdim=True)
    torch.testing.assert_close(filters @ filters.T, torch.eye(4, dtype=torch.float64), atol=1e-6, rtol=0)
    drawn = cdbn.projected(torch.from_numpy(9 * np.random.default_rng(2).standard_normal((4, 10))), 6.0)
    assert (cdbn.with_one(torch.rand(1000, 9).double()) @ drawn.T).abs().max() <= 6.0


def test_the_part_without_data_is_the_logarithm_of_the_partition_function():
    rng = np.random.default_rng(3)
    weight, visible = torch.from_numpy(rng.standard_normal((3, 5))), torch.from_numpy(rng.standard_normal(4))
    zero = cdbn.hidden_objective(torch.zeros(5, 5).double(), weight, visible, np.zeros(3))
    states = ((np.arange(16)[:, None] >> np.arange(4)) & 1).astype(float)
    energy = states @ visible.numpy() + np.logaddexp(0, weight[:, 0].numpy() + states @ weight[:, 1:].numpy().T).sum(1)
    assert zero.item() == pytest.approx(np.log(np.exp(energy).sum()))


@pytest.mark.slow
def test_output_training_reaches_the_minimum_of_its_polynomial():
    rng = np.random.default_rng(4)
    features, y = torch.from_numpy(rng.random((500, 6))), torch.from_numpy(rng.integers(0, 3, 500))
    settings = replace(SETTINGS, epochs=60, epoch_steps=100)
    for epsilons in ((None, None), (1.0, 1.0)):
        released = release_output(features, y, 3, 1.0, epsilons, rng)
        seen = []
        _, curve = fit_output(released, settings, lambda epoch, weight, seen=seen: seen.append(epoch))
        linear, matrix = cdbn.output_objective(released, settings)
        best = torch.linalg.solve(2 * matrix, linear.T).T
        assert seen == list(range(61)) and curve[-1] < curve[0]
        least = ((best @ matrix) * best - linear * best).sum().item()
        assert curve[-1] == pytest.approx(least, rel=1e-2)
        assert torch.linalg.eigvalsh(matrix).min() > 0


@pytest.mark.slow
def test_digits_are_learned_and_a_huge_epsilon_changes_nothing(digits):
    plain = trained(digits)
    assert plain.curve[0] < 0.2 and plain.curve[-1] > 0.88 and len(plain.curve) == SETTINGS.epochs + 1
    huge = trained(digits, epsilon=1e9)
    assert abs(huge.curve[-1] - plain.curve[-1]) < 0.01
    for ours, theirs in zip(plain.network.hidden, huge.network.hidden, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-2, atol=1e-2)
    assert trained(digits, epsilon=0.5).curve[-1] < plain.curve[-1] - 0.1


def test_draws_are_keyed_by_name(digits):
    first, again, other = (trained(digits, QUICK, 1.0, name) for name in ("a", "a", "b"))
    assert torch.equal(first.network.output, again.network.output) and np.array_equal(first.curve, again.curve)
    assert not torch.equal(first.network.output, other.network.output)


PUBLISHED = PublishedSettings(filters=(4, 6), size=3, batch=200, epochs=30)


def published(digits, settings=PUBLISHED, epsilon=0.5, **options):
    x, y, x_test, y_test = digits
    evaluate = accuracy(x_test, y_test, CPU)
    return train_published(settings, x, y, 10, epsilon, evaluate, Context(0, ("test", "a"), CPU, **options))


def test_the_published_training_learns_and_claims_no_guarantee(digits):
    assert published(digits, epsilon=None).curve[-1] > 0.75
    assert not claim(0.5, 1e-5)["proved_bound"]


def test_the_published_step_shows_labels_without_noise():
    """At output weights of 0, flipping one label moves the biases' gradient by just 1, whatever was drawn as noise."""
    units = torch.rand(8, 25, generator=torch.Generator().manual_seed(0))
    labels = torch.tensor([0, 1, 2, 0, 1, 2, 0, 1])
    gradients = []
    for flipped in (False, True):
        labels[0] = 2 if flipped else 0
        for seed in range(3):
            noise = torch.from_numpy(np.random.default_rng(seed).laplace(0, 100.0, 25)).float()
            bias = torch.zeros(3, requires_grad=True)
            scores = torch.nn.functional.linear(units + noise, torch.zeros(3, 25), bias)
            output_cost(scores, torch.nn.functional.one_hot(labels, 3)).backward()
            gradients.append(bias.grad)
    assert all(torch.equal(gradients[0], same) for same in gradients[1:3])
    assert all((changed - gradients[0]).tolist() == [1.0, 0.0, -1.0] for changed in gradients[3:])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"filters": (10, 2)}, "orthogonal"),
        ({"sizes": (3,)}, "sizes"),
        ({"shares": (0.5, 0.5, 0.5, 0.5)}, "shares"),
        ({"shares": (0.9, 0.9, -0.4, -0.4)}, "shares"),
        ({"shares": (math.nan, 0.3, 0.3, 0.3)}, "shares"),
        ({"clips": (5.0, 5.0, 5.0)}, "clips"),
        ({"gain": math.inf}, "gain"),
        ({"threshold": math.inf}, "threshold"),
        ({"ridge": -0.1}, "ridge"),
    ],
)
def test_settings_that_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        replace(SETTINGS, **change)


def test_data_that_are_refused(digits):
    x, y = digits[:2]
    for images, labels, epsilon, message in (
        (x * 2, y, 1.0, "pixels"),
        (x[:, 0], y, 1.0, "images"),
        (x, y + 1, 1.0, "labels"),
        (x, y, 0.0, "epsilon"),
    ):
        with pytest.raises(InputError, match=message):
            train_cdbn(QUICK, images, labels, 10, epsilon, lambda network: 0.0, Context(0, ("test", "a"), CPU))


def test_features_lie_in_the_interval_that_the_sensitivity_needs(digits):
    network = Cdbn(QUICK, [torch.full((3, 10), 50.0).double(), torch.full((2, 28), -50.0).double()])
    found = network.features(torch.tensor(digits[0][:5]))
    assert found.min() >= 0 and found.max() <= 1 and found.shape == (5, 32)
