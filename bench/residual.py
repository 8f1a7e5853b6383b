"""Time residual perturbation and DP-SGD against plain training of the same network, and replicas together or in turn.

Run by `python -m bench.residual`; the same table is a target of the workflow, residual_perturbation_cost. Times on the
CPU are processor time of one thread, which other work on the machine does not lengthen much; on CUDA wall time.
"""

import argparse
import json
import tempfile
from pathlib import Path

import pandas as pd

from bench.baseline import compare
from bench.growth import print_growth
from scripts import residual_perturbation_cost

COLUMNS = ["method", "norm", "replicas", "seconds_per_epoch", "seconds_per_epoch_spread", "of_plain"]


def main() -> None:
    """Print a table for each size, and how each method's time grows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--images", type=int, nargs="+", default=[128, 384], help="in an epoch, one or more sizes")
    parser.add_argument("--side", type=int, default=32, help="pixels")
    parser.add_argument("--replicas", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=3)
    chosen = parser.parse_args()
    settings = {name: getattr(chosen, name) for name in ("side", "replicas", "epochs")}
    settings |= {"batch": 128, "gamma": 0.75}
    tables = []
    for images in chosen.images:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "cost.csv"
            arguments = ["--settings", json.dumps(settings | {"images": images}), "--device", chosen.device]
            residual_perturbation_cost.main([*arguments, "--threads", "1", "--table", str(path)])
            tables.append(pd.read_csv(path))
        print(f"{images} images\n{tables[-1][COLUMNS].to_string(index=False)}", flush=True)
    for _, row in tables[-1].iterrows():
        compare(f"{row['method']}, {row['norm']}, {row['replicas']} at once, of plain training", row["of_plain"])
    if len(tables) > 1:
        for place, row in tables[0].iterrows():
            times = [table["seconds_per_epoch"][place] for table in tables]
            print_growth(f"{row['method']}, {row['norm']}, {row['replicas']} at once", "images", chosen.images, times)


if __name__ == "__main__":
    main()
