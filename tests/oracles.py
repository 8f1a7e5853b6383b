"""Exact answers for small cases, computed without the library.

Everything here is written from the definitions: output distributions by quadrature, divergences of discrete
distributions in log space, neighbours and lattices by enumeration. Nothing is imported from `lib`.
A histogram is a vector of vote counts; two histograms are neighbours when one teacher changes its vote.
"""

import functools
from itertools import combinations

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfc, erfcinv, log_ndtr, logsumexp, ndtr

# ---------------------------------------------------------------- enumeration


def neighbours(votes):
    """(n, m) histograms -> (n, m (m - 1), m): one vote moved from class a to class b, for every ordered pair (a, b).

    A move out of an empty class is impossible; its place holds the histogram itself, whose divergence is 0.
    """
    votes = np.atleast_2d(np.asarray(votes, dtype=np.int64))
    m = votes.shape[1]
    moved = []
    for a in range(m):
        for b in range(m):
            if a != b:
                step = np.zeros(m, dtype=np.int64)
                step[a], step[b] = -1, 1
                moved.append(np.where(votes[:, a : a + 1] > 0, votes + step, votes))
    return np.stack(moved, axis=1)


def lattice(teachers, classes):
    """Every histogram with the given number of teachers and classes (stars and bars)."""
    rows = []
    for bars in combinations(range(teachers + classes - 1), classes - 1):
        edges = (-1, *bars, teachers + classes - 1)
        rows.append([edges[i + 1] - edges[i] - 1 for i in range(classes)])
    return np.array(rows, dtype=np.int64)


def distances(points):
    """Number of teachers that must change their vote between any two rows: half the L1 distance."""
    return np.abs(points[:, None, :] - points[None, :, :]).sum(axis=2) // 2


# ---------------------------------------------------------------- output distributions


def _complement(log_pmf):
    """Replace the largest probability by 1 minus the others, which keeps its distance from 1 exact."""
    log_pmf = log_pmf - logsumexp(log_pmf, axis=-1, keepdims=True)
    top = log_pmf.argmax(axis=-1)
    keep = np.arange(log_pmf.shape[-1]) == top[..., None]
    others = np.where(keep, 0.0, np.exp(log_pmf)).sum(axis=-1)
    with np.errstate(divide="ignore"):
        exact = np.where(
            others < 0.5,
            np.log1p(-np.minimum(others, 0.5)),
            np.take_along_axis(log_pmf, top[..., None], axis=-1)[..., 0],
        )
    return np.where(keep, exact[..., None], log_pmf)


