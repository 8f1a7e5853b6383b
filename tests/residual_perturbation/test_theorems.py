"""Theorems 1 and 2, solved: against hand-computed values, against their own inequalities, and never a guarantee."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from lib.core.errors import InputError
from lib.residual_perturbation.theorems import CONDITIONS, best_share, least_epsilon, least_noise, theorem1, theorem2

FIXED = settings(derandomize=True, deadline=None, max_examples=40)
DELTA = 1e-5
BOUNDS = {"residual_bound": 30.0, "input_bound": 30.0}

positive = st.floats(1e-2, 1e2)
uses = st.floats(0.5, 500)
deltas = st.floats(1e-10, 0.5)
shares = st.floats(0.01, 0.99)


def met(noise: float, bound: float, uses: float, delta: float, share: float, epsilon: float) -> bool:
    """The paper's condition as printed."""
    order = math.log(1 / delta) / ((1 - share) * epsilon) + 1
    return noise > bound * math.sqrt(2 * uses * order / (share * epsilon))


@pytest.mark.parametrize(
    ("gamma", "epochs", "by_gamma", "by_pi"),
    [
        (0.5, 100, 7.26e5, 2.89e6),
        (0.2, 100, 4.51e6, 1.80e7),
        (4.5, 100, 9.5e3, 3.7e4),
        (4.5, 182, 1.70e4, 6.6e4),
        (4.5, 200, 1.87e4, 7.28e4),
        (0.75, 1, 3.58e3, 1.35e4),
    ],
)
def test_budgets_at_the_papers_constants(gamma, epochs, by_gamma, by_pi):
    made = theorem1(gamma, gamma / 2, **BOUNDS, uses=epochs, delta=DELTA)
    assert tuple(made) == CONDITIONS
    assert made["gamma"].epsilon == pytest.approx(by_gamma, rel=0.007)
    assert made["pi"].epsilon == pytest.approx(by_pi, rel=0.007)
    assert made["joint"].epsilon == max(made["gamma"].epsilon, made["pi"].epsilon)


def test_a_value_computed_by_hand():
    # A = 2 * 2 * (1/2)^2 = 1 and ln(1/delta) = 4: 1 + 2 * sqrt(4), where the order is 3 and lambda 3/5
    delta = math.exp(-4)
    assert least_epsilon(2, 1, 2, delta) == pytest.approx(5, rel=1e-14)
    assert best_share(2, 1, 2, delta) == pytest.approx(3 / 5, rel=1e-14)
    # at lambda 1/2: epsilon^2 / 2 - epsilon - 8 = 0
    assert least_epsilon(2, 1, 2, delta, share=0.5) == pytest.approx(1 + math.sqrt(17), rel=1e-14)


@FIXED
@given(positive, positive, uses, deltas, shares)
def test_the_least_epsilon_is_where_the_condition_begins_to_hold(noise, bound, uses, delta, share):
    epsilon = least_epsilon(noise, bound, uses, delta, share)
    assert met(noise, bound, uses, delta, share, epsilon * (1 + 1e-9))
    assert not met(noise, bound, uses, delta, share, epsilon * (1 - 1e-9))


@FIXED
@given(positive, positive, uses, deltas)
def test_no_lambda_gives_less_than_the_best_one(noise, bound, uses, delta):
    best = least_epsilon(noise, bound, uses, delta)
    share = best_share(noise, bound, uses, delta)
    assert 0 < share < 1
    assert least_epsilon(noise, bound, uses, delta, share) == pytest.approx(best, rel=1e-12)
    others = [least_epsilon(noise, bound, uses, delta, other) for other in np.linspace(0.001, 0.999, 500)]
    assert min(others) >= best * (1 - 1e-12)
    found = minimize_scalar(
        lambda other: least_epsilon(noise, bound, uses, delta, other),
        bounds=(1e-9, 1 - 1e-9),
        method="bounded",
        options={"xatol": 1e-12},
    )
    assert found.fun == pytest.approx(best, rel=1e-6)


@FIXED
@given(positive, positive, uses, deltas, st.none() | shares)
def test_noise_and_budget_are_inverse(noise, bound, uses, delta, share):
    epsilon = least_epsilon(noise, bound, uses, delta, share)
    assert least_noise(epsilon, bound, uses, delta, share) == pytest.approx(noise, rel=1e-8)


@FIXED
@given(positive, positive, uses, deltas, st.none() | shares)
def test_more_noise_costs_less_and_more_uses_cost_more(noise, bound, uses, delta, share):
    epsilon = least_epsilon(noise, bound, uses, delta, share)
    assert least_epsilon(1.01 * noise, bound, uses, delta, share) < epsilon
    assert least_epsilon(noise, bound, 1.01 * uses, delta, share) > epsilon


def test_half_lambda_about_doubles_large_budgets():
    best, half = (least_epsilon(0.5, 30, 100, DELTA, share) for share in (None, 0.5))
    assert half / best == pytest.approx(2, rel=0.01)


def test_the_published_budgets_follow_from_no_reading():
    published = {"IDC": (1.1e3, 0.05, (0.2, 0.5), (1, 100)), "CIFAR10": (3e3, 0.17, (0.75, 4.5), (1, 100, 182, 200))}
    for paper, rounding, gammas, epochs in published.values():
        for gamma in gammas:
            for uses in epochs:
                for statement in theorem1(gamma, gamma / 2, **BOUNDS, uses=uses, delta=DELTA).values():
                    assert not paper * (1 - rounding) <= statement.epsilon <= paper * (1 + rounding)


def test_theorem_2_has_the_bounds_of_its_conditions_and_counts_mappings():
    made = theorem2(2.0, 4.0, residual_bound=3.0, floor=0.1, output_bound=5.0, mappings=3, delta=DELTA)
    assert made["gamma"].epsilon == least_epsilon(2.0, 3.0 / 0.1, 3, DELTA)
    assert made["pi"].epsilon == least_epsilon(4.0, 5.0, 3, DELTA)
    assert made["joint"].epsilon == made["gamma"].epsilon


@pytest.mark.parametrize("share", [None, 0.5])
def test_nothing_is_called_a_guarantee(share):
    first = theorem1(2.5, 1.25, **BOUNDS, uses=1, delta=DELTA, share=share)
    second = theorem2(2.0, 1, residual_bound=1, floor=1, output_bound=1, mappings=3, delta=DELTA, share=share)
    for number, made in ((1, first), (2, second)):
        for condition, statement in made.items():
            assert not statement.guarantee
            assert statement.neighbouring == "replace_one"
            assert f"Theorem {number}" in statement.accountant
            assert condition in statement.accountant


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"noise": 0.0}, "noise 0.0"),
        ({"noise": math.inf}, "noise inf"),
        ({"bound": -1.0}, "bound -1.0"),
        ({"uses": math.nan}, "uses nan"),
        ({"delta": 1.0}, "delta 1.0"),
        ({"share": 0.0}, "lambda 0.0"),
        ({"share": 1.0}, "lambda 1.0"),
    ],
)
def test_what_is_not_allowed_is_named(change, named):
    with pytest.raises(InputError, match=named):
        least_epsilon(**{"noise": 1.0, "bound": 1.0, "uses": 1.0, "delta": DELTA} | change)


def test_a_floor_of_zero_is_refused():
    with pytest.raises(InputError, match=r"floor 0\.0"):
        theorem2(1, 1, residual_bound=1, floor=0.0, output_bound=1, mappings=3, delta=DELTA)
