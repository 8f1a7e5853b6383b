"""The networks that methods of the leaderboard choose from: layers of hidden units, and a ResNet8."""

import numpy as np
import pytest
import torch

from lib.core.errors import InputError
from lib.leaderboard.method import Given
from lib.leaderboard.methods import build_method
from lib.leaderboard.network import Mlp, ResNet8OfGroups, network_of, network_trainer, one_hot, train_network
from lib.training.context import Context
from lib.training.sgd_recipe import SgdRecipe
from tests.leaderboard.builders import DELTA, ORDERS, SETTINGS, SLOTS, worlds

pytestmark = pytest.mark.usefixtures("one_thread")
CPU = torch.device("cpu")
RESNET8 = {"widths": [8, 8, 16], "groups": 4}
RECIPE = {"batch": 40, "epochs": 25, "rate": 0.02, "optimizer": "adam"}


def method(kind, **more):
    """A method with a ResNet8 in place of hidden layers."""
    own = {name: value for name, value in SETTINGS[kind].items() if name not in ("hidden", "activation")}
    return build_method({**own, **RESNET8, **more}, SLOTS, (8, 8), 10, 16.0, 8.0, DELTA, ORDERS)


def fit(method, **given):
    private, public = worlds()
    return method.fit(Given(*private.world(0), public, given.get("votes"), Context(5, ("fit",), CPU)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plain", "untouched", "dp_sgd_broken"])
def test_a_residual_network_learns_as_one_with_hidden_layers_does(kind):
    private, public = worlds()
    more = {"recipe": RECIPE} if kind != "dp_sgd_broken" else {"recipe": RECIPE | {"rate": 0.01, "clip": 1.0}}
    predict = fit(method(kind, **more))
    assert (predict(public.test_x).argmax(1) == public.test_y).mean() > 0.6
    found = predict(private.x)
    assert found.dtype == np.float64 and np.abs(found.sum(1) - 1).max() < 1e-9
    # whatever is asked beside it
    np.testing.assert_allclose(predict(private.x[:3]), found[:3], rtol=1e-4, atol=1e-6)


def test_it_predicts_in_parts(monkeypatch):
    private, _ = worlds()
    network = network_of(RESNET8, private.x.shape[1:], 16.0, 10)
    x, y = private.world(0)
    recipe = SgdRecipe(**RECIPE | {"epochs": 1})
    predict = train_network(network, x, one_hot(y, 10), recipe, 0.0, Context(1, ("job",), CPU))
    whole = predict(private.x)
    monkeypatch.setattr(ResNet8OfGroups, "chunk", 7)
    np.testing.assert_allclose(predict(private.x), whole, rtol=1e-4, atol=1e-6)
    assert predict(private.x[:0]).shape == (0, 10)


def test_its_gradients_are_clipped_sample_by_sample_and_one_sees_no_other():
    private, _ = worlds()
    network = network_of(RESNET8, private.x.shape[1:], 16.0, 10)
    x, y = private.world(0)
    recipe = SgdRecipe(batch=len(x), epochs=1, rate=1.0, clip=0.01)

    def moved(x, y):
        trainer = network_trainer(network, x, one_hot(y, 10), recipe, 0.0, Context(1, ("job",), CPU))
        before = [weight.detach().clone() for weight in trainer.module.parameters()]
        trainer.advance()
        after = trainer.module.parameters()
        return torch.cat([(a.detach() - b).flatten() for a, b in zip(after, before, strict=True)]).double()

    other = x.copy()
    other[0] = 16 - other[0]
    # of the sum of clipped gradients, divided by the batch, one record changes two clips at most
    assert 0 < (moved(x, y) - moved(other, y)).norm() <= 2 * 0.01 / len(x) * (1 + 1e-3)
    assert moved(x, y).norm() <= 0.01


@pytest.mark.parametrize(
    ("settings", "shape", "reason"),
    [
        ({}, (8, 8), "either hidden or widths"),
        ({"hidden": [4], "widths": [8, 8, 8]}, (8, 8), "either hidden or widths"),
        ({"widths": [8, 8, 8], "activation": "tanh"}, (8, 8), "activation = 'tanh': a ResNet8"),
        ({"widths": [8, 12, 16]}, (8, 8), "groups 8: it must divide"),
        ({"widths": [8, 8]}, (8, 8), "there must be 3"),
        ({"widths": [8, 8, 8]}, (64,), "allowed are images"),
    ],
)
def test_a_network_that_does_not_fit_is_refused(settings, shape, reason):
    with pytest.raises(InputError, match=reason):
        network_of(settings, shape, 16.0, 10)


def test_images_of_one_channel_and_of_three():
    grey, colour = np.zeros((2, 8, 9), np.uint8), np.zeros((2, 8, 9, 3), np.uint8)
    colour[1, 3, 4, 2] = 255
    rows = network_of({"widths": [8, 8, 8]}, (8, 9, 3), 255.0, 10).rows(colour)
    assert rows.shape == (2, 3, 8, 9) and rows.dtype == np.float32
    assert rows[1, 2, 3, 4] == 1 and rows.sum() == 1
    assert network_of({"widths": [8, 8, 8]}, (8, 9), 255.0, 10).rows(grey).shape == (2, 1, 8, 9)
    assert network_of({"hidden": [4]}, (8, 9, 3), 255.0, 10) == Mlp((8, 9, 3), 255.0, (4,), 10)
