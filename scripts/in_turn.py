"""Run several jobs of one script one after the other in one process: starting takes longer than a small job does."""

import argparse
import importlib
import json

from scripts import cli


def main(argv: list[str] | None = None) -> None:
    """Run the jobs; the first that fails ends it, and what those before it wrote stays."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("script", help="its name")
    parser.add_argument("jobs", type=json.loads, help="JSON: a list of each job's own arguments")
    parser.add_argument("shared", nargs=argparse.REMAINDER, help="the arguments of all of them")
    arguments = parser.parse_args(argv)
    run = importlib.import_module(f"scripts.{arguments.script}").main
    for own in arguments.jobs:
        run([*arguments.shared, *own])


if __name__ == "__main__":
    cli.run(main)
