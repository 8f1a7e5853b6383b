"""State what a run of votes costs on any data, by the tightest route known: the least epsilon fixed before it."""

from pate_accountant.ledger import NEIGHBOURING
from pate_accountant.statement import PrivacyStatement
from pate_accountant.tightest import tightest


def announced(run: dict, queries: int) -> PrivacyStatement | None:
    """Return the guarantee of a run's block that asks so many queries; None where `tightest` knows no route."""
    found = tightest(run, queries)
    if found is None:
        return None
    epsilon, accountant = found
    return PrivacyStatement.data_independent(
        epsilon,
        run["delta"],
        accountant=accountant,
        conversion="none",
        neighbouring=NEIGHBOURING,
        proved_bound=True,
    )
