"""Measure the jobs of the preset smoke by rule: writes bench/smoke.csv from results/smoke, where it has run.

    python -m bench.smoke results/smoke

Wall time is that of Snakemake's benchmark files, memory what each job's log ends with, since Snakemake looks at it now
and then only. Rules that these results know nothing of stay as they are, so that one paper can be run again alone.
"""

import argparse
import re
from pathlib import Path

import pandas as pd

from bench.benchmarks import read_benchmark
from lib.core.code_inputs import ROOT
from lib.core.files import atomic_path

TABLE = ROOT / "bench" / "smoke.csv"
MARGIN = 1.5  # times the most that a job had, a rule asks for at least


def job_memory(log: Path) -> float:
    """The most MiB that a finished job had, as its log says; 0 where it says nothing."""
    said = re.findall(r"^most memory: (\d+) MiB", log.read_text(encoding="utf-8"), re.MULTILINE)
    return float(said[-1]) if said else 0.0


def taken(results: Path) -> pd.DataFrame:
    """A row a rule: number of jobs, wall seconds of all and of the longest, MiB of the largest and which one it is."""
    rows = []
    for path in sorted((results / "benchmarks").rglob("*.tsv")):
        job = path.relative_to(results / "benchmarks").with_suffix("")
        found, log = read_benchmark(path), results / "logs" / f"{job}.log"
        rows.append((job.parts[0], float(found["s"]), max(job_memory(log), float(found["max_rss"])), str(job)))
    table = pd.DataFrame(rows, columns=["rule", "seconds", "mib", "job"])
    by_rule = table.groupby("rule").agg(
        jobs=("job", "size"), seconds=("seconds", "sum"), longest=("seconds", "max"), mib=("mib", "max")
    )
    largest = table.sort_values("mib").drop_duplicates("rule", keep="last").set_index("rule")["job"]
    return by_rule.assign(largest=largest).reset_index()


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="the folder of results of the preset smoke")
    found = taken(parser.parse_args().results)
    before = pd.read_csv(TABLE) if TABLE.exists() else found.iloc[:0]
    table = pd.concat([before[~before["rule"].isin(found["rule"])], found]).sort_values("rule")
    with atomic_path(TABLE) as temporary:
        table.to_csv(temporary, index=False, float_format="%.0f")


if __name__ == "__main__":
    main()
