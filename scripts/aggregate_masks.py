"""Answer a task's queries through one encoder: encode the teachers' masks, average, add noise, keep the ledger.

Every labelling has noise of its own and is accounted for as if it alone were released. Where true labels stand in for
the answers, as in Fay et al. (2022), epsilon is what so many teachers' answers would cost: it protects nobody here.
"""

import dataclasses
from collections.abc import Iterator

import numpy as np

from lib.accounting.encoded_mean import EncodedMeanNoise, calibrated
from lib.accounting.rdp import order_grid
from lib.aggregation.encoded_mean import noisy_means
from lib.core.errors import InputError
from lib.core.files import load_arrays, save_arrays
from lib.core.seeding import generator
from lib.encoders.build import build_encoder
from lib.encoders.encoder import Encoder
from lib.reporting.records import write_record
from scripts import cli
from scripts.segmentation_job import LEVELS, SegmentationJob, parser, read_job, scores_of


class Answers:
    """What the teachers say of the student's volumes, one query at a time.

    The true labels may stand in for teachers who all agree (Fay et al. 2022, Section 3.2): any number of them.
    """

    def __init__(self, job: SegmentationJob, files: list[str]) -> None:
        """files: of train_mask_teachers, in the order of the teachers; none for the true labels."""
        self._job = job
        self._shards = [load_arrays(file, "student")["student"] for file in files]

    def codes(self, encoder: Encoder, queries: int, teachers: int) -> Iterator[np.ndarray]:
        """Codes (K, L) of each query; InputError for another number of teachers than there are."""
        found = sum(map(len, self._shards))
        if self._shards and found != teachers:
            raise InputError(f"{teachers} teachers: there are answers of {found}")
        for query in range(queries):
            if self._shards:
                masks = np.concatenate([shard[:, query] for shard in self._shards]).astype(np.float32) / LEVELS
                yield encoder.encode(masks)
            else:
                row = self._job.rows["student"][[query]]
                code = encoder.encode(self._job.volumes.masks(row, self._job.task["classes"]))
                yield np.broadcast_to(code, (teachers, code.shape[1]))


def noise_of(labelling: dict, encoder: Encoder) -> EncodedMeanNoise | None:
    """The noise of a labelling and what it costs; none where epsilon is null."""
    if labelling["epsilon"] is None:
        return None
    asked = {name: labelling[name] for name in ("queries", "teachers", "epsilon", "delta", "route")}
    return calibrated(radius=encoder.radius, **asked)


def main(argv: list[str] | None = None) -> None:
    """Write the noisy codes of every labelling, and the record with what each costs."""
    made = parser(__doc__)
    cli.add_json(made, "--encoder", "the encoder's block of the configuration")
    cli.add_json(made, "--labellings", "list of name, teachers, queries, epsilon (null: no noise), delta and route")
    cli.add_json(made, "--accounting", "the accounting block of the configuration")
    made.add_argument("--fitted", required=True, help="what was fitted for the encoder, .npz")
    made.add_argument("--answers", nargs="*", required=True, help="answers of the teachers, .npz; none: true labels")
    made.add_argument("--codes", required=True, help="noisy codes by labelling, .npz")
    made.add_argument("--output", required=True, help="the record to write")
    job = read_job(made, argv)
    arguments = job.arguments
    encoder = build_encoder(arguments.encoder, job.shape, load_arrays(arguments.fitted), job.device)
    orders = order_grid(**arguments.accounting["orders"])
    answers = Answers(job, arguments.answers)
    codes, privacy, ledger, private = {}, {}, [], {}
    metrics = {"latent_dim": float(encoder.latent_dim), "radius": encoder.radius}
    for labelling in arguments.labellings:
        name, queries, teachers = (labelling[key] for key in ("name", "queries", "teachers"))
        noise = noise_of(labelling, encoder)
        rng = generator(arguments.seed, *arguments.job, name)
        given = answers.codes(encoder, queries, teachers)
        sigma = noise.sigma if noise else None
        codes[name] = np.stack(list(noisy_means(given, queries, teachers, encoder.radius, sigma, rng)))
        if noise:
            entries = noise.ledger(orders)
            metrics[f"sigma {name}"] = noise.sigma
            metrics[f"ledger difference {name}"] = entries.check()
            statements = noise.statements(labelling["delta"])
            # one true label in place of all teachers' answers is changed by one record as a whole, not by 1 / K of it
            real = bool(arguments.answers)
            privacy |= {
                f"{name} {route}": statement if real else dataclasses.replace(statement, guarantee=False)
                for route, statement in statements.items()
            }
            ledger += [entry | {"labelling": name} for entry in entries.as_dict()]
        decoded = (encoder.decode(code[None])[0] for code in codes[name])
        found = scores_of(job.dice(decoded, job.rows["student"][:queries]))
        private |= {f"{name} {what}": value for what, value in found.items()}
    save_arrays(arguments.codes, **codes)
    write_record(
        arguments.output,
        **job.record(),
        parameters={
            "task": job.task,
            "encoder": arguments.encoder,
            "labellings": arguments.labellings,
            "repetition": arguments.repetition,
        },
        metrics=metrics,
        private_metrics=private,
        privacy=privacy,
        ledger=ledger,
    )


if __name__ == "__main__":
    cli.run(main)
