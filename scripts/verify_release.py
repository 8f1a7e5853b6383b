"""Check a release from its folder alone: python -m scripts.verify_release DIR"""

import argparse
import sys

from lib.core.command import run
from lib.release.verify import verify


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="the release")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Print a line a check and a line a fault; exit with status 1 if there is a fault."""
    checks = verify(parse_arguments(argv).folder)
    for check in checks:
        if check.faults:
            for fault in check.faults:
                print(f"FAULT  {check.name}: {fault}")
        else:
            print(f"ok     {check.name}: {check.found}")
    faults = sum(len(check.faults) for check in checks)
    print(f"{faults} fault{'s' * (faults != 1)}" if faults else "the release is what it says")
    if faults:
        sys.exit(1)


if __name__ == "__main__":
    run(main)
