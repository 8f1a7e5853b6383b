"""How a task's test masks survive one encoder over noise: cross-entropy and squared error."""

from functools import partial

import numpy as np
import pandas as pd

from lib.core.files import atomic_path, load_arrays
from lib.encoders.build import build_encoder
from lib.encoders.reconstruction import noisy_reconstruction, posterior_reconstruction
from scripts import cli
from scripts.reconstruction_errors import READINGS, error_rows
from scripts.segmentation_job import parser, read_job


def main(argv: list[str] | None = None) -> None:
    """Write the table."""
    made = parser(__doc__)
    made.add_argument("--name", required=True, help="of the encoder")
    cli.add_json(made, "--encoder", "the encoder's block of the configuration")
    made.add_argument("--fitted", required=True, help="what was fitted for it, .npz")
    cli.add_json(made, "--settings", "sigmas, and of how many test masks")
    made.add_argument("--output", required=True, help="the table, .csv")
    job = read_job(made, argv)
    arguments, settings = job.arguments, job.arguments.settings
    encoder = build_encoder(arguments.encoder, job.shape, load_arrays(arguments.fitted), job.device)
    masks = job.masks("test", settings["shown"])
    readings = {
        reading: {sigma: sigma * unit(encoder) for sigma in settings["sigmas"]} for reading, unit in READINGS.items()
    }
    rows = error_rows(job, arguments.name, partial(noisy_reconstruction, encoder), masks, readings)
    if arguments.encoder["kind"] == "identity":
        public = job.masks(job.task["encoder_part"]).mean(axis=(0, 2, 3, 4), dtype=np.float64)
        best = partial(posterior_reconstruction, public)
        rows += error_rows(job, f"{arguments.name}, posterior mean", best, masks, readings)
    with atomic_path(arguments.output) as temporary:
        table = pd.DataFrame(rows).assign(fingerprint=job.volumes.fingerprint)
        table.to_csv(temporary, index=False, float_format="%.8g")


if __name__ == "__main__":
    cli.run(main)
