"""State what the draws of a ledger cost, and what noise on means of codes costs; what draws them imports neither."""

from pate_accountant import rdp
from pate_accountant.discrete import DISCRETE
from pate_accountant.draws import NEIGHBOURING
from pate_accountant.encoded_mean import EncodedMeanNoise, check_delta
from pate_accountant.gaussian import epsilon_analytic, epsilon_rdp
from pate_accountant.ledger import Ledger
from pate_accountant.statement import PrivacyStatement


def ledger_statements(ledger: Ledger, delta: float) -> dict[str, PrivacyStatement]:
    """State the totals of a ledger.

    `independent`, `independent_tight`: what the draws cost on any data. They are guarantees where the number of
    draws is fixed beforehand; with a noisy check the votes decide it, and only the announced caps are. `dependent`:
    an odometer reading of this run, private, one-sided, no guarantee announced before it.
    """
    counts_are_fixed = not (ledger.count("threshold") or ledger.count(DISCRETE["threshold"]))
    made = {}
    for name, total, convert, conversion in (
        ("independent", ledger.independent, rdp.epsilon_classic, "classic"),
        ("independent_tight", ledger.independent, rdp.epsilon_tight, "tight"),
        ("dependent", ledger.dependent, rdp.epsilon_classic, "classic"),
    ):
        private = name == "dependent"
        fixed = counts_are_fixed and not private
        made[name] = PrivacyStatement(
            epsilon=convert(ledger.orders, total, delta)[0],
            delta=delta,
            accountant="rdp",
            conversion=conversion,
            neighbouring=NEIGHBOURING,
            data_dependent=not fixed,
            sanitized=False,
            one_sided=private,
            proved_bound=fixed,
        )
    return made


def encoded_statements(noise: EncodedMeanNoise, delta: float) -> dict[str, PrivacyStatement]:
    """State what all answers cost by both routes, guarantees that no data enters.

    `analytic`: the least that there is. `rdp`: never less, with the classic conversion, as Fay et al. (2020) do.
    """
    check_delta(delta)
    made = {}
    for route, epsilon, accountant, conversion in (
        ("rdp", epsilon_rdp, "rdp", "classic"),
        ("analytic", epsilon_analytic, "analytic gaussian", "none"),
    ):
        made[route] = PrivacyStatement.data_independent(
            epsilon(noise.sensitivity, noise.sigma, delta),
            delta,
            accountant=accountant,
            conversion=conversion,
            neighbouring=NEIGHBOURING,
            proved_bound=True,
        )
    return made
