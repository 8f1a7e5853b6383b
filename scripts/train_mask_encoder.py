"""Fit an encoder to the public masks of a task: principal components, or an autoencoder."""

from pathlib import Path

import numpy as np

from lib.core.command import command, run
from lib.core.records import record_of, write_records
from lib.core.shards import save_shard
from lib.encoders.build import blocks_of, build_encoder, design_of
from lib.encoders.principal_components import fit_blocks, fit_volumes
from lib.encoders.reconstruction import checked_spread
from lib.segmentation.baselines import for_everyone, mean_of_masks
from lib.segmentation.dice import OF, best_threshold, dice, hard_labels
from lib.segmentation.job import SegmentationJob, SegmentationTraining

PERCENT = [percent / 100 for percent in range(1, 101)]  # thresholds at which a mean mask is cut


def fit_components(job: SegmentationTraining, name: str, settings: dict) -> dict[str, np.ndarray]:
    """Principal components of whole volumes, or of their blocks."""
    part = job.task["encoder_part"]
    if settings["block"] is None:
        return fit_volumes(job.masks(part), settings["components"]).arrays()
    masks = (job.prepared.masks([row], job.task["classes"]) for row in job.rows[part])
    return fit_blocks(masks, blocks_of(settings, job.shape), settings["components"]).arrays()


def fit_autoencoder(job: SegmentationTraining, name: str, settings: dict) -> dict[str, np.ndarray]:
    """Weights of an autoencoder of masks, or of their coarser form."""
    from lib.encoders.coarse import checked_grid, coarse  # torch: principal components need none
    from lib.segmentation.mask_autoencoder import train_mask_autoencoder
    from lib.segmentation.segmentation_recipes import AutoencoderRecipe

    part = job.task["encoder_part"]
    if settings["grid"]:
        checked_grid(job.shape, tuple(settings["grid"]))
        masks = np.concatenate(
            [coarse(job.prepared.masks([row], job.task["classes"]), tuple(settings["grid"])) for row in job.rows[part]]
        )
    else:
        masks = job.masks(part)
    with job.state(name) as checkpoint:
        return train_mask_autoencoder(
            design_of(settings, job.shape),
            masks,
            AutoencoderRecipe(**settings["recipe"]),
            job.context(checkpoint, "epochs"),
        )


# by the encoder's kind; nothing is fitted for one that is not here
FITTED = {"pca": fit_components, "autoencoder": fit_autoencoder}


def own_masks(job: SegmentationJob, settings: dict, arrays: dict[str, np.ndarray]) -> dict[str, float]:
    """How an autoencoder gives back the masks that it was fitted to, without noise, and how good their mean mask is.

    Volume after volume, for they may be large. Raises InputError for an autoencoder that has collapsed.
    """
    classes, rows = job.task["classes"], job.rows[job.task["encoder_part"]]
    encoder = build_encoder(settings, job.shape, arrays, job.place)
    codes = np.concatenate([encoder.encode(job.prepared.masks([row], classes)) for row in rows])
    metrics = {"spread_of_codes": checked_spread(codes)}
    found = np.concatenate([hard_labels(encoder.decode(code[None])) for code in codes])
    true = job.prepared.label[rows]
    if classes == 1:
        true = (true > 0).astype(np.uint8)
    regions = OF[classes]
    score = dice(found, true, regions, "skip").mean()
    mean = mean_of_masks(job.prepared.masks([row], classes)[0] for row in rows)
    threshold, mean_mask = best_threshold(for_everyone(mean, len(rows)), true, regions, PERCENT)
    assert score is not None  # public masks have a tumour: `best_threshold` refuses others
    return metrics | {"dice_own_masks": score, "dice_mean_mask": mean_mask, "threshold_mean_mask": threshold}


@command
def main(job: SegmentationTraining, encoders: list, weights: Path, records: Path) -> None:
    """Write what was fitted, and a record an encoder.

    encoders: [name, the encoder's block of the configuration] of each. weights: what was fitted, by encoder, to
    write, .npz. records: the records to write.
    """
    arrays, made = {}, []
    for name, settings in encoders:
        unit = job.of_unit(name).coded(settings)
        arrays[name] = FITTED[settings["kind"]](unit, name, settings) if settings["kind"] in FITTED else {}
        metrics = {"masks": float(len(unit.rows[unit.task["encoder_part"]]))}
        if settings["kind"] == "autoencoder":
            metrics |= own_masks(unit, settings, arrays[name])
        parameters = {"task": unit.task, "encoder": settings, "repetition": unit.repetition}
        made.append(record_of(**unit.identity(), parameters=parameters, metrics=metrics))
    save_shard(weights, arrays)
    write_records(records, made)
    for name, _ in encoders:
        with job.state(name) as checkpoint:
            checkpoint.remove()


if __name__ == "__main__":
    run(main)
