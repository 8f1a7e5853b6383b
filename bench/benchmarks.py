"""Snakemake's benchmark files of finished jobs."""

from pathlib import Path

import pandas as pd


def read_benchmark(path: Path) -> pd.Series:
    """A job's `s` and `cpu_time` in seconds, `max_rss` in MiB, and the like; 0 where it was over before it was seen."""
    return pd.read_csv(path, sep="\t", na_values=["-", "NA"]).iloc[0].fillna(0)


def used(results: Path) -> pd.DataFrame:
    """Return the cost of a finished run, a row a rule: jobs, seconds, largest memory in MiB and its job."""
    folder, rows = results / "benchmarks", []
    for path in sorted(folder.rglob("*.tsv")):
        job = path.relative_to(folder).with_suffix("")
        found = read_benchmark(path)
        rows.append((job.parts[0], str(job), found["cpu_time"], found["s"], found["max_rss"]))
    table = pd.DataFrame(rows, columns=["rule", "job", "processor s", "wall s", "MiB"])
    by_rule = table.groupby("rule").agg(
        jobs=("job", "size"), processor=("processor s", "sum"), wall=("wall s", "sum"), memory=("MiB", "max")
    )
    largest = table.sort_values("MiB").drop_duplicates("rule", keep="last").set_index("rule")["job"]
    return by_rule.assign(largest=largest).sort_values("processor", ascending=False)
