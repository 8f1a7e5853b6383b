"""Train one method at one budget in some worlds of the leaderboard, and ask the released models about all records."""

import hashlib
from pathlib import Path

import numpy as np

from lib.core.code_inputs import digest
from lib.core.command import Job, Training, command, run
from lib.core.files import load_arrays, save_arrays
from lib.core.records import write_record
from lib.leaderboard.method import Given
from lib.leaderboard.methods import build_method
from lib.leaderboard.shard import Arrays, each_world
from lib.leaderboard.worlds import read_private, read_public
from lib.training.context import Context
from lib.training.device import choose_device
from pate_accountant.rdp import order_grid


@command
def main(
    worlds: Path,
    public: Path,
    shard: list[int],
    method: dict,
    budget: str,
    privacy: dict,
    job: Job,
    training: Training,
    predictions: Path,
    record: Path,
    cost: Path,
    votes: Path | None = None,
    own: list[Path] | None = None,
) -> None:
    """Write what the models predict, and the record with their accuracy in percent and what they cost.

    worlds: the private records of every world. public: what is public in all worlds. shard: the first world, and the
    one after the last. method: the method's block of the configuration. budget: epsilon to be kept, or none. privacy:
    delta, orders, classes, and the largest pixel value. predictions: probabilities of every candidate record. record:
    the record to write. cost: the CSV to write with what each world took. votes: what the teachers of these worlds say,
    for methods that ask them. own: files of a method that is not this project's.
    """
    device = choose_device(training.device, training.threads)
    private, shared = read_private(worlds), read_public(public)
    said = load_arrays(votes, "votes") if votes else {}
    built = build_method(
        method,
        private.slots,
        private.x.shape[1:],
        privacy["classes"],
        privacy["largest"],
        None if budget == "none" else float(budget),
        privacy["delta"],
        order_grid(**privacy["orders"]),
    )

    def trained(number: int) -> Arrays:
        asked = said["votes"][number - shard[0]] if votes else None
        own = Context(job.seed, (*job.job, str(number)), device)
        predict = built.fit(Given(*private.world(number), shared, asked, own))
        right = (predict(shared.test_x).argmax(1) == shared.test_y).mean()
        return {"probabilities": predict(private.x).astype(np.float32), "accuracy": np.array(100 * right)}

    def write(found: Arrays) -> None:
        accuracy = found.pop("accuracy")
        save_arrays(predictions, **found)
        write_record(
            record,
            **job.identity(),
            fingerprint=private.fingerprint,
            device=training.device,
            parameters={"method": method, "budget": budget, "noise": built.parameters(), "spent": built.cost()},
            metrics={},
            # accuracy on public samples, but of models that no mechanism may have released
            private_metrics={
                f"accuracy {number}": float(value) for number, value in zip(numbers, accuracy, strict=True)
            },
        )

    read = {"worlds": vars(private), "public": vars(shared), "votes": said}
    numbers = range(*shard)
    code = digest("scripts/train_worlds.py") + "".join(
        hashlib.sha256(file.read_bytes()).hexdigest() for file in own or []
    )
    each_world(numbers, trained, write, read, training, code, cost)


if __name__ == "__main__":
    run(main)
