"""Advanced composition of a run of GNMax: the theorem that Section 4.1 of Scalable PATE puts beside Renyi DP.

Neighbouring relation: replace one record, which changes two counts by one each, and a plurality by at most one.
"""

import math
from collections.abc import Sequence

from pate_accountant.discrete import is_discrete
from pate_accountant.gaussian import epsilon_analytic
from pate_accountant.ledger import NEIGHBOURING
from pate_accountant.statement import PrivacyStatement


def composed(releases: Sequence[tuple[float, int]], delta: float) -> float:
    """Epsilon of Gaussian mechanisms, (sigma over sensitivity, how many) each, at `delta`.

    Half of delta is for the composition, the rest for the mechanisms, in equal parts delta_0: with epsilon_i the least
    that the i-th has at delta_0, epsilon = sum epsilon_i (e^epsilon_i - 1) + sqrt(2 ln(2 / delta) sum epsilon_i^2)
    (Dwork, Rothblum and Vadhan 2010, Theorem III.3, in its form for unequal epsilon_i). It holds, too, where what was
    drawn decides which mechanism comes next (Whitehouse et al. 2023, "Fully adaptive composition in differential
    privacy", whose bound is smaller).
    """
    number = sum(count for _, count in releases)
    each = [(epsilon_analytic(1.0, ratio, delta / (2 * number)), count) for ratio, count in releases]
    drift = sum(count * epsilon * math.expm1(epsilon) for epsilon, count in each)
    return drift + math.sqrt(2 * math.log(2 / delta) * sum(count * epsilon**2 for epsilon, count in each))


def advanced_composition(rounds: Sequence[tuple[dict, int]]) -> PrivacyStatement | None:
    """State it of the blocks of a run's rounds, with how many queries each asks; None for other noise than Gaussian.

    Every check counts, and as many answers as the run may give.
    """
    releases = []
    for run, queries in rounds:
        if "sigma" not in run or is_discrete(run):
            return None
        releases.append((run["sigma"] / math.sqrt(2), min(run.get("max_answered", queries), queries)))
        if "sigma_threshold" in run:
            releases.append((run["sigma_threshold"], queries))
    delta = rounds[-1][0]["delta"]
    return PrivacyStatement.data_independent(
        composed(releases, delta),
        delta,
        accountant="advanced composition",
        conversion="none",
        neighbouring=NEIGHBOURING,
        proved_bound=True,
    )
