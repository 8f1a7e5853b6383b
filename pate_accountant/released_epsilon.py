"""Releases of a run's data-dependent epsilon: the paper's, the same at their exact cost, and one fixed beforehand."""

import dataclasses

import numpy as np

from pate_accountant import gnss, threshold
from pate_accountant.discrete import is_discrete
from pate_accountant.draws import as_dict, rdp_of_draws
from pate_accountant.errors import InputError
from pate_accountant.readings import Account, Reading, confident_account
from pate_accountant.sanitize import Release, choose, fixed, releasable, smoothness_grid
from pate_accountant.smooth_sensitivity import CheckSequence, Sequence
from pate_accountant.statement import PrivacyStatement

TOGETHER = "epsilon_caps_with_release"  # the guarantee of a run's answers and of the value that is released of them


@dataclasses.dataclass(frozen=True)
class ReleasedEpsilon:
    """Statements by name, the numbers behind them (private themselves), and the ledger of the one that was drawn."""

    privacy: dict[str, PrivacyStatement]
    numbers: dict[str, float]
    ledger: list[dict]

    @property
    def published(self) -> PrivacyStatement | None:
        """The one value that may be published with the answers; None where no release is known."""
        return self.privacy.get("sanitized_epsilon_released")

    @property
    def guarantee(self) -> PrivacyStatement | None:
        """The guarantee of the answers and the published value together; None where there is none."""
        return self.privacy.get(TOGETHER)


def release_epsilon(
    orders: np.ndarray,
    votes: np.ndarray,
    teachers: int,
    run: dict,
    moments: int,
    grid: dict,
    rng: np.random.Generator,
    account: Account | None = None,
) -> ReleasedEpsilon:
    """Release the epsilon of a run of Confident-GNMax on votes (n, m) (Papernot et al. 2018, Appendix B).

    moments: of the accounting of LNMax, which accounts share. grid: the block `sanitize` of the configuration. rng:
    draws the noise of the release that is fixed before the votes are seen; the others are means. account: of this run
    on these votes, where it is known already; of its costs only their sums are used. `epsilon_caps` is the guarantee of
    the answers alone, `TOGETHER` that of the answers and the drawn value, published together.
    Raises InputError where the noise is discrete: its cost does not depend on the data.
    """
    if is_discrete(run):
        raise InputError("noise = 'discrete': its cost does not depend on the data, so there is nothing to sanitise")
    account = account or confident_account(orders, votes, run, moments)
    assert account.caps is not None  # a run with a noisy check has them

    def parts(order: float, weights: np.ndarray | None) -> tuple[Sequence, CheckSequence]:
        checks = CheckSequence(threshold.statistic(votes), teachers, run["threshold"], run["sigma_threshold"], order)
        return Sequence(votes, run["sigma"], order, weights), checks

    def mean(reading: Reading, order: float, release: Release, price: str) -> PrivacyStatement:
        """Return the mean of the released value: what answers and release cost together; private itself."""
        raw = reading.costs[:, list(orders).index(order)].sum() + np.log(1 / run["delta"]) / (order - 1)
        return reading.state(float(raw + release.cost), run["delta"], f"rdp + gnss ({price} cost)", "classic")

    privacy, numbers, ledger = {}, {}, []
    # As the paper does: the expected cost at its own optimal order, parameters searched on the votes.
    expected = account.readings["epsilon"]
    privacy["epsilon"], order = expected.statement(orders, run["delta"])
    numbers["order"] = order
    if releasable(run["sigma"], order, votes.shape[1]):
        sequence, checks = parts(order, account.answered)
        betas = smoothness_grid(order, grid["first"], grid["last"], grid["step"])
        printed = choose(sequence, checks, betas, gnss.cost_printed, optimise_noise=False)
        exact = choose(sequence, checks, betas, gnss.cost_exact, optimise_noise=True)
        repriced = dataclasses.replace(printed, cost=gnss.cost_exact(order, printed.beta, printed.sigma_ss))
        for name, release in (("printed", printed), ("repriced", repriced), ("exact", exact)):
            price = "printed" if name == "printed" else "exact"
            privacy[f"sanitized_epsilon_{name}"] = mean(expected, order, release, price)
            numbers |= _numbers(name, release)

    # Order, smoothness and noise known beforehand, every query charged as if answered, exact cost of the release.
    announced, order = account.caps.statement(orders, run["delta"])
    numbers["fixed_order"] = order
    if releasable(run["sigma"], order, votes.shape[1]):
        release = fixed(*parts(order, None), grid["fixed_beta"] / order, grid["fixed_sigma_ss"])
        held = mean(account.readings["epsilon_charge_all"], order, release, "exact")
        drawn = gnss.release(held.epsilon, release.sensitivity, release.sigma_ss, rng)
        privacy["sanitized_epsilon_fixed"] = held
        # it falls below what holds half of the time: no guarantee, but the one number here that may be published
        privacy["sanitized_epsilon_released"] = dataclasses.replace(
            held, epsilon=drawn, sanitized=True, proved_bound=False
        )
        numbers |= _numbers("fixed", release)
        ledger = [as_dict("gnss", 1, {"order": order, "beta": release.beta, "sigma_ss": release.sigma_ss})]
        # the draw's parameters are known beforehand, and its cost holds in both directions: so does that of both
        both = dataclasses.replace(account.caps, costs=account.caps.costs + rdp_of_draws(orders, ledger))
        privacy[TOGETHER], _ = both.statement(orders, run["delta"])
    return ReleasedEpsilon(privacy | {"epsilon_caps": announced}, numbers, ledger)


def _numbers(name: str, release: Release) -> dict[str, float]:
    """Return a release as plain numbers."""
    return {
        f"{name}_beta": release.beta,
        f"{name}_smooth_sensitivity": release.sensitivity,
        f"{name}_sigma_ss": release.sigma_ss,
        f"{name}_gnss_cost": release.cost,
        f"{name}_std": release.std,
    }
