"""Methods that are not this project's: the documented example, and what is refused of others."""

import numpy as np
import pytest
import torch

from docs.examples.noisy_means import NoisyMeans
from lib.core.errors import InputError
from lib.leaderboard.method import Given
from lib.leaderboard.methods import build_method
from lib.leaderboard.statements import stated
from lib.leaderboard.task import Setting
from lib.training.context import Context
from pate_accountant.gaussian import sigma_analytic
from tests.leaderboard.builders import DELTA, ORDERS, SLOTS, build, worlds

SETTING = Setting(SLOTS, (8, 8), 16.0, 10, 8.0, DELTA, ORDERS)
HERE = "tests.leaderboard.test_external"


def fit(method, seed=5, job=("8", "0")):
    private, public = worlds()
    return method.fit(Given(*private.world(0), public, None, Context(seed, job, torch.device("cpu"))))


def accuracy(predict):
    public = worlds()[1]
    return (predict(public.test_x).argmax(1) == public.test_y).mean()


def external(name, budget=8.0, **settings):
    block = {"kind": "external", "entry": f"{HERE}:{name}", "promises": budget is not None, "settings": settings}
    return build_method(block, SLOTS, (8, 8), 10, 16.0, budget, DELTA, ORDERS)


def test_the_example_learns_and_claims_what_it_was_asked_for():
    method = build("external")
    (said,) = stated(method.cost()).values()
    assert (said.epsilon, said.delta, said.neighbouring, said.guarantee) == (8.0, DELTA, "replace_one", False)
    assert accuracy(fit(method)) > 0.3  # of 200 records; a tenth is guessing
    private, public = worlds()
    without_noise = NoisyMeans(Setting(SLOTS, (8, 8), 16.0, 10, None, DELTA, ORDERS))
    assert accuracy(without_noise.fit(*private.world(0), public.x, np.random.default_rng(0))) > 0.7


def test_one_replaced_record_moves_the_sums_of_the_example_by_as_much_as_it_is_charged_for():
    method, rng = NoisyMeans(SETTING), np.random.default_rng(1)
    x, y = rng.integers(0, 17, (400, 8, 8)), rng.integers(0, 10, 400)
    x[:2] = 0
    x[0, 0, 0] = 16  # orthogonal to what follows
    x[1, 7, 7] = 16
    rows = np.zeros((400, 10, 65))
    rows[np.arange(400), y] = method.features(x)
    moved = np.linalg.norm(rows[0::2] - rows[1::2], axis=(1, 2))
    assert 1.4142 < moved.max() < 1.4143
    assert method.sigma == sigma_analytic(1.4143, 8.0, DELTA)


def test_draws_of_a_method_of_ones_own_are_keyed_by_seed_and_job():
    method, asked = build("external"), worlds()[1].test_x
    first = fit(method)(asked)
    assert np.array_equal(first, fit(method)(asked))
    assert not np.array_equal(first, fit(method, seed=6)(asked))
    assert not np.array_equal(first, fit(method, job=("8", "1"))(asked))


class Told:
    """A method that returns what it was told to."""

    def __init__(self, given, claims=8.0, found="good"):
        self.epsilon, self.found = claims, found

    def fit(self, x, y, public_x, rng):
        def predict(asked):
            even = np.full((len(asked), 10), 0.1)
            return {
                "good": even,
                "narrow": even[:, :9],
                "short": even[1:],
                "labels": even.argmax(1),
                "whole": np.ones((len(asked), 10), int),
                "beyond": 2 * even,
                "negative": even - 0.2 * np.eye(10)[0] + 0.2 * np.eye(10)[1],
                "nan": even * np.nan,
            }[self.found]

        return predict


class Unfit:
    epsilon = 8.0

    def __init__(self, given):
        pass


@pytest.mark.parametrize("found", ["narrow", "short", "labels", "whole", "beyond", "negative", "nan"])
def test_what_is_no_probability_is_refused(found):
    predict = fit(external("Told", found=found))
    with pytest.raises(InputError, match=f"{HERE}:Told: predictions.*allowed"):
        predict(worlds()[1].test_x)


@pytest.mark.parametrize("epsilon", [8.1, 0.0, -1.0, float("nan"), float("inf"), "8"])
def test_a_claim_beyond_the_budget_or_none_is_refused(epsilon):
    with pytest.raises(InputError, match=r"Told: epsilon .* at most 8"):
        external("Told", claims=epsilon)


def test_what_promises_needs_a_number_and_what_does_not_has_none():
    with pytest.raises(InputError, match=r"epsilon None; it was asked for 8.0; allowed is promises: no"):
        external("Told", claims=None)
    assert stated(external("Told", budget=None, claims=None).cost()) == {}


@pytest.mark.parametrize(
    ("entry", "settings", "names"),
    [
        ("nowhere:Method", {}, "no module nowhere"),
        (f"{HERE}:Nobody", {}, "has no Nobody"),
        (f"{HERE}:HERE", {}, "allowed is a class"),
        (f"{HERE}:Unfit", {}, "it has no fit"),
        (f"{HERE}:Told", {"sharpnes": 2}, "settings \\['sharpnes'\\]"),
    ],
)
def test_what_is_no_method_is_named(entry, settings, names):
    block = {"kind": "external", "entry": entry, "promises": True, "settings": settings}
    with pytest.raises(InputError, match=names):
        build_method(block, SLOTS, (8, 8), 10, 16.0, 8.0, DELTA, ORDERS)


def elsewhere(folder, epsilon=None):
    block = {"kind": "predictions", "folder": str(folder), "promises": epsilon is not None}
    return build_method(block, SLOTS, (8, 8), 10, 16.0, epsilon, DELTA, ORDERS)


def predicted(seed, rows):
    return np.random.default_rng(seed).dirichlet(np.ones(10), rows)


def test_predictions_made_elsewhere_are_read_by_budget_and_world(tmp_path):
    private, public = worlds()
    arrays = {"probabilities": predicted(1, len(private.x)), "test_probabilities": predicted(2, len(public.test_x))}
    (tmp_path / "8").mkdir()
    np.savez(tmp_path / "8" / "1.npz", **arrays)
    method = elsewhere(tmp_path, 8.0)
    assert stated(method.cost())["claimed"].epsilon == 8.0
    predict = fit(method, job=("board", "theirs", "8", "1"))
    assert np.array_equal(predict(public.test_x), arrays["test_probabilities"])
    assert np.array_equal(predict(private.x), arrays["probabilities"])
    with pytest.raises(InputError, match=r"8/0\.npz"):
        fit(method, job=("board", "theirs", "8", "0"))


def test_predictions_that_do_not_fit_the_worlds_are_refused(tmp_path):
    private, public = worlds()
    (tmp_path / "none").mkdir()
    good = {"probabilities": predicted(1, len(private.x)), "test_probabilities": predicted(2, len(public.test_x))}
    for changed, names in (
        ({"probabilities": good["probabilities"][1:]}, "probabilities: predictions of shape"),
        ({"test_probabilities": good["test_probabilities"] * 2}, "test_probabilities: predictions; allowed"),
    ):
        np.savez(tmp_path / "none" / "0.npz", **good | changed)
        with pytest.raises(InputError, match=names):
            fit(elsewhere(tmp_path), job=("none", "0"))
    np.savez(tmp_path / "none" / "0.npz", probabilities=good["probabilities"])
    with pytest.raises(InputError, match=r"0\.npz: lacks the arrays \['test_probabilities'\]"):
        fit(elsewhere(tmp_path), job=("none", "0"))
