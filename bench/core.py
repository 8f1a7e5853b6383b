"""Measure how near one core comes to its limit in training, and what would bring it nearer: writes bench/core.csv.

    python -m bench.core

Every training of `bench/gpu.py` runs on one thread: alone, with products in bfloat16, and in two processes at once; all
of this in turn, several times, of which the fastest counts.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from lib.core.code_inputs import ROOT
from lib.core.files import atomic_path

TABLE = ROOT / "bench" / "core.csv"


def measured(*arguments: str, processes: int = 1) -> pd.DataFrame:
    """Return what so many processes of bench.gpu do on the CPU at once, added up, by training."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.csv" for number in range(processes)]
        command = [sys.executable, "-m", "bench.gpu", "--device", "cpu", *arguments]
        started = [
            subprocess.Popen([*command, "--table", str(path)], cwd=ROOT, env=os.environ | {"OMP_NUM_THREADS": "1"})
            for path in paths
        ]
        for process in started:
            process.wait()  # a training that fails, as DP-SGD may in bfloat16, leaves its cells empty
        found = pd.concat([pd.read_csv(path, index_col="training") for path in paths])
    return found.groupby(level=0, sort=False).sum(numeric_only=True, min_count=1)


def compared(alone: pd.DataFrame, short: pd.DataFrame, both: pd.DataFrame) -> pd.DataFrame:
    """A row a training: what it does alone, and how many times as many samples a second it does in the other ways."""
    rate = "samples/s"
    found = pd.DataFrame({"gflops": 1000 * alone["TFLOP/s"], "share": alone["share of limit"]})
    found["bfloat16"] = short[rate] / alone[rate]
    found["two_processes"] = both[rate] / alone[rate]
    return found.reset_index()


def fastest(measured: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the largest of each number."""
    return pd.concat(measured).groupby(level=0, sort=False).max()


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", default="2", help="for each training, way and time (default: 2)")
    parser.add_argument("--times", type=int, default=2, help="how often each is measured (default: 2)")
    parser.add_argument("--table", type=Path, default=TABLE, help="the .csv to write")
    chosen = parser.parse_args()
    sizes, ways = ("--seconds", chosen.seconds), []
    for _ in range(chosen.times):
        ways.append((measured(*sizes), measured(*sizes, "--bfloat16"), measured(*sizes, processes=2)))
    alone, short, both = map(fastest, zip(*ways, strict=True))
    with atomic_path(chosen.table) as temporary:
        compared(alone, short, both).to_csv(temporary, index=False, float_format="%.3g")


if __name__ == "__main__":
    main()
