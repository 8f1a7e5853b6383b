"""The functions of the package: thin fronts of prices and plans, and `calibrate`, their inverse."""

import dataclasses
import math
import re

import dp_accounting
import numpy as np
import pandas as pd
import pytest
from dp_accounting.rdp import RdpAccountant

import pate_accountant
from pate_accountant import ConfidentGNMax, GNMax, InputError, LNMax, account, calibrate, plan, price, release
from pate_accountant.gaussian import sigma_analytic
from pate_accountant.rdp import order_grid
from tests.offenders import each

VOTES = [[240, 5, 5], [130, 100, 20], [90, 80, 80]]
CONFIDENT = ConfidentGNMax(threshold=200, sigma_threshold=150, sigma=40)


def test_every_name_of_the_package_is_there_and_no_other():
    assert all(getattr(pate_accountant, name) for name in pate_accountant.__all__)
    assert set(pate_accountant.__all__) <= set(dir(pate_accountant))
    with pytest.raises(AttributeError, match="no attribute 'acount'"):
        _ = pate_accountant.acount


@each([LNMax(20), GNMax(40), GNMax(40, noise="discrete"), CONFIDENT])
def test_account_and_plan_are_prices_and_plans(mechanism):
    run = mechanism.run(1e-5)
    assert account(VOTES, mechanism, 1e-5).statements == price.price(np.array(VOTES), run).statements
    assert plan(1000, mechanism, 1e-5).statements == price.plan(1000, run).statements
    assert plan(1000, mechanism, 1e-5).mechanism == mechanism


def test_the_number_to_quote_is_the_smallest_guarantee_and_never_private():
    made = account(VOTES, CONFIDENT, 1e-5)
    assert made.guaranteed == "epsilon_announced" and made.guarantee.guarantee
    assert made.guarantee.epsilon == min(each.epsilon for each in made.statements.values() if each.guarantee)
    assert min(each.epsilon for each in made.statements.values()) < made.guarantee.epsilon  # on these votes, private


# ---------------------------------------------------------------- votes of any kind


@each(
    [np.array(VOTES), np.array(VOTES, float), pd.DataFrame(VOTES), pd.DataFrame(VOTES, dtype="Int64"), (tuple(VOTES),)]
)
def test_votes_may_be_lists_arrays_and_tables(votes):
    assert account(votes, GNMax(40), 1e-5).statements == account(VOTES, GNMax(40), 1e-5).statements


def test_votes_may_be_what_is_read_from_a_file(tmp_path):
    np.save(tmp_path / "votes.npy", VOTES)
    made = pate_accountant.read_votes(tmp_path / "votes.npy", "histograms")
    assert account(made, GNMax(40), 1e-5).statements == account(VOTES, GNMax(40), 1e-5).statements


