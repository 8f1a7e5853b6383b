"""Train students on masks decoded from released codes, or on true labels to compare with, and test them.

Beside the Dice of the most probable class there is one at the threshold that is best on public volumes: masks that
noise makes faint may stay below a half everywhere.
"""

from functools import partial

import numpy as np

from lib.core.errors import InputError
from lib.core.files import fingerprint, load_arrays, save_arrays
from lib.encoders.build import build_encoder
from lib.reporting.records import write_record
from lib.segmentation.prediction import predicted_masks
from lib.segmentation.training import train_segmentation
from scripts import cli
from scripts.segmentation_job import SegmentationJob, read_job, scores_of, training_parser
from scripts.segmentation_networks import PUBLIC, network_of, recipe_of


def targets_of(job: SegmentationJob, labelling: dict) -> tuple[np.ndarray, str]:
    """Soft masks float16, or labels uint8, of all volumes, and the fingerprint of what they were decoded from.

    Only those of the queries are filled in. Raises InputError for codes of another number of queries.
    """
    arguments, rows = job.arguments, job.rows["student"][: labelling["queries"]]
    if arguments.encoder is None:
        return job.labels(rows), ""
    fitted, name = load_arrays(arguments.fitted), labelling["name"]
    encoder = build_encoder(arguments.encoder, job.shape, fitted, job.device)
    codes = load_arrays(arguments.codes, name)[name]
    if len(codes) != len(rows):
        raise InputError(f"{arguments.codes}: {name} answers {len(codes)} queries; expected {len(rows)}")
    masks = np.zeros((len(job.volumes.names), *job.shape), np.float16)
    for row, code in zip(rows, codes, strict=True):
        masks[row] = encoder.decode(code[None])[0]
    return masks, fingerprint(codes=codes, **fitted)


def taught(job: SegmentationJob, labelling: dict) -> dict[str, np.ndarray]:
    """The weights of one student."""
    name = labelling["name"]
    targets, given = targets_of(job, labelling)
    with job.checkpoint(__file__, name, given=given) as checkpoint:
        return train_segmentation(
            network_of(job),
            job.volumes.image,
            targets,
            job.rows["student"][: labelling["queries"]],
            recipe_of(job, "student"),
            job.arguments.seed,
            (*job.arguments.job, name),
            job.device,
            checkpoint,
            cli.progress(f"steps of {name}"),
        )


def tested(job: SegmentationJob, weights: dict[str, np.ndarray]) -> dict[str, float]:
    """Dice on test volumes, of the most probable class and at the threshold that is best on public ones."""
    seen = partial(predicted_masks, network_of(job), weights, job.volumes.image)
    patch = recipe_of(job, "student").patch
    test, public = job.rows["test"], job.rows[job.task["encoder_part"]][:PUBLIC]
    masks, limit = seen(test, job.device, patch), job.threshold(seen(public, job.device, patch), public)
    return scores_of(job.dice(masks, test)) | scores_of(job.dice(masks, test, limit), "tuned_dice")


def main(argv: list[str] | None = None) -> None:
    """Write the weights and the record."""
    made = training_parser(__doc__)
    cli.add_json(made, "--encoder", "the encoder's block of the configuration; null for true labels")
    cli.add_json(made, "--labellings", "list of name and queries, and private: whether a mechanism released the labels")
    made.add_argument("--fitted", help="what was fitted for the encoder, .npz")
    made.add_argument("--codes", help="released codes by labelling, .npz")
    made.add_argument("--weights", required=True, help="weights, .npz")
    made.add_argument("--output", required=True, help="the record to write")
    job = read_job(made, argv)
    arguments = job.arguments
    weights, metrics, private = {}, {}, {}
    for labelling in arguments.labellings:
        name, network = labelling["name"], taught(job, labelling)
        weights |= {f"{name}/{key}": array for key, array in network.items()}
        kept = metrics if labelling["private"] else private
        kept |= {f"{name} {measure}": value for measure, value in tested(job, network).items()}
    save_arrays(arguments.weights, **weights)
    parameters = {"task": job.task, "encoder": arguments.encoder, "labellings": arguments.labellings}
    write_record(
        arguments.output,
        **job.record(),
        parameters=parameters | {"repetition": arguments.repetition},
        metrics=metrics,
        private_metrics=private,
    )
    for labelling in arguments.labellings:
        with job.checkpoint(__file__, labelling["name"]) as checkpoint:
            checkpoint.remove()


if __name__ == "__main__":
    cli.run(main)
