"""Try students and an encoder of one collection of volumes on another: do they hold beyond where they were made?"""

import numpy as np
import pandas as pd

from lib.core.errors import InputError
from lib.core.files import atomic_path, load_arrays
from lib.data.volumes.prepared import read_prepared
from lib.encoders.build import build_encoder
from lib.encoders.reconstruction import cross_entropy
from lib.segmentation.dice import dice, hard_labels
from lib.segmentation.prediction import predicted_masks
from scripts import cli
from scripts.segmentation_job import parser, read_job
from scripts.segmentation_networks import network_of, recipe_of


def main(argv: list[str] | None = None) -> None:
    """Write the table."""
    made = parser(__doc__)
    made.add_argument("--external", required=True, help="index.json of the other collection's prepared volumes")
    cli.add_json(made, "--encoder", "the encoder's block of the configuration")
    made.add_argument("--fitted", required=True, help="what was fitted for it, .npz")
    made.add_argument("--names", nargs="+", required=True, help="what each student learned from")
    made.add_argument("--labellings", nargs="+", required=True, help="the name of each in its file")
    made.add_argument("--students", nargs="+", required=True, help="weights of students, .npz")
    made.add_argument("--output", required=True, help="the table, .csv")
    job = read_job(made, argv)
    arguments = job.arguments
    other = read_prepared(arguments.external)
    if job.task["classes"] != 1 or other.label.shape[1:] != job.volumes.label.shape[1:]:
        raise InputError(
            f"{arguments.external}: volumes {other.label.shape[1:]}; allowed are whole tumours of those of "
            f"{job.task['name']}, {job.volumes.label.shape[1:]}"
        )
    if missing := [name for name in job.volumes.channels if name not in other.channels]:
        raise InputError(f"{arguments.external}: lacks the channels {', '.join(missing)}")
    rows = np.arange(len(other.names))
    image = np.asarray(other.image)[:, [other.channels.index(name) for name in job.volumes.channels]]
    masks = other.masks(rows, 1)
    true = hard_labels(masks)
    encoder = build_encoder(arguments.encoder, job.shape, load_arrays(arguments.fitted), job.device)
    decoded = encoder.decode(encoder.encode(masks))
    found = [
        {"what": "encoder, without noise", "dice": dice(hard_labels(decoded), true, {"tumour": (1,)}, "skip").mean()}
    ]
    found[0]["cross_entropy"] = float(cross_entropy(masks, decoded).mean())
    for name, label, file in zip(arguments.names, arguments.labellings, arguments.students, strict=True):
        start, patch = f"{label}/", recipe_of(job, "student").patch
        weights = {key.removeprefix(start): array for key, array in load_arrays(file).items() if key.startswith(start)}
        predicted = predicted_masks(network_of(job), weights, image, rows, job.device, patch)
        score = dice(hard_labels(predicted), true, {"tumour": (1,)}, "skip").mean()
        found.append({"what": f"student of {name}", "dice": score})
    with atomic_path(arguments.output) as temporary:
        table = pd.DataFrame(found).assign(subjects=len(rows), fingerprint=other.fingerprint)
        table.to_csv(temporary, index=False, float_format="%.8g")


if __name__ == "__main__":
    cli.run(main)
