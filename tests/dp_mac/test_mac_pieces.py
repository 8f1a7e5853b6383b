"""What stands between DP-MAC's mechanism and its figures: levels of noise, tasks, features, the toy of Figure 2."""

import numpy as np
import pandas as pd
import pytest
import torch

from lib.core.errors import InputError
from lib.data.supervised import Images
from lib.dp_mac.accounting import MacRun
from lib.dp_mac.curves import epochs_to_reach
from lib.dp_mac.features import inside, roughness, significant_units
from lib.dp_mac.levels import sigma_of
from lib.dp_mac.network import MacNetwork
from lib.dp_mac.preparation import Projection
from lib.dp_mac.task import (
    evaluation,
    inputs_and_targets,
    named_projections,
    named_weights,
    network_of,
    prepared,
    projections_from,
    weights_of,
    write_curves,
)
from lib.dp_mac.toy import at, toys
from pate_accountant.training_run import epsilon as cost

ORDERS = np.array([1.5, 2.0, 3.0, 4.0, 8.0, 16.0, 32.0, 64.0])
PRINTED = [[8, 2.2], [1, 12.1]]
RNG = np.random.default_rng(6)
IMAGES = Images(
    RNG.random((12, 2, 3), np.float32),
    np.arange(12) % 3,
    RNG.random((6, 2, 3), np.float32),
    np.arange(6) % 3,
    "ab" * 32,
)
AUTOENCODER = {"network": {"hidden": [4], "output": "squared_error"}, "classes": 3}
CLASSIFIER = {"network": {"hidden": [5, 4], "output": "binary_cross_entropy"}, "classes": 3}


def run_at(sigma: float) -> MacRun:
    return MacRun(samples=5000, batch=50, epochs=20, layers=6, sigma=sigma)


def test_the_papers_sigma_is_looked_up_and_the_needed_one_costs_no_more():
    assert sigma_of("printed", 1.0, PRINTED, run_at, ORDERS, 1e-5) == 12.1
    assert sigma_of("none", None, PRINTED, run_at, ORDERS, 1e-5) is None
    needed = sigma_of("needed", 8.0, [], run_at, ORDERS, 1e-5)
    assert cost(run_at(needed), ORDERS, 1e-5) <= 8 < cost(run_at(0.99 * needed), ORDERS, 1e-5)


@pytest.mark.parametrize(("noise", "epsilon"), [("printed", 2.0), ("some", 8.0)])
def test_an_unknown_level_is_refused(noise, epsilon):
    with pytest.raises(InputError, match="allowed are"):
        sigma_of(noise, epsilon, PRINTED, run_at, ORDERS, 1e-5)


def test_networks_fit_their_images():
    assert network_of(IMAGES, AUTOENCODER).sizes == (6, 4, 6)
    assert network_of(IMAGES, CLASSIFIER).sizes == (6, 5, 4, 3)


def test_classes_are_stated_and_not_counted_in_private_labels():
    assert network_of(IMAGES, CLASSIFIER | {"classes": 7}).sizes[-1] == 7
    with pytest.raises(InputError, match="classes: 2, but a label is 2; allowed is 3 or more"):
        network_of(IMAGES, CLASSIFIER | {"classes": 2})


def test_targets_are_the_images_or_one_unit_a_class():
    x, y = inputs_and_targets(network_of(IMAGES, AUTOENCODER), IMAGES, None)
    assert x is y and x.shape == (12, 6)
    _, y = inputs_and_targets(network_of(IMAGES, CLASSIFIER), IMAGES, None)
    np.testing.assert_array_equal(y.argmax(1), IMAGES.labels)
    np.testing.assert_array_equal(y.sum(1), np.ones(12))


def initial(network: MacNetwork, runs: int = 2) -> list[torch.Tensor]:
    drawn = [network.initial_weights(np.random.default_rng(run)) for run in range(runs)]
    return [torch.from_numpy(np.stack(layer)) for layer in zip(*drawn, strict=True)]


def test_both_sets_are_measured():
    network = network_of(IMAGES, AUTOENCODER)
    weights = initial(network)
    found = evaluation(network, IMAGES, None, torch.device("cpu"))(weights)
    predicted = network.predict(weights, torch.from_numpy(IMAGES.test_x.reshape(6, 6))).numpy()
    expected = np.square(predicted - IMAGES.test_x.reshape(1, 6, 6)).sum(2).mean(1)
    np.testing.assert_allclose(found["test_error"], expected, rtol=1e-5)
    assert set(found) == {"train_error", "test_error"}
    classified = evaluation(network_of(IMAGES, CLASSIFIER), IMAGES, None, torch.device("cpu"))
    assert set(classified(initial(network_of(IMAGES, CLASSIFIER)))) == {"train_accuracy", "test_accuracy"}


