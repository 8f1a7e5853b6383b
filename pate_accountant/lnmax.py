"""Moments and Renyi DP of LNMax, argmax_j { n_j + Lap(scale) } (Papernot et al. 2017, Theorems 2 and 3, Lemma 4).

`scale` is the scale b of the Laplace density exp(-|x|/b)/(2b), in votes; the papers' gamma is 1/b. Replace-one:
two counts change by one, so the mechanism is (2/b, 0)-DP.
"""

import numpy as np
from scipy.special import logsumexp

from pate_accountant.data_dependent import SMALLEST_LOG_Q
from pate_accountant.gnmax import cap


def pure_epsilon(scale: float) -> float:
    """Epsilon of one answer under pure DP: 2 / scale."""
    return 2.0 / scale


def log_error_bound(votes: np.ndarray, scale: float) -> np.ndarray:
    """Ln q with q >= Pr[LNMax gives another class than the plurality] (2017, Lemma 4); shape (n,).

    q = sum_{i != i*} (2 + g_i) / (4 exp(g_i)), g_i = (n_i* - n_i) / scale.
    """
    ranked = -np.sort(-np.asarray(votes, float), axis=1)
    gaps = (ranked[:, :1] - ranked[:, 1:]) / scale
    return cap(logsumexp(np.log((2 + gaps) / 4) - gaps, axis=1), ranked.shape[1])


def log_moments(moments: np.ndarray, log_q: np.ndarray, scale: float) -> np.ndarray:
    """Bound on the log moment alpha(l) of each query, shape (n, len(moments)); one-sided in the data-dependent part.

    min of 2 gamma^2 l (l+1), 2 gamma l and, where q <= 1 / (e^(2 gamma) + 1), Theorem 3 of the 2017 paper
    ln[(1-q) ((1-q) / (1 - e^(2 gamma) q))^l + q e^(2 gamma l)].
    """
    moments = np.asarray(moments, float)[None, :]
    log_q = np.maximum(np.asarray(log_q, float), SMALLEST_LOG_Q)[:, None]
    epsilon = pure_epsilon(scale)
    with np.errstate(all="ignore"):  # outside the condition the logarithm may not exist; masked below
        log_success = np.log1p(-np.exp(log_q))
        log_ratio = log_success - np.log1p(-np.exp(log_q + epsilon))
        dependent = np.logaddexp(log_success + moments * log_ratio, log_q + epsilon * moments)
    applies = log_q <= -np.logaddexp(epsilon, 0.0)
    dependent = np.where(applies, dependent, np.inf)
    independent = np.minimum(epsilon**2 * moments * (moments + 1) / 2, epsilon * moments)
    return np.minimum(dependent, independent)


def epsilon_moments(moments: np.ndarray, log_moments_sum: np.ndarray, delta: float) -> tuple[float, int]:
    """Return the moments accountant's conversion, min_l (alpha(l) + ln(1/delta)) / l. Returns (epsilon, moment)."""
    epsilons = (log_moments_sum + np.log(1 / delta)) / np.asarray(moments)
    best = int(np.argmin(epsilons))
    return float(epsilons[best]), int(moments[best])


def rdp_independent(orders: np.ndarray, scale: float) -> np.ndarray:
    """Data-independent RDP of a (2/scale, 0)-DP mechanism, min{eps^2 order / 2, eps}; both directions; shape (k,)."""
    epsilon = pure_epsilon(scale)
    return np.minimum(epsilon**2 * np.asarray(orders, float) / 2, epsilon)


def rdp_noisy_counts(orders: np.ndarray, scale: float) -> np.ndarray:
    """Data-independent RDP of all noisy counts of one query, of which the answer is post-processing; shape (k,).

    Two counts change by one each: two Laplace mechanisms of sensitivity 1, ln(a e^((order - 1) / scale) +
    (1 - a) e^(-order / scale)) / (order - 1) with a = order / (2 order - 1) for each (Mironov 2017, Proposition 6).
    Equal in both directions.
    """
    orders = np.asarray(orders, float)
    share = orders / (2 * orders - 1)
    logs = np.logaddexp(np.log(share) + (orders - 1) / scale, np.log1p(-share) - orders / scale)
    return 2 * logs / (orders - 1)


def rdp(orders: np.ndarray, log_q: np.ndarray, scale: float) -> np.ndarray:
    """Data-dependent RDP of each query, alpha(order - 1) / (order - 1), shape (n, k); one-sided."""
    moments = np.asarray(orders, float) - 1
    return log_moments(moments, log_q, scale) / moments
