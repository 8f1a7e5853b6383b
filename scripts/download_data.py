"""Download the public files of a dataset to a directory that then serves as data_root."""

import argparse

from lib.data.download import fetch
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--module", required=True, help="its module in lib/data/sources")
    parser.add_argument("--dataset", required=True, help="its name")
    parser.add_argument("--to", required=True, help="the directory to download to")
    parser.add_argument("--attempts", type=int, default=4, help="how often to try")
    parser.add_argument("--wait", type=float, default=2.0, help="seconds before the second attempt, then doubled")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Fetch its files, unless they are there."""
    arguments = parse_arguments(argv)
    fetch(arguments.dataset, arguments.module, arguments.to, attempts=arguments.attempts, wait=arguments.wait)


if __name__ == "__main__":
    cli.run(main)
