"""Draw the worlds of the leaderboard: pairs of private records with a coin each, and what is public in all of them."""

from pathlib import Path

from lib.core.command import command, run
from lib.core.seeding import Draws
from lib.data.samples import read_samples
from lib.leaderboard.features import told
from lib.leaderboard.worlds import draw_worlds


@command
def main(data: Path, sizes: dict, draws: Draws, worlds: Path, public: Path, features: dict | None = None) -> None:
    """Write both files.

    data: prepared dataset. sizes: slots, canaries, public, test, worlds, classes. worlds: the private records of every
    world to write. public: what is public in all worlds. features: patch, kinds and unit of `lib.leaderboard.features`,
    whose numbers are the records; else images are.
    """
    private, shared = draw_worlds(read_samples(data), **sizes, draws=draws)
    if features:
        private, shared = told(private, shared, **features, draws=draws.of("features"))
    private.write(worlds)
    shared.write(public)


if __name__ == "__main__":
    run(main)
