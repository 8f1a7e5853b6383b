"""Every bound against exact divergences: small ensembles, every neighbour, adversarial and random histograms.

A cell is (histogram, noise, order); its exact value is the largest divergence over all neighbours. One-sided means
D(M(D) || M(D')) with the error bound of D; the other direction needs the error bound of the neighbour.
At a few dozen teachers and noise of 1 to 3 votes the bounds are nearly attained, so a wrong constant is seen.
"""

import functools

import mpmath
import numpy as np
import pytest

from pate_accountant import confident, data_dependent, gnmax, lnmax, threshold
from tests import oracles

ORDERS = np.array([1.05, 1.25, 1.5, 2, 2.5, 3, 4, 5, 7, 10, 14, 20, 30, 50])
NOISES = (1.0, 1.5, 2.0, 3.0)
RELATIVE, ABSOLUTE = 1e-9, 1e-13  # error of the quadrature and of the last rounding


def histograms(classes, seed):
    """Unanimous, one dissenter, ties, near-ties, every two-way split (so every gap, each side of the theorem's
    boundary) with the other classes empty, an even rest behind the leader, and random ones."""
    rng = np.random.default_rng(seed)
    rows = []
    for teachers in (20, 33, 60):
        step = 1 if teachers < 60 else 2
        for second in range(0, teachers // 2 + 1, step):
            rows.append([teachers - second, second] + [0] * (classes - 2))
            spread = [second // (classes - 1) + (i < second % (classes - 1)) for i in range(classes - 1)]
            rows.append([teachers - second, *spread])
        even = [teachers // classes + (i < teachers % classes) for i in range(classes)]
        rows += [even, [even[0] + 1, *even[1:-1], even[-1] - 1]]
    for _ in range(80):
        teachers = int(rng.integers(20, 61))
        shares = rng.dirichlet(np.full(classes, rng.choice([0.2, 1.0, 5.0])))
        rows.append(rng.multinomial(teachers, shares))
    return np.unique(np.array(rows, dtype=np.int64), axis=0)


CASES = [(classes, noise) for classes in (2, 3, 4) for noise in NOISES]


@functools.cache
def case(classes):
    votes = histograms(classes, seed=classes)
    return votes, oracles.neighbours(votes)


@functools.cache
def divergences(mechanism, classes, noise, orders=tuple(ORDERS)):
    """(D(M(D) || M(D')), D(M(D') || M(D))), each (n, neighbours, orders)."""
    votes, around = case(classes)
    here, there = mechanism(votes, noise)[:, None, :], mechanism(around, noise)
    return oracles.renyi(here, there, orders), oracles.renyi(there, here, orders)


def over_neighbours(function, around):
    """Apply a function of (n, m) histograms to (n, neighbours, m) ones."""
    flat = function(around.reshape(-1, around.shape[-1]))
    return flat.reshape(around.shape[:2] + flat.shape[1:])


def exceeds(exact, bound):
    return exact > bound * (1 + RELATIVE) + ABSOLUTE


def check(exact, bound, independent=None, closest=0.9, share=0.25):
    """No cell above the bound; a quarter of the cells data-dependent; some active cell so close that half of
    the bound fails there. Returns nothing; every part is an assertion."""
    exact, bound = np.concatenate(exact), np.concatenate(bound)
    bad = exceeds(exact, bound)
    assert not bad.any(), f"{bad.sum()} of {bad.size} cells above the bound, worst ratio {(exact / bound)[bad].max()}"
    active = np.ones_like(bad)
    if independent is not None:
        active = bound < np.broadcast_to(np.concatenate(independent), bound.shape) * (1 - 1e-12)
        assert active.mean() >= share, f"only {active.mean():.3f} of the cells are data-dependent"
    visible = active & (exact > 1e-10)
    ratio = (exact[visible] / bound[visible]).max()
    assert ratio >= closest, f"the closest active cell reaches only {ratio:.3f} of the bound"
    assert exceeds(exact[active], 0.5 * bound[active]).any()


def test_at_least_a_thousand_histograms():
    assert sum(len(case(classes)[0]) for classes, _ in CASES) >= 1000


# ---------------------------------------------------------------- GNMax


def gnmax_rdp(votes, sigma):
    return gnmax.rdp(ORDERS, gnmax.log_error_bound(votes, sigma), sigma)


def independent_rows(module, noise, like):
    return np.broadcast_to(module.rdp_independent(ORDERS, noise), like.shape)


def test_gnmax_error_bound_holds_and_is_the_printed_sum():
    for classes, sigma in CASES:
        votes, _ = case(classes)
        log_q = gnmax.log_error_bound(votes, sigma)
        top = votes.argmax(axis=1)
        log_pmf = oracles.gnmax_log_pmf(votes, sigma)
        others = np.where(np.arange(classes) == top[:, None], -np.inf, log_pmf)
        assert np.all(np.logaddexp.reduce(others, axis=1) <= log_q + RELATIVE)
        np.testing.assert_allclose(log_q, oracles.gnmax_log_error(votes, sigma), rtol=1e-11, atol=1e-13)
        assert np.all(log_q <= np.log(1 - 1 / classes) + 1e-15)


@pytest.mark.slow
def test_gnmax_one_sided():
    exact, bound, independent = [], [], []
    for classes, sigma in CASES:
        exact.append(divergences(oracles.gnmax_log_pmf, classes, sigma)[0].max(axis=1))
        bound.append(gnmax_rdp(case(classes)[0], sigma))
        independent.append(independent_rows(gnmax, sigma, bound[-1]))
    check(exact, bound, independent)


@pytest.mark.slow
def test_gnmax_reverse_direction_with_the_neighbours_error_bound():
    exact, bound, independent = [], [], []
    for classes, sigma in CASES:
        reverse = divergences(oracles.gnmax_log_pmf, classes, sigma)[1]
        values = over_neighbours(lambda v, s=sigma: gnmax_rdp(v, s), case(classes)[1])
        exact.append(reverse.reshape(-1, ORDERS.size))
        bound.append(values.reshape(-1, ORDERS.size))
        independent.append(independent_rows(gnmax, sigma, bound[-1]))
    check(exact, bound, independent)


def test_gnmax_independent_bound_both_directions():
    exact, bound = [], []
    for classes, sigma in CASES:
        forward, reverse = divergences(oracles.gnmax_log_pmf, classes, sigma)
        exact.append(np.maximum(forward, reverse).max(axis=1))
        bound.append(independent_rows(gnmax, sigma, exact[-1]))
    check(exact, bound)


def test_gnmax_two_sided_bound_both_directions():
    exact, bound, independent = [], [], []
    for classes, sigma in CASES:
        forward, reverse = divergences(oracles.gnmax_log_pmf, classes, sigma)
        log_q = gnmax.log_error_bound(case(classes)[0], sigma)
        exact.append(np.maximum(forward, reverse).max(axis=1))
        bound.append(gnmax.rdp_two_sided(ORDERS, log_q, sigma, classes))
        independent.append(independent_rows(gnmax, sigma, bound[-1]))
        assert np.all(bound[-1] >= gnmax.rdp(ORDERS, log_q, sigma) * (1 - 1e-12))
    check(exact, bound, independent)


def test_gnmax_neighbour_error_range_contains_every_neighbour():
    for classes, sigma in CASES:
        votes, around = case(classes)
        log_q = gnmax.log_error_bound(votes, sigma)
        low = gnmax.log_error_bound_neighbour_min(log_q, sigma, classes)[:, None]
        high = gnmax.log_error_bound_neighbour_max(log_q, sigma, classes)[:, None]
        there = over_neighbours(lambda v, s=sigma: gnmax.log_error_bound(v, s), around)
        slack = 1e-9 * np.maximum(1, np.abs(there))
        assert np.all(there <= high + slack)
        assert np.all(there >= low - slack)
        assert np.all(high <= np.log(1 - 1 / classes) + 1e-12)
        if classes == 2:  # a single gap, which one vote moves by two: both ends are reached
            assert np.any(np.abs(there - low) <= slack)
            assert np.any(np.abs(there - high) <= slack)
        plain = np.exp(log_q) > 1e-250
        low_q, high_q = oracles.neighbour_error_range(np.exp(log_q[plain]), sigma, classes)
        np.testing.assert_allclose(high[plain, 0], np.log(high_q), rtol=1e-9)
        visible = low_q > 1e-280
        np.testing.assert_allclose(low[plain, 0][visible], np.log(low_q[visible]), rtol=1e-9)


@pytest.mark.slow
def test_gnmax_orders_just_inside_the_theorem():
    """The order close below mu1 = mu2 + 1 of each histogram, where the condition order <= mu1 is about to fail."""
    active = 0
    for classes, sigma in CASES:
        votes, around = case(classes)
        log_q = gnmax.log_error_bound(votes, sigma)
        mu1 = sigma * np.sqrt(-log_q) + 1
        for factor in (0.9, 0.99, 0.9999):
            order = 1 + (mu1 - 1) * factor
            keep = order <= 50
            here = oracles.gnmax_log_pmf(votes[keep], sigma)[:, None, :]
            there = oracles.gnmax_log_pmf(around[keep], sigma)
            for i, a in enumerate(order[keep]):
                exact = oracles.renyi(here[i], there[i], [a]).max()
                bound = gnmax.rdp(np.array([a]), log_q[keep][i : i + 1], sigma)[0, 0]
                assert not exceeds(exact, bound), (votes[keep][i], sigma, a)
                active += bound < a / sigma**2 * (1 - 1e-12)
    assert active >= 100


def test_theorem_for_any_orders_and_inflated_error_bound():
    """The theorem itself: random mu1, mu2 and an error bound up to 1e4 times too large."""
    rng = np.random.default_rng(11)
    cells, closest, half_fails = 0, 0.0, False
    for classes, sigma in CASES:
        votes, _ = case(classes)
        exact = divergences(oracles.gnmax_log_pmf, classes, sigma)[0].max(axis=1)
        base = gnmax.log_error_bound(votes, sigma)[:, None]
        for trial in range(6):
            log_q = np.minimum(base + (0.0 if trial < 3 else rng.uniform(0, np.log(1e4))), np.log(0.999))
            mu1 = ORDERS[None, :] * rng.uniform(1.0001, 3, size=exact.shape)
            mu2 = 1 + rng.exponential(3, size=exact.shape)
            bound = data_dependent.bound(ORDERS[None, :], log_q, mu1, mu1 / sigma**2, mu2, mu2 / sigma**2)
            finite = np.isfinite(bound)
            assert not exceeds(exact[finite], bound[finite]).any()
            # keep in mind only cells where the bound says more than the data-independent one
            useful = finite & (bound < ORDERS / sigma**2) & (exact > 1e-10)
            cells += useful.sum()
            closest = max(closest, (exact[useful] / bound[useful]).max(initial=0))
            half_fails |= exceeds(exact[finite], 0.5 * bound[finite]).any()
    assert cells >= 5000
    assert closest >= 0.9
    assert half_fails


def test_gnmax_rdp_is_the_printed_one():
    """Pins the value, which a bound that is too large would miss."""
    for classes, sigma in CASES:
        votes, _ = case(classes)
        log_q = oracles.gnmax_log_error(votes, sigma)
        keep = log_q > -690
        printed = oracles.gnmax_beta(ORDERS, log_q[keep][:, None], sigma)
        np.testing.assert_allclose(gnmax_rdp(votes, sigma)[keep], printed, rtol=1e-8, atol=1e-13)


def test_bound_agrees_with_the_printed_theorem():
    rng = np.random.default_rng(5)
    shape = (4000,)
    order = 1 + rng.exponential(6, shape)
    mu1 = order * rng.uniform(0.8, 3, shape) + 0.01
    mu2 = rng.uniform(0.5, 12, shape)
    log_q = -rng.exponential(12, shape) - 1e-3
    sigma = rng.uniform(1, 40, shape)
    ours = data_dependent.bound(order, log_q, mu1, mu1 / sigma**2, mu2, mu2 / sigma**2)
    printed = oracles.theorem_bound(order, log_q, mu1, mu1 / sigma**2, mu2, mu2 / sigma**2)
    assert 0.2 < np.isfinite(printed).mean() < 0.9
    np.testing.assert_array_equal(np.isfinite(ours), np.isfinite(printed))
    finite = np.isfinite(printed)
    np.testing.assert_allclose(ours[finite], printed[finite], rtol=1e-9, atol=1e-13)


class TestConditions:
    """The quotient condition was never seen to matter in the divergences, so only a direct test can guard it."""

    SIGMA = 2.0

    def value(self, order, q, mu1, mu2):
        v = self.SIGMA**2
        return float(np.squeeze(data_dependent.bound(np.array([order]), np.log([q]), mu1, mu1 / v, mu2, mu2 / v)))

    def limit(self, mu1, mu2):
        return np.exp((mu2 - 1) * mu2 / self.SIGMA**2) / (mu1 / (mu1 - 1) * mu2 / (mu2 - 1)) ** mu2

    def test_inside_everything_the_bound_is_finite(self):
        assert np.isfinite(self.value(3.0, 1e-6, 5.0, 4.0))

    def test_order_above_mu1(self):
        assert np.isfinite(self.value(4.99, 1e-6, 5.0, 4.0))
        assert self.value(5.01, 1e-6, 5.0, 4.0) == np.inf

    def test_error_bound_above_the_limit(self):
        limit = self.limit(3.0, 2.0)
        assert limit * np.exp(2.0 / 4.0) < 1  # so that no other condition is what fails
        assert np.isfinite(self.value(2.0, 0.999 * limit, 3.0, 2.0))
        assert self.value(2.0, 1.001 * limit, 3.0, 2.0) == np.inf

    @pytest.mark.parametrize("mu2", [1.0, 0.999, 0.5, -3.0])
    def test_mu2_at_most_one(self, mu2):
        assert self.value(2.0, 1e-9, 3.0, mu2) == np.inf

    def test_denominator_not_positive(self):
        mu1, mu2 = 40.0, 40.0
        q = np.exp(-mu2 / self.SIGMA**2) * 1.01  # q e^eps2 > 1 although q is below the limit
        assert q < self.limit(mu1, mu2)
        assert self.value(2.0, q, mu1, mu2) == np.inf

    def test_error_bound_of_one_half_or_more_is_never_data_dependent(self):
        log_q = np.log([0.5, 0.6, 0.75])
        np.testing.assert_array_equal(
            gnmax.rdp(ORDERS, log_q, 1.0), np.broadcast_to(gnmax.rdp_independent(ORDERS, 1.0), (3, ORDERS.size))
        )

    def test_dropping_the_first_condition_would_be_caught(self):
        """Outside order <= mu1 the same expression is violated, so the condition is needed."""
        violated = 0
        for classes, sigma in CASES:
            log_q = oracles.gnmax_log_error(case(classes)[0], sigma)
            exact = divergences(oracles.gnmax_log_pmf, classes, sigma)[0].max(axis=1)
            mu2 = sigma * np.sqrt(-log_q)
            with np.errstate(all="ignore"):
                q = np.exp(log_q)
                a = (1 - q) / (1 - (q * np.exp(mu2 / sigma**2)) ** ((mu2 - 1) / mu2))
                b = np.exp((mu2 + 1) / sigma**2) / q ** (1 / mu2)
                forced = np.log(
                    (1 - q)[:, None] * a[:, None] ** (ORDERS - 1) + q[:, None] * b[:, None] ** (ORDERS - 1)
                ) / (ORDERS - 1)
                limit = np.exp((mu2 - 1) * mu2 / sigma**2) / ((mu2 + 1) / mu2 * mu2 / (mu2 - 1)) ** mu2
            other = ((mu2 > 1) & (q <= limit) & (a > 0))[:, None] & (ORDERS > mu2[:, None] + 1)
            violated += (other & exceeds(exact, np.minimum(forced, ORDERS / sigma**2))).sum()
        assert violated > 0


# ---------------------------------------------------------------- LNMax


def lnmax_rdp(votes, scale):
    return lnmax.rdp(ORDERS, lnmax.log_error_bound(votes, scale), scale)


def test_lnmax_error_bound_holds_and_is_the_printed_sum():
    for classes, scale in CASES:
        votes, _ = case(classes)
        log_q = lnmax.log_error_bound(votes, scale)
        top = votes.argmax(axis=1)
        others = np.where(np.arange(classes) == top[:, None], -np.inf, oracles.lnmax_log_pmf(votes, scale))
        assert np.all(np.logaddexp.reduce(others, axis=1) <= log_q + RELATIVE)
        np.testing.assert_allclose(log_q, np.log(oracles.lnmax_error(votes, scale)), rtol=1e-11, atol=1e-13)


@pytest.mark.slow
def test_lnmax_one_sided():
    exact, bound, independent = [], [], []
    for classes, scale in CASES:
        exact.append(divergences(oracles.lnmax_log_pmf, classes, scale)[0].max(axis=1))
        bound.append(lnmax_rdp(case(classes)[0], scale))
        independent.append(independent_rows(lnmax, scale, bound[-1]))
    check(exact, bound, independent)


@pytest.mark.slow
def test_lnmax_reverse_direction_with_the_neighbours_error_bound():
    exact, bound, independent = [], [], []
    for classes, scale in CASES:
        reverse = divergences(oracles.lnmax_log_pmf, classes, scale)[1]
        values = over_neighbours(lambda v, s=scale: lnmax_rdp(v, s), case(classes)[1])
        exact.append(reverse.reshape(-1, ORDERS.size))
        bound.append(values.reshape(-1, ORDERS.size))
        independent.append(independent_rows(lnmax, scale, bound[-1]))
    check(exact, bound, independent)


@pytest.mark.slow
def test_lnmax_independent_bound_both_directions():
    exact, bound = [], []
    orders = np.array([1.05, 2, 5, 20, 50, 100, 200])  # pure differential privacy is approached at large orders
    for classes, scale in CASES:
        forward, reverse = divergences(oracles.lnmax_log_pmf, classes, scale, tuple(orders))
        exact.append(np.maximum(forward, reverse).max(axis=1))
        bound.append(np.broadcast_to(lnmax.rdp_independent(orders, scale), exact[-1].shape))
    check(exact, bound)


@pytest.mark.slow
def test_lnmax_moments_are_bounds_and_the_printed_ones():
    moments = np.array([1, 2, 3, 5, 8, 13, 21, 49])
    for classes, scale in CASES:
        votes, around = case(classes)
        log_q = lnmax.log_error_bound(votes, scale)
        ours = lnmax.log_moments(moments, log_q, scale)
        here, there = oracles.lnmax_log_pmf(votes, scale)[:, None, :], oracles.lnmax_log_pmf(around, scale)
        exact = moments * oracles.renyi(here, there, moments + 1.0).max(axis=1)
        assert not exceeds(exact, ours).any()
        printed = oracles.lnmax_log_moment(moments[None, :], np.exp(log_q)[:, None], scale)
        np.testing.assert_allclose(ours, printed, rtol=1e-9, atol=1e-13)


# ---------------------------------------------------------------- threshold check

MAX_COUNTS = np.arange(5, 61)
THRESHOLD = 30


def threshold_divergences(sigma, shift, reverse):
    here = oracles.threshold_log_pmf(MAX_COUNTS, THRESHOLD, sigma)[:, None, :]
    there = oracles.threshold_log_pmf(MAX_COUNTS[:, None] + np.asarray(shift), THRESHOLD, sigma)
    return oracles.renyi(there, here, ORDERS) if reverse else oracles.renyi(here, there, ORDERS)


def test_threshold_probabilities():
    for sigma in NOISES:
        log_p, log_rest = threshold.log_probabilities(MAX_COUNTS, THRESHOLD, sigma)
        exact = oracles.threshold_log_pmf(MAX_COUNTS, THRESHOLD, sigma)
        np.testing.assert_allclose(np.stack([log_p, log_rest], axis=-1), exact, rtol=1e-12)


def test_threshold_one_sided():
    shifts = np.linspace(-1, 1, 9)  # the statistic of the interactive check moves by any real number up to 1
    exact = [threshold_divergences(s, shifts, reverse=False).max(axis=1) for s in NOISES]
    bound = [threshold.rdp(ORDERS, MAX_COUNTS, THRESHOLD, s) for s in NOISES]
    check(exact, bound, [independent_rows(threshold, s, b) for s, b in zip(NOISES, bound, strict=True)])


def test_threshold_reverse_direction_with_the_neighbours_statistic():
    exact, bound, independent = [], [], []
    for sigma in NOISES:
        reverse = threshold_divergences(sigma, [-1, 1], reverse=True)
        values = np.stack([threshold.rdp(ORDERS, MAX_COUNTS + s, THRESHOLD, sigma) for s in (-1, 1)], axis=1)
        exact.append(reverse.reshape(-1, ORDERS.size))
        bound.append(values.reshape(-1, ORDERS.size))
        independent.append(independent_rows(threshold, sigma, bound[-1]))
    check(exact, bound, independent)


def test_threshold_independent_bound_both_directions():
    exact = [
        np.maximum(threshold_divergences(s, [-1, 1], False), threshold_divergences(s, [-1, 1], True)).max(axis=1)
        for s in NOISES
    ]
    check(exact, [independent_rows(threshold, s, e) for s, e in zip(NOISES, exact, strict=True)])


def test_threshold_does_not_round_a_real_statistic():
    values = threshold.rdp(ORDERS, np.array([20.0, 20.4, 21.0]), THRESHOLD, 2.0)
    assert np.all(values[1, :8] > values[0, :8])
    assert np.all(values[1, :8] < values[2, :8])


# ---------------------------------------------------------------- Confident-GNMax, one query and a run of two

CONFIDENT_CASES = [
    (classes, t, s1, s2)
    for classes in (2, 3, 4)
    for t, s1, s2 in ((14, 3.0, 1.0), (25, 1.0, 2.0), (25, 2.0, 1.5), (45, 1.5, 3.0), (70, 3.0, 2.0))
]


@functools.cache
def confident_divergences(classes, t, s1, s2):
    votes, around = case(classes)
    here = oracles.confident_log_pmf(votes, t, s1, s2)[:, None, :]
    return oracles.renyi(here, oracles.confident_log_pmf(around, t, s1, s2), ORDERS).max(axis=1)


def charge_independent(like, s1, s2):
    return np.broadcast_to(threshold.rdp_independent(ORDERS, s1) + gnmax.rdp_independent(ORDERS, s2), like.shape)


def representable(votes, sigma):
    """Rows whose error probability is a normal double: a smaller one may be rounded up (it stays a bound)."""
    keep = oracles.gnmax_log_error(votes, sigma) > -690
    assert keep.mean() > 0.9
    return keep


@pytest.mark.parametrize("name,closest", [("joint_rdp", 0.9), ("charge_all_rdp", 0.85)])
def test_confident_is_bounded(name, closest):
    exact, bound, independent = [], [], []
    for classes, t, s1, s2 in CONFIDENT_CASES:
        exact.append(confident_divergences(classes, t, s1, s2))
        bound.append(getattr(confident, name)(ORDERS, case(classes)[0], t, s1, s2))
        independent.append(charge_independent(bound[-1], s1, s2))
    check(exact, bound, independent, closest=closest)


def test_joint_bound_is_the_exact_expression_with_beta():
    """ln(p^a p'^(1-a) e^((a-1) beta) + (1-p)^a (1-p')^(1-a)) / (a - 1), the largest over max count + {-1, 0, 1}."""
    for classes, t, s1, s2 in CONFIDENT_CASES:
        votes, _ = case(classes)
        a = ORDERS[None, :]
        beta = oracles.gnmax_beta(a, oracles.gnmax_log_error(votes, s2)[:, None], s2)
        here = oracles.threshold_log_pmf(votes.max(axis=1), t, s1)
        values = []
        for shift in (-1, 0, 1):
            there = oracles.threshold_log_pmf(votes.max(axis=1) + shift, t, s1)
            tilt = a[..., None] * here[:, None, :] + (1 - a[..., None]) * there[:, None, :]
            values.append(np.logaddexp(tilt[..., 0] + (a - 1) * beta, tilt[..., 1]) / (a - 1))
        ours = confident.joint_rdp(ORDERS, votes, t, s1, s2)
        keep = representable(votes, s2)
        np.testing.assert_allclose(ours[keep], np.max(values, axis=0)[keep], rtol=1e-8, atol=1e-12)


def test_charge_all_is_threshold_plus_beta():
    for classes, t, s1, s2 in CONFIDENT_CASES:
        votes, _ = case(classes)
        log_p = oracles.threshold_log_pmf(votes.max(axis=1), t, s1)
        log_q = log_p.min(axis=1)[:, None]
        total = oracles.gnmax_beta(ORDERS, log_q, np.sqrt(2) * s1) + oracles.gnmax_beta(
            ORDERS, oracles.gnmax_log_error(votes, s2)[:, None], s2
        )
        ours = confident.charge_all_rdp(ORDERS, votes, t, s1, s2)
        keep = representable(votes, s2) & (log_q[:, 0] > -690)
        np.testing.assert_allclose(ours[keep], total[keep], rtol=1e-8, atol=1e-13)


@pytest.mark.slow
def test_run_of_two_queries_composes():
    """The joint output of two queries for one pair of databases: the changed teacher votes in both queries."""
    rng = np.random.default_rng(3)
    t, s1, s2 = 14, 2.0, 1.5
    votes, around = case(3)
    joint = confident.joint_rdp(ORDERS, votes, t, s1, s2)
    charged = confident.charge_all_rdp(ORDERS, votes, t, s1, s2)
    log_here = oracles.confident_log_pmf(votes, t, s1, s2)
    log_there = oracles.confident_log_pmf(around, t, s1, s2)
    totals = votes.sum(axis=1)
    exact, bound, bound_charged = [], [], []
    for i in range(len(votes)):
        same = np.flatnonzero(totals == totals[i])
        for j in rng.choice(same, size=2):
            here = (log_here[i][:, None] + log_here[j][None, :]).ravel()
            pairs = log_there[i][:, None, :, None] + log_there[j][None, :, None, :]
            there = pairs.reshape(-1, here.size)
            exact.append(oracles.renyi(here, there, ORDERS).max(axis=0))
            bound.append(joint[i] + joint[j])
            bound_charged.append(charged[i] + charged[j])
    check([np.array(exact)], [np.array(bound)])
    check([np.array(exact)], [np.array(bound_charged)], closest=0.8)


def test_interactive_run_is_bounded():
    """The checked statistic is max_j (n_j - M p_j); the released answer is still one of all teachers' labels."""
    rng = np.random.default_rng(8)
    exact, bound, charged = [], [], []
    for classes, t, s1, s2 in ((2, 6, 3.0, 1.0), (3, 8, 1.0, 2.0), (4, 5, 2.0, 1.5)):
        votes, around = case(classes)
        scores = rng.dirichlet(np.full(classes, 0.7), size=len(votes))
        teachers = votes.sum(axis=1, keepdims=True)
        shift = teachers * scores
        here = oracles.confident_log_pmf(votes, t, s1, s2, statistic=(votes - shift).max(axis=1))
        there = oracles.confident_log_pmf(around, t, s1, s2, statistic=(around - shift[:, None, :]).max(axis=2))
        exact.append(oracles.renyi(here[:, None, :], there, ORDERS).max(axis=1))
        bound.append(confident.joint_rdp(ORDERS, votes, t, s1, s2, scores=scores))
        charged.append(confident.charge_all_rdp(ORDERS, votes, t, s1, s2, scores=scores))
    check(exact, charged, closest=0.8)
    check(exact, bound)


# ---------------------------------------------------------------- what is false, pinned


def exact_pair(votes, mechanism, noise, order):
    here, there = mechanism(np.array([votes]), noise), mechanism(oracles.neighbours([votes])[0], noise)
    return oracles.renyi(here, there, [order]).max(), oracles.renyi(there, here, [order]).max()


@pytest.mark.parametrize(
    "votes,sigma,order,at_least",
    [
        ((20, 0, 0), 1.0, 2.0, 1e4),
        ((19, 1, 0), 2.0, 2.5, 24.0),
        ((28, 2, 0), 3.0, 2.5, 7.0),
        ((16, 4, 0), 2.0, 4.0, 1.7),
    ],
)
def test_reverse_direction_is_not_bounded_by_the_own_error_bound(votes, sigma, order, at_least):
    """epsilon from beta(q(D)) is a statement about one direction only."""
    own = gnmax.rdp(np.array([order]), gnmax.log_error_bound(np.array([votes]), sigma), sigma)[0, 0]
    forward, reverse = exact_pair(votes, oracles.gnmax_log_pmf, sigma, order)
    assert forward <= own
    assert reverse > at_least * own


def test_reverse_direction_fails_for_laplace_and_threshold_too():
    own = lnmax.rdp(np.array([4.0]), lnmax.log_error_bound(np.array([[16, 4, 0]]), 1.0), 1.0)[0, 0]
    assert exact_pair((16, 4, 0), oracles.lnmax_log_pmf, 1.0, 4.0)[1] > 3.6 * own
    own = threshold.rdp(np.array([2.5]), np.array([20]), 30, 2.0)[0, 0]
    there = oracles.threshold_log_pmf([19, 21], 30, 2.0)
    assert oracles.renyi(there, oracles.threshold_log_pmf(20, 30, 2.0), [2.5]).max() > 4.9 * own


def test_expected_cost_is_not_a_bound():
    """Weighting the cost of the answer by its probability is an expectation over runs, exceeded fivefold here."""
    votes, order = np.array([[9, 8, 3]]), np.array([7.0])
    expected = confident.expected_rdp(order, votes, 14, 3.0, 1.0)[0, 0]
    here = oracles.confident_log_pmf(votes, 14, 3.0, 1.0)
    exact = oracles.renyi(here, oracles.confident_log_pmf(oracles.neighbours(votes)[0], 14, 3.0, 1.0), order).max()
    assert expected == pytest.approx(0.723, abs=5e-4)
    assert exact == pytest.approx(3.8233126798, rel=1e-9)
    assert exact <= confident.joint_rdp(order, votes, 14, 3.0, 1.0)[0, 0]


@pytest.mark.parametrize("order", [1.00001, 1.001, 1.5, 14.0])
@pytest.mark.parametrize(
    ("top", "limit", "of_check", "sigma"),
    [(250, 200, 150, 40), (250, 20, 20, 40), (250, 20, 15, 10), (130, 200, 150, 40)],
)
def test_the_joint_bound_is_not_rounded_down(order, top, limit, of_check, sigma):
    votes, at = np.array([[top, 250 - top]]), np.array([order])
    found = confident.joint_rdp(at, votes, limit, of_check, sigma)[0, 0]
    with mpmath.workdps(50):
        answer = mpmath.mpf(gnmax.rdp(at, gnmax.log_error_bound(votes, sigma), sigma)[0, 0])
        a, worst = mpmath.mpf(order), mpmath.mpf(0)
        for other in (top - 1, top + 1):
            silent, answered = (
                mpmath.ncdf(sign * (mpmath.mpf(top) - limit) / of_check) ** a
                * mpmath.ncdf(sign * (mpmath.mpf(other) - limit) / of_check) ** (1 - a)
                for sign in (-1, 1)
            )
            worst = max(worst, mpmath.log(silent + answered * mpmath.exp((a - 1) * answer)) / (a - 1))
        assert worst <= found <= worst * (1 + 1e-10) + 1e-15 * a / (a - 1)
