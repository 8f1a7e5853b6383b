"""Tabulate what training on one private set cost, as the jobs measured it: not repeatable."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from lib.core.command import command, run
from lib.core.files import atomic_path, reading


def measured(paths: Sequence[Path]) -> tuple[float, float, float]:
    """Seconds and processor seconds of all worlds of some jobs, and the largest memory of one in MiB."""
    rows = []
    for path in paths:
        with reading(path, "cost"):
            rows.append(pd.read_csv(path))
    table = pd.concat(rows)
    return float(table["seconds"].sum()), float(table["processor_seconds"].sum()), float(table["memory_mib"].max())


@command
def main(
    costs: list[Path], asks: list[str], entries: list, worlds: int, table: Path, teachers: list[Path] | None = None
) -> None:
    """Write the table, a row an entry; teachers are shared by all methods that ask as many, and charged to each.

    costs: of training, entry by entry, shard by shard of worlds. asks: kinds of methods that ask teachers. entries:
    method, budget, and the method's block of each. worlds: number of worlds. table: the CSV to write. teachers: costs
    of the teachers of the entries that ask any, as of training.
    """
    shards, rows, left = len(costs) // len(entries), [], teachers or []
    for place, entry in enumerate(entries):
        own = measured(costs[place * shards : (place + 1) * shards])
        asked = (0.0, 0.0, 0.0)
        if entry["kind"] in asks:
            asked, left = measured(left[:shards]), left[shards:]
        rows.append(
            {
                "method": entry["title"],
                "budget": entry["budget"],
                "seconds_per_world": (own[0] + asked[0]) / worlds,
                "processor_seconds_per_world": (own[1] + asked[1]) / worlds,
                "teachers_processor_seconds_per_world": asked[1] / worlds,
                "memory_mib": max(own[2], asked[2]),
            }
        )
    with atomic_path(table) as temporary:
        pd.DataFrame(rows).to_csv(temporary, index=False, float_format="%.4g")


if __name__ == "__main__":
    run(main)
