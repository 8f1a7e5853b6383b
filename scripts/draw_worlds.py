"""Draw the worlds of the leaderboard: pairs of private records with a coin each, and what is public in all of them."""

import argparse

from lib.data.samples import read_samples
from lib.leaderboard.worlds import draw_worlds
from scripts import cli


def main(argv: list[str] | None = None) -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="prepared dataset")
    cli.add_json(parser, "--settings", "slots, canaries, public, test, worlds, classes")
    parser.add_argument("--seed", type=int, required=True, help="seed of the preset")
    parser.add_argument("--job", nargs="+", required=True, help="the job's own name")
    parser.add_argument("--worlds", required=True, help="the private records of every world, .npz")
    parser.add_argument("--public", required=True, help="what is public in all worlds, .npz")
    arguments = parser.parse_args(argv)
    private, public = draw_worlds(
        read_samples(arguments.data), **arguments.settings, seed=arguments.seed, job=tuple(arguments.job)
    )
    private.write(arguments.worlds)
    public.write(arguments.public)


if __name__ == "__main__":
    cli.run(main)
