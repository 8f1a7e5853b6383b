"""Advanced composition: the theorem's formula, above what the same mechanisms cost, for Gaussian noise alone."""

import math

import pytest

from pate_accountant.advanced_composition import advanced_composition, composed
from pate_accountant.announced import announced
from pate_accountant.gaussian import epsilon_analytic

CONFIDENT = {"aggregator": "confident_gnmax", "sigma_threshold": 150.0, "sigma": 40.0}
CONFIDENT |= {"max_answered": 300, "delta": 1e-5}


@pytest.mark.parametrize("releases", [[(5.0, 1)], [(5.0, 40)], [(30.0, 500), (200.0, 700)], [(1.0, 2), (90.0, 10)]])
def test_it_is_above_what_the_mechanisms_cost_together(releases):
    multiplier = 1 / math.sqrt(sum(count / ratio**2 for ratio, count in releases))
    assert composed(releases, 1e-6) > epsilon_analytic(1.0, multiplier, 1e-6)


def test_equal_mechanisms_follow_the_printed_formula():
    number, delta = 50, 1e-5
    each = epsilon_analytic(1.0, 20.0, delta / 2 / number)
    expected = math.sqrt(2 * number * math.log(1 / (delta / 2))) * each + number * each * (math.exp(each) - 1)
    assert composed([(20.0, number)], delta) == pytest.approx(expected, rel=1e-12)


def test_a_run_pays_for_every_check_and_for_as_many_answers_as_it_may_give():
    made = advanced_composition([(CONFIDENT, 640)])
    assert made.epsilon == composed([(40 / math.sqrt(2), 300), (150.0, 640)], 1e-5)
    assert made.guarantee and made.neighbouring == "replace_one" and made.epsilon > announced(CONFIDENT, 640).epsilon


def test_a_second_round_is_added():
    later = CONFIDENT | {"aggregator": "interactive_gnmax", "sigma": 80.0}
    expected = composed([(40 / math.sqrt(2), 200), (150.0, 200), (80 / math.sqrt(2), 300), (150.0, 400)], 1e-5)
    assert advanced_composition([(CONFIDENT, 200), (later, 400)]).epsilon == expected


def test_other_noise_has_none():
    assert advanced_composition([({"aggregator": "lnmax", "laplace_scale": 20.0, "delta": 1e-5}, 10)]) is None
    assert advanced_composition([(CONFIDENT | {"noise": "discrete"}, 10)]) is None
