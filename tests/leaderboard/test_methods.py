"""Every method on small digits: distributions, what it learns, what it costs, and what it may look at."""

import inspect
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import given as drawn
from hypothesis import settings as example_settings
from hypothesis import strategies as st

from lib.core.errors import InputError
from lib.leaderboard import pate
from lib.leaderboard.calibration import Calibrated
from lib.leaderboard.method import Given, Method
from lib.leaderboard.method_settings import settings_at
from lib.leaderboard.methods import KINDS
from lib.leaderboard.statements import stated
from lib.leaderboard.votes import teacher_votes
from lib.training.context import Context
from pate_accountant import rdp
from pate_accountant.replaced import replaced_gaussian_rdp
from tests.leaderboard.builders import (
    ASKING,
    CLASSIFIER,
    DELTA,
    ORDERS,
    PRIVATE,
    SETTINGS,
    SLOTS,
    STUDENT,
    TEACHERS,
    VOTING,
    build,
    worlds,
)

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]
CPU = torch.device("cpu")


@cache
def votes(w):
    return teacher_votes(*worlds()[0].world(w), TEACHERS, CLASSIFIER, worlds()[1].x, 10, Context(1, ("votes",), CPU))


def fit(method, w=0, seed=5, public=None, given=None):
    private, pool = worlds()
    asked = votes(w) if method.teachers and given is None else given
    return method.fit(Given(*private.world(w), public or pool, asked, Context(seed, ("fit",), CPU)))


def accuracy(predict):
    public = worlds()[1]
    return (predict(public.test_x).argmax(1) == public.test_y).mean()


def test_every_kind_is_tried():
    elsewhere = {"predictions"}  # test_external.py
    assert set(SETTINGS) | elsewhere == set(KINDS) and set(VOTING) < set(PRIVATE)


@pytest.mark.parametrize("kind", SETTINGS)
def test_it_predicts_distributions_and_the_same_ones_again(kind):
    method = build(kind)
    predict, again = fit(method), fit(method)
    private, public = worlds()
    for x in (private.x, public.test_x, public.test_x[:1]):
        found = predict(x)
        assert found.shape == (len(x), 10) and found.dtype.kind == "f"
        assert (found >= 0).all() and np.abs(found.sum(1) - 1).max() < 1e-6
        np.testing.assert_array_equal(found, again(x))
    other = fit(method, seed=6)(public.test_x)
    assert (other != predict(public.test_x)).any()


@pytest.mark.parametrize("kind", SETTINGS)
def test_it_is_the_interface(kind):
    method = build(kind)
    assert inspect.signature(type(method).fit) == inspect.signature(Method.fit)
    assert (method.teachers == TEACHERS) == (kind in ASKING)
    assert all(isinstance(value, float) for value in method.parameters().values())


@pytest.mark.parametrize("kind", SETTINGS)
def test_it_learns(kind):
    """With hardly any noise, which ten teachers need a large epsilon for, it does better than chance, 0.1, by far."""
    assert accuracy(fit(build(kind, 1000.0 if kind in VOTING else 40.0))) > 0.6


@pytest.mark.parametrize("kind", [kind for kind in SETTINGS if kind != "untouched"])
def test_public_labels_are_not_used(kind):
    private, public = worlds()
    hidden = replace(public, y=np.full_like(public.y, -1), test_y=None, test_x=None)
    method = build(kind)
    np.testing.assert_array_equal(fit(method, public=hidden)(private.x), fit(method)(private.x))


@pytest.mark.parametrize("kind", ASKING)
def test_a_student_sees_votes_only(kind):
    private, public = worlds()
    method = build(kind)
    x, y = private.world(0)
    blind = method.fit(Given(np.zeros_like(x), np.zeros_like(y), public, votes(0), Context(5, ("fit",), CPU)))
    np.testing.assert_array_equal(blind(private.x), fit(method)(private.x))


@pytest.mark.parametrize("kind", ASKING)
def test_only_the_votes_that_are_paid_for_are_used(kind):
    private, _ = worlds()
    method = build(kind)
    queries = SETTINGS[kind]["queries"]
    shuffled = votes(0).copy()
    shuffled[queries:] = shuffled[queries:, ::-1]
    np.testing.assert_array_equal(fit(method, given=shuffled)(private.x), fit(method)(private.x))
    with pytest.raises(InputError, match=f"{queries} to 150"):
        fit(method, given=votes(0)[: queries - 1])
    with pytest.raises(InputError, match="None"):
        method.fit(Given(*private.world(0), worlds()[1], None, Context(5, ("fit",), CPU)))
    with pytest.raises(InputError, match="sums to"):
        fit(method, given=votes(0) + 1)


