"""Train students on masks decoded from released codes, or on true labels to compare with, and test them.

Beside the Dice of the most probable class there is one at the threshold that is best on public volumes: masks that
noise makes faint may stay below a half everywhere.
"""

from functools import partial
from pathlib import Path

import numpy as np

from lib.core.command import command, progress, run
from lib.core.errors import InputError
from lib.core.files import fingerprint
from lib.core.shards import load_unit, save_shard
from lib.encoders.build import build_encoder
from lib.reporting.records import record_of, write_records
from lib.segmentation.job import SegmentationJob, SegmentationTraining, scores_of
from lib.segmentation.networks import PUBLIC, network_of, recipe_of
from lib.segmentation.prediction import predicted_masks
from lib.segmentation.training import train_segmentation


def targets_of(
    job: SegmentationJob, unit: dict, labelling: dict, fitted: list[Path], codes: list[Path]
) -> tuple[np.ndarray, str]:
    """Soft masks float16, or labels uint8, of all volumes, and the fingerprint of what they were decoded from.

    Only those of the queries are filled in. Raises InputError for codes of another number of queries.
    """
    rows = job.rows["student"][: labelling["queries"]]
    if unit["settings"] is None:
        return job.labels(rows), ""
    arrays, name = load_unit(fitted, unit["encoder"]), labelling["name"]
    encoder = build_encoder(unit["settings"], job.shape, arrays, job.place)
    released = load_unit(codes, f"{unit['source']}/{unit['encoder']}")
    if name not in released:
        raise InputError(f"{unit['source']}/{unit['encoder']}: no codes of {name}; there are {', '.join(released)}")
    if len(released[name]) != len(rows):
        raise InputError(f"{name} answers {len(released[name])} queries; expected {len(rows)}")
    masks = np.zeros((len(job.prepared.names), *job.shape), np.float16)
    for row, code in zip(rows, released[name], strict=True):
        masks[row] = encoder.decode(code[None])[0]
    return masks, fingerprint(codes=released[name], **arrays)


def taught(
    job: SegmentationTraining, unit: dict, labelling: dict, fitted: list[Path], codes: list[Path]
) -> dict[str, np.ndarray]:
    """The weights of one student."""
    name = labelling["name"]
    targets, given = targets_of(job, unit, labelling, fitted, codes)
    with job.state(__file__, unit["source"], unit["encoder"], name, given=given) as checkpoint:
        return train_segmentation(
            network_of(job),
            job.prepared.image,
            targets,
            job.rows["student"][: labelling["queries"]],
            recipe_of(job, "student"),
            job.seed,
            (*job.job, name),
            job.place,
            checkpoint,
            progress(f"steps of {name}"),
        )


def tested(job: SegmentationJob, weights: dict[str, np.ndarray]) -> dict[str, float]:
    """Dice on test volumes, of the most probable class and at the threshold that is best on public ones."""
    seen = partial(predicted_masks, network_of(job), weights, job.prepared.image)
    patch = recipe_of(job, "student").patch
    test, public = job.rows["test"], job.rows[job.task["encoder_part"]][:PUBLIC]
    masks, limit = seen(test, job.place, patch), job.threshold(seen(public, job.place, patch), public)
    return scores_of(job.dice(masks, test)) | scores_of(job.dice(masks, test, limit), "tuned_dice")


@command
def main(
    job: SegmentationTraining,
    units: list,
    weights: Path,
    records: Path,
    fitted: list[Path] = (),
    codes: list[Path] = (),
) -> None:
    """Write the weights and a record a unit.

    units: of each, its source and encoder, that one's settings (null: true labels), and its labellings: name, queries,
    and private, whether a mechanism released the labels. weights: weights by unit and labelling to write, .npz.
    records: the records to write. fitted: what was fitted for the encoders, .npz. codes: released codes, .npz.
    """
    arrays, made = {}, []
    for unit in units:
        own, name = job.of_unit(unit["source"], unit["encoder"]), f"{unit['source']}/{unit['encoder']}"
        arrays[name], metrics, private = {}, {}, {}
        for labelling in unit["labellings"]:
            network = taught(own, unit, labelling, fitted, codes)
            arrays[name] |= {f"{labelling['name']}/{key}": array for key, array in network.items()}
            kept = metrics if labelling["private"] else private
            kept |= {f"{labelling['name']} {measure}": value for measure, value in tested(own, network).items()}
        parameters = {"task": own.task, "encoder": unit["settings"], "labellings": unit["labellings"]}
        parameters |= {"repetition": own.repetition}
        made.append(record_of(**own.identity(), parameters=parameters, metrics=metrics, private_metrics=private))
    save_shard(weights, arrays)
    write_records(records, made)
    for unit in units:
        for labelling in unit["labellings"]:
            with job.state(__file__, unit["source"], unit["encoder"], labelling["name"]) as checkpoint:
                checkpoint.remove()


if __name__ == "__main__":
    run(main)
