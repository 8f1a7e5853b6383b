"""Renyi DP of Confident- and Interactive-GNMax: a noisy threshold check, then GNMax if it passes.

Three totals, all of shape (n, k), data-dependent and one-sided (see `gnmax.rdp`); replace-one neighbours. Only the
last two are bounds. With `scores` (n, m), the student's probabilities, the statistic is Interactive-GNMax's.
"""

import numpy as np

from pate_accountant import gnmax
from pate_accountant import threshold as check


def expected_rdp(
    orders: np.ndarray,
    votes: np.ndarray,
    threshold: float,
    sigma_threshold: float,
    sigma: float,
    scores: np.ndarray | None = None,
) -> np.ndarray:
    """Follow the paper: check + Pr[answered] * GNMax. An expectation over runs, NOT a bound on any divergence."""
    statistic = check.statistic(votes, scores)
    log_pass, _ = check.log_probabilities(statistic, threshold, sigma_threshold)
    answer = gnmax.rdp(orders, gnmax.log_error_bound(votes, sigma), sigma)
    return check.rdp(orders, statistic, threshold, sigma_threshold) + np.exp(log_pass)[:, None] * answer


def charge_all_rdp(
    orders: np.ndarray,
    votes: np.ndarray,
    threshold: float,
    sigma_threshold: float,
    sigma: float,
    scores: np.ndarray | None = None,
) -> np.ndarray:
    """Return a bound: both steps charged on every query, whether or not it was answered."""
    statistic = check.statistic(votes, scores)
    answer = gnmax.rdp(orders, gnmax.log_error_bound(votes, sigma), sigma)
    return check.rdp(orders, statistic, threshold, sigma_threshold) + answer


def joint_rdp(
    orders: np.ndarray,
    votes: np.ndarray,
    threshold: float,
    sigma_threshold: float,
    sigma: float,
    scores: np.ndarray | None = None,
) -> np.ndarray:
    """Return a bound on the divergence of the joint output (no answer, or a class), close to the exact one.

    With p, p' the chances of an answer on D and D' and r the divergence of the answers,
    D_order = ln[(1-p)^order (1-p')^(1-order) + p^order p'^(1-order) e^((order-1) r)] / (order-1).
    Here r is replaced by its bound beta_order(q). A neighbour moves the statistic by at most one, and the expression
    is convex in p', so the larger of its values at the changes -1 and +1 bounds all of them.
    """
    orders = np.asarray(orders, float)[None, :]
    statistic = check.statistic(votes, scores)
    log_pass, log_fail = check.log_probabilities(statistic[:, None], threshold, sigma_threshold)
    answer = gnmax.rdp(orders[0], gnmax.log_error_bound(votes, sigma), sigma)
    worst = np.zeros_like(answer)
    for change in (-1, 1):
        log_pass_other, log_fail_other = check.log_probabilities(
            statistic[:, None] + change, threshold, sigma_threshold
        )
        silent = orders * log_fail + (1 - orders) * log_fail_other
        answered = orders * log_pass + (1 - orders) * log_pass_other + (orders - 1) * answer
        worst = np.maximum(worst, np.logaddexp(silent, answered) / (orders - 1))
    # of a sum that is hardly above 1 rounding leaves less than this, which order - 1 divides
    return worst + np.finfo(float).eps * orders / (orders - 1)


def selective_caps(
    orders: np.ndarray, max_asked: int, max_answered: int, sigma_threshold: float, sigma: float
) -> np.ndarray:
    """Return the guarantee announced before a run, as RDP (k,): at most so many queries asked and answered."""
    return max_asked * check.rdp_independent(orders, sigma_threshold) + max_answered * gnmax.rdp_independent(
        orders, sigma
    )
