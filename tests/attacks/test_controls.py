"""Both attacks on networks that were really trained: one that overfits, and one that saw none of the samples."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from lib.attacks.roc import auc_interval
from lib.attacks.shadow import shadow_scores
from lib.attacks.shadow_settings import AttackSettings
from lib.attacks.split import split_attack
from lib.attacks.threshold import confidences
from lib.core.seeding import generator
from lib.residual_perturbation.network import PerturbedResNet8
from lib.residual_perturbation.prediction import predicted_probabilities
from lib.residual_perturbation.residual_recipe import ResidualRecipe
from lib.residual_perturbation.training import Replica, train_residual
from lib.training.context import Context

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("module_device")]

DIGITS = load_digits()
# digits in noise, or else a network that knows every training image by heart is as sure about the others
X = np.clip(DIGITS.images + np.random.default_rng(1).normal(0, 5, DIGITS.images.shape), 0, 255).astype(np.uint8)
Y = DIGITS.target
ATTACKED, ELSEWHERE = np.arange(1200), np.arange(1200, 1500)
SPLIT = split_attack(len(ATTACKED), generator(1, "split"))
SHADOW_ROWS, ROWS = (np.concatenate([SPLIT[f"{side}_train"], SPLIT[f"{side}_out"]]) for side in ("shadow", "target"))
MEMBER = SHADOW_MEMBER = np.repeat([True, False], 300)  # of 1200 samples, each half has a quarter
ATTACKS = ["threshold", 0.1, 1e-3]


@pytest.fixture(scope="module")
def probabilities(module_device):
    """What a target, its shadow, and a network trained elsewhere say about all of the digits."""
    network = PerturbedResNet8(channels=1, classes=10, widths=(8, 16, 32))
    replicas = [
        Replica("target", SPLIT["target_train"]),
        Replica("shadow", SPLIT["shadow_train"]),
        Replica("elsewhere", ELSEWHERE),
    ]
    recipe = ResidualRecipe(epochs=25, batch=32, milestones=(12, 18), rate=0.1)
    context = Context(1, ("controls",), module_device)
    trained = train_residual(network, X, Y, replicas, recipe, context)
    found = predicted_probabilities(network, trained, X, context)
    return dict(zip(trained.names, found, strict=True))


def attack(which, shadow, target):
    """The attack's AUC on D_target."""
    if which == "threshold":
        return auc_interval(confidences(target[ROWS]), MEMBER)
    settings = AttackSettings(rate=which)
    return auc_interval(shadow_scores(shadow[SHADOW_ROWS], SHADOW_MEMBER, target[ROWS], settings, 1, ("c",)), MEMBER)


def test_the_target_overfits(probabilities):
    right = probabilities["target"].argmax(1) == Y
    assert right[SPLIT["target_train"]].mean() > 0.99 and right[SPLIT["target_out"]].mean() < 0.85


@pytest.mark.parametrize("which", ATTACKS)
def test_a_network_that_overfits_is_attacked_well(which, probabilities):
    found = attack(which, probabilities["shadow"], probabilities["target"])
    assert found.auc > 0.65 and found.low > 0.6 and not found.constant


@pytest.mark.parametrize("which", ATTACKS)
def test_a_network_that_saw_neither_half_is_not(which, probabilities):
    found = attack(which, probabilities["shadow"], probabilities["elsewhere"])
    assert found.low < 0.5 < found.high and not found.constant


def test_nobody_saw_what_another_saw():
    parts = [SPLIT["target_train"], SPLIT["shadow_train"], ELSEWHERE, SPLIT["target_out"], SPLIT["shadow_out"]]
    assert len(np.unique(np.concatenate(parts))) == sum(map(len, parts))
