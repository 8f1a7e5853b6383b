"""Train teachers in some worlds of the leaderboard, and count their votes on the public pool."""

from pathlib import Path

from lib.core.code_inputs import digest
from lib.core.command import Training, command, run
from lib.core.files import save_arrays
from lib.core.seeding import Draws
from lib.leaderboard.shard import Arrays, each_world
from lib.leaderboard.votes import teacher_votes
from lib.leaderboard.worlds import read_private, read_public
from lib.training.context import Context
from lib.training.device import choose_device


@command
def main(
    worlds: Path,
    public: Path,
    shard: list[int],
    teachers: int,
    model: dict,
    classes: int,
    draws: Draws,
    training: Training,
    votes: Path,
    cost: Path,
) -> None:
    """Write votes (w, p, classes) of the worlds of a shard.

    worlds: the private records of every world. public: what is public in all worlds. shard: the first world, and the
    one after the last. teachers: how many. model: the teachers' block of the configuration. classes: number of classes.
    votes: the .npz of votes to write. cost: the CSV to write with what each world took.
    """
    device = choose_device(training.device, training.threads)
    private, pool = read_private(worlds), read_public(public)

    def counted(number: int) -> Arrays:
        context = Context(draws.seed, (*draws.job, str(number)), device)
        return {"votes": teacher_votes(*private.world(number), teachers, model, pool.x, classes, context)}

    read = {"worlds": vars(private), "public": vars(pool)}
    code = digest("scripts/count_world_votes.py")
    each_world(range(*shard), counted, lambda found: save_arrays(votes, **found), read, training, code, cost)


if __name__ == "__main__":
    run(main)