def test_a_student_without_answers_knows_nothing():
    method = build("confident_gnmax", 40.0, threshold=5.0)
    assert (fit(method)(worlds()[0].x) == 0.1).all()


def released(method, given, scores):
    """What a mechanism without noise releases, and the answers that the student of its first round had."""
    seen = []

    def student(answers):
        seen.append(answers)
        return scores

    labels, rows = method.release(given, np.random.default_rng(0), student)
    return labels.argmax(1), rows, seen


def test_interactive_gnmax_asks_where_the_student_is_wrong(monkeypatch):
    quiet = Calibrated({"sigma": 0.0, "sigma_threshold": 0.0}, {})
    monkeypatch.setattr(pate, "confident_noise", lambda *arguments: quiet)
    settings = {"queries": 8, "first": 3, "threshold": 0.7, "excess": 0.5, "confidence": 0.9}
    given = np.full((8, 10), 0)
    given[:, 4] = [10, 6, 9, 10, 10, 6, 10, 10]
    given[:, 5] = TEACHERS - given[:, 4]
    right, wrong, unsure = np.eye(10)[4], np.eye(10)[7], np.full(10, 0.1)
    scores = np.stack([wrong, wrong, wrong, wrong, right, unsure, unsure, 0.3 * right + 0.7 * wrong])
    # of the first round the second query lacks consensus; in the second the student stands by itself where it is right
    labels, rows, seen = released(build("interactive_gnmax", max_answered=8, **settings), given, scores)
    assert rows.tolist() == [0, 2, 3, 4, 5, 6, 7] and (labels == 4).all()
    ((first, of),) = seen
    assert of.tolist() == [0, 2] and (first.argmax(1) == 4).all()
    # teachers' answers are counted, the student's are not: the second round ends with its second answer, the fourth
    labels, rows, _ = released(build("interactive_gnmax", max_answered=4, **settings), given, scores)
    assert rows.tolist() == [0, 2, 3, 4, 5]
    # neither teachers nor the student: no label; and nothing is asked once all answers are spent
    unsure_only = np.stack([unsure] * 8)
    strict = {**settings, "excess": 0.55}
    assert 5 not in released(build("interactive_gnmax", max_answered=8, **strict), given, unsure_only)[1]
    labels, rows, seen = released(build("interactive_gnmax", max_answered=2, **settings), given, scores)
    assert rows.tolist() == [0, 2] and not seen


@drawn(st.integers(1, 12), st.integers(1, 11), st.integers(0, 2**31))
@example_settings(max_examples=60, deadline=None)
def test_interactive_gnmax_never_releases_more_answers_than_it_is_charged_for(most, first, seed):
    """With a student that is always wrong and sure of nothing every label is the teachers'."""
    method = build("interactive_gnmax", 8.0, queries=12, first=first, max_answered=most, confidence=1.0)
    given = np.random.default_rng(seed).multinomial(TEACHERS, [0.6, 0.4, *[0] * 8], size=12)
    labels, rows = method.release(given, np.random.default_rng(seed), lambda answers: np.full((12, 10), 0.1))
    assert len(labels) == len(rows) == len(set(rows.tolist())) <= most


# ---------------------------------------------------------------- public labels

WARM = {  # and a step on private records that is too small to be seen
    "dp_sgd": {
        "warm": {"batch": 50, "epochs": 20, "rate": 0.01, "optimizer": "adam"},
        "recipe": {**SETTINGS["dp_sgd"]["recipe"], "rate": 1e-12},
    },
    "dp_mac": {
        "warm": {"batch": 50, "epochs": 40, "z_steps": 3, "z_rate": 0.02, "w_steps": 1, "w_rate": 0.01},
        "recipe": {**SETTINGS["dp_mac"]["recipe"], "epochs": 1, "w_rate": 1e-12},
    },
}


@pytest.mark.parametrize("kind", WARM)
def test_a_warm_start_is_what_public_labels_teach_and_sees_no_private_record(kind):
    method, (private, public) = build(kind, **WARM[kind]), worlds()
    assert accuracy(fit(method)) > 0.6
    x, y = private.world(0)
    blind = method.fit(Given(np.zeros_like(x), np.zeros_like(y), public, None, Context(5, ("fit",), CPU)))
    np.testing.assert_allclose(blind(private.x), fit(method)(private.x), atol=1e-6)
    other = fit(method, public=replace(public, y=(public.y + 1) % 10))
    assert accuracy(other) < 0.2


@pytest.mark.parametrize("kind", WARM)
def test_a_warm_start_costs_nothing_and_private_records_are_learned_after_it(kind):
    cold, warm = build(kind), build(kind, warm=WARM[kind]["warm"])
    assert stated(warm.cost()) == stated(cold.cost()) and warm.parameters() == cold.parameters()
    x = worlds()[0].x
    assert np.abs(fit(warm, w=0)(x) - fit(warm, w=1)(x)).max() > 0


