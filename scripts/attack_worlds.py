"""Attack a shard of the leaderboard's entries, methods at their budgets: membership, and an audit by canaries."""

from pathlib import Path

import numpy as np
import pandas as pd

from lib.attacks.shadow_settings import AttackSettings
from lib.attacks.worlds import WorldSettings, attack_worlds, audit_worlds
from lib.core.command import command, progress, run
from lib.core.errors import InputError
from lib.core.files import atomic_path, load_arrays
from lib.leaderboard.worlds import PrivateWorlds, read_private


@command
def main(
    worlds: Path,
    predictions: list[Path],
    entries: list[str],
    attacks: dict,
    targets: list[int],
    choosing: list[int],
    delta: float,
    seed: int,
    job: list[str],
    scores: Path,
    curves: Path,
    audits: Path,
) -> None:
    """Write what the attacks achieve, their ROC curves, and lower bounds on epsilon, entry below entry.

    worlds: the private records of every world. predictions: what the models predict, entry by entry, shard by shard of
    worlds. entries: METHOD/BUDGET of each. attacks: the block of attacks. targets: the worlds that are attacked.
    choosing: other worlds, by which the attack that is shown is chosen (column `choosing`). delta: of the audit. seed:
    seed of the preset. job: the job's own name, to which the entry's is added. scores: what the attacks achieve.
    curves: their ROC curves. audits: what the canaries show.
    """
    private, shards = read_private(worlds), len(predictions) // len(entries)
    settings = WorldSettings(
        shadow=AttackSettings(**attacks["shadow"]),
        rates=tuple(attacks["rates"]),
        level=attacks["level"],
        delta=delta,
        guesses=tuple(attacks["guesses"]),
    )
    tables, report = [], progress("entries")
    for place, entry in enumerate(entries):
        probabilities = read_probabilities(predictions[place * shards : (place + 1) * shards], private)
        given = probabilities, private.y, private.chosen, private.canaries
        achieved, rates = attack_worlds(*given, [*targets, *choosing], settings, seed, (*job, *entry.split("/")))
        achieved = achieved.assign(choosing=achieved["target"].isin(choosing))
        found = achieved, rates, audit_worlds(*given, targets, settings)
        tables.append([table.assign(entry=entry, sanitized=False) for table in found])
        report(place + 1, len(entries))
    for path, parts in zip((scores, curves, audits), zip(*tables, strict=True), strict=True):
        with atomic_path(path) as temporary:
            pd.concat(parts).to_csv(temporary, index=False, float_format="%.8g")


def read_probabilities(paths: list[Path], private: PrivateWorlds) -> np.ndarray:
    """Read the predictions of one entry's models on every private set, (W, 2n, classes)."""
    probabilities = np.concatenate([load_arrays(path, "probabilities")["probabilities"] for path in paths])
    if len(probabilities) != len(private.chosen):
        raise InputError(f"predictions of {len(probabilities)} worlds: allowed are the {len(private.chosen)} there are")
    return probabilities


if __name__ == "__main__":
    run(main)
