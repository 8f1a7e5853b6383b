"""Train the networks of one attack by DP-SGD: the target's and its shadow's, each one network."""

from collections.abc import Sequence
from itertools import product

from lib.accounting import rdp
from lib.accounting.statement import PrivacyStatement
from lib.attacks.predictions import SIDES
from lib.core.errors import InputError
from lib.dp_mac.accounting import one_block, statements
from lib.dp_sgd.training import SgdRecipe, account
from lib.residual_perturbation.dp_sgd import train_residual_dp_sgd
from lib.residual_perturbation.training import Replica
from scripts import cli
from scripts.residual_job import read_job


def dearest(costs: Sequence[dict[str, PrivacyStatement]]) -> dict[str, PrivacyStatement]:
    """The largest epsilon of each reading: which run is the dearest may differ between them."""
    return {name: max((cost[name] for cost in costs), key=lambda made: made.epsilon) for name in costs[0]}


def main(argv: list[str] | None = None) -> None:
    """Write the weights, what they predict, and the record with what training one network cost."""
    job = read_job(__doc__, argv)
    arguments, task = job.arguments, job.task
    if arguments.members != 1 or arguments.gamma:
        raise InputError(f"members {arguments.members}, gamma {arguments.gamma:g}: allowed are 1 and 0 for DP-SGD")
    block = job.recipe("dp_sgd")
    sigma, delta = block.pop("sigma"), block.pop("delta")
    recipe = SgdRecipe(**block)
    trained, checkpoints = {}, []
    for repetition, side in product(task.repetitions, SIDES):
        with job.checkpoint(__file__, str(repetition), side) as checkpoint:
            trained[repetition, side] = train_residual_dp_sgd(
                job.network,
                task.x,
                task.y,
                Replica(f"{repetition} {side} 0", task.rows(repetition, f"{side}_train")),
                recipe,
                sigma,
                arguments.seed,
                tuple(arguments.job),
                job.device,
                job.largest,
                checkpoint,
                cli.progress(f"epochs of {side} {repetition}"),
            )
            checkpoints.append(checkpoint)
    # of networks with more or fewer samples the dearest: fewer have a larger rate, more may have a step more
    sizes = {len(task.rows(repetition, f"{side}_train")) for repetition, side in product(task.repetitions, SIDES)}
    orders = rdp.order_grid(**arguments.accounting["orders"])
    job.write(trained, dearest([statements(one_block(account(size, recipe, sigma)), orders, delta) for size in sizes]))
    for checkpoint in checkpoints:
        with checkpoint:
            checkpoint.remove()


if __name__ == "__main__":
    cli.run(main)