def test_weights_keep_their_order_in_a_file():
    weights = [np.full((1, 2, 2), float(layer)) for layer in range(12)]
    back = weights_of(dict(sorted(named_weights(weights).items())))
    assert [float(weight[0, 0, 0]) for weight in back] == list(range(12))


def test_curves_have_a_row_for_each_repetition_and_epoch(tmp_path):
    write_curves(tmp_path / "c.csv", {"test_error": np.array([[3.0, 2.0, 1.0], [6.0, 5.0, 4.0]])}, [1, 4])
    found = pd.read_csv(tmp_path / "c.csv")
    assert found["repetition"].tolist() == [1, 1, 1, 4, 4, 4] and found["epoch"].tolist() == [0, 1, 2] * 2
    assert found["test_error"].tolist() == [3, 2, 1, 6, 5, 4]


def test_epochs_are_counted_until_an_error_is_reached_or_the_common_ones_end():
    curve = np.array([100.0, 50.0, 20.0, 14.0, 10.0, 12.0])
    assert [epochs_to_reach(curve, wanted, 5) for wanted in (200, 50, 14, 11, 9)] == [0, 1, 3, 4, 6]
    assert epochs_to_reach(curve, 11, 3) == 4  # reached too late to be seen
    assert epochs_to_reach(curve, 9, 3) == 4


def test_the_unit_that_leads_to_a_label_is_found():
    network = MacNetwork((4, 3, 2), output="binary_cross_entropy")
    first = torch.zeros(1, 4, 3)
    first[0, 1, 2] = 5.0  # unit 2 sees pixel 1
    last = torch.zeros(1, 3, 2)
    last[0, 2, 1], last[0, 0, 0] = 1.0, 1.0  # and leads to label 1, unit 0 to label 0
    x = torch.eye(4)
    assert significant_units(network, [first, last], x, np.array([0, 1, 0, 1]), [0, 1]).tolist() == [[0, 2]]


def test_borders_count_for_no_roughness():
    images = np.random.default_rng(1).standard_normal((3, 28, 28))
    framed = np.pad(images[:, 4:-4, 4:-4], ((0, 0), (4, 4), (4, 4)), constant_values=100.0)
    assert np.array_equal(roughness(framed), roughness(images))
    assert inside(images).shape == (3, 20, 20) and inside(np.zeros((8, 8))).shape == (6, 6)


def test_projections_keep_their_order_in_a_file():
    rng = np.random.default_rng(0)
    projections = [Projection(run / 10, rng.random((6, 2))) for run in range(3)]
    back = projections_from(named_projections(projections) | named_weights([np.zeros((3, 2, 2))]))
    for one, two in zip(projections, back, strict=True):
        assert one.centre == two.centre and np.array_equal(one.basis, two.basis)
    centred = projections_from(named_projections([Projection(0.5, None)]))
    assert centred == [Projection(0.5, None)]
    assert named_projections(None) == {} and projections_from({}) is None
    rows = prepared(IMAGES.x, projections)
    assert rows.shape == (3, 12, 2) and np.array_equal(rows[1], projections[1](IMAGES.x.reshape(12, 6)))
    assert prepared(IMAGES.x, None).shape == (12, 6)


def test_smooth_images_are_less_rough_than_noise():
    ramp = np.add.outer(np.arange(16.0), np.arange(16.0))
    noise = np.random.default_rng(1).standard_normal((50, 16, 16))
    assert roughness(ramp) < 0.1
    assert roughness(noise).mean() == pytest.approx(2, abs=0.1)
    assert roughness(3 * noise + 7) == pytest.approx(roughness(noise))


@pytest.mark.parametrize("name", ["input layer", "output layer"])
def test_the_toys_approximation_touches_the_objective(name):
    toy = toys(50, 1.0, np.random.default_rng(2))[name]
    step = np.array([-1e-4, 0.0, 1e-4])
    values, second, first = toy.values(step), at(toy.expansion(2), step), at(toy.expansion(1), step)
    np.testing.assert_allclose(values, second, atol=1e-11)  # to the third order in the step
    assert first[1] == pytest.approx(values[1]) and first[2] - first[0] == pytest.approx(values[2] - values[0])


def test_no_input_or_target_of_the_toys_exceeds_their_bound():
    for toy in toys(4000, 1.0, np.random.default_rng(2)).values():
        assert max(np.abs(toy.inputs).max(), np.abs(toy.targets).max()) <= toy.bound


def test_the_toys_true_weights_minimise_their_objectives():
    grid = np.linspace(-2, 2, 401)
    found = {name: grid[toy.values(grid).argmin()] for name, toy in toys(4000, 1.0, np.random.default_rng(2)).items()}
    assert found["input layer"] == pytest.approx(-0.7, abs=0.011)
    assert found["output layer"] == pytest.approx(0.7, abs=0.2)
