"""Time residual perturbation and DP-SGD against plain training of the same network, and replicas together or in turn.

Run by `python -m bench.residual`; the same table is a target of the workflow, residual_perturbation_cost. Times on the
CPU are processor time of one thread, which other work on the machine does not lengthen much; on CUDA wall time.
"""

import argparse
import json
import tempfile
from pathlib import Path

import pandas as pd

from scripts import residual_perturbation_cost


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--images", type=int, default=384, help="in an epoch")
    parser.add_argument("--side", type=int, default=32, help="pixels")
    parser.add_argument("--replicas", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=3)
    chosen = parser.parse_args()
    settings = {name: getattr(chosen, name) for name in ("images", "side", "replicas", "epochs")}
    settings |= {"batch": 128, "gamma": 0.75}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cost.csv"
        arguments = ["--settings", json.dumps(settings), "--device", chosen.device, "--threads", "1"]
        residual_perturbation_cost.main([*arguments, "--output", str(path)])
        print(pd.read_csv(path).to_string(index=False))


if __name__ == "__main__":
    main()
