"""State what a method on the leaderboard costs, from what its record says; no training imports this."""

from collections.abc import Mapping
from typing import Any

from lib.residual_perturbation.theorems import theorem1, theorem2
from pate_accountant.draws import NEIGHBOURING
from pate_accountant.statement import PrivacyStatement


def stated(cost: Mapping[str, Any]) -> dict[str, PrivacyStatement]:
    """Return what a fit costs, by name; `guarantee` is the one that counts, absent for methods without one.

    cost: of `lib.leaderboard.method.Method`. Of calibrated noise `epsilons` by route; `claimed`, by a method of which
    nothing is proved here; or the arguments of a `theorem` of residual perturbation: by each of its conditions and by
    both (`joint`), never a guarantee. Empty where nothing is promised.
    """
    words = dict(cost)
    if "epsilons" in words:
        return _calibrated(**words)
    if "theorem" in words:
        theorem = theorem1 if words.pop("theorem") == 1 else theorem2
        return theorem(**words)
    if "claimed" in words:
        said = PrivacyStatement.data_independent(
            words["claimed"],
            words["delta"],
            accountant="claimed",
            conversion="none",
            neighbouring=NEIGHBOURING,
            proved_bound=False,
        )
        return {"claimed": said}
    return {}


def _calibrated(epsilons: Mapping[str, float], delta: float) -> dict[str, PrivacyStatement]:
    """Return a statement a route, each a proof, and the smallest again as `guarantee`."""
    made = {
        route: PrivacyStatement.data_independent(
            epsilon,
            delta,
            accountant={"analytic": "analytic gaussian"}.get(route, route),
            conversion="tight" if route == "rdp" else "none",
            neighbouring=NEIGHBOURING,
            proved_bound=True,
        )
        for route, epsilon in epsilons.items()
    }
    return {"guarantee": min(made.values(), key=lambda statement: statement.epsilon), **made}
