"""Analytic sensitivities of the coefficients (Appendices D to G): as the paper prints them, and as they should read.

For softplus layers of which inputs and targets are bounded, ||z_{k-1}|| <= T_z and ||z_k|| <= T_z (at a classifier's
output: targets in [0, 1]), at weights w, second-order expansion, L2 (Frobenius) norms over the whole layer. With
alpha_h = f(||w_h|| T_z) and beta_h = f'(||w_h|| T_z): 0 < f <= alpha_h, 0 < f' <= beta_h <= 1 and 0 < f'' <= 1/4.

The printed bounds are no guarantee: they are derived for neighbours with one record less whose normaliser shrinks with
them (1/N against 1/(N-1)), for which those of b and C do not hold, nor for a record replaced. DP-MAC here clips the
coefficients instead (`release`); this module is for comparison, and its corrected bounds hold.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from lib.core.errors import InputError

# How much more than one sample's own contribution, |t| / (2N), two neighbours can differ by. `add_or_remove_one` keeps
# the normaliser; `shrinking_normaliser` is the paper's pair of sums, 1/N over N and 1/(N-1) over N-1: their difference
# t_N / N - mean(t_1 .. t_{N-1}) / N is at most 2 max|t| / N.
RELATIONS = {"add_or_remove_one": 1.0, "replace_one": 2.0, "shrinking_normaliser": 2.0}


@dataclass(frozen=True)
class Sensitivities:
    """Bounds on the change of a layer's a, b and C, with their factor 1/(2N)."""

    constant: float
    linear: float
    quadratic: float


def hidden_printed(weight: np.ndarray, bound: float, samples: int) -> Sensitivities:
    """Of a squared-error layer, as printed (Appendices D, E and F), mistakes included.

    weight: (in, out); bound: T_z; samples: N. Appendix D bounds f^2 by beta^2 in its first term; Appendix E leaves out
    the factor 2 of a cross term and 4 of ||2(a - b)||^2 <= 8(||a||^2 + ||b||^2), and takes one sample for the
    difference of two; Appendix F, which in turn has C twice too large, leaves out the 2 of its cross term.
    """
    first, second, norms, alpha, beta = _bounds(weight, bound, samples)
    constant = bound**2 + 2 * bound * _norm(alpha) + _norm(beta) ** 2
    linear = 2 * bound**2 * (bound**2 + _norm(alpha * beta) ** 2) + bound**4 / 8 * _curvature(bound, norms, alpha, beta)
    quadratic = bound**2 / 4 * np.sqrt(bound**2 + _norm(4 * beta**2 + alpha) ** 2)
    return Sensitivities((constant + first + second) / samples, np.sqrt(linear) / samples, quadratic / samples)


def hidden_corrected(
    weight: np.ndarray, bound: float, samples: int, relation: str = "add_or_remove_one"
) -> Sensitivities:
    """Of a squared-error layer, by the paper's own steps with their factors right; holds for `relation`.

    One sample, without 1/(2N): |a| <= T_z^2 + 2 T_z ||alpha|| + ||alpha||^2 + the two further terms of Appendix D;
    ||b||^2 <= 2 (||dT||^2 + ||d2T w||^2), each of them with ||2(p - q)||^2 <= 8 (||p||^2 + ||q||^2);
    ||C||^2 <= 2 (||z f''||^2 + ||f'^2 + f f''||^2) T_z^4. Arguments as in `hidden_printed`; InputError for a relation
    that is not in RELATIONS.
    """
    first, second, norms, alpha, beta = _bounds(weight, bound, samples)
    factor = _factor(relation) / (2 * samples)
    constant = bound**2 + 2 * bound * _norm(alpha) + _norm(alpha) ** 2
    gradient = 8 * bound**2 * (bound**2 + _norm(alpha * beta) ** 2)
    hessian = bound**4 / 2 * _curvature(bound, norms, alpha, beta)
    quadratic = bound**2 / 4 * np.sqrt(2 * (bound**2 + _norm(4 * beta**2 + alpha) ** 2))
    return Sensitivities(
        factor * (constant + first + second), factor * np.sqrt(2 * (gradient + hessian)), factor * quadratic
    )


def output_printed(weight: np.ndarray, bound: float, samples: int) -> Sensitivities:
    """Of a binary cross-entropy layer, as printed (Appendix G); arguments as in `hidden_printed`.

    The bound on b leaves out the cross terms of three summands, which happen to be small enough; that on C is tight
    for a record added or removed, and so too small by 2 for one replaced.
    """
    _, _, norms, alpha, beta = _bounds(weight, bound, samples)
    units = weight.shape[1]
    constant = alpha.sum() + bound * (norms * beta).sum() + bound**2 / 8 * _norm(norms) ** 2
    linear = bound * np.sqrt(units + _norm(beta) ** 2 + bound**2 / 16 * _norm(norms) ** 2)
    quadratic = np.sqrt(units) * bound**2 / 8
    return Sensitivities(*(value / (2 * samples) for value in (constant, linear, quadratic)))


def output_corrected(
    weight: np.ndarray, bound: float, samples: int, relation: str = "add_or_remove_one"
) -> Sensitivities:
    """Of a binary cross-entropy layer, proved by the triangle inequality: |f' - y| <= 1; holds for `relation`."""
    _, _, norms, _, _ = _bounds(weight, bound, samples)
    factor = _factor(relation)
    printed = output_printed(weight, bound, samples)
    linear = bound * (np.sqrt(weight.shape[1]) + bound / 4 * _norm(norms)) / (2 * samples)
    return Sensitivities(factor * printed.constant, factor * linear, factor * printed.quadratic)


def _bounds(weight: np.ndarray, bound: float, samples: int) -> tuple[float, float, np.ndarray, np.ndarray, np.ndarray]:
    """Second and third term of Appendix D (without 1/N, each right as printed), ||w_h||, alpha and beta."""
    if weight.ndim != 2 or not np.isfinite(weight).all():
        raise InputError(f"weight {weight.shape}: allowed are finite numbers (in, out)")
    if not bound > 0 or samples < 1:
        raise InputError(f"bound {bound}, samples {samples}: the former must be positive, the latter at least 1")
    norms = np.linalg.norm(weight, axis=0)
    alpha, beta = np.logaddexp(0, norms * bound), expit(norms * bound)
    first = 2 * bound * (bound * _norm(beta * norms) + (alpha * beta * norms).sum())
    second = bound**2 / 4 * (bound * _norm(norms**2) + ((4 * beta**2 + alpha) * norms**2).sum())
    return first, second, norms, alpha, beta


def _curvature(bound: float, norms: np.ndarray, alpha: np.ndarray, beta: np.ndarray) -> float:
    """Return the bracket of Appendix E's eq. (16), ||w||_F^2 T_z^2 + sum_h ||(4 beta^2 + alpha) w_h||^2."""
    return bound**2 * _norm(norms) ** 2 + _norm((4 * beta**2 + alpha) * norms) ** 2


def _factor(relation: str) -> float:
    if relation not in RELATIONS:
        raise InputError(f"relation {relation!r}: allowed are {', '.join(RELATIONS)}")
    return RELATIONS[relation]


def _norm(vector: np.ndarray) -> float:
    return float(np.linalg.norm(vector))
