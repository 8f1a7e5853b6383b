"""Train one method at one budget in some worlds of the leaderboard, and ask the released models about all records."""

import argparse

import numpy as np

from lib.accounting.rdp import order_grid
from lib.core.files import load_arrays, save_arrays
from lib.leaderboard.method import Given
from lib.leaderboard.methods import build_method
from lib.leaderboard.worlds import read_private, read_public
from lib.reporting.records import write_record
from lib.training.device import choose_device
from scripts import cli
from scripts.world_job import add_worlds, each_world


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = cli.job_parser(__doc__)
    parser.add_argument("--votes", help="what the teachers of these worlds say, for methods that ask them, .npz")
    cli.add_json(parser, "--method", "the method's block of the configuration")
    parser.add_argument("--budget", required=True, help="epsilon to be kept, or none")
    cli.add_json(parser, "--privacy", "delta, orders, classes, and the largest pixel value")
    add_worlds(parser)
    parser.add_argument("--predictions", required=True, help="probabilities of every candidate record, .npz")
    parser.add_argument("--output", required=True, help="the record to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write what the models predict, and the record with their accuracy in percent and what they cost."""
    arguments = parse_arguments(argv)
    device = choose_device(arguments.device, arguments.threads)
    private, public = read_private(arguments.worlds), read_public(arguments.public)
    votes = load_arrays(arguments.votes, "votes")["votes"] if arguments.votes else None
    method = build_method(
        arguments.method,
        private.slots,
        private.x.shape[1:],
        arguments.privacy["classes"],
        arguments.privacy["largest"],
        None if arguments.budget == "none" else float(arguments.budget),
        arguments.privacy["delta"],
        order_grid(**arguments.privacy["orders"]),
    )

    def trained(number: int) -> dict[str, np.ndarray]:
        said = None if votes is None else votes[number - arguments.range[0]]
        job = (*arguments.job, str(number))
        predict = method.fit(Given(*private.world(number), public, said, arguments.seed, job, device))
        right = (predict(public.test_x).argmax(1) == public.test_y).mean()
        return {"probabilities": predict(private.x).astype(np.float32), "accuracy": np.array(100 * right)}

    asked = {} if votes is None else {"votes": votes}
    read = {"worlds": vars(private), "public": vars(public), "votes": asked}
    found = each_world(arguments, __file__, read, trained)
    accuracy = found.pop("accuracy")
    save_arrays(arguments.predictions, **found)
    write_record(
        arguments.output,
        **cli.identity(arguments),
        fingerprint=private.fingerprint,
        device=arguments.device,
        parameters={"method": arguments.method, "budget": arguments.budget, "noise": method.parameters()},
        metrics={},
        # accuracy on public samples, but of models that no mechanism may have released
        private_metrics={
            f"accuracy {number}": float(value) for number, value in zip(range(*arguments.range), accuracy, strict=True)
        },
        privacy=method.statements(),
    )


if __name__ == "__main__":
    cli.run(main)
