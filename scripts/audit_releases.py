"""Audit what the leaderboard's mechanisms release: lower bounds on epsilon from worst-case neighbours."""

from pathlib import Path

import pandas as pd
import torch

from lib.audit.board import bound_of
from lib.core.command import command, progress, run
from lib.core.files import atomic_path
from lib.leaderboard.methods import build_method
from pate_accountant.rdp import order_grid

SHAPE = (1,)  # of a record, on which no mechanism's release depends


@command
def main(
    privacy: dict,
    slots: int,
    runs: int,
    level: float,
    seed: int,
    job: list[str],
    bounds: Path,
    entries: list | None = None,
) -> None:
    """Write a lower bound for each entry that releases something.

    privacy: delta, orders, classes, and the largest pixel value. slots: private records. runs: of a mechanism on either
    input; slow ones have a share of them. level: confidence of each bound. seed: seed of the preset. job: the job's own
    name, to which the entry's is added. bounds: the CSV to write. entries: method, budget (epsilon to be kept, or
    none), and the method's block of each.
    """
    torch.set_num_threads(1)  # networks of two weights
    delta, orders = privacy["delta"], order_grid(**privacy["orders"])
    rows, report = [], progress("entries")
    for place, (name, budget, settings) in enumerate(entries or []):
        epsilon = None if budget == "none" else float(budget)
        built = build_method(settings, slots, SHAPE, privacy["classes"], privacy["largest"], epsilon, delta, orders)
        found = bound_of(built, runs, delta, level, seed, (*job, name, budget))
        if found is not None:
            bound = {"lower_bound": found.epsilon, "largest": found.largest, "runs": sum(found.runs)}
            rows.append({"entry": f"{name}/{budget}"} | bound)
        report(place + 1, len(entries or []))
    with atomic_path(bounds) as temporary:
        pd.DataFrame(rows, columns=["entry", "lower_bound", "largest", "runs"]).to_csv(
            temporary, index=False, float_format="%.8g"
        )


if __name__ == "__main__":
    run(main)
