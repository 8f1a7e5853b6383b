"""Are the data there? One table of all that the chosen targets need, before any job.

    python -m scripts.check_data --configfile presets/real.yaml --config data_root=DIR -- scalable_pate_table1

Without targets: all that the preset makes. Nothing is written; it ends with status 1 if something is not there.
"""

import argparse
import sys
from pathlib import Path

from lib.core.command import run
from lib.data.check import as_table
from lib.plan.config import load
from lib.plan.data_needs import findings, needed
from lib.plan.strict_yaml import read_given


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line: options of Snakemake's that say what is run, and on which data."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--configfile", nargs="+", type=Path, default=[], help="presets, as Snakemake is given them")
    parser.add_argument("--config", nargs="+", default=[], help="KEY=VALUE, data_root=DIR above all")
    parser.add_argument("--quick", action="store_true", help="look whether files are there, and do not read them")
    parser.add_argument("targets", nargs="*", help="what will be asked for")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Print the table; exit with status 1 if something is missing or damaged."""
    given = parse_arguments(argv)
    config = load(given.configfile, read_given(given.config))
    others = [word for word in given.config if not word.startswith("data_root=")]
    found = findings(config, needed(given.configfile, others, given.targets), not given.quick)
    print(as_table(found) or "nothing is read: all data are generated")
    if any(each.lacks for each in found):
        sys.exit(1)


if __name__ == "__main__":
    run(main)