def test_without_noise_a_warm_start_is_kept():
    broken = build("dp_sgd_broken", None, **WARM["dp_sgd"])
    np.testing.assert_allclose(
        fit(broken)(worlds()[0].x), fit(build("dp_sgd", **WARM["dp_sgd"]))(worlds()[0].x), atol=1e-6
    )


# ---------------------------------------------------------------- controls


def test_the_positive_control_knows_its_records_and_no_others():
    private, public = worlds()
    x, y = private.world(0)
    predict, plain = fit(build("memorised")), fit(build("plain"))
    assert (predict(x)[np.arange(SLOTS), y] == 1).all()
    np.testing.assert_array_equal(predict(public.test_x), plain(public.test_x))
    out = private.x[1 - private.chosen[0] + 2 * np.arange(SLOTS)]
    np.testing.assert_array_equal(predict(out), plain(out))


def test_the_negative_control_is_the_same_in_every_world():
    private, public = worlds()
    method = build("untouched")
    x, y = private.world(0)
    other = method.fit(Given(np.zeros_like(x), y, public, None, Context(5, ("fit",), CPU)))
    np.testing.assert_array_equal(fit(method)(private.x), other(private.x))


# ---------------------------------------------------------------- what it costs


@pytest.mark.parametrize("kind", PRIVATE)
@pytest.mark.parametrize("epsilon", [1.0, 8.0])
def test_guarantees_are_complete_and_spend_the_budget(kind, epsilon):
    method = build(kind, epsilon)
    made = stated(method.cost())
    counted = made["guarantee"]
    assert 0.95 * epsilon < counted.epsilon <= epsilon and counted.delta == DELTA
    assert len(made) == 3 and min(each.epsilon for each in made.values()) == counted.epsilon
    for each in made.values():
        assert each.guarantee and each.neighbouring == "replace_one" and not each.data_dependent
    assert method.parameters() and min(method.parameters().values()) > 0


@pytest.mark.parametrize("kind", ["plain", "memorised", "untouched"])
def test_without_privacy_nothing_is_claimed(kind):
    assert stated(build(kind, None).cost()) == {} == build(kind, 1.0).parameters()


@pytest.mark.parametrize("kind", ["dp_sgd", "gnmax"])
def test_a_broken_method_is_the_private_one_without_its_noise(kind, monkeypatch):
    broken = build(f"{kind}_broken", None)
    assert stated(broken.cost()) == {} and broken.parameters() == {"sigma": 0.0}
    found = fit(broken)(worlds()[0].x)
    assert (found != fit(build(kind))(worlds()[0].x)).any()
    noiseless = replace(build(kind), noise=Calibrated({"sigma": 0.0}, {})) if kind == "dp_sgd" else None
    if kind == "gnmax":
        monkeypatch.setattr(pate, "gnmax", lambda votes, sigma, rng: votes.argmax(1))
        noiseless = build(kind)
    np.testing.assert_array_equal(fit(noiseless)(worlds()[0].x), found)


def test_dp_sgd_without_noise_still_clips():
    recipe = {name: value for name, value in SETTINGS["dp_sgd_broken"]["recipe"].items() if name != "clip"}
    with pytest.raises(InputError, match="clip None"):
        build("dp_sgd_broken", None, recipe=recipe)


def test_residual_perturbation_has_a_reading_and_no_guarantee():
    one, eight = build("residual", 1.0), build("residual", 8.0)
    assert stated(one.cost()) == stated(eight.cost()) and set(stated(one.cost())) == {"gamma", "pi", "joint"}
    assert not any(each.guarantee for each in stated(one.cost()).values())
    assert one.parameters() == {"gamma": 0.2, "pi": 0.1}
    assert stated(one.cost())["joint"].epsilon > 100
    multiplicative = {"strategy": "multiplicative", "floor": 0.5}
    second = build("residual", form=multiplicative, gamma=1.0, pi=0.5)
    assert "Theorem 2" in stated(second.cost())["joint"].accountant
    assert stated(build("residual", form=multiplicative, gamma=1.0).cost()) == {}  # pi 0: the theorem says nothing


@pytest.mark.parametrize("kind", ["dp_sgd", "dp_mac"])
def test_a_sampled_method_is_charged_for_the_steps_it_takes(kind, monkeypatch):
    method = build(kind)
    taken = []
    target = {"dp_sgd": "lib.training.dp_sgd.SgdTrainer", "dp_mac": "lib.dp_mac.mac_trainer.MacTrainer"}[kind]
    module, _, name = target.rpartition(".")
    trainer = getattr(__import__(module, fromlist=[name]), name)
    advance = trainer.advance
    monkeypatch.setattr(trainer, "advance", lambda self: taken.append(self) or advance(self))
    fit(method)
    recipe = SETTINGS[kind]["recipe"]
    cost = len(taken) * replaced_gaussian_rdp(ORDERS, recipe["batch"] / SLOTS, method.parameters()["sigma"])
    assert rdp.epsilon_tight(ORDERS, cost, DELTA)[0] == pytest.approx(stated(method.cost())["rdp"].epsilon, rel=1e-12)


