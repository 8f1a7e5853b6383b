"""Where voting on whole masks can work: Dice of test masks after one encoder's noise, over teachers and epsilon.

The masks are the true ones, as if all teachers agreed on them. A student may average over volumes what one decoded mask
cannot show; the threshold at which a decoded mask is cut is the best one on public masks.
"""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.core.seeding import generator
from lib.core.shards import load_unit
from lib.encoders.build import build_encoder
from lib.encoders.encoder import Encoder
from lib.encoders.reconstruction import noisy_reconstruction
from lib.pate.encoded_mean import noise_norm, signal_to_noise
from lib.segmentation.job import SegmentationJob
from lib.segmentation.patients import means_of, measured
from pate_accountant.encoded_mean import calibrated


@command
def main(job: SegmentationJob, encoders: list, fitted: list[Path], settings: dict, table: Path) -> None:
    """Write the table.

    encoders: [name, the encoder's block of the configuration] of each. fitted: what was fitted for them, .npz.
    settings: teachers, epsilons, queries, delta, route. table: the table to write, .csv.
    """
    rows = []
    for name, block in encoders:
        unit = job.of_unit(name).coded(block)
        encoder = build_encoder(block, unit.shape, load_unit(fitted, name), unit.place)
        rows += limits(unit, name, encoder, settings)
    with atomic_path(table) as temporary:
        frame = pd.DataFrame(rows).assign(fingerprint=job.prepared.fingerprint)
        frame.to_csv(temporary, index=False, float_format="%.8g")


def limits(job: SegmentationJob, name: str, encoder: Encoder, settings: dict) -> list[dict]:
    """Rows of one encoder: without noise, and at each number of teachers and epsilon."""
    test = job.rows["test"]
    masks, public = job.masks("test"), job.masks(job.task["encoder_part"])
    codes = encoder.encode(masks)
    # what tells one mask's code from another's: without it an answer says nothing of its image
    varied = float(np.sqrt(codes.var(axis=0, dtype=np.float64).sum()))
    rows = []
    for teachers, epsilon in [*product(settings["teachers"], settings["epsilons"]), (None, None)]:
        row: dict[str, Any] = {"encoder": name, "latent_dim": encoder.latent_dim, "radius": encoder.radius}
        row |= {"teachers": teachers, "epsilon": epsilon, "sigma": 0.0, "spread_of_codes": varied}
        if epsilon is not None:
            same = {key: settings[key] for key in ("queries", "delta", "route")}
            noise = calibrated(teachers=teachers, radius=encoder.radius, epsilon=epsilon, **same)
            row["sigma"] = noise.sigma
            row["noise_norm"] = noise_norm(noise.sigma, encoder.latent_dim)
            row["signal_to_noise"] = (varied / row["noise_norm"]) ** 2
            row["signal_to_noise_ball"] = signal_to_noise(noise.sigma, encoder.latent_dim, encoder.radius)
        rng = generator(job.seed, *job.job, f"{teachers} {epsilon}")
        known = np.concatenate([noisy_reconstruction(encoder, mask[None], row["sigma"], rng) for mask in public])
        decoded = np.concatenate([noisy_reconstruction(encoder, mask[None], row["sigma"], rng) for mask in masks])
        limit = job.threshold(known, job.rows[job.task["encoder_part"]])
        row["dice"] = means_of(measured(job, decoded, test, edges=False))["dice"]
        row["tuned_dice"] = means_of(measured(job, decoded, test, limit, edges=False))["dice"]
        rows.append(row)
    return rows


if __name__ == "__main__":
    run(main)
