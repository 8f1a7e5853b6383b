"""Train students on masks decoded from released codes, and, to compare with, on true labels or the mean public mask."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from lib.core.command import command, run
from lib.core.errors import InputError
from lib.core.files import atomic_path, fingerprint
from lib.core.records import record_of, write_records
from lib.core.shards import load_unit, save_shard
from lib.encoders.build import build_encoder
from lib.segmentation.job import SegmentationJob, SegmentationTraining
from lib.segmentation.networks import PUBLIC, each_seen_by, mean_mask, network_of, public_dice, recipe_of, tested
from lib.segmentation.training import curve, train_segmentation


def targets_of(
    job: SegmentationJob, unit: dict, labelling: dict, fitted: Sequence[Path], codes: Sequence[Path]
) -> tuple[np.ndarray, str]:
    """Soft masks float16, or labels uint8, of all volumes, and the fingerprint of what they were decoded from.

    Only those of the queries are filled in. Raises InputError for codes of another number of queries.
    """
    rows = job.rows["student"][: labelling["queries"]]
    if unit["source"] == "truth":
        return job.labels(rows), ""
    masks = np.zeros((len(job.prepared.names), *job.shape), np.float16)
    if unit["source"] == "mean_mask":
        masks[rows] = mean_mask(job)
        return masks, ""
    arrays, name = load_unit(fitted, unit["encoder"]), labelling["name"]
    encoder = build_encoder(unit["settings"], job.shape, arrays, job.place)
    released = load_unit(codes, f"{unit['source']}/{unit['encoder']}")
    if name not in released:
        raise InputError(f"{unit['source']}/{unit['encoder']}: no codes of {name}; there are {', '.join(released)}")
    if len(released[name]) != len(rows):
        raise InputError(f"{name} answers {len(released[name])} queries; expected {len(rows)}")
    for row, code in zip(rows, released[name], strict=True):
        masks[row] = encoder.decode(code[None])[0]
    return masks, fingerprint(codes=released[name], **arrays)


def taught(
    job: SegmentationTraining, unit: dict, labelling: dict, fitted: Sequence[Path], codes: Sequence[Path]
) -> tuple[dict[str, np.ndarray], np.ndarray, int]:
    """The weights of one student, its history, and how many were trained for it.

    A student whose Dice on public volumes is below that of their mean mask has learned nothing: it is trained anew,
    with other draws, up to the task's number of tries, and the best on public volumes is kept. This costs no privacy,
    for its labels were released.
    """
    name = labelling["name"]
    targets, given = targets_of(job, unit, labelling, fitted, codes)
    public = job.rows[job.task["encoder_part"]][:PUBLIC]
    least = public_dice(job, [mean_mask(job)] * len(public))
    made: list[tuple[float, dict[str, np.ndarray], np.ndarray]] = []
    for words in tries_of(job, name):
        with job.state(unit["source"], unit["encoder"], *words, given=given) as checkpoint:
            network, history = train_segmentation(
                network_of(job),
                job.prepared.images,
                targets,
                job.rows["student"][: labelling["queries"]],
                recipe_of(job, "student"),
                job.context(checkpoint, f"steps of {' '.join(words)}").of(*words),
            )
        if job.task["tries"] == 1:
            return network, history, 1
        made.append((public_dice(job, each_seen_by(job, network, public)), network, history))
        if made[-1][0] >= least:
            break
    _, network, history = max(made, key=lambda one: one[0])
    return network, history, len(made)


def tries_of(job: SegmentationTraining, name: str) -> list[tuple[str, ...]]:
    """Return the names of the trainings of one labelling's student; the first is that of the labelling alone."""
    return [(name,), *((name, f"try{number}") for number in range(2, job.task["tries"] + 1))]


def of_own(measure: str) -> bool:
    """Whether a metric was measured against the truth of volumes that the student was to label: nothing released it."""
    return "own_dice" in measure or "own_hd95" in measure


@command
def main(
    job: SegmentationTraining,
    units: list,
    weights: Path,
    records: Path,
    patients: Path,
    curves: Path,
    fitted: Sequence[Path] = (),
    codes: Sequence[Path] = (),
) -> None:
    """Write the weights, a record a unit, what each test patient gets, and how training went.

    units: of each, its source (teachers, labels, truth or mean_mask) and encoder, that one's settings (null: none), and
    its labellings: name, queries, and private, whether a mechanism released the labels. weights: weights by unit and
    labelling to write, .npz. records: the records to write. patients: Dice by patient to write, .csv. curves: loss and
    Dice of training patches to write, .csv. fitted: what was fitted for the encoders, .npz. codes: released codes,
    .npz.
    """
    arrays: dict[str, dict] = {}
    made, tables, lines = [], [], []
    for unit in units:
        own, name = job.of_unit(unit["source"], unit["encoder"]), f"{unit['source']}/{unit['encoder']}"
        own = own if unit["source"] == "truth" else own.coded(unit["settings"])
        arrays[name] = {}
        metrics: dict[str, float] = {}
        private: dict[str, float] = {}
        for labelling in unit["labellings"]:
            network, history, tried = taught(own, unit, labelling, fitted, codes)
            arrays[name] |= {f"{labelling['name']}/{key}": array for key, array in network.items()}
            kept = metrics if labelling["private"] else private
            found, table = tested(own, network, own.rows["student"][: labelling["queries"]])
            kept |= {f"{labelling['name']} {measure}": value for measure, value in found.items() if not of_own(measure)}
            private |= {f"{labelling['name']} {measure}": value for measure, value in found.items() if of_own(measure)}
            kept[f"{labelling['name']} tries"] = tried
            here = {"job": " ".join(job.job), "unit": name, "labelling": labelling["name"]}
            tables.append(table.assign(**here))
            lines += [here | row for row in curve(history)]
        parameters = {"task": own.task, "encoder": unit["settings"], "labellings": unit["labellings"]}
        parameters |= {"repetition": own.repetition}
        made.append(record_of(**own.identity(), parameters=parameters, metrics=metrics, private_metrics=private))
    save_shard(weights, arrays)
    for path, table in ((patients, pd.concat(tables)), (curves, pd.DataFrame(lines))):
        with atomic_path(path) as temporary:
            table.to_csv(temporary, index=False, float_format="%.6g")
    write_records(records, made)
    for unit in units:
        for labelling in unit["labellings"]:
            for words in tries_of(job, labelling["name"]):
                with job.state(unit["source"], unit["encoder"], *words) as checkpoint:
                    checkpoint.remove()


if __name__ == "__main__":
    run(main)
