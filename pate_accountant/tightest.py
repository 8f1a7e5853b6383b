"""Price a run of votes on any data by the tightest route known, as a number: no statement, so a training may use it.

Neighbouring relation: replace one record, which changes one teacher's vote: two counts by one each, a plurality by at
most one. The paper's route, Renyi divergences and their classic conversion (`Account.caps`), proves more.
"""

import math

from pate_accountant.discrete import is_discrete
from pate_accountant.gaussian import epsilon_analytic


def tightest(run: dict, queries: int) -> tuple[float, str] | None:
    """Epsilon of a run's block that asks so many queries, and its accountant; None where only Renyi's route is known.

    GNMax: q answers are one Gaussian mechanism of sensitivity sqrt(2 q). Confident-GNMax: checks and at most
    `max_answered` answers, whose squared sensitivities over their noise add up to no more than q / sigma_threshold^2 +
    2 max_answered / sigma^2 whatever is drawn; such an adaptive sequence is no worse than one Gaussian mechanism of
    that sum (Smith and Thakurta 2022, "Fully adaptive composition for Gaussian differential privacy"; Koskela, Tobaben
    and Honkela 2023, "Individual privacy accounting with Gaussian differential privacy"). LNMax: the noisy counts
    themselves, two Laplace mechanisms of sensitivity 1 a query, by dp_accounting's privacy loss distributions, rounded
    up; their maximum tells no more. Not for discrete noise, nor for a run of two rounds, nor for LNMax at a delta that
    is too small for these distributions.
    """
    if is_discrete(run):
        return None
    if run["aggregator"] == "lnmax":
        from dp_accounting.pld.privacy_loss_distribution import from_laplace_mechanism  # a second, for one aggregator

        noisy_counts = from_laplace_mechanism(run["laplace_scale"]).self_compose(2 * queries)
        epsilon = float(noisy_counts.get_epsilon_for_delta(run["delta"]))
        # infinite at a delta of about 1e-15 or less: tails of that weight are cut off, as losses without a bound
        return (epsilon, "pld") if math.isfinite(epsilon) else None
    if run["aggregator"] == "gnmax":
        squares = 2 * queries / run["sigma"] ** 2
    elif run["aggregator"] == "confident_gnmax":
        squares = queries / run["sigma_threshold"] ** 2 + 2 * min(run["max_answered"], queries) / run["sigma"] ** 2
    else:
        return None
    return epsilon_analytic(math.sqrt(squares), 1.0, run["delta"]), "gaussian dp"