def test_what_is_added_is_what_was_calibrated(monkeypatch):
    """The mechanisms are run with the noise that the statement is about, and no less."""
    called, used = {}, {}
    for name in ("lnmax", "gnmax", "confident_gnmax", "interactive_gnmax", "noisy_means"):
        original = getattr(pate, name)

        def spy(*arguments, original=original, name=name):
            called[name] = [value for value in arguments[1:] if isinstance(value, float)]
            return original(*arguments)

        monkeypatch.setattr(pate, name, spy)
    methods = {kind: build(kind, 4.0) for kind in VOTING}
    noise = {kind: method.parameters() for kind, method in methods.items()}
    for kind, method in methods.items():
        called.clear()
        fit(method)
        used[kind] = dict(called)
    assert used["lnmax"] == {"lnmax": [noise["lnmax"]["laplace_scale"]]}
    assert used["gnmax"] == {"gnmax": [noise["gnmax"]["sigma"]]}
    check = noise["confident_gnmax"]
    found = [pytest.approx(0.3 * TEACHERS), check["sigma_threshold"], check["sigma"]]
    assert used["confident_gnmax"] == {"confident_gnmax": found}
    # both rounds at the noise for all their queries, which are as many as those of the other
    assert noise["interactive_gnmax"] == check
    again = [0.5, pytest.approx(0.1 * TEACHERS), *found[1:]]
    assert used["interactive_gnmax"] == {"confident_gnmax": found, "interactive_gnmax": again}
    assert used["encoded_mean"] == {"noisy_means": [pytest.approx(0.9**0.5), noise["encoded_mean"]["sigma"]]}


# ---------------------------------------------------------------- settings


def test_settings_of_one_epsilon_are_laid_over_the_rest():
    settings = {
        "kind": "gnmax",
        "queries": 20,
        "student": STUDENT,
        "per_epsilon": [[8.0, {"queries": 50, "student": {"hidden": [4]}}], [1.0, {"queries": 5}]],
    }
    assert settings_at(settings, 8.0) == {
        "kind": "gnmax",
        "queries": 50,
        "student": {"hidden": [4], "recipe": STUDENT["recipe"]},
    }
    assert settings_at(settings, 1)["queries"] == 5 and settings_at(settings, None)["queries"] == 20
    assert "per_epsilon" in settings
    assert build("gnmax", 8.0, per_epsilon=[[8.0, {"queries": 50}]]).queries == 50


def test_networks_are_those_of_their_blocks():
    assert build("dp_mac").network.bias and not build("dp_mac", bias=False).network.bias
    assert build("residual", norm="group", groups=4).network.groups == 4


@pytest.mark.parametrize(
    ("kind", "changed", "named"),
    [
        ("plain", {"recipe": {**SETTINGS["plain"]["recipe"], "clip": 1.0}}, "clip 1.0"),
        ("dp_sgd", {"recipe": {"batch": 10, "epochs": 1, "rate": 1.0}}, "clip None"),
        ("dp_mac", {"recipe": {**SETTINGS["dp_mac"]["recipe"], "expansion": "second"}}, "expansion 'second'"),
        ("dp_mac", {"recipe": {**SETTINGS["dp_mac"]["recipe"], "batches": "in_order"}}, "batches 'in_order'"),
        ("gnmax", {"queries": 0}, "queries 0"),
        ("gnmax", {"teachers": SLOTS + 1}, "teachers 201"),
        ("confident_gnmax", {"max_answered": 121}, "max_answered 121"),
        ("interactive_gnmax", {"first": 120}, "first 120"),
        ("interactive_gnmax", {"max_answered": 121}, "max_answered 121"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(kind, changed, named):
    with pytest.raises(InputError, match=named) as caught:
        build(kind, **changed)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", PRIVATE)
def test_a_private_method_needs_a_budget(kind):
    with pytest.raises(InputError, match="epsilon None"):
        build(kind, None)


@pytest.mark.parametrize("kind", ["plain", "dp_sgd", "dp_mac", "residual"])
def test_another_number_of_records_than_accounted_for_is_refused(kind):
    private, public = worlds()
    x, y = private.world(0)
    with pytest.raises(InputError, match="accounted for 200"):
        build(kind).fit(Given(x[1:], y[1:], public, None, Context(5, ("fit",), CPU)))
