"""Ratios that do not depend on the machine, kept in bench/baseline.json: what got worse by more than a fifth is said.

Of every one less is better. `make bench KEEP=1` keeps those that it measures, in place of those of the same names.
"""

import json
import os
from pathlib import Path

from lib.core.files import write_text

KEPT = Path(__file__).parent / "baseline.json"
WORSE = 1.2  # times what is kept


def compare(name: str, value: float, path: Path = KEPT) -> bool:
    """Print a ratio beside the one that is kept; True if it got worse. One that is not kept is kept now."""
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    before = known.get(name)
    worse = before is not None and value > WORSE * before
    end = "" if before is None else f" ({before:.3g} in {path.name}{': WORSE' if worse else ''})"
    print(f"ratio: {name}: {value:.3g}{end}", flush=True)
    if before is None or os.environ.get("KEEP"):
        kept = dict(sorted((known | {name: float(f"{value:.3g}")}).items()))
        write_text(path, json.dumps(kept, indent=2) + "\n")
    return worse
