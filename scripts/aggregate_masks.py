"""Answer a task's queries through one encoder: encode the teachers' masks, average, add noise, keep the ledger.

Every labelling has noise of its own and is accounted for as if it alone were released. Where true labels replace
the answers, as in Fay et al. (2022), epsilon is what so many teachers' answers would cost: it protects nobody here.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lib.core.command import command, run
from lib.core.errors import InputError
from lib.core.files import load_arrays
from lib.core.records import record_of, write_records
from lib.core.seeding import generator
from lib.core.shards import load_unit, save_shard
from lib.encoders.build import build_encoder
from lib.encoders.encoder import Encoder
from lib.pate.encoded_mean import noisy_means
from lib.segmentation.job import LEVELS, SegmentationJob
from lib.segmentation.patients import means_of, measured
from pate_accountant.encoded_mean import EncodedMeanNoise, calibrated
from pate_accountant.rdp import order_grid


class Answers:
    """Answers of the teachers on the student's volumes, one query at a time.

    The true labels may replace teachers who all agree (Fay et al. 2022, Section 3.2): any number of them.
    """

    def __init__(self, job: SegmentationJob, files: list[Path]) -> None:
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
                if self._job.shape[0] < masks.shape[1]:
                    masks = 1 - masks[:, :1]  # the whole tumour, whatever its classes
                yield encoder.encode(masks)
            else:
                row = self._job.rows["student"][[query]]
                code = encoder.encode(self._job.prepared.masks(row, self._job.task["classes"]))
                yield np.broadcast_to(code, (teachers, code.shape[1]))


def noise_of(labelling: dict, encoder: Encoder) -> EncodedMeanNoise | None:
    """The noise of a labelling and what it costs; none where epsilon is null."""
    if labelling["epsilon"] is None:
        return None
    asked = {name: labelling[name] for name in ("queries", "teachers", "epsilon", "delta", "route")}
    return calibrated(radius=encoder.radius, **asked)


@command
def main(
    job: SegmentationJob,
    units: list,
    accounting: dict,
    fitted: list[Path],
    codes: Path,
    records: Path,
    answers: Sequence[Path] = (),
) -> None:
    """Write the noisy codes of every labelling of every unit, and a record a unit with the ledger of each labelling.

    units: of each, its source (teachers: their answers; labels: true labels in their place), its encoder, that one's
    settings, and its labellings: name, teachers, queries, epsilon (null: no noise), delta and route. accounting:
    `orders` of that block of the configuration. fitted: what was fitted for the encoders, .npz. codes: noisy codes by
    unit and labelling to write, .npz. records: the records to write. answers: answers of the teachers, .npz.
    """
    orders = order_grid(**accounting["orders"])
    arrays, made = {}, []
    for unit in units:
        own = job.of_unit(unit["source"], unit["encoder"]).coded(unit["settings"])
        encoder = build_encoder(unit["settings"], own.shape, load_unit(fitted, unit["encoder"]), own.place)
        given = Answers(own, list(answers) if unit["source"] == "teachers" else [])
        name = f"{unit['source']}/{unit['encoder']}"
        arrays[name], found = released(own, encoder, given, unit["labellings"], orders)
        parameters = {"task": own.task, "encoder": unit["settings"], "labellings": unit["labellings"]}
        made.append(record_of(**own.identity(), parameters=parameters | {"repetition": own.repetition}, **found))
    save_shard(codes, arrays)
    write_records(records, made)


def released(
    job: SegmentationJob, encoder: Encoder, answers: Answers, labellings: list[dict], orders: np.ndarray
) -> tuple[dict[str, np.ndarray], dict]:
    """Noisy codes by labelling, and what their record says: metrics, private_metrics and ledger."""
    codes, ledger = {}, []
    private: dict[str, float] = {}
    metrics = {"latent_dim": float(encoder.latent_dim), "radius": encoder.radius}
    for labelling in labellings:
        name, queries, teachers = (labelling[key] for key in ("name", "queries", "teachers"))
        noise = noise_of(labelling, encoder)
        rng = generator(job.seed, *job.job, name)
        given = answers.codes(encoder, queries, teachers)
        sigma = noise.sigma if noise else None
        codes[name] = np.stack(list(noisy_means(given, queries, teachers, encoder.radius, sigma, rng)))
        if noise:
            entries = noise.ledger(orders)
            metrics[f"sigma {name}"] = noise.sigma
            metrics[f"ledger difference {name}"] = entries.check()
            ledger += [entry | {"labelling": name} for entry in entries.as_dict()]
        limit = public_threshold(job, encoder, sigma, generator(job.seed, *job.job, name, "public"))
        private |= {f"{name} {what}": value for what, value in dice_of(job, encoder, codes[name], limit).items()}
    # what the code alone leaves of true masks that it was not fitted to
    of_test = codes_of(job, encoder, "test")
    limit = public_threshold(job, encoder, None, None)
    private |= {f"encoder_{what}": value for what, value in dice_of(job, encoder, of_test, limit, "test").items()}
    return codes, {"metrics": metrics, "private_metrics": private, "ledger": ledger}


def codes_of(job: SegmentationJob, encoder: Encoder, part: str) -> np.ndarray:
    """Codes (n, L) of the true masks of a part, encoded one at a time, for masks may be large."""
    return np.concatenate([encoder.encode(job.prepared.masks([row], job.task["classes"])) for row in job.rows[part]])


def public_threshold(
    job: SegmentationJob, encoder: Encoder, sigma: float | None, rng: np.random.Generator | None
) -> float:
    """The threshold at which public masks are decoded best from their codes with fresh noise of `sigma`."""
    codes = codes_of(job, encoder, job.task["encoder_part"])
    if sigma is not None:
        assert rng is not None
        codes += rng.normal(0.0, sigma, codes.shape).astype(np.float32)
    return job.threshold((encoder.decode(code[None])[0] for code in codes), job.rows[job.task["encoder_part"]])


def dice_of(
    job: SegmentationJob, encoder: Encoder, codes: np.ndarray, limit: float, part: str = "student"
) -> dict[str, float]:
    """Dice of masks decoded from codes (n, L) of the first n volumes of a part: at a half, and, `tuned_`, at `limit`.

    Decoded twice and one at a time, for masks may be large.
    """
    found: dict[str, Any] = {}
    for name, threshold in (("dice", None), ("tuned_dice", limit)):
        decoded = (encoder.decode(code[None])[0] for code in codes)
        found |= means_of(measured(job, decoded, job.rows[part][: len(codes)], threshold, edges=False), name)
    return found


if __name__ == "__main__":
    run(main)
