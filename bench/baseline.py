"""Ratios that do not depend on the machine: bench/baseline.json keeps those that docs/cost.md shows.

Of every one less is better. `make bench KEEP=1` replaces those that it measures; to keep another, add its name.
"""

import json
import os
from pathlib import Path

from lib.core.files import write_text

KEPT = Path(__file__).parent / "baseline.json"


def compare(name: str, value: float, path: Path = KEPT) -> None:
    """Print a ratio, beside the one that is kept under its name; with KEEP set, keep this one instead."""
    known = json.loads(path.read_text(encoding="utf-8"))
    print(f"ratio: {name}: {value:.3g}{f' ({known[name]:.3g} in {path.name})' if name in known else ''}", flush=True)
    if name in known and os.environ.get("KEEP"):
        write_text(path, json.dumps(known | {name: float(f"{value:.3g}")}, indent=2) + "\n")
