"""Attack one method of the leaderboard at one budget: membership, and an audit by canaries."""

import argparse

import numpy as np

from lib.attacks.shadow import AttackSettings
from lib.attacks.worlds import WorldSettings, attack_worlds, audit_worlds
from lib.core.errors import InputError
from lib.core.files import atomic_path, load_arrays
from lib.leaderboard.worlds import read_private
from scripts import cli


def main(argv: list[str] | None = None) -> None:
    """Write what the attacks achieve, their ROC curves, and lower bounds on epsilon."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", required=True, help="the private records of every world, .npz")
    parser.add_argument("--predictions", nargs="+", required=True, help="what the models predict, shard by shard")
    cli.add_json(parser, "--attacks", "the block of attacks")
    parser.add_argument("--targets", nargs="+", type=int, required=True, help="the worlds that are attacked")
    parser.add_argument("--delta", type=float, required=True, help="of the audit")
    parser.add_argument("--seed", type=int, required=True, help="seed of the preset")
    parser.add_argument("--job", nargs="+", required=True, help="the job's own name")
    parser.add_argument("--scores", required=True, help="what the attacks achieve, .csv")
    parser.add_argument("--curves", required=True, help="their ROC curves, .csv")
    parser.add_argument("--audit", required=True, help="what the canaries show, .csv")
    arguments = parser.parse_args(argv)
    private = read_private(arguments.worlds)
    shards = [load_arrays(path, "probabilities")["probabilities"] for path in arguments.predictions]
    probabilities = np.concatenate(shards)
    if len(probabilities) != len(private.chosen):
        raise InputError(f"predictions of {len(probabilities)} worlds: allowed are the {len(private.chosen)} there are")
    block = arguments.attacks
    settings = WorldSettings(
        shadow=AttackSettings(**block["shadow"]),
        rates=tuple(block["rates"]),
        level=block["level"],
        delta=arguments.delta,
        guesses=tuple(block["guesses"]),
    )
    given = probabilities, private.y, private.chosen, private.canaries, arguments.targets, settings
    tables = *attack_worlds(*given, arguments.seed, tuple(arguments.job)), audit_worlds(*given)
    for path, table in zip((arguments.scores, arguments.curves, arguments.audit), tables, strict=True):
        with atomic_path(path) as temporary:
            table.assign(sanitized=False).to_csv(temporary, index=False, float_format="%.8g")


if __name__ == "__main__":
    cli.run(main)