def _argmax_log_pmf(votes, log_density, log_cdf, log_weight):
    """ln Pr[j is the noisy argmax] = ln int density(x - n_j) prod_{i != j} cdf(x - n_i) dx, from tables by count."""
    votes = np.asarray(votes, dtype=np.int64)
    shape, m = votes.shape, votes.shape[-1]
    flat = np.sort(votes.reshape(-1, m), axis=1)
    unique, inverse = np.unique(flat, axis=0, return_inverse=True)
    result = np.empty(unique.shape)
    chunk = max(1, 4_000_000 // (m * log_weight.size))
    for start in range(0, len(unique), chunk):
        rows = unique[start : start + chunk]
        cdf = log_cdf[rows]
        integrand = log_density[rows] - cdf + cdf.sum(axis=1, keepdims=True) + log_weight
        result[start : start + chunk] = logsumexp(integrand, axis=2)
    ordered = result[inverse.reshape(-1)]
    back = np.argsort(np.argsort(votes.reshape(-1, m), axis=1, kind="stable"), axis=1)
    return np.take_along_axis(ordered, back, axis=1).reshape(shape)


def gnmax_log_pmf(votes, sigma, raw=False):
    """ln of the output distribution of argmax_j {n_j + N(0, sigma^2)} for integer histograms (..., m).

    The integrand is entire and falls like a Gaussian, so the trapezoid rule (step sigma / 8) is exact to rounding;
    everything stays in log space, so probabilities far in the tail keep their relative accuracy.
    raw=True leaves out the renormalisation, so that the sum shows the quadrature error.
    """
    votes = np.asarray(votes)
    step = sigma / 8
    x = np.arange(votes.min() - 14 * sigma, votes.max() + 14 * sigma + step, step)
    z = (x[None, :] - np.arange(votes.max() + 1)[:, None]) / sigma
    density = -0.5 * z**2 - np.log(sigma * np.sqrt(2 * np.pi))
    log_pmf = _argmax_log_pmf(votes, density, log_ndtr(z), np.full(x.size, np.log(step)))
    return log_pmf if raw else _complement(log_pmf)


def lnmax_log_pmf(votes, scale, raw=False):
    """ln of the output distribution of argmax_j {n_j + Laplace(scale)} for integer histograms (..., m).

    The integrand has kinks at the counts, which are integers: Gauss-Legendre with 12 nodes on every unit interval.
    """
    votes = np.asarray(votes)
    reach = int(np.ceil(46 * scale))
    nodes, weights = np.polynomial.legendre.leggauss(12)
    left = np.arange(votes.min() - reach, votes.max() + reach)
    x = (left[:, None] + 0.5 * (nodes + 1)[None, :]).ravel()
    log_weight = np.log(np.tile(0.5 * weights, left.size))
    t = (x[None, :] - np.arange(votes.max() + 1)[:, None]) / scale
    tail = np.exp(-np.abs(t)) / 2
    cdf = np.where(t < 0, -np.abs(t) - np.log(2.0), np.log1p(-tail))
    log_pmf = _argmax_log_pmf(votes, -np.abs(t) - np.log(2 * scale), cdf, log_weight)
    return log_pmf if raw else _complement(log_pmf)


def threshold_log_pmf(statistic, threshold, sigma):
    """(..., 2): ln Pr[statistic + N(0, sigma^2) >= threshold] and ln of its complement."""
    z = (np.asarray(statistic, dtype=float) - threshold) / sigma
    return np.stack([log_ndtr(z), log_ndtr(-z)], axis=-1)


def confident_log_pmf(votes, threshold, sigma_threshold, sigma, statistic=None):
    """(..., m + 1): ln of the joint distribution of Confident-GNMax: the m labels, then "no answer".

    Pr[label j] = Pr[pass] Pr[argmax = j] (the two noises are independent); Pr[no answer] = 1 - Pr[pass].
    statistic: the checked number, the largest count unless given.
    """
    votes = np.asarray(votes)
    check = threshold_log_pmf(votes.max(axis=-1) if statistic is None else statistic, threshold, sigma_threshold)
    labels = gnmax_log_pmf(votes, sigma) + check[..., :1]
    return np.concatenate([labels, check[..., 1:]], axis=-1)


# ---------------------------------------------------------------- divergences


def renyi(log_p, log_q, orders):
    """D_a(P || Q) = ln(sum Q (P / Q)^a) / (a - 1) of discrete distributions on the last axis -> (..., len(orders)).

    With t = ln(P / Q) the sum is 1 + sum Q g(t), g(t) = e^{a t} - 1 - a (e^t - 1) >= 0; that form, with a series
    for small t, keeps the relative accuracy of divergences far below the rounding of 1.
    """
    log_p, log_q = np.broadcast_arrays(log_p, log_q)
    t, q, difference = log_p - log_q, np.exp(log_q), np.exp(log_p) - np.exp(log_q)
    result = []
    for a in np.atleast_1d(np.asarray(orders, dtype=float)):
        total = logsumexp(log_q + a * t, axis=-1)
        near = np.clip(t, -0.01 / a, 0.01 / a)
        series = sum((a**k - a) * near**k / f for k, f in ((2, 2), (3, 6), (4, 24), (5, 120), (6, 720)))
        with np.errstate(over="ignore", invalid="ignore"):
            far = np.exp(np.minimum(log_q + a * t, 700.0)) - q - a * difference
            small = np.log1p(np.maximum(np.where(np.abs(a * t) < 0.01, q * series, far).sum(axis=-1), 0.0))
        result.append(np.where(total > 0.1, total, small) / (a - 1))
    return np.stack(result, axis=-1)


def gaussian_renyi(order, mean_p, std_p, mean_q, std_q):
    """D_a of two Gaussians: a (mean difference)^2 / (2 v) + ln(std_q / std_p) + ln(std_q^2 / v) / (2 (a - 1)).

    v = (1 - a) std_p^2 + a std_q^2; infinite where v <= 0.
    """
    order, mean_p, std_p, mean_q, std_q = np.broadcast_arrays(
        *(np.asarray(v, dtype=float) for v in (order, mean_p, std_p, mean_q, std_q))
    )
    v = (1 - order) * std_p**2 + order * std_q**2
    safe = np.where(v > 0, v, 1.0)
    value = (
        order * (mean_p - mean_q) ** 2 / (2 * safe)
        + np.log(std_q / std_p)
        + np.log(std_q**2 / safe) / (2 * (order - 1))
    )
    return np.where(v > 0, value, np.inf)


def gaussian_renyi_numeric(order, mean_p, std_p, mean_q, std_q):
    """The same divergence by trapezoid over the logarithm of p^a q^(1 - a); the caller makes sure that it is finite.

    The exponent is a parabola: centre and width come from its three coefficients, the value from the quadrature.
    """
    v = (1 - order) * std_p**2 + order * std_q**2
    width = std_p * std_q / np.sqrt(v)
    centre = (order * mean_p * std_q**2 + (1 - order) * mean_q * std_p**2) / v
    x = centre + width * np.arange(-12, 12.05, 0.1)
    log_p = -0.5 * ((x - mean_p) / std_p) ** 2 - np.log(std_p)
    log_q = -0.5 * ((x - mean_q) / std_q) ** 2 - np.log(std_q)
    log_integral = logsumexp(order * log_p + (1 - order) * log_q) + np.log(0.1 * width / np.sqrt(2 * np.pi))
    return log_integral / (order - 1)


def gaussian_delta(sensitivity, sigma, epsilon):
    """Exact delta of the Gaussian mechanism: Phi(D / 2s - e s / D) - exp(e) Phi(-D / 2s - e s / D)."""
    a, b = sensitivity / (2 * sigma), epsilon * sigma / sensitivity
    return ndtr(a - b) - np.exp(epsilon + log_ndtr(-a - b))


# ---------------------------------------------------------------- the printed formulas, written a second time


def gnmax_log_error(votes, sigma):
    """ln q, q = sum over the other classes of erfc((n_top - n_i) / (2 sigma)) / 2, at most 1 - 1/m.

    erfc(x) / 2 = Phi(-x sqrt 2), in log space because q reaches e^-900 here.
    """
    votes = np.sort(np.asarray(votes, dtype=float), axis=-1)
    log_q = logsumexp(log_ndtr((votes[..., :-1] - votes[..., -1:]) / (np.sqrt(2) * sigma)), axis=-1)
    return np.minimum(log_q, np.log(1 - 1 / votes.shape[-1]))


def lnmax_error(votes, scale):
    """q = sum over the other classes of (2 + t) / (4 e^t), t = gap / scale, at most 1 - 1/m."""
    votes = np.sort(np.asarray(votes, dtype=float), axis=-1)
    t = (votes[..., -1:] - votes[..., :-1]) / scale
    return np.minimum(((2 + t) / (4 * np.exp(t))).sum(axis=-1), 1 - 1 / votes.shape[-1])


def theorem_bound(order, log_q, mu1, eps1, mu2, eps2):
    """ln((1 - q) A^(a - 1) + q B^(a - 1)) / (a - 1), inf outside the theorem's conditions; arrays broadcast.

    A = (1 - q) / (1 - (q e^eps2)^((mu2 - 1) / mu2)), B = e^eps1 / q^(1 / (mu1 - 1)).
    """
    order, log_q, mu1, eps1, mu2, eps2 = np.broadcast_arrays(
        *(np.asarray(v, dtype=float) for v in (order, log_q, mu1, eps1, mu2, eps2))
    )
    with np.errstate(all="ignore"):
        q = np.exp(log_q)
        limit = (mu2 - 1) * eps2 - mu2 * np.log(mu1 / (mu1 - 1) * mu2 / (mu2 - 1))
        valid = (mu2 > 1) & (order < mu1) & (log_q <= limit) & (-log_q > eps2)
        log_a = np.log1p(-q) - np.log1p(-np.exp((log_q + eps2) * (mu2 - 1) / mu2))
        log_b = eps1 - log_q / (mu1 - 1)
        # (1 - q)(A^(a-1) - 1) + q (B^(a-1) - 1) is what is added to 1
        excess = (1 - q) * np.expm1((order - 1) * log_a) + np.exp(log_q + (order - 1) * log_b) - q
        large = np.logaddexp(np.log1p(-q) + (order - 1) * log_a, log_q + (order - 1) * log_b)
        return np.where(valid, np.where(large > 1, large, np.log1p(excess)) / (order - 1), np.inf)


def gnmax_beta(order, log_q, sigma):
    """min(theorem with mu2 = sigma sqrt(ln 1/q), mu1 = mu2 + 1, order / sigma^2)."""
    mu2 = sigma * np.sqrt(-np.asarray(log_q))
    data_dependent = theorem_bound(order, log_q, mu2 + 1, (mu2 + 1) / sigma**2, mu2, mu2 / sigma**2)
    return np.minimum(data_dependent, order / sigma**2)


def lnmax_log_moment(moment, q, scale):
    """alpha(l): least of 2 g^2 l (l + 1), 2 g l and, if q <= 1 / (e^2g + 1), the data-dependent form; g = 1 / scale."""
    g = 1 / scale
    moment, q = np.broadcast_arrays(np.asarray(moment, dtype=float), np.asarray(q, dtype=float))
    with np.errstate(all="ignore"):
        log_a = np.log1p(-q) - np.log1p(-np.exp(2 * g) * q)
        data_dependent = np.log1p((1 - q) * np.expm1(moment * log_a) + q * np.expm1(2 * g * moment))
    data_dependent = np.where(q <= 1 / (np.exp(2 * g) + 1), data_dependent, np.inf)
    return np.minimum(np.minimum(2 * g**2 * moment * (moment + 1), 2 * g * moment), data_dependent)


def neighbour_error_range(q, sigma, classes):
    """(B_L(q), B_U(q)): how far one vote can move q; B_U also at most 1 - 1/m.

    (m - 1) / 2 erfc(erfcinv(2 q / (m - 1)) +- 1 / sigma).
    """
    half = (classes - 1) / 2
    centre = erfcinv(np.asarray(q) / half)
    return half * erfc(centre + 1 / sigma), np.minimum(half * erfc(centre - 1 / sigma), 1 - 1 / classes)


@functools.cache
def crossing(sigma, order, classes):
    """(ln q0, ln q1): the largest q at which the theorem is below order / sigma^2, and q1 = B_L(q0)."""
    low, high = -600.0, -1e-9
    for _ in range(200):
        middle = (low + high) / 2
        saves = gnmax_beta(order, middle, sigma) < order / sigma**2
        low, high = (middle, high) if saves else (low, middle)
    return low, np.log(neighbour_error_range(np.exp(low), sigma, classes)[0])


def algorithm_three(log_q, sigma, order, classes):
    """Bound on the change of beta at q: the larger of the steps up to B_U(q) and down to B_L(q), flat on [q1, q0]."""
    log_q0, log_q1 = crossing(sigma, order, classes)
    if log_q1 <= log_q <= log_q0:
        log_q = log_q1
    with np.errstate(divide="ignore"):
        low, high = np.log(neighbour_error_range(np.exp(log_q), sigma, classes))
    down, here, up = (gnmax_beta(order, max(v, -600.0), sigma) for v in (low, log_q, high))
    return float(max(up - here, here - down))


def algorithm_four(row, sigma, order, distance):
    """The bound at a distance, by moving one vote at a time and sorting again after each move."""
    row, m = sorted(row, reverse=True), len(row)
    log_q0, log_q1 = crossing(sigma, order, m)
    plateau = algorithm_three(log_q1, sigma, order, m)
    log_q = gnmax_log_error(row, sigma)
    if log_q1 <= log_q <= log_q0:
        return plateau
    for _ in range(distance):
        if log_q < log_q1:
            row[0], row[1] = row[0] - 1, row[1] + 1
            if row[0] < row[1] or gnmax_log_error(row, sigma) >= log_q1:
                return plateau
        else:
            if row[1] == 0:
                return plateau
            row[0], row[1] = row[0] + 1, row[1] - 1
            row = row[:1] + sorted(row[1:], reverse=True)
            if gnmax_log_error(row, sigma) <= log_q0:
                return plateau
    return algorithm_three(gnmax_log_error(row, sigma), sigma, order, m)


# ---------------------------------------------------------------- smooth sensitivity by enumeration


def exact_local_sensitivity(points, sigma, order):
    """For every histogram: the largest |f(neighbour) - f(histogram)|, f = the one-sided bound beta(q)."""
    around = neighbours(points)
    here = gnmax_beta(order, gnmax_log_error(points, sigma), sigma)
    return np.abs(gnmax_beta(order, gnmax_log_error(around, sigma), sigma) - here[:, None]).max(axis=1)


def exact_smooth_sensitivity(points, sigma, order, beta):
    """max over D'' of e^{-beta d(D, D'')} LS(D'') for every D of a whole lattice."""
    local = exact_local_sensitivity(points, sigma, order)
    return (np.exp(-beta * distances(points)) * local[None, :]).max(axis=1)


def optimal_gaussian_order(sensitivity, sigma, delta):
    """min over a > 1 of a s^2 / (2 sigma^2) + ln(1/delta) / (a - 1), from the root of its derivative."""
    slope = sensitivity**2 / (2 * sigma**2)
    a = 1 + brentq(lambda u: slope - np.log(1 / delta) / u**2, 1e-9, 1e9)
    return a * slope + np.log(1 / delta) / (a - 1), a
