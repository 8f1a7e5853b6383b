"""Predict by the perturbed residual networks of one attack: the target's and its shadow's, in every repetition."""

from pathlib import Path

from lib.core.command import Device, Job, command, run
from lib.residual_perturbation.job import Networks, NetworksJob


@command
def main(networks: Networks, weights: list[Path], job: Job, where: Device, predictions: Path, record: Path) -> None:
    """Write what the networks predict, and the record.

    weights: of the target's networks, and then of its shadow's, one repetition after the other. predictions: the .npz
    of probabilities to write. record: the record to write.
    """
    work = NetworksJob(networks, job, where)
    work.write(work.load(weights, networks.recipe("recipe")), predictions, record)


if __name__ == "__main__":
    run(main)
