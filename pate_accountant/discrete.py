"""Votes under discrete Gaussian noise (Canonne, Kamath and Steinke 2020): what holds, and what must not be used.

For integers mu and nu, D_order(N_Z(mu, sigma^2) || N_Z(nu, sigma^2)) <= order (mu - nu)^2 / (2 sigma^2) (Proposition
5), and divergences of independent coordinates add up: a query with whole-numbered values and L2 sensitivity s costs
order s^2 / (2 sigma^2), the continuous mechanism's curve, although its noise is another one. Counts and their maximum
are whole; a statistic less a student's probabilities is not, and gets no discrete noise.

The bound q of `gnmax` is a tail of the continuous noise and does not hold for discrete noise: at a gap of one vote and
sigma 0.5 it says 0.08, and a tie that goes to the other class, or worse, has chance 0.18. So nothing built on it (the
data-dependent cost, its smooth sensitivity) may be used: a discrete run has data-independent costs only. A tie goes to
the class of the smaller number, which looks at the noisy counts alone and costs nothing.
"""

CONTINUOUS, KIND = "continuous", "discrete"
# A ledger's name of each draw whose noise may be discrete.
DISCRETE = {"gnmax": "discrete_gnmax", "threshold": "discrete_threshold"}


def is_discrete(run: dict) -> bool:
    """Whether a run's block asks for discrete noise; without `noise` it is continuous."""
    return run.get("noise", CONTINUOUS) == KIND
