"""How a task's test masks survive one encoder over noise: cross-entropy and squared error."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.core.shards import load_unit
from lib.encoders.build import build_encoder
from lib.encoders.reconstruction import noisy_reconstruction, posterior_reconstruction
from lib.segmentation.job import SegmentationJob
from lib.segmentation.reconstruction_errors import READINGS, error_rows


@command
def main(job: SegmentationJob, encoders: list, fitted: list[Path], settings: dict, table: Path) -> None:
    """Write the table.

    encoders: [name, the encoder's block of the configuration] of each. fitted: what was fitted for them, .npz.
    settings: sigmas, and shown, of how many test masks. table: the table to write, .csv.
    """
    rows = []
    for name, block in encoders:
        rows += errors_of(job.of_unit(name).coded(block), name, block, load_unit(fitted, name), settings)
    with atomic_path(table) as temporary:
        frame = pd.DataFrame(rows).assign(fingerprint=job.prepared.fingerprint)
        frame.to_csv(temporary, index=False, float_format="%.8g")


def errors_of(
    job: SegmentationJob, name: str, block: dict, arrays: dict[str, np.ndarray], settings: dict
) -> list[dict]:
    """Rows of one encoder; of the naive approach also with the posterior mean in place of what is decoded."""
    encoder = build_encoder(block, job.shape, arrays, job.place)
    masks = job.masks("test", settings["shown"])
    readings = {
        reading: {sigma: sigma * unit(encoder) for sigma in settings["sigmas"]} for reading, unit in READINGS.items()
    }
    rows = error_rows(job, name, partial(noisy_reconstruction, encoder), masks, readings)
    if block["kind"] == "identity":
        public = job.masks(job.task["encoder_part"]).mean(axis=(0, 2, 3, 4), dtype=np.float64)
        best = partial(posterior_reconstruction, public)
        rows += error_rows(job, f"{name}, posterior mean", best, masks, readings)
    return rows


if __name__ == "__main__":
    run(main)
