"""Theorems 1 and 2 of residual perturbation as the paper states them, solved for the budget and for the noise.

No number here is a guarantee: both proofs have gaps, and every PrivacyStatement says proved_bound=False.

Theorem 1 (Section III-A, Strategy I) asks for pi > R sqrt(2 k alpha / (lambda epsilon)) of the noise on the input and
gamma > G sqrt(2 k alpha / (lambda epsilon)) of the noise in every residual mapping, with k = T b / N uses of a sample
in T iterations of batches of b out of N samples, and alpha = ln(1/delta) / ((1 - lambda) epsilon) + 1. Its proof counts
the mean number of uses, not the largest; takes features for Gaussian with a variance that no sample changes, and their
mean for bounded by G; leaves out that batch normalisation mixes the samples of a batch, that gradients and weights are
not functions of x_N's features alone, and that a model is the weights of all its layers together.

Theorem 2 (Section III-B, Strategy II) asks for gamma > (B/eta) sqrt(2 M alpha / (lambda epsilon)) and
pi > a sqrt(2 M alpha / (lambda epsilon)), of one prediction of one input: nothing composes over queries. It composes M
residual mappings and an output layer, each at a share of 1/M, which is M + 1 shares.

All four conditions are one inequality. With A = 2 k bound^2 / noise^2 the least epsilon at an order alpha is
A alpha + ln(1/delta) / (alpha - 1), where lambda is the first term's share: k Gaussian releases of sensitivity 2 bound,
composed as Renyi divergences.
"""

import math

from lib.core.errors import InputError
from pate_accountant.gaussian import sigma_rdp
from pate_accountant.statement import PrivacyStatement

NEIGHBOURING = "replace_one"  # Definition 1: data sets of N elements that differ by one
CONDITIONS = ("gamma", "pi", "joint")


def least_epsilon(noise: float, bound: float, uses: float, delta: float, share: float | None = None) -> float:
    """Return the greatest lower bound of the epsilons for which noise > bound sqrt(2 uses alpha / (share epsilon)).

    noise: gamma or pi. bound: G, R, B/eta or a, in the unit of noise. uses: k or M. share: lambda; None for the lambda
    in (0, 1) that gives least. The condition is strict, so that every larger epsilon meets it, and this one does not.
    Exact but for rounding: with L = ln(1/delta) the best lambda gives A + 2 sqrt(A L), by the inequality of arithmetic
    and geometric means, and another one the positive root of lambda epsilon^2 - A epsilon - A L / (1 - lambda).
    Raises InputError for numbers that are not positive and finite, and for delta or lambda outside (0, 1).
    """
    _check(delta, share, noise=noise, bound=bound, uses=uses)
    weight = 2 * uses * (bound / noise) ** 2
    inverse = math.log(1 / delta)
    if share is None:
        return weight + 2 * math.sqrt(weight * inverse)
    return (weight + math.sqrt(weight**2 + 4 * share * weight * inverse / (1 - share))) / (2 * share)


def least_noise(epsilon: float, bound: float, uses: float, delta: float, share: float | None = None) -> float:
    """Return the least noise that meets the condition at `epsilon` (a bound not attained); inverts `least_epsilon`."""
    _check(delta, share, epsilon=epsilon, bound=bound, uses=uses)
    if share is None:
        return sigma_rdp(2 * bound * math.sqrt(uses), epsilon, delta)
    order = math.log(1 / delta) / ((1 - share) * epsilon) + 1
    return bound * math.sqrt(2 * uses * order / (share * epsilon))


def best_share(noise: float, bound: float, uses: float, delta: float) -> float:
    """Return the lambda in (0, 1) at which `least_epsilon` is least: that of the order 1 + sqrt(ln(1/delta) / A)."""
    _check(delta, None, noise=noise, bound=bound, uses=uses)
    root = math.sqrt(2 * uses) * bound / noise
    inverse = math.sqrt(math.log(1 / delta))
    return (root + inverse) / (root + 2 * inverse)


def theorem1(
    gamma: float,
    pi: float,
    *,
    residual_bound: float,
    input_bound: float,
    uses: float,
    delta: float,
    share: float | None = None,
) -> dict[str, PrivacyStatement]:
    """State the cost of Strategy I by Theorem 1, by its condition on `gamma`, on `pi`, and by both (`joint`).

    gamma, pi: standard deviations of the noise in every residual mapping and on the input. residual_bound: G.
    input_bound: R. uses: T b / N, which is the number of epochs. share: lambda, None for the best of each condition.
    Never a guarantee. Raises InputError as `least_epsilon` does.
    """
    by_gamma = least_epsilon(gamma, residual_bound, uses, delta, share)
    by_pi = least_epsilon(pi, input_bound, uses, delta, share)
    return _statements(1, by_gamma, by_pi, delta)


def theorem2(
    gamma: float,
    pi: float,
    *,
    residual_bound: float,
    floor: float,
    output_bound: float,
    mappings: int,
    delta: float,
    share: float | None = None,
) -> dict[str, PrivacyStatement]:
    """State the cost of one prediction under Strategy II by Theorem 2, by `gamma`, by `pi`, and by both (`joint`).

    gamma: standard deviation of the noise in every residual mapping, over the features. pi: of the noise on the
    output. residual_bound: B. floor: eta. output_bound: a. mappings: M; M + 1 in place of M makes up for the output
    layer, which the proof composes and does not count. share: lambda, None for the best of each condition.
    Never a guarantee. Raises InputError as `least_epsilon` does.
    """
    _check(delta, share, floor=floor)
    by_gamma = least_epsilon(gamma, residual_bound / floor, mappings, delta, share)
    by_pi = least_epsilon(pi, output_bound, mappings, delta, share)
    return _statements(2, by_gamma, by_pi, delta)


def _statements(number: int, by_gamma: float, by_pi: float, delta: float) -> dict[str, PrivacyStatement]:
    epsilons = zip(CONDITIONS, (by_gamma, by_pi, max(by_gamma, by_pi)), strict=True)
    return {
        condition: PrivacyStatement.data_independent(
            epsilon,
            delta,
            accountant=f"residual perturbation, Theorem {number}, condition {condition}",
            conversion="classic",
            neighbouring=NEIGHBOURING,
            proved_bound=False,
        )
        for condition, epsilon in epsilons
    }


def _check(delta: float, share: float | None, **positive: float) -> None:
    for what, value in positive.items():
        if not (math.isfinite(value) and value > 0):
            raise InputError(f"{what} {value}: it must be positive and finite")
    for what, part in (("delta", delta), ("lambda", share)):
        if part is not None and not 0 < part < 1:
            raise InputError(f"{what} {part}: it must lie in (0, 1)")
