"""Train the baseline of PATE for masks, a U-Net by DP-SGD on every private patient, and test it."""

from dataclasses import asdict
from pathlib import Path

import numpy as np

from lib.core.command import command, run
from lib.core.files import atomic_path, save_arrays
from lib.core.records import write_record
from lib.segmentation.dp_sgd import train_segmentation_dp_sgd, with_joint_clip
from lib.segmentation.job import SegmentationTraining
from lib.segmentation.networks import network_of, tested
from lib.segmentation.segmentation_recipes import SegmentationSgdRecipe
from lib.training.sgd_recipe import account
from pate_accountant.rdp import order_grid
from pate_accountant.replaced import replaced_epsilon
from pate_accountant.training_run import calibrated_sigma, steps_per_epoch


@command
def main(
    job: SegmentationTraining,
    sgd: dict,
    noise: str,
    accounting: dict,
    epsilon: float,
    weights: Path,
    record: Path,
    patients: Path,
) -> None:
    """Write the weights, the record with what the training released, and what each test patient gets.

    sgd: sigma, delta, and the recipe. noise: printed, that sigma; budget, as much as epsilon needs; clipped, none,
    which protects nobody and says what clipping and the steps alone leave. accounting: `orders` of that block of the
    configuration. epsilon: the budget. weights: weights to write, .npz. record: the record to write. patients: Dice by
    patient to write, .csv.
    """
    recipe = SegmentationSgdRecipe(**sgd["recipe"])
    rows = np.concatenate([job.rows[part] for part in ("teachers", "student")])  # all that the paper trains on
    orders = order_grid(**accounting["orders"])
    charge = account(len(rows), with_joint_clip(recipe, network_of(job)), sgd["sigma"])
    if noise == "budget":
        sigma = calibrated_sigma(charge, orders, sgd["delta"], epsilon, replaced_epsilon)
        charge = account(len(rows), with_joint_clip(recipe, network_of(job)), sigma)
    spent = {"run": asdict(charge), "orders": accounting["orders"]}
    sigma = 0.0 if noise == "clipped" else charge.sigma
    shares = None  # the last biases are set by public volumes, where there are any, for no noise hides them
    if "public" in job.rows:
        shares = job.prepared.masks(job.rows["public"], job.task["classes"]).mean(axis=(0, 2, 3, 4), dtype=np.float64)
    with job.state() as checkpoint:
        trained = train_segmentation_dp_sgd(
            network_of(job),
            job.prepared.images,
            job.labels(rows),
            rows,
            recipe,
            sigma,
            shares,
            job.context(checkpoint, "epochs"),
        )
        found, table = tested(job, trained, rows)
        # of volumes that it was trained on; without public ones the threshold was chosen on such, too
        private = ("own_",) if "public" in job.rows else ("own_", "tuned_")
        own = {name: value for name, value in found.items() if name.startswith(private)}
        released = {name: value for name, value in found.items() if name not in own}
        steps = recipe.epochs * steps_per_epoch(len(rows), recipe.batch)
        counted = {"patients": float(len(rows)), "steps": float(steps), "sigma": sigma}
        save_arrays(weights, **trained)
        with atomic_path(patients) as temporary:
            table.assign(job=" ".join(job.job[:-1])).to_csv(temporary, index=False, float_format="%.6g")
        write_record(
            record,
            **job.identity(),
            parameters={"task": job.task, "sgd": sgd, "repetition": job.repetition, "spent": spent if sigma else None},
            metrics=counted | (released if sigma else {}),
            private_metrics=own | ({} if sigma else released),
        )
        checkpoint.remove()


if __name__ == "__main__":
    run(main)
