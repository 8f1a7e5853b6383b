"""Train the baseline of PATE for masks, a U-Net by DP-SGD on every private patient, and test it."""

from functools import partial

import numpy as np

from lib.accounting.rdp import order_grid
from lib.accounting.training_run import calibrated_sigma, steps_per_epoch
from lib.core.files import save_arrays
from lib.dp_mac.accounting import one_block, statements
from lib.dp_sgd.training import account
from lib.reporting.records import write_record
from lib.segmentation.dp_sgd import SegmentationSgdRecipe, train_segmentation_dp_sgd
from lib.segmentation.prediction import predicted_masks
from scripts import cli
from scripts.segmentation_job import read_job, scores_of, training_parser
from scripts.segmentation_networks import PUBLIC, network_of


def main(argv: list[str] | None = None) -> None:
    """Write the weights and the record with what the training cost."""
    made = training_parser(__doc__)
    cli.add_json(made, "--sgd", "sigma, delta, and the recipe")
    made.add_argument("--epsilon", type=float, help="budget to find sigma by; without it sigma is the printed one")
    cli.add_json(made, "--accounting", "the accounting block of the configuration")
    made.add_argument("--weights", required=True, help="weights, .npz")
    made.add_argument("--output", required=True, help="the record to write")
    job = read_job(made, argv)
    arguments, block = job.arguments, job.arguments.sgd
    recipe = SegmentationSgdRecipe(
        **{key: tuple(it) if isinstance(it, list) else it for key, it in block["recipe"].items()}
    )
    rows = np.concatenate([job.rows[part] for part in ("teachers", "student")])  # all that the paper trains on
    orders = order_grid(**arguments.accounting["orders"])
    charged = recipe.sgd(network_of(job))
    sigma = block["sigma"]
    if arguments.epsilon:
        sigma = calibrated_sigma(account(len(rows), charged, sigma), orders, block["delta"], arguments.epsilon)
    with job.checkpoint(__file__) as checkpoint:
        weights = train_segmentation_dp_sgd(
            network_of(job),
            job.volumes.image,
            job.labels(rows),
            rows,
            recipe,
            sigma,
            arguments.seed,
            tuple(arguments.job),
            job.device,
            checkpoint,
            cli.progress("epochs"),
        )
        seen = partial(predicted_masks, network_of(job), weights, job.volumes.image)
        test, public = job.rows["test"], job.rows[job.task["encoder_part"]][:PUBLIC]
        masks = seen(test, job.device, recipe.patch)
        limit = job.threshold(seen(public, job.device, recipe.patch), public)
        found = scores_of(job.dice(masks, test)) | scores_of(job.dice(masks, test, limit), "tuned_dice")
        save_arrays(arguments.weights, **weights)
        run = account(len(rows), charged, sigma)
        steps = recipe.epochs * steps_per_epoch(len(rows), recipe.batch)
        write_record(
            arguments.output,
            **job.record(),
            parameters={"task": job.task, "sgd": block, "repetition": arguments.repetition},
            metrics=found | {"patients": float(len(rows)), "steps": float(steps), "sigma": sigma},
            privacy=statements(one_block(run), orders, block["delta"]),
        )
        checkpoint.remove()


if __name__ == "__main__":
    cli.run(main)
