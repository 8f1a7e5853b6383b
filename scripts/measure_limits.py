"""Where voting on whole masks can work: Dice of test masks after one encoder's noise, over teachers and epsilon.

The masks are the true ones, as if all teachers agreed on them. A student may average over volumes what one decoded mask
cannot show; the threshold at which a decoded mask is cut is the best one on public masks.
"""

from itertools import product

import numpy as np
import pandas as pd

from lib.accounting.encoded_mean import calibrated
from lib.aggregation.encoded_mean import noise_norm, signal_to_noise
from lib.core.files import atomic_path, load_arrays
from lib.core.seeding import generator
from lib.encoders.build import build_encoder
from lib.encoders.reconstruction import noisy_reconstruction
from scripts import cli
from scripts.segmentation_job import parser, read_job


def main(argv: list[str] | None = None) -> None:
    """Write the table."""
    made = parser(__doc__)
    made.add_argument("--name", required=True, help="of the encoder")
    cli.add_json(made, "--encoder", "the encoder's block of the configuration")
    made.add_argument("--fitted", required=True, help="what was fitted for it, .npz")
    cli.add_json(made, "--settings", "teachers, epsilons, queries, delta, route")
    made.add_argument("--output", required=True, help="the table, .csv")
    job = read_job(made, argv)
    arguments, settings = job.arguments, job.arguments.settings
    encoder = build_encoder(arguments.encoder, job.shape, load_arrays(arguments.fitted), job.device)
    test = job.rows["test"]
    masks, public = job.masks("test"), job.masks(job.task["encoder_part"])
    codes = encoder.encode(masks)
    # what tells one mask's code from another's: without it an answer says nothing of its image
    varied = float(np.sqrt(codes.var(axis=0, dtype=np.float64).sum()))
    rows = []
    for teachers, epsilon in [*product(settings["teachers"], settings["epsilons"]), (None, None)]:
        row = {"encoder": arguments.name, "latent_dim": encoder.latent_dim, "radius": encoder.radius}
        row |= {"teachers": teachers, "epsilon": epsilon, "sigma": 0.0, "spread_of_codes": varied}
        if epsilon is not None:
            same = {name: settings[name] for name in ("queries", "delta", "route")}
            noise = calibrated(teachers=teachers, radius=encoder.radius, epsilon=epsilon, **same)
            row["sigma"] = noise.sigma
            row["noise_norm"] = noise_norm(noise.sigma, encoder.latent_dim)
            row["signal_to_noise"] = (varied / row["noise_norm"]) ** 2
            row["signal_to_noise_ball"] = signal_to_noise(noise.sigma, encoder.latent_dim, encoder.radius)
        rng = generator(arguments.seed, *arguments.job, f"{teachers} {epsilon}")
        known = np.concatenate([noisy_reconstruction(encoder, mask[None], row["sigma"], rng) for mask in public])
        decoded = np.concatenate([noisy_reconstruction(encoder, mask[None], row["sigma"], rng) for mask in masks])
        limit = job.threshold(known, job.rows[job.task["encoder_part"]])
        row |= {"dice": job.dice(decoded, test).mean(), "tuned_dice": job.dice(decoded, test, limit).mean()}
        rows.append(row)
    with atomic_path(arguments.output) as temporary:
        table = pd.DataFrame(rows).assign(fingerprint=job.volumes.fingerprint)
        table.to_csv(temporary, index=False, float_format="%.8g")


if __name__ == "__main__":
    cli.run(main)
