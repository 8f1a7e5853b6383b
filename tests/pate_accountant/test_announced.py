"""What may be announced before a run: above exact divergences, below Renyi's bound, and what the first page says."""

import math
from pathlib import Path

import dp_accounting
import numpy as np
import pytest
from dp_accounting import pld
from scipy.stats import norm

from pate_accountant import gnmax, lnmax, rdp
from pate_accountant.announced import announced
from pate_accountant.confident import selective_caps
from pate_accountant.rounding import shown

CONFIDENT = {"aggregator": "confident_gnmax", "threshold": 200, "sigma_threshold": 150.0, "sigma": 40.0}
CONFIDENT |= {"max_answered": 300, "delta": 1e-5}
RUNS = {
    "confident_gnmax": CONFIDENT,
    "gnmax": {"aggregator": "gnmax", "sigma": 40.0, "delta": 1e-5},
    "lnmax": {"aggregator": "lnmax", "laplace_scale": 10.0, "delta": 1e-5},
}
ORDERS = rdp.order_grid()


def renyi(name: str, queries: int) -> float:
    run = RUNS[name]
    costs = {
        "confident_gnmax": lambda: selective_caps(ORDERS, queries, min(queries, 300), 150.0, 40.0),
        "gnmax": lambda: queries * gnmax.rdp_independent(ORDERS, 40.0),
        "lnmax": lambda: queries * lnmax.rdp_independent(ORDERS, 10.0),
    }[name]()
    return rdp.epsilon_tight(ORDERS, costs, run["delta"])[0]


@pytest.mark.parametrize("queries", [1, 30, 640])
@pytest.mark.parametrize("name", RUNS)
def test_it_is_a_guarantee_below_what_renyi_divergences_prove(name, queries):
    made = announced(RUNS[name], queries)
    assert made.guarantee and made.neighbouring == "replace_one" and made.delta == 1e-5
    assert 0 < made.epsilon <= renyi(name, queries)


PUBLISHED = [
    (CONFIDENT, 640, 2.607, 3.93),
    (CONFIDENT | {"sigma_threshold": 200.0, "max_answered": 3100, "delta": 1e-6}, 8500, 11.142, 20.46),
    (CONFIDENT | {"sigma_threshold": 200.0, "max_answered": 600}, 1500, 3.814, 6.41),
    (RUNS["lnmax"], 100, 6.382, None),
]


@pytest.mark.parametrize(("run", "queries", "epsilon", "uncapped"), PUBLISHED)
def test_the_published_runs_cost_what_the_pages_say(run, queries, epsilon, uncapped):
    """Rounded up there, since less would promise too much; the second number is without a cap on answers."""
    page = (Path(__file__).parents[2] / "docs" / "reproduction" / "scalable_pate.md").read_text(encoding="utf-8")
    exact = announced(run, queries).epsilon
    assert 0 <= epsilon - exact < 0.001
    assert f" {shown(exact)} " in page
    if uncapped is not None:
        assert 0 <= uncapped - announced(run | {"max_answered": queries}, queries).epsilon < 0.01


@pytest.mark.parametrize("queries", [1, 40])
def test_answers_are_gaussian_mechanisms_by_a_second_route(queries):
    # multipliers here are of what one replaced record moves; under REPLACE_ONE the accountant would take them for those
    # of one added, and double the sensitivity
    accountant = pld.PLDAccountant(dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE, 1e-3)
    accountant.compose(dp_accounting.GaussianDpEvent(150.0), queries)
    accountant.compose(dp_accounting.GaussianDpEvent(40.0 / math.sqrt(2)), queries)
    assert announced(CONFIDENT, queries).epsilon == pytest.approx(accountant.get_epsilon(1e-5), rel=0.02, abs=1e-3)


def test_half_of_a_gaussian_bound_fails():
    epsilon, mu = announced(RUNS["gnmax"], 640).epsilon, math.sqrt(2 * 640) / 40.0

    def divergence(at):
        return norm.cdf(mu / 2 - at / mu) - math.exp(at) * norm.cdf(-mu / 2 - at / mu)

    assert divergence(epsilon) <= 1e-5 < divergence(epsilon / 2)


@pytest.mark.slow
def test_two_noisy_counts_of_lnmax_exactly():
    """One query whose neighbour has one vote more for the first class, and one less for the second."""
    scale = 1.0
    grid = np.arange(-30, 30, 0.01) + 0.005
    here = np.exp(-np.abs(grid) / scale) / (2 * scale)
    more, less = (np.exp(-np.abs(grid - shift) / scale) / (2 * scale) for shift in (1, -1))
    first, second = np.outer(here, here), np.outer(more, less)
    for delta in (0.05, 0.1):
        epsilon = announced({"aggregator": "lnmax", "laplace_scale": scale, "delta": delta}, 1).epsilon
        exact = [np.maximum(first - math.exp(at) * second, 0).sum() * 1e-4 for at in (epsilon, epsilon / 2)]
        assert exact[0] <= delta * 1.001 and exact[1] > delta


def test_no_more_answers_count_than_there_are_queries():
    assert announced(CONFIDENT | {"max_answered": 10_000}, 50) == announced(CONFIDENT | {"max_answered": 50}, 50)


def test_nothing_is_announced_where_no_tighter_route_is_known():
    assert announced(CONFIDENT | {"noise": "discrete"}, 50) is None
    assert announced(CONFIDENT | {"aggregator": "interactive_gnmax"}, 50) is None