@pytest.mark.parametrize(
    ("votes", "said"),
    [
        ([[3, 1], [2, 1, 1]], "votes: row 1 has 3 classes, row 0 has 2; all need as many"),
        ([[3, 1], [2, "x"]], "expected integer counts"),
        ([[3, 1], [2, {}]], "needed are counts"),
        ([[3, 1], [2, None]], "row 1, class 1 is not finite"),
        (pd.DataFrame([[3, 1], [None, 2]], dtype="Int64"), "row 1, class 0 is not finite"),
        ([[3, 1], [2, 1]], "row 1 sums to 3, expected 4"),
        ([3, 1], r"shape (2,)"),
        ([], r"shape (0,)"),
        (7, r"shape ()"),
        ("votes.npy", "'votes.npy' is the name of a file: read it with read_votes"),
        (None, "shape ()"),
    ],
)
def test_votes_that_are_none_are_one_line(votes, said):
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        account(votes, GNMax(40), 1e-5)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: plan(10, GNMax(-4), 1e-5), "^sigma -4: allowed"),
        (lambda: plan(10, GNMax("4"), 1e-5), "^sigma '4': allowed"),
        (lambda: plan(0, GNMax(4), 1e-5), "^queries 0: allowed is a whole number, at least 1"),
        (lambda: plan(10.5, GNMax(4), 1e-5), "^queries 10.5: allowed is a whole number"),
        (lambda: plan(10, GNMax(4), "1e-5"), "^delta '1e-5': allowed"),
        (lambda: plan(10, dataclasses.replace(CONFIDENT, max_answered=2.5), 1e-5), "^max_answered 2.5: allowed"),
        (lambda: plan(10, GNMax(4), 2), "^delta 2: allowed"),
        (lambda: plan(10, dataclasses.replace(CONFIDENT, max_answered=11), 1e-5), "^max_answered 11: allowed"),
        (lambda: plan(10, GNMax(4), 1e-5, also=3), "int is no DpEvent"),
        (lambda: plan(10, GNMax(4), 1e-5, also=dp_accounting.UnsupportedDpEvent()), "no price"),
        (lambda: GNMax(4, noise="discrete").event(10), "no event"),
        (lambda: GNMax(4).event(0), "queries 0"),
        (lambda: calibrate(GNMax, 2, 1e-5), "^target_epsilon finds one setting: .*; left out are sigma and queries"),
        (lambda: calibrate(GNMax, 2, 1e-5, 10, sigma=3), "none is left out"),
        (lambda: calibrate(GNMax, 0, 1e-5, 10), "a positive number"),
        (lambda: calibrate(GNMax, math.nan, 1e-5, 10), "a positive number"),
        (lambda: calibrate(GNMax, "2", 1e-5, 10), "a positive number"),
        (lambda: calibrate(GNMax, 2, 1e-5, 0), "^queries 0: allowed"),
        (lambda: calibrate(GNMax, 2, 1e-5, 2.5), "^queries 2.5: allowed"),
        (lambda: calibrate(GNMax, 2, 1e-5, sigma=1), "even queries 1 costs"),
        (lambda: calibrate(GNMax, 1e12, 1e-5, 10), "hardly any noise"),
        (lambda: calibrate(GNMax, 2, 1e-5, 10, sigm=3), "sigm"),
        (lambda: calibrate(ConfidentGNMax, 0.1, 1e-5, 10, threshold=1, sigma=1), "even sigma_threshold 1e.09 costs"),
        (lambda: release(VOTES, GNMax(4), 1e-5), "confident_gnmax"),
        (lambda: release([[2, 1, 1]], CONFIDENT, 1e-5), "no release"),
    ],
)
def test_bad_settings_are_one_line_with_the_names_of_python(call, said):
    with pytest.raises(InputError, match=said) as caught:
        call()
    assert "--" not in str(caught.value) and "\n" not in str(caught.value)


# ---------------------------------------------------------------- events of dp_accounting


@each([(GNMax(40), 1000), (GNMax(40), 1), (CONFIDENT, 1000), (dataclasses.replace(CONFIDENT, max_answered=300), 1000)])
def test_an_event_costs_what_the_plan_of_the_same_queries_says(mechanism, queries):
    accountant = RdpAccountant(order_grid(), dp_accounting.NeighboringRelation.REPLACE_ONE)
    accountant.compose(mechanism.event(queries))
    tight = [each for name, each in plan(queries, mechanism, 1e-5).statements.items() if name.endswith("_tight")]
    assert accountant.get_epsilon(1e-5) == pytest.approx(tight[0].epsilon, rel=1e-9)


def test_the_event_of_lnmax_is_no_less_than_its_plan():
    accountant = RdpAccountant(order_grid(), dp_accounting.NeighboringRelation.REPLACE_ONE)
    accountant.compose(LNMax(20).event(1000))
    assert accountant.get_epsilon(1e-5) >= plan(1000, LNMax(20), 1e-5).guarantee.epsilon


@each([GNMax(40), GNMax(40, noise="discrete"), CONFIDENT, LNMax(20)])
def test_a_plan_with_other_mechanisms_is_the_guarantee_of_all_together(mechanism):
    other = dp_accounting.SelfComposedDpEvent(dp_accounting.GaussianDpEvent(3.0), 4)
    both, alone = plan(100, mechanism, 1e-5, also=other), plan(100, mechanism, 1e-5)
    assert set(both.statements) == {"epsilon_composed", "epsilon_composed_tight"} and both.guarantee.guarantee
    assert both.guarantee.epsilon > alone.guarantee.epsilon
    if mechanism == GNMax(40):
        accountant = RdpAccountant(order_grid(), dp_accounting.NeighboringRelation.REPLACE_ONE)
        accountant.compose(other).compose(mechanism.event(100))
        assert both.guarantee.epsilon == pytest.approx(accountant.get_epsilon(1e-5), rel=1e-9)


