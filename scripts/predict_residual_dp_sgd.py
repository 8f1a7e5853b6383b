"""Predict by the DP-SGD networks of one attack, the target's and its shadow's, and state what training one cost."""

from pathlib import Path

from lib.core.command import Device, Job, command, run
from lib.core.errors import InputError
from lib.dp_mac.accounting import one_block
from lib.dp_mac.statements import statements
from lib.residual_perturbation.job import Networks, NetworksJob
from lib.training.sgd_recipe import SgdRecipe, account
from pate_accountant import rdp
from pate_accountant.statement import dearest


@command
def main(
    networks: Networks,
    weights: list[Path],
    orders: dict,
    job: Job,
    where: Device,
    predictions: Path,
    record: Path,
) -> None:
    """Write what the networks predict, and the record with what training one network cost.

    weights: of each network, the target's and then its shadow's, one repetition after the other. orders: grid of Renyi
    orders of the accounting. predictions: the .npz of probabilities to write. record: the record to write.
    """
    if networks.members != 1 or networks.gamma:
        raise InputError(f"members {networks.members}, gamma {networks.gamma:g}: allowed are 1 and 0 for DP-SGD")
    work, block = NetworksJob(networks, job, where), networks.recipe("dp_sgd")
    delta = block.pop("delta")
    trained = work.load(weights, block)
    sigma = block.pop("sigma")
    recipe = SgdRecipe(**block)
    # of networks with more or fewer samples the dearest: fewer have a larger rate, more may have a step more
    sizes = {len(work.rows(*place)) for place in work.places}
    grid = rdp.order_grid(**orders)
    costs = dearest([statements(one_block(account(size, recipe, sigma)), grid, delta) for size in sizes])
    work.write(trained, predictions, record, costs)


if __name__ == "__main__":
    run(main)
