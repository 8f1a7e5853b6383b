"""Who agrees, what is answered, and how epsilon divides between two costs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from pate_accountant.consensus import (
    answer_chances,
    cost_by_share,
    histogram,
    low_consensus_answered,
    low_consensus_passed,
    part_of_epsilon,
    plurality_share,
)
from pate_accountant.rdp import epsilon_classic

VOTES = np.array([[9, 1, 0], [4, 3, 3], [6, 4, 0], [3, 3, 4]])
CONFIDENT = {"aggregator": "confident_gnmax", "threshold": 6, "sigma_threshold": 2.0}
ORDERS = np.array([2.0, 4.0, 8.0, 16.0])


def test_the_share_of_the_plurality_is_a_percentage_of_the_teachers():
    assert plurality_share(VOTES).tolist() == [90, 40, 60, 40]


def test_everything_is_answered_unless_a_check_is_made():
    assert answer_chances(VOTES, {"aggregator": "lnmax"}).tolist() == [1, 1, 1, 1]


def test_the_chance_of_an_answer_is_that_of_the_noise_reaching_the_threshold():
    assert answer_chances(VOTES, CONFIDENT) == pytest.approx(norm.sf([6 - 9, 6 - 4, 0, 6 - 4], scale=2.0))


def test_only_answers_without_consensus_count_as_such():
    assert low_consensus_answered(VOTES, {"aggregator": "lnmax"}) == 50
    chances = norm.sf([6 - 9, 6 - 4, 0, 6 - 4], scale=2.0)
    assert low_consensus_answered(VOTES, CONFIDENT) == pytest.approx(100 * chances[[1, 3]].sum() / chances.sum())
    assert low_consensus_answered(VOTES[:1], CONFIDENT) == 0


def test_of_the_queries_without_consensus_it_counts_how_many_pass():
    assert low_consensus_passed(VOTES, {"aggregator": "lnmax"}) == 100
    assert low_consensus_passed(VOTES, CONFIDENT) == pytest.approx(100 * norm.sf(2 / 2.0))
    assert np.isnan(low_consensus_passed(VOTES[:1], CONFIDENT))


def test_the_histogram_puts_each_weight_into_its_bin():
    assert histogram(VOTES, np.array([1.0, 2.0, 4.0, 8.0]), 5).tolist() == [0, 0, 10, 4, 1]


def test_an_answer_costs_less_the_more_agree_and_an_empty_bin_nothing():
    cost = cost_by_share(VOTES * 25, 4.0, 5.0, 5)
    assert np.isnan(cost[:2]).all()
    assert cost[2] > cost[3] > cost[4]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(1e-6, 1)), min_size=1, max_size=10))
def test_two_parts_of_epsilon_are_the_whole(costs):
    part, rest = (np.outer(column, ORDERS) for column in np.array(costs).T)
    lengths = np.array([len(costs)])
    epsilon, own = part_of_epsilon(ORDERS, part, rest, 1e-5, lengths)
    same, other = part_of_epsilon(ORDERS, rest, part, 1e-5, lengths)
    assert epsilon == same == pytest.approx(epsilon_classic(ORDERS, (part + rest).sum(axis=0), 1e-5)[0])
    assert own + other == pytest.approx(epsilon)
    assert own == pytest.approx(epsilon * part[:, 0].sum() / (part + rest)[:, 0].sum())
