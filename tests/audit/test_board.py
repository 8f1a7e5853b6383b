"""What the leaderboard's mechanisms release, under audit: within their promises, and found out without their noise."""

import numpy as np
import pytest

from lib.audit.board import bound_of, worst_case
from lib.core.errors import InputError
from lib.leaderboard.methods import build_method
from lib.leaderboard.statements import stated
from pate_accountant.rdp import order_grid

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]

ORDERS = order_grid((1.5, 64.0, 0.5), (64.0, 256.0, 12))
RECIPE = {"batch": 50, "epochs": 2, "rate": 0.1}
STUDENT = {"hidden": [], "recipe": RECIPE}
PATE = {"queries": 30, "teachers": 20, "student": STUDENT}
CHECKED = {**PATE, "max_answered": 20, "ratio": 4.0, "threshold": 0.25}
METHODS = {
    "lnmax": PATE,
    "gnmax": PATE,
    "encoded_mean": PATE,
    "confident_gnmax": CHECKED,
    "interactive_gnmax": {**CHECKED, "first": 10, "excess": 0.1, "confidence": 0.8},
    "dp_sgd": {"hidden": [], "recipe": {**RECIPE, "clip": 1.0}},
    "dp_mac": {
        "hidden": [4],
        "threshold": 0.3,
        "recipe": {"batch": 50, "epochs": 2, "z_steps": 1, "z_rate": 0.02, "w_steps": 1, "w_rate": 0.1},
    },
}
RUNS = {"dp_sgd": 4000, "dp_mac": 5000, "encoded_mean": 4000}  # of which they have a share


def built(kind, epsilon):
    return build_method({"kind": kind, **METHODS[kind]}, 100, (3,), 4, 1.0, epsilon, 1e-3, ORDERS)


def bound(method, kind, runs):
    return bound_of(method, runs, 1e-3, 0.95, 1, ("test", kind))


@pytest.mark.parametrize("kind", METHODS)
def test_what_is_released_keeps_its_promise_and_is_seen(kind):
    method = built(kind, 8.0)
    found = bound(method, kind, RUNS.get(kind, 4000))
    assert 0 < found.epsilon < stated(method.cost())["guarantee"].epsilon


@pytest.mark.parametrize("kind", ["lnmax", "gnmax", "encoded_mean", "dp_sgd", "dp_mac"])
def test_noise_that_is_too_small_by_ten_is_found_out(kind):
    method = built(kind, 1.0)
    for name in method.noise.parameters:
        method.noise.parameters[name] /= 10
    assert bound(method, kind, RUNS.get(kind, 4000)).epsilon > 1


@pytest.mark.parametrize("kind", ["gnmax", "dp_sgd"])
def test_a_mechanism_without_noise_shows_all_that_so_many_runs_can(kind):
    method = build_method({"kind": f"{kind}_broken", **METHODS[kind]}, 100, (3,), 4, 1.0, None, 1e-3, ORDERS)
    found = bound(method, kind, RUNS.get(kind, 4000))
    assert found.epsilon > 0.7 * found.largest


def test_the_histograms_are_of_all_teachers_and_one_vote_apart():
    for teachers in (20, 21):
        method = build_method({"kind": "gnmax", **PATE, "teachers": teachers}, 100, (3,), 4, 1.0, 1.0, 1e-3, ORDERS)
        first, second = worst_case(method)[1]
        assert (first.sum(1) == teachers).all() and (second.sum(1) == teachers).all()
        assert (np.abs(first - second).sum(1) == 2).all() and (first.argmax(1) != second.argmax(1)).all()


def test_what_releases_nothing_but_its_model_has_no_bound():
    plain = build_method({"kind": "plain", "hidden": [], "recipe": RECIPE}, 100, (3,), 4, 1.0, None, 1e-3, ORDERS)
    assert bound(plain, "plain", 1000) is None


def test_one_teacher_cannot_be_outvoted():
    method = build_method({"kind": "gnmax", **PATE, "teachers": 1}, 100, (3,), 4, 1.0, 1.0, 1e-3, ORDERS)
    with pytest.raises(InputError, match=r"^teachers 1: one cannot be outvoted; allowed are at least 2$"):
        worst_case(method)
