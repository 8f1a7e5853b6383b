"""Train the baseline of PATE for masks, a U-Net by DP-SGD on every private patient, and test it."""

from functools import partial
from pathlib import Path

import numpy as np

from lib.accounting.rdp import order_grid
from lib.accounting.training_run import calibrated_sigma, steps_per_epoch
from lib.core.command import command, progress, run
from lib.core.files import save_arrays
from lib.dp_mac.accounting import one_block, statements
from lib.dp_sgd.training import account
from lib.reporting.records import write_record
from lib.segmentation.dp_sgd import SegmentationSgdRecipe, train_segmentation_dp_sgd
from lib.segmentation.job import SegmentationTraining, scores_of
from lib.segmentation.networks import PUBLIC, network_of
from lib.segmentation.prediction import predicted_masks


@command
def main(
    job: SegmentationTraining, sgd: dict, accounting: dict, weights: Path, record: Path, epsilon: float | None = None
) -> None:
    """Write the weights and the record with what the training cost.

    sgd: sigma, delta, and the recipe. accounting: the accounting block of the configuration. weights: weights to write,
    .npz. record: the record to write. epsilon: budget to find sigma by; without it sigma is the printed one.
    """
    recipe = SegmentationSgdRecipe(
        **{key: tuple(it) if isinstance(it, list) else it for key, it in sgd["recipe"].items()}
    )
    rows = np.concatenate([job.rows[part] for part in ("teachers", "student")])  # all that the paper trains on
    orders = order_grid(**accounting["orders"])
    charged = recipe.sgd(network_of(job))
    sigma = sgd["sigma"]
    if epsilon:
        sigma = calibrated_sigma(account(len(rows), charged, sigma), orders, sgd["delta"], epsilon)
    with job.state(__file__) as checkpoint:
        trained = train_segmentation_dp_sgd(
            network_of(job),
            job.prepared.image,
            job.labels(rows),
            rows,
            recipe,
            sigma,
            job.seed,
            tuple(job.job),
            job.place,
            checkpoint,
            progress("epochs"),
        )
        seen = partial(predicted_masks, network_of(job), trained, job.prepared.image)
        test, public = job.rows["test"], job.rows[job.task["encoder_part"]][:PUBLIC]
        masks = seen(test, job.place, recipe.patch)
        limit = job.threshold(seen(public, job.place, recipe.patch), public)
        found = scores_of(job.dice(masks, test)) | scores_of(job.dice(masks, test, limit), "tuned_dice")
        save_arrays(weights, **trained)
        charge = account(len(rows), charged, sigma)
        steps = recipe.epochs * steps_per_epoch(len(rows), recipe.batch)
        write_record(
            record,
            **job.identity(),
            parameters={"task": job.task, "sgd": sgd, "repetition": job.repetition},
            metrics=found | {"patients": float(len(rows)), "steps": float(steps), "sigma": sigma},
            privacy=statements(one_block(charge), orders, sgd["delta"]),
        )
        checkpoint.remove()


if __name__ == "__main__":
    run(main)
