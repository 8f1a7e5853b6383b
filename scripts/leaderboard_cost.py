"""What training in one world cost, by the benchmark files of the jobs: a measurement, not repeatable."""

import argparse
from collections.abc import Sequence

import pandas as pd

from lib.core.files import atomic_path, reading
from scripts import cli


def measured(paths: Sequence[str]) -> tuple[float, float, float]:
    """Seconds and processor seconds of some jobs together, and the largest memory of one in MiB."""
    rows = []
    for path in paths:
        with reading(path, "benchmark"):
            rows.append(pd.read_csv(path, sep="\t", na_values="-").iloc[0])
    table = pd.DataFrame(rows)
    return float(table["s"].sum()), float(table["cpu_time"].sum()), float(table["max_rss"].max())


def main(argv: list[str] | None = None) -> None:
    """Write the table, a row an entry; teachers are shared by all methods that ask them, and charged to each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--benchmarks", nargs="+", required=True, help="of training, every shard of every entry")
    parser.add_argument("--teachers", nargs="+", required=True, help="of the teachers, a shard each")
    parser.add_argument("--asks", nargs="+", required=True, help="kinds of methods that ask teachers")
    cli.add_json(parser, "--entries", "the entries: method, budget, and the method's block")
    parser.add_argument("--worlds", type=int, required=True, help="number of worlds")
    parser.add_argument("--output", required=True, help="the table, .csv")
    arguments = parser.parse_args(argv)
    shards, rows = len(arguments.teachers), []
    for place, entry in enumerate(arguments.entries):
        own = measured(arguments.benchmarks[place * shards : (place + 1) * shards])
        asked = measured(arguments.teachers) if entry["kind"] in arguments.asks else (0.0, 0.0, 0.0)
        rows.append(
            {
                "method": entry["title"],
                "budget": entry["budget"],
                "seconds_per_world": (own[0] + asked[0]) / arguments.worlds,
                "processor_seconds_per_world": (own[1] + asked[1]) / arguments.worlds,
                "teachers_processor_seconds_per_world": asked[1] / arguments.worlds,
                "memory_mib": max(own[2], asked[2]),
            }
        )
    with atomic_path(arguments.output) as temporary:
        pd.DataFrame(rows).to_csv(temporary, index=False, float_format="%.4g")


if __name__ == "__main__":
    cli.run(main)
