"""State what a DP-MAC run costs, in every reading; no training imports this, so that tables alone rest on it."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from lib.dp_mac.accounting import MacRun
from pate_accountant import rdp, run_statements
from pate_accountant.statement import PrivacyStatement


def statements(run: MacRun, orders: np.ndarray, delta: float) -> dict[str, PrivacyStatement]:
    """State the run's cost by every interpretation: those of `run_statements.statements`, and `appendix_h`.

    `added` composes the parts as the paper does, which leaves out that deltas are added too.
    Raises InputError for a delta outside (0, 1).
    """
    return run_statements.statements(run, orders, delta) | {"appendix_h": appendix_h(run, orders, delta)}


def appendix_h(run: MacRun, orders: np.ndarray, delta: float, layers: int | None = None) -> PrivacyStatement:
    """Return the paper's Appendix H as printed, never a guarantee.

    Both trainings with mu1 = N(1_K, sigma^2 I), as if the sensitivity were sqrt(K), K = `layers` (None: the run's);
    histograms at (lambda^2 + lambda) / (4 sigma^2) (Section 2.4), half of their cost; the parts' epsilons added at one
    delta.
    """
    taken = run.layers if layers is None else layers
    costs = run.parts_read(orders, math.sqrt(taken), 0.5)
    epsilon = sum(rdp.epsilon_classic(orders, cost, delta)[0] for cost in costs.values())
    return run_statements.statement(epsilon, delta, f"appendix H, K={taken}", "classic", proved_bound=False)


def stated(spent: Mapping[str, Any] | None) -> dict[str, PrivacyStatement]:
    """State a training's cost, by name: `joint` is the guarantee; empty for a training without noise.

    spent: of its record. Either `run` (the fields of a `MacRun`), `orders`, `delta` and `poisson`: where batches were
    no Poisson samples, the cost is `published`, what is claimed for the run, and no guarantee. Or `stated`: the
    keywords of each statement.
    """
    if spent is None:
        return {}
    if "stated" in spent:
        return {name: PrivacyStatement.data_independent(**words) for name, words in spent["stated"].items()}
    run = MacRun(**spent["run"] | {"coefficients": tuple(spent["run"]["coefficients"])})
    made = statements(run, rdp.order_grid(**spent["orders"]), spent["delta"])
    if not spent["poisson"]:
        claimed = replace(made["joint"], accountant="rdp, as if batches were sampled", proved_bound=False)
        return {"published": claimed}
    return made | {"pld": run_statements.pld_statement(run, spent["delta"])}
