"""Measure the workflow itself, in a checkout where `make` has run, and the jobs of that run.

Run by `make bench`. A second `make`; one figure made again from cached results (its files are removed, and come back as
they were); dry runs of `all` with nothing done, by preset. Processor time is that of all processes of a call.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from bench.benchmarks import used
from bench.growth import print_growth
from bench.presets import ROOT, preset_files
from lib.plan.data_needs import mark_without_data

LONGEST, LARGEST = 15 * 60, 6 * 1024  # of `all` on two cores, seconds; of a job, MiB
SNAKEMAKE = [sys.executable, "-m", "snakemake"]
RESULTS = ROOT / "results" / "quick"


def called(command: Sequence[str], folder: Path = ROOT) -> tuple[float, float, str]:
    """Wall and processor seconds of a command that must succeed, and what it printed."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    variables = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}  # of `make bench`
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"error: {' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    spent = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
    return wall, spent, done.stdout + done.stderr


def second_make() -> dict:
    """`make` once more; ends with one line if there was something to do."""
    wall, spent, text = called(["make", f"VENV={sys.prefix}"])
    if "Nothing to be done" not in text:
        sys.exit(f"error: {RESULTS}: results were not up to date; now they are, so try again")
    return {"what": "a second make", "wall s": wall, "processor s": spent}


def one_figure(target: str, results: Path = RESULTS, snakemake: Sequence[str] = SNAKEMAKE) -> dict:
    """One figure of finished results, say `dp_mac_fig1`, made again."""
    paper, _, item = target.rpartition("_")
    files = [path for path in results.glob(f"{paper}/*") if re.split(r"[._]", path.name)[0] == item]
    if not files:
        sys.exit(f"error: {target}: no such figure in {results / paper}")
    for path in files:
        path.unlink()
    wall, spent, text = called([*snakemake, "--cores", "2", "--", target], results.parents[1])
    made = int(re.search(r"^total +(\d+)$", text, re.MULTILINE)[1])
    return {"what": f"{target} from cached results", "jobs run": made, "wall s": wall, "processor s": spent}


def planning(preset: str, folder: Path) -> dict:
    """A dry run of `all` of a preset, without its data, as if nothing had been run."""
    overlays = ["--configfile", *map(str, preset_files(preset))] if preset_files(preset) else []
    given = ["--config", f"data_root={folder / 'data'}", "--directory", str(folder)]
    command = [*SNAKEMAKE, "--snakefile", str(ROOT / "Snakefile"), "--dry-run", *overlays, *given, "--", "all"]
    wall, spent, text = called(command, folder)
    jobs = int(re.search(r"^total +(\d+)$", text, re.MULTILINE)[1])
    row = {"what": f"dry run of {preset}", "jobs": jobs, "wall s": wall, "processor s": spent}
    return row | {"ms a job": 1000 * spent / jobs}


def print_used(results: Path) -> None:
    """Print the cost of a run's jobs by rule and in all, and whether it is within the limits of the default preset."""
    if not (results / "benchmarks").is_dir():
        sys.exit(f"error: {results}: no benchmarks in it; run `make` first")
    table = used(results)
    print(f"\njobs of {results}, by rule")
    print(table.head(15).to_string(float_format=lambda number: f"{number:.1f}"))
    processor, worst = table["processor"].sum(), table.loc[table["memory"].idxmax()]
    print(f"{table['jobs'].sum()} jobs, {processor:.0f} s of processor time: {processor / 2 / 60:.1f} min on two cores")
    print(f"largest job: {worst['largest']}, {worst['memory']:.0f} MiB")
    print(f"limits: {LONGEST / 60:g} min on two cores, {LARGEST} MiB a job")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--figure", default="scalable_pate_fig1")
    parser.add_argument("--used", type=Path, help="only what the jobs of this folder of results took")
    chosen = parser.parse_args()
    if chosen.used:
        print_used(chosen.used)
        return
    if not (RESULTS / "report.html").exists():
        sys.exit(f"error: {ROOT}: no finished results; run `make` first")
    rows = [second_make(), one_figure(chosen.figure)]
    with tempfile.TemporaryDirectory() as folder:
        mark_without_data(Path(folder) / "data")
        plans = [planning(preset, Path(folder)) for preset in ("quick", "real", "paper")]
    print(f"the workflow itself, {os.cpu_count()} cores")
    print(pd.DataFrame([*rows, *plans]).to_string(index=False, na_rep="", float_format=lambda number: f"{number:.1f}"))
    print_growth(
        "processor time of a dry run", "jobs", *zip(*((p["jobs"], p["processor s"]) for p in plans), strict=True)
    )
    print_used(RESULTS)


if __name__ == "__main__":
    main()
