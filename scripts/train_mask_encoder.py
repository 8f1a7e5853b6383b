"""Fit an encoder to the public masks of a task: principal components, or an autoencoder."""

import numpy as np

from lib.core.files import save_arrays
from lib.encoders.build import blocks_of, build_encoder, design_of
from lib.encoders.coarse import checked_grid, coarse
from lib.encoders.principal_components import fit_blocks, fit_volumes
from lib.encoders.reconstruction import checked_spread
from lib.reporting.records import write_record
from lib.segmentation.baselines import for_everyone, mean_of_masks
from lib.segmentation.dice import CLASSES, TUMOUR, best_threshold, dice, hard_labels
from lib.segmentation.mask_autoencoder import AutoencoderRecipe, train_mask_autoencoder
from scripts import cli
from scripts.segmentation_job import SegmentationJob, read_job, training_parser

PERCENT = [percent / 100 for percent in range(1, 101)]  # thresholds at which a mean mask is cut


def fitted(job: SegmentationJob, settings: dict) -> dict[str, np.ndarray]:
    """Arrays of the encoder; none for the naive approach."""
    part, device = job.task["encoder_part"], job.device
    if settings["kind"] == "identity":
        return {}
    if settings["kind"] == "pca":
        if settings["block"] is None:
            return fit_volumes(job.masks(part), settings["components"]).arrays()
        masks = (job.volumes.masks([row], job.task["classes"]) for row in job.rows[part])
        return fit_blocks(masks, blocks_of(settings, job.shape), settings["components"]).arrays()
    if settings["grid"]:
        checked_grid(job.shape, tuple(settings["grid"]))
        masks = np.concatenate(
            [coarse(job.volumes.masks([row], job.task["classes"]), tuple(settings["grid"])) for row in job.rows[part]]
        )
    else:
        masks = job.masks(part)
    with job.checkpoint(__file__) as checkpoint:
        arrays = train_mask_autoencoder(
            design_of(settings, job.shape),
            masks,
            AutoencoderRecipe(**settings["recipe"]),
            job.arguments.seed,
            tuple(job.arguments.job),
            device,
            checkpoint,
            cli.progress("epochs"),
        )
        checkpoint.remove()
    return arrays


def own_masks(job: SegmentationJob, settings: dict, arrays: dict[str, np.ndarray]) -> dict[str, float]:
    """How an autoencoder gives back the masks that it was fitted to, without noise, and how good their mean mask is.

    Volume after volume, for they may be large. Raises InputError for an autoencoder that has collapsed.
    """
    classes, rows = job.task["classes"], job.rows[job.task["encoder_part"]]
    encoder = build_encoder(settings, job.shape, arrays, job.device)
    codes = np.concatenate([encoder.encode(job.volumes.masks([row], classes)) for row in rows])
    metrics = {"spread_of_codes": checked_spread(codes)}
    found = np.concatenate([hard_labels(encoder.decode(code[None])) for code in codes])
    true = job.volumes.label[rows]
    if classes == 1:
        true = (true > 0).astype(np.uint8)
    regions = TUMOUR if classes == 1 else CLASSES
    score = dice(found, true, regions, "skip").mean()
    mean = mean_of_masks(job.volumes.masks([row], classes)[0] for row in rows)
    threshold, mean_mask = best_threshold(for_everyone(mean, len(rows)), true, regions, PERCENT)
    return metrics | {"dice_own_masks": score, "dice_mean_mask": mean_mask, "threshold_mean_mask": threshold}


def main(argv: list[str] | None = None) -> None:
    """Write what was fitted, and the record."""
    made = training_parser(__doc__)
    cli.add_json(made, "--encoder", "the encoder's block of the configuration")
    made.add_argument("--weights", required=True, help="what was fitted, .npz")
    made.add_argument("--output", required=True, help="the record to write")
    job = read_job(made, argv)
    settings = job.arguments.encoder
    arrays = fitted(job, settings)
    metrics = {"masks": float(len(job.rows[job.task["encoder_part"]]))}
    if settings["kind"] == "autoencoder":
        metrics |= own_masks(job, settings, arrays)
    save_arrays(job.arguments.weights, **arrays)
    write_record(
        job.arguments.output,
        **job.record(),
        parameters={"task": job.task, "encoder": settings, "repetition": job.arguments.repetition},
        metrics=metrics,
    )


if __name__ == "__main__":
    cli.run(main)
