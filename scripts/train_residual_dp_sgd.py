"""Train the networks of one attack by DP-SGD: the target's and its shadow's, each one network."""

from itertools import product
from pathlib import Path

from lib.accounting import rdp
from lib.accounting.statement import dearest
from lib.attacks.predictions import SIDES
from lib.core.command import Job, Training, command, progress, run
from lib.core.errors import InputError
from lib.dp_mac.accounting import one_block, statements
from lib.dp_sgd.recipe import SgdRecipe, account
from lib.residual_perturbation.dp_sgd import train_residual_dp_sgd
from lib.residual_perturbation.job import Networks, NetworksJob
from lib.residual_perturbation.training import Replica


@command
def main(
    networks: Networks,
    orders: dict,
    job: Job,
    training: Training,
    weights: Path,
    predictions: Path,
    record: Path,
) -> None:
    """Write the weights, what the networks predict, and the record with what training one network cost.

    orders: grid of Renyi orders of the accounting. weights: the .npz of weights to write. predictions: the .npz of
    probabilities to write. record: the record to write.
    """
    if networks.members != 1 or networks.gamma:
        raise InputError(f"members {networks.members}, gamma {networks.gamma:g}: allowed are 1 and 0 for DP-SGD")
    work = NetworksJob(networks, job, training)
    task, block = work.task, work.recipe("dp_sgd")
    sigma, delta = block.pop("sigma"), block.pop("delta")
    recipe = SgdRecipe(**block)
    trained, checkpoints = {}, []
    for repetition, side in product(task.repetitions, SIDES):
        with work.checkpoint(__file__, str(repetition), side) as checkpoint:
            trained[repetition, side] = train_residual_dp_sgd(
                work.network,
                task.x,
                task.y,
                Replica(f"{repetition} {side} 0", task.rows(repetition, f"{side}_train")),
                recipe,
                sigma,
                job.seed,
                work.words,
                work.device,
                work.largest,
                checkpoint,
                progress(f"epochs of {side} {repetition}"),
            )
            checkpoints.append(checkpoint)
    # of networks with more or fewer samples the dearest: fewer have a larger rate, more may have a step more
    sizes = {len(task.rows(repetition, f"{side}_train")) for repetition, side in product(task.repetitions, SIDES)}
    grid = rdp.order_grid(**orders)
    costs = dearest([statements(one_block(account(size, recipe, sigma)), grid, delta) for size in sizes])
    work.write(trained, weights, predictions, record, costs)
    for checkpoint in checkpoints:
        with checkpoint:
            checkpoint.remove()


if __name__ == "__main__":
    run(main)