def test_a_calibration_leaves_what_other_mechanisms_spend():
    other = dp_accounting.GaussianDpEvent(3.0)
    made = calibrate(GNMax, 2, 1e-5, 100, also=other)
    assert made.guarantee.epsilon == pytest.approx(2, rel=1e-6) and made.guarantee.epsilon <= 2
    assert made.mechanism.sigma > calibrate(GNMax, 2, 1e-5, 100).mechanism.sigma


# ---------------------------------------------------------------- the inverse


def test_the_noise_of_gnmax_is_that_of_the_gaussian_mechanism():
    assert calibrate(GNMax, 2, 1e-5, 1000).mechanism.sigma == pytest.approx(
        sigma_analytic(math.sqrt(2000), 2, 1e-5), rel=1e-6
    )


def settings(rng, kind):
    """A random mechanism, number of queries, delta, and the name of the setting to find again."""
    queries, delta = int(np.exp(rng.uniform(0, 3 if kind is LNMax else 7))), float(10 ** rng.uniform(-9, -3))
    sigma, other = np.exp(rng.uniform(1, 6, 2)).tolist()
    noise = "discrete" if rng.random() < 0.2 else "continuous"
    if kind is LNMax:
        return LNMax(sigma), queries, delta, str(rng.choice(["laplace_scale", "queries"]))
    if kind is GNMax:
        return GNMax(sigma, noise), queries, delta, str(rng.choice(["sigma", "queries"]))
    most = int(rng.integers(1, queries + 1))
    found = str(rng.choice(["sigma", "sigma_threshold", "queries", "max_answered"]))
    return ConfidentGNMax(50.0, other, sigma, most, noise), queries, delta, found


KINDS = [GNMax] * 90 + [ConfidentGNMax] * 100 + [LNMax] * 10  # the last are composed by their distributions: slow


def check_inverse(seed, kind):
    mechanism, queries, delta, key = settings(np.random.default_rng(seed), kind)
    target = account([[30, 20]] * queries, mechanism, delta).guarantee.epsilon
    known = dataclasses.asdict(mechanism) | {"queries": queries}
    before = known.pop(key)
    made = calibrate(kind, target, delta, **known)
    after = getattr(made.mechanism, key) if key != "queries" else made.queries
    assert list(made.found) == [key] and made.found[key] == after
    again = account([[30, 20]] * made.queries, made.mechanism, delta).guarantee.epsilon
    assert target * (1 - 1e-6) <= again <= target
    assert made.guarantee.epsilon == again  # of votes and of a plan
    assert after == pytest.approx(before, rel=1e-6) if "sigma" in key or "scale" in key else after == before


@pytest.mark.slow
@each([*enumerate(KINDS)][::10])
def test_calibrate_is_the_inverse_of_account_and_never_exceeds_the_target(seed, kind):
    check_inverse(seed, kind)


@pytest.mark.long
@each(enumerate(KINDS))
def test_calibrate_is_the_inverse_of_account_in_200_settings(seed, kind):
    check_inverse(seed, kind)


@pytest.mark.parametrize("key", ["queries", "max_answered"])
def test_a_number_that_is_found_is_the_largest(key):
    known = {"threshold": 200, "sigma_threshold": 150, "sigma": 40} | ({"queries": 5000} if key != "queries" else {})
    made = calibrate(ConfidentGNMax, 3, 1e-5, **known)
    assert made.guarantee.epsilon <= 3
    more = made.mechanism if key == "queries" else dataclasses.replace(made.mechanism, max_answered=made.found[key] + 1)
    assert plan(made.queries + (key == "queries"), more, 1e-5).guarantee.epsilon > 3


def test_all_queries_are_answered_where_the_target_allows_it():
    made = calibrate(ConfidentGNMax, 50, 1e-5, 100, threshold=200, sigma_threshold=150, sigma=40)
    assert made.found == {"max_answered": 100}


# ---------------------------------------------------------------- a value to publish


def test_a_release_is_the_workflows_with_its_guarantee():
    votes = np.tile([60, 0, 0], (40, 1))
    mechanism = ConfidentGNMax(threshold=40, sigma_threshold=30, sigma=10)
    made = release(votes, mechanism, 1e-5, np.random.default_rng(5))
    run = price.price(votes, mechanism.run(1e-5))
    there = price.sanitized(votes, run, np.random.default_rng(5))
    assert made == there
    assert made.published.sanitized and not made.published.guarantee
    assert made.guarantee.guarantee and made.guarantee.epsilon > run.statements["epsilon_caps"].epsilon
    assert release(votes, mechanism, 1e-5).published != release(votes, mechanism, 1e-5).published
