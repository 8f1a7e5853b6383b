"""Renyi DP of the Gaussian mechanism on a Poisson sample when one record is replaced by another.

Neighbouring relation: replace one record; how many there are, and so the rate and the divisor of a batch's sum, is
public. Sigma is the noise multiplier: standard deviation of the noise over the largest norm of ONE record's part of the
sum, not over the distance of two, which is up to twice as much.

The pair that is worst, P = (1 - q) N(0, s^2) + q N(1, s^2) and Q = (1 - q) N(0, s^2) + q N(-1, s^2), is that of
Lebeda, Regehr, Kamath and Steinke (2024, "Avoiding pitfalls for privacy accounting of subsampled mechanisms under
composition"). Why no other is worse: the other records' draws are the same on both sides, so by joint convexity they
may be fixed and taken for 0, which leaves (1 - q) N(0) + q N(u) and (1 - q) N(0) + q N(v) with |u|, |v| <= 1. With
L_u = dN(u)/dN(0) a hockey-stick divergence is E f(L_u, L_v) under N(0), f(p, r) = [(1 - q)(1 - a) + q p - a q r]_+,
which is convex in each argument and of mixed derivative at most 0. There ln L is Gaussian with covariance
<u, v> / s^2, and the derivative of E f by an entry C_ij of it is E[f_ij L_i L_j] (half of it where i = j): so it grows
with |u| and |v| and falls with <u, v>. Thus u = -v of norm 1 has the largest hockey-stick divergence at every a, and
what dominates so dominates every Renyi divergence and every adaptive composition (Zhu, Dong and Wang 2022). Mirroring
the line swaps P and Q: both directions are one.
"""

import numpy as np

from pate_accountant import rdp
from pate_accountant.errors import InputError
from pate_accountant.subsampled_gaussian import POINTS, TAIL, log_mixed, log_normal, renyi
from pate_accountant.training_run import TrainingRun, steps_per_epoch


def replaced_gaussian_rdp(orders: np.ndarray, rate: float, sigma: float) -> np.ndarray:
    """RDP of one release, shape (k,), in nats: ln of the integral of P^order Q^(1 - order), over order - 1.

    Summed by the trapezoid rule. P and Q have their zeros at a height of pi sigma^2 over the line, and at t / pi of
    that height the integrand is at most cos(t / 2)^(1 - order) times what it is on the line, so that a step of a
    quarter of sigma^2 (of sigma, where that is less), times sqrt(8 / order) where that is less than 1, leaves a
    relative error below e^-40. Where it would take more than POINTS steps the result is an upper bound: by joint
    convexity the integral is at most 1 - rate + rate e^(2 order (order - 1) / sigma^2). At rate 1 it is
    2 order / sigma^2. Raises InputError for a rate outside (0, 1], sigma <= 0 or an order <= 1.
    """
    orders = np.asarray(orders, float)
    _check(rate, sigma)
    if not (orders > 1).all():
        raise InputError(f"order {orders.min()}: all orders must be above 1")
    if rate == 1:
        return 2 * orders / sigma**2
    return np.array([_divergence(order, rate, sigma) for order in orders])


def _divergence(order: float, rate: float, sigma: float) -> float:
    step = min(sigma, sigma**2) / 4 * min(1.0, np.sqrt(8 / order))
    # beyond `last` less its tail the logarithm falls faster than that of N(., sigma^2): its slope is
    # (order w + (order - 1) v - z) / sigma^2 with w <= 1 the share of N(1) in P, and v <= rate that of N(-1) in Q
    first, last = -TAIL * sigma - 1, order + (order - 1) * rate + TAIL * sigma
    if (last - first) / step > POINTS:
        return float(log_mixed(rate, 2 * order * (order - 1) / sigma**2)) / (order - 1)
    z = np.arange(first, last + step, step)
    above, below = (2 * np.abs(z) - 1) / (2 * sigma**2), (-2 * np.abs(z) - 1) / (2 * sigma**2)
    # the larger of P and Q over the smaller, less 1: rate (e^above - e^below) / (1 - rate + rate e^below)
    with np.errstate(divide="ignore"):  # at 0 they are the same
        log_gain = np.log(rate) + above + np.log(-np.expm1(below - above)) - log_mixed(rate, below)
    log_ratio = np.sign(z) * np.logaddexp(0, log_gain)
    return renyi(order, log_ratio, log_normal(z, step, sigma) + log_mixed(rate, -(2 * z + 1) / (2 * sigma**2)))


def replaced_gaussian_pld(rate: float, sigma: float, steps: int, delta: float, interval: float = 1e-4) -> float:
    """Epsilon of so many steps by dp_accounting's privacy loss distribution of the same pair, rounded up at `interval`.

    A second route, and a lower one: Renyi divergences lose a little when they are converted. Raises InputError for a
    rate or sigma as `replaced_gaussian_rdp`, and for a delta outside (0, 1).
    """
    import dp_accounting  # takes a second, and not every job needs it
    from dp_accounting import pld

    _check(rate, sigma)
    if not 0 < delta < 1:
        raise InputError(f"delta {delta}: it must lie in (0, 1)")
    accountant = pld.PLDAccountant(dp_accounting.NeighboringRelation.REPLACE_ONE, interval)
    step = dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(sigma))
    return float(accountant.compose(step, steps).get_epsilon(delta)) if steps else 0.0


def replaced_epsilon(run: TrainingRun, orders: np.ndarray, delta: float) -> float:
    """Epsilon of `run_statements.replaced_statement` by its first route alone, for a search of the noise."""
    steps = run.epochs * steps_per_epoch(run.samples, run.batch)
    cost = steps * replaced_gaussian_rdp(orders, run.rate, run.sigma / run.sensitivity)
    return rdp.epsilon_tight(orders, cost, delta)[0]


def _check(rate: float, sigma: float) -> None:
    if not 0 < rate <= 1:
        raise InputError(f"sampling rate {rate}: it must lie in (0, 1]")
    if not (np.isfinite(sigma) and sigma > 0):
        raise InputError(f"sigma {sigma}: it must be positive and finite")
