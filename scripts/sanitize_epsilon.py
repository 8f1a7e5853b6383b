"""Release a data-dependent epsilon: smooth sensitivity, noise, and what the release itself costs."""

import argparse
import dataclasses

import numpy as np

from lib.accounting import gnss, rdp, threshold
from lib.accounting.discrete import is_discrete
from lib.accounting.draws import as_dict
from lib.accounting.readings import ACCOUNTS, Reading
from lib.accounting.sanitize import Release, choose, fixed, releasable, smoothness_grid
from lib.accounting.smooth_sensitivity import CheckSequence, Sequence
from lib.accounting.statement import PrivacyStatement
from lib.aggregation.queries import read_queries
from lib.core.errors import InputError
from lib.core.provenance import MECHANISM, provenance
from lib.core.seeding import noise_generator
from lib.reporting.records import write_record
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = cli.job_parser(__doc__)
    cli.add_noise_seed(parser)
    parser.add_argument("--votes", required=True, help="vote histograms of count_votes")
    parser.add_argument("--teachers", type=int, required=True, help="number of teachers")
    cli.add_json(parser, "--run", "the run's block of the configuration, of confident_gnmax")
    cli.add_json(parser, "--accounting", "the accounting block of the configuration")
    cli.add_json(parser, "--sanitize", "the sanitize block of the configuration")
    parser.add_argument("--output", required=True, help="the record to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write the record: the paper's release, the same with its exact cost, and one fixed before seeing the votes."""
    arguments = parse_arguments(argv)
    run, grid = arguments.run, arguments.sanitize
    if is_discrete(run):
        raise InputError("noise = 'discrete': its cost does not depend on the data, so there is nothing to sanitise")
    votes, _, fingerprint = read_queries(arguments.votes, arguments.teachers, run)
    orders = rdp.order_grid(**arguments.accounting["orders"])
    account = ACCOUNTS[run["aggregator"]](orders, votes, run, arguments.accounting["moments"])

    def parts(order: float, weights: np.ndarray | None) -> tuple[Sequence, CheckSequence]:
        checks = CheckSequence(
            threshold.statistic(votes), arguments.teachers, run["threshold"], run["sigma_threshold"], order
        )
        return Sequence(votes, run["sigma"], order, weights), checks

    def mean(reading: Reading, order: float, release: Release, price: str) -> PrivacyStatement:
        """The mean of the released value: what answers and release cost together; private itself."""
        raw = reading.costs[:, list(orders).index(order)].sum() + np.log(1 / run["delta"]) / (order - 1)
        return reading.state(float(raw + release.cost), run["delta"], f"rdp + gnss ({price} cost)", "classic")

    privacy, found, ledger = {}, {}, []
    # As the paper does: the expected cost at its own optimal order, parameters searched on the votes.
    expected = account.readings["epsilon"]
    privacy["epsilon"], order = expected.statement(orders, run["delta"])
    found["order"] = order
    if releasable(run["sigma"], order, votes.shape[1]):
        sequence, checks = parts(order, account.answered)
        betas = smoothness_grid(order, grid["first"], grid["last"], grid["step"])
        printed = choose(sequence, checks, betas, gnss.cost_printed, optimise_noise=False)
        exact = choose(sequence, checks, betas, gnss.cost_exact, optimise_noise=True)
        repriced = dataclasses.replace(printed, cost=gnss.cost_exact(order, printed.beta, printed.sigma_ss))
        for name, release in (("printed", printed), ("repriced", repriced), ("exact", exact)):
            price = "printed" if name == "printed" else "exact"
            privacy[f"sanitized_epsilon_{name}"] = mean(expected, order, release, price)
            found |= _numbers(name, release)

    # Order, smoothness and noise known beforehand, every query charged as if answered, exact cost of the release.
    announced, order = account.caps.statement(orders, run["delta"])
    found["fixed_order"] = order
    if releasable(run["sigma"], order, votes.shape[1]):
        release = fixed(*parts(order, None), grid["fixed_beta"] / order, grid["fixed_sigma_ss"])
        held = mean(account.readings["epsilon_charge_all"], order, release, "exact")
        rng = noise_generator(arguments.noise_seed, *arguments.job)
        drawn = gnss.release(held.epsilon, release.sensitivity, release.sigma_ss, rng)
        privacy["sanitized_epsilon_fixed"] = held
        # unbiased, so it may fall below what holds: no guarantee, but the one number here that may be published
        privacy["sanitized_epsilon_released"] = dataclasses.replace(
            held, epsilon=drawn, sanitized=True, guarantee=False
        )
        found |= _numbers("fixed", release)
        ledger = [as_dict("gnss", 1, {"order": order, "beta": release.beta, "sigma_ss": release.sigma_ss})]
    write_record(
        arguments.output,
        **cli.identity(arguments),
        fingerprint=fingerprint,
        parameters=run | {"sanitize": grid, "noise_seed": arguments.noise_seed},
        metrics={"queries_made": len(votes)},
        private_metrics=found,
        privacy=privacy | {"epsilon_caps": announced},
        # of what may be published: the paper's searched releases are comparisons and are not drawn
        ledger=ledger,
        provenance=provenance(MECHANISM, [arguments.votes], []),
    )


def _numbers(name: str, release: Release) -> dict[str, float]:
    """A release as plain numbers."""
    return {
        f"{name}_beta": release.beta,
        f"{name}_smooth_sensitivity": release.sensitivity,
        f"{name}_sigma_ss": release.sigma_ss,
        f"{name}_gnss_cost": release.cost,
        f"{name}_std": release.std,
    }


if __name__ == "__main__":
    cli.run(main)
