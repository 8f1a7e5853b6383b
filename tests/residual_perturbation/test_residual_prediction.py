"""Predicted probabilities: ensembles as the mean of independent members, and noise in every prediction."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from lib.core.errors import InputError
from lib.residual_perturbation.network import PerturbedResNet8
from lib.residual_perturbation.noise import NoiseForm
from lib.residual_perturbation.prediction import predicted_probabilities
from lib.residual_perturbation.residual_recipe import ResidualRecipe
from lib.residual_perturbation.training import Replica, TrainedReplicas, train_residual
from lib.training.context import Context

pytestmark = pytest.mark.usefixtures("device")

CPU = torch.device("cpu")
RNG = np.random.default_rng(3)
X, Y = RNG.integers(0, 256, (60, 8, 8), np.uint8), RNG.integers(0, 4, 60)
NETWORK = PerturbedResNet8(channels=1, classes=4, widths=(4, 6, 8))
RECIPE = ResidualRecipe(epochs=2, batch=8, rate=0.1)
MEMBERS = [Replica(f"member {k}", np.arange(20), 1.0) for k in range(5)]


def trained(members=MEMBERS, network=NETWORK):
    return train_residual(network, X, Y, members, RECIPE, Context(1, ("job",), CPU))


def predicted(replicas, network=NETWORK, job=("test",), x=X, **settings):
    return predicted_probabilities(network, replicas, x, Context(1, job, CPU), **settings)


def test_an_ensemble_of_five_is_the_mean_of_five_independent_members():
    five = trained()
    # each member as it is trained and predicts on its own, the others never having been there
    alone = np.stack([predicted(trained([member]))[0] for member in MEMBERS])
    np.testing.assert_allclose(predicted(five), alone, atol=1e-5)
    stems = five.arrays["weight.stem.weight"].reshape(5, -1)
    assert np.abs(np.corrcoef(stems)[~np.eye(5, dtype=bool)]).max() < 0.6
    # logits are log-probabilities up to a constant
    mean = np.exp(np.log(alone).mean(0))
    expected = mean / mean.sum(1, keepdims=True)
    found = predicted(five, ensembles=[range(5), [0, 3], [4]])
    np.testing.assert_allclose(found[0], expected, atol=1e-5)
    np.testing.assert_allclose(found[2], alone[4], atol=1e-5)
    assert found.shape == (3, 60, 4) and not np.allclose(found[0], alone.mean(0), atol=1e-3)
    np.testing.assert_allclose(found.sum(2), 1)


def test_all_at_once_they_agree_within_rounding():
    five = trained()
    np.testing.assert_allclose(predicted(five, loop=False), predicted(five, loop=True), atol=1e-5)


@pytest.mark.parametrize("form", [NoiseForm(), NoiseForm("multiplicative")])
def test_predictions_are_noisy_and_keyed(form):
    network = replace(NETWORK, form=form)
    replicas = trained([*MEMBERS[:1], Replica("plain", np.arange(20))], network)
    one, same, other = (predicted(replicas, network, job) for job in (("test",), ("test",), ("train",)))
    np.testing.assert_array_equal(one, same)
    assert np.abs(one[0] - other[0]).mean() > 0.01  # test-time noise
    np.testing.assert_array_equal(one[1], other[1])  # the plain network has none
    # no two images share their noise
    equal = predicted(replicas, network, x=np.repeat(X[:1], 30, axis=0))
    assert len(np.unique(equal[0], axis=0)) == 30 and np.ptp(equal[1], axis=0).max() < 1e-6


def test_several_draws_are_the_mean_over_fresh_noise():
    one = trained(MEMBERS[:1])
    singles = []

    def noting(count):
        return predicted(one, draws=count)[0]

    for count in (1, 2, 3):
        singles.append(noting(count) * count - sum(singles, 0 * noting(1)))
    np.testing.assert_allclose(singles[0], noting(1))
    assert np.abs(singles[1] - singles[0]).mean() > 0.01 < np.abs(singles[2] - singles[1]).mean()
    assert ((-1e-12 < singles[2]) & (singles[2] < 1 + 1e-12)).all()
    np.testing.assert_allclose(sum(singles) / 3, noting(3))


def test_without_noise_the_chunk_does_not_matter_and_statistics_do_not_move():
    plain = trained([Replica("plain", np.arange(20))])
    before = {name: array.copy() for name, array in plain.arrays.items()}
    np.testing.assert_allclose(predicted(plain, chunk=7), predicted(plain), atol=1e-6)
    np.testing.assert_allclose(predicted(plain, x=X[5:6]), predicted(plain)[:, 5:6], atol=1e-6)
    assert all(np.array_equal(array, before[name]) for name, array in plain.arrays.items())


def test_confident_predictions_are_told_apart():
    plain = trained([Replica("plain", np.arange(20))])
    arrays = {**plain.arrays, "weight.linear.weight": 100 * plain.arrays["weight.linear.weight"]}
    found = predicted(TrainedReplicas(plain.names, arrays)).max(2)[0]
    sure = found[found > 1 - 1e-7]
    assert found.dtype == np.float64 and len(sure) > 3 and len(np.unique(sure[sure < 1])) > 3


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"x": X.astype(float)}, "uint8"),
        ({"draws": 0}, "draws 0"),
        ({"chunk": 0}, "chunk 0"),
        ({"ensembles": [[]]}, r"ensemble of \[\]"),
        ({"ensembles": [[0, 0]]}, r"ensemble of \[0, 0\]: allowed are different members from 0 to 0"),
        ({"ensembles": [[1]]}, r"ensemble of \[1\]"),
    ],
)
def test_what_does_not_fit_is_refused(settings, match):
    with pytest.raises(InputError, match=match):
        predicted(trained(MEMBERS[:1]), **settings)
