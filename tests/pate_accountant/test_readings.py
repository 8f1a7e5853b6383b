"""What every reading of a run is called, and how the readings are ordered."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, norm

from lib.pate.aggregators import AGGREGATORS, account_of, spent
from pate_accountant import rdp, readings
from pate_accountant.confident import selective_caps
from pate_accountant.ledger_statements import ledger_statements
from tests import oracles

ORDERS = rdp.order_grid((1.5, 30.0, 0.5), (30.0, 300.0, 10))
FIXED = settings(derandomize=True, deadline=None, max_examples=40)
DELTA = 1e-5

CONFIDENT = {"threshold": 20.0, "sigma_threshold": 8.0, "sigma": 4.0, "max_answered": 10, "delta": DELTA}
RUNS = {
    "lnmax": {"laplace_scale": 3.0, "labels_laplace_scale": 6.0, "delta": DELTA},
    "gnmax": {"sigma": 4.0, "delta": DELTA},
    "confident_gnmax": CONFIDENT,
}


def drawn_votes(seed: int, queries: int, classes: int = 4, teachers: int = 30) -> np.ndarray:
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(classes, 0.3), queries)
    return np.array([rng.multinomial(teachers, share) for share in shares])


def account(name: str, votes: np.ndarray, **changes: float) -> readings.Account:
    return AGGREGATORS[name].continuous.account(ORDERS, votes, RUNS[name] | changes, 8)


confident_runs = st.fixed_dictionaries(
    {
        "threshold": st.floats(0, 45),
        "sigma_threshold": st.floats(1, 60),
        "sigma": st.floats(1, 40),
        "max_answered": st.integers(1, 25),
    }
)
seeds = st.integers(0, 999)


# ---------------------------------------------------------------- what they are called


def test_only_bounds_are_called_proved():
    made = account("confident_gnmax", drawn_votes(1, 25))
    flags = {name: (one.data_dependent, one.one_sided, one.proved_bound) for name, one in made.readings.items()}
    assert flags == {
        "epsilon": (True, True, False),
        "epsilon_data_independent": (True, False, False),
        "epsilon_joint": (True, True, True),
        "epsilon_charge_all": (True, True, True),
        "epsilon_two_sided": (True, False, False),
        "epsilon_charge_all_two_sided": (True, False, True),
    }
    assert (made.caps.data_dependent, made.caps.one_sided, made.caps.proved_bound) == (False, False, True)
    caps, _ = made.caps.statement(ORDERS, DELTA)
    assert (caps.data_dependent, caps.one_sided, caps.proved_bound, caps.sanitized) == (False, False, True, False)


@pytest.mark.parametrize("name", ["lnmax", "gnmax"])
def test_mechanisms_that_always_answer_give_bounds(name):
    made = account(name, drawn_votes(1, 25))
    assert made.caps is None
    assert (made.answered == 1).all()
    epsilon, independent = made.readings["epsilon"], made.readings["epsilon_data_independent"]
    assert (epsilon.data_dependent, epsilon.one_sided, epsilon.proved_bound) == (True, True, True)
    assert (independent.data_dependent, independent.one_sided, independent.proved_bound) == (False, False, True)
    if name == "gnmax":
        both = made.readings["epsilon_two_sided"]
        assert (both.data_dependent, both.one_sided, both.proved_bound) == (True, False, True)
    else:
        moments = made.extra["epsilon_moments"]
        assert (moments.conversion, moments.accountant, moments.one_sided) == ("moments", "moments(1..8)", True)


@pytest.mark.parametrize("name", RUNS)
def test_statements_repeat_the_flags_of_their_reading(name):
    for reading in account(name, drawn_votes(2, 25)).readings.values():
        made, order = reading.statement(ORDERS, DELTA)
        assert (made.data_dependent, made.one_sided, made.proved_bound) == (
            reading.data_dependent,
            reading.one_sided,
            reading.proved_bound,
        )
        assert made.neighbouring == "replace_one" and made.delta == DELTA and not made.sanitized
        assert order in ORDERS
        assert made.epsilon == pytest.approx(
            reading.costs.sum(axis=0)[list(ORDERS).index(order)] + np.log(1 / DELTA) / (order - 1), rel=1e-12
        )


# ---------------------------------------------------------------- how they are ordered


@pytest.mark.slow
@given(confident_runs, seeds)
@settings(FIXED, max_examples=80)
def test_charging_all_is_at_least_joint_and_joint_at_least_the_check_alone(run, seed):
    votes = drawn_votes(seed, 20)
    made = account("confident_gnmax", votes, **run).readings
    joint, everything = made["epsilon_joint"].costs, made["epsilon_charge_all"].costs
    assert (everything >= joint * (1 - 1e-9) - 1e-12).all()
    # the exact divergence of the check's outcome alone, which is a post-processing of the joint one
    top = votes.max(axis=1)
    here = oracles.threshold_log_pmf(top, run["threshold"], run["sigma_threshold"])
    for change in (-1, 1):
        there = oracles.threshold_log_pmf(top + change, run["threshold"], run["sigma_threshold"])
        assert (joint >= oracles.renyi(here, there, ORDERS) * (1 - 1e-9) - 1e-12).all()
    assert (everything >= made["epsilon"].costs * (1 - 1e-12)).all()


@given(confident_runs, seeds)
@FIXED
def test_both_directions_cost_at_least_as_much_as_one(run, seed):
    votes = drawn_votes(seed, 20)
    gnmax = account("gnmax", votes, sigma=run["sigma"]).readings
    assert (gnmax["epsilon_two_sided"].costs >= gnmax["epsilon"].costs * (1 - 1e-9)).all()
    assert (gnmax["epsilon_two_sided"].costs <= gnmax["epsilon_data_independent"].costs * (1 + 1e-9)).all()
    confident = account("confident_gnmax", votes, **run).readings
    assert (confident["epsilon_two_sided"].costs >= confident["epsilon"].costs * (1 - 1e-9)).all()
    both = confident["epsilon_charge_all_two_sided"].costs
    assert (both >= confident["epsilon_charge_all"].costs * (1 - 1e-9)).all()
    assert (confident["epsilon_data_independent"].costs >= confident["epsilon"].costs * (1 - 1e-9)).all()


@given(confident_runs, seeds)
@settings(FIXED, max_examples=80)
def test_the_caps_are_at_least_any_realised_run(run, seed):
    votes = drawn_votes(seed, 20)
    made = account("confident_gnmax", votes, **run)
    caps = made.caps.statement(ORDERS, DELTA)[0].epsilon
    run = run | {"aggregator": "confident_gnmax"}
    for repetition in range(3):
        rng = np.random.default_rng([seed, repetition])
        labels, source = AGGREGATORS[run["aggregator"]].answers(votes, run, rng, None)
        made = ledger_statements(spent(ORDERS, votes[: len(labels)], source, run), DELTA)
        assert caps >= made["independent"].epsilon * (1 - 1e-12)
        assert caps >= made["dependent"].epsilon * (1 - 1e-12)


def test_the_caps_do_not_depend_on_the_votes():
    first, second = (account("confident_gnmax", drawn_votes(seed, 25)) for seed in (1, 2))
    assert first.caps.statement(ORDERS, DELTA) == second.caps.statement(ORDERS, DELTA)
    np.testing.assert_array_equal(first.caps.costs, second.caps.costs)
    expected = selective_caps(ORDERS, 25, 10, 8.0, 4.0)
    np.testing.assert_allclose(first.caps.costs.sum(axis=0), expected)
    assert first.readings["epsilon"].statement(ORDERS, DELTA) != second.readings["epsilon"].statement(ORDERS, DELTA)


def test_a_data_independent_reading_does_not_depend_on_the_votes():
    for name in ("lnmax", "gnmax"):
        first, second = (account(name, drawn_votes(seed, 25)).readings for seed in (1, 2))
        np.testing.assert_array_equal(first["epsilon_data_independent"].costs, second["epsilon_data_independent"].costs)
        assert not np.array_equal(first["epsilon"].costs, second["epsilon"].costs)


def test_lnmax_labels_with_more_noise_cost_less():
    made = account("lnmax", drawn_votes(4, 25)).readings
    assert made["epsilon_labels_scale"].statement(ORDERS, DELTA)[0].epsilon < (
        made["epsilon"].statement(ORDERS, DELTA)[0].epsilon
    )
    run = {name: value for name, value in RUNS["lnmax"].items() if name != "labels_laplace_scale"}
    assert "epsilon_labels_scale" not in readings.lnmax_account(ORDERS, drawn_votes(4, 25), run, 8).readings


# ---------------------------------------------------------------- sums over queries


@pytest.mark.parametrize("name", RUNS)
def test_a_curve_ends_at_the_statement_and_never_falls(name):
    for reading in account(name, drawn_votes(5, 25)).readings.values():
        lengths = np.arange(1, 26)
        curve = reading.curve(ORDERS, DELTA, lengths)
        assert curve[-1] == pytest.approx(reading.statement(ORDERS, DELTA)[0].epsilon, rel=1e-12)
        assert curve.shape == (25,) and (np.diff(curve) >= 0).all()
        some = np.array([1, 7, 25])
        np.testing.assert_array_equal(reading.curve(ORDERS, DELTA, some), curve[some - 1])
        first = reading.costs[:7].sum(axis=0) + np.log(1 / DELTA) / (ORDERS - 1)
        assert curve[6] == pytest.approx(first.min(), rel=1e-12)


@pytest.mark.parametrize("name", RUNS)
@given(order=st.permutations(range(12)), seed=seeds)
@settings(FIXED, max_examples=15)
def test_the_order_of_the_queries_changes_no_total(name, order, seed):
    votes = drawn_votes(seed, 12)
    first, second = account(name, votes), account(name, votes[list(order)])
    for key, reading in first.readings.items():
        np.testing.assert_allclose(second.readings[key].costs, reading.costs[list(order)], rtol=1e-12)
        one, other = (made.statement(ORDERS, DELTA)[0].epsilon for made in (reading, second.readings[key]))
        assert one == pytest.approx(other, rel=1e-12)
    assert first.answered.sum() == pytest.approx(second.answered.sum())
    for key, made in first.extra.items():
        assert made.epsilon == pytest.approx(second.extra[key].epsilon, rel=1e-12)


@pytest.mark.parametrize("name", RUNS)
def test_the_names_of_the_classes_change_no_total(name):
    votes = drawn_votes(7, 12)
    first, second = account(name, votes), account(name, votes[:, [2, 0, 3, 1]])
    for key, reading in first.readings.items():
        np.testing.assert_allclose(second.readings[key].costs, reading.costs, rtol=1e-12)


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("delta", [1e-3, 1e-5, 1e-8])
def test_the_tight_conversion_is_never_the_larger(name, delta):
    for reading in account(name, drawn_votes(8, 25)).readings.values():
        classic, tight = (reading.statement(ORDERS, delta, how)[0] for how in ("classic", "tight"))
        assert tight.epsilon < classic.epsilon
        assert (classic.conversion, tight.conversion) == ("classic", "tight")


# ---------------------------------------------------------------- with a student, and in two rounds


def scores_of(seed: int, queries: int) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.full(4, 0.3), queries)


@given(confident_runs, seeds)
@settings(FIXED, max_examples=20)
def test_a_students_scores_move_the_check_and_not_the_order_of_the_readings(run, seed):
    votes, scores = drawn_votes(seed, 12), scores_of(seed, 12)
    run = RUNS["confident_gnmax"] | run
    plain = AGGREGATORS["confident_gnmax"].continuous.account(ORDERS, votes, run, 8)
    made = AGGREGATORS["interactive_gnmax"].continuous.account(ORDERS, votes, run, 8, scores)
    assert set(made.readings) == set(plain.readings)
    excess = (votes - 30 * scores).max(axis=1)
    passing = np.exp(oracles.threshold_log_pmf(excess, run["threshold"], run["sigma_threshold"])[:, 0])
    np.testing.assert_allclose(made.answered, passing, rtol=1e-9)
    joint, everything = made.readings["epsilon_joint"].costs, made.readings["epsilon_charge_all"].costs
    assert (everything >= joint * (1 - 1e-9) - 1e-12).all()
    assert (everything >= made.readings["epsilon"].costs * (1 - 1e-12)).all()
    np.testing.assert_array_equal(made.caps.costs, plain.caps.costs)


def test_two_rounds_cost_what_both_cost():
    votes = drawn_votes(9, 30)
    first = AGGREGATORS["confident_gnmax"].continuous.account(ORDERS, votes[:12], CONFIDENT, 8)
    later = AGGREGATORS["interactive_gnmax"].continuous.account(
        ORDERS, votes[12:], CONFIDENT | {"sigma": 6.0, "max_answered": 7}, 8, scores_of(9, 18)
    )
    both = first.followed_by(later)
    assert set(both.readings) == set(first.readings) and len(both.answered) == 30
    assert both.answered.sum() == pytest.approx(first.answered.sum() + later.answered.sum())
    for name, reading in both.readings.items():
        parts = (first.readings[name], later.readings[name])
        np.testing.assert_allclose(reading.costs.sum(axis=0), sum(part.costs.sum(axis=0) for part in parts))
        assert (reading.data_dependent, reading.one_sided, reading.proved_bound) == (
            parts[0].data_dependent,
            parts[0].one_sided,
            parts[0].proved_bound and name not in ("epsilon_joint", "epsilon_charge_all"),
        )
        assert reading.statement(ORDERS, DELTA)[0].epsilon > max(p.statement(ORDERS, DELTA)[0].epsilon for p in parts)
    expected = selective_caps(ORDERS, 12, 10, 8.0, 4.0) + selective_caps(ORDERS, 18, 7, 8.0, 6.0)
    np.testing.assert_allclose(both.caps.costs.sum(axis=0), expected)
    assert both.caps.proved_bound and not both.caps.data_dependent


def test_a_bound_that_knows_the_students_scores_is_not_proved_of_two_rounds():
    """The scores are drawn too: where the first round might have gone otherwise, the second one tells far more."""
    first_run = {"threshold": -1e4, "sigma_threshold": 1000.0, "sigma": 60.0, "max_answered": 1, "delta": DELTA}
    first_run |= {"aggregator": "confident_gnmax"}
    later_run = first_run | {"threshold": 10, "sigma_threshold": 2.0, "sigma": 200.0, "max_answered": 50}
    later_run |= {"aggregator": "interactive_gnmax"}
    votes = np.tile([20, 0], (50, 1))
    certain = np.tile([1.0, 0.0], (50, 1))  # what the student thinks if the first label is 0; and if it is 1, (.5, .5)
    made = account_of(ORDERS, [(np.array([[11, 9]]), first_run, None), (votes, later_run, certain)], 8)
    other_label = norm.sf(2 / (60 * np.sqrt(2)))
    bits = np.arange(51)
    # the statistic is then 20 - 10, and 19 - 10 where one teacher votes otherwise
    here, there = (binom.pmf(bits, 50, norm.sf((10 - statistic) / 2)) for statistic in (10, 9))
    for name in ("epsilon_joint", "epsilon_charge_all"):
        stated, _ = made.readings[name].statement(ORDERS, DELTA)
        exact = other_label * np.maximum(here - np.exp(stated.epsilon) * there, 0).sum()
        assert exact > 0.1 and not stated.proved_bound
    assert made.caps.proved_bound and made.readings["epsilon_charge_all_two_sided"].proved_bound


def test_two_rounds_have_the_readings_that_both_have():
    votes = drawn_votes(9, 10)
    both = account("gnmax", votes).followed_by(account("confident_gnmax", votes))
    assert set(both.readings) == {"epsilon", "epsilon_data_independent", "epsilon_two_sided"}
    assert both.caps is None


def test_what_is_weaker_in_one_round_is_weaker_in_both():
    """The expectation of one round is no guarantee, so nor is the sum."""
    votes = drawn_votes(9, 10)
    for first, later in (("gnmax", "confident_gnmax"), ("confident_gnmax", "gnmax")):
        both = account(first, votes).followed_by(account(later, votes))
        assert both.readings["epsilon"].proved_bound is False
        assert both.readings["epsilon_data_independent"].data_dependent


@pytest.mark.parametrize("weaker", ["data_dependent", "one_sided", "proved_bound"])
def test_a_word_that_weakens_one_round_weakens_both(weaker):
    """In either order, and by itself: a bound in one direction is none in both."""
    words = {"data_dependent": False, "one_sided": False, "proved_bound": True}
    strong, weak = (
        readings.Reading(np.ones((2, len(ORDERS))), **given) for given in (words, words | {weaker: not words[weaker]})
    )
    for first, later in ((strong, weak), (weak, strong), (weak, weak)):
        both = first.followed_by(later)
        assert {name: getattr(both, name) for name in words} == words | {weaker: not words[weaker]}
    assert {name: getattr(strong.followed_by(strong), name) for name in words} == words


def test_an_unknown_conversion_is_refused():
    with pytest.raises(KeyError):
        account("gnmax", drawn_votes(1, 5)).readings["epsilon"].statement(ORDERS, DELTA, "loose")


def test_a_one_sided_bound_is_proved_and_no_guarantee():
    """Eight answers on votes (18, 12), whose neighbour with (17, 13) tells 25 times more than delta the other way."""
    votes, delta = np.tile([18, 12], (8, 1)), 1e-8
    run = {"aggregator": "gnmax", "sigma": 1.0, "delta": delta}
    orders = np.linspace(1.01, 60, 5900)
    made = account_of(orders, [(votes, run, None)], 8)
    seconds = np.arange(9)  # how many of the answers are the second class
    here, there = (binom.pmf(seconds, 8, norm.sf(gap / np.sqrt(2))) for gap in (6, 4))

    def exceeds(epsilon, first, second):
        return np.maximum(first - np.exp(epsilon) * second, 0).sum() / delta

    one_sided, _ = made.readings["epsilon"].statement(orders, delta)
    assert one_sided.epsilon == pytest.approx(15.60, abs=0.01)
    assert exceeds(one_sided.epsilon, here, there) <= 1  # as it says, and
    assert exceeds(one_sided.epsilon, there, here) == pytest.approx(25.9, abs=0.1)  # the converse
    assert one_sided.proved_bound and not one_sided.guarantee
    two_sided, _ = made.readings["epsilon_two_sided"].statement(orders, delta)
    assert two_sided.proved_bound and not two_sided.guarantee  # other votes have another epsilon
    independent, _ = made.readings["epsilon_data_independent"].statement(orders, delta)
    assert independent.guarantee
    for made_up in (two_sided, independent):
        assert max(exceeds(made_up.epsilon, here, there), exceeds(made_up.epsilon, there, here)) <= 1
