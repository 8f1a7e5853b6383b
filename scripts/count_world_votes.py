"""Train teachers in some worlds of the leaderboard, and count their votes on the public pool."""

import argparse

from lib.core.files import save_arrays
from lib.leaderboard.votes import teacher_votes
from lib.leaderboard.worlds import read_private, read_public
from lib.training.device import choose_device
from scripts import cli
from scripts.world_job import add_worlds, each_world


def main(argv: list[str] | None = None) -> None:
    """Write votes (w, p, classes) of the worlds of the range."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--teachers", type=int, required=True, help="how many")
    cli.add_json(parser, "--model", "the teachers' block of the configuration")
    parser.add_argument("--classes", type=int, required=True, help="number of classes")
    parser.add_argument("--seed", type=int, required=True, help="seed of the preset")
    parser.add_argument("--job", nargs="+", required=True, help="the job's own name")
    add_worlds(parser)
    parser.add_argument("--output", required=True, help="the votes, .npz")
    arguments = parser.parse_args(argv)
    device = choose_device(arguments.device, arguments.threads)
    private, public = read_private(arguments.worlds), read_public(arguments.public)

    def votes(number: int) -> dict:
        x, y = private.world(number)
        found = teacher_votes(
            x,
            y,
            arguments.teachers,
            arguments.model,
            public.x,
            arguments.classes,
            arguments.seed,
            (*arguments.job, str(number)),
            device,
        )
        return {"votes": found}

    read = {"worlds": vars(private), "public": vars(public)}
    save_arrays(arguments.output, **each_world(arguments, __file__, read, votes))


if __name__ == "__main__":
    cli.run(main)
