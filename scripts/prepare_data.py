"""Read a dataset from its source, verify it, and write its arrays with its fingerprint."""

import argparse

import numpy as np

from lib.core.files import fingerprint, save_arrays
from lib.data import registry
from lib.data.spec import SOURCES
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", required=True, help="its name")
    parser.add_argument("--module", required=True, help="its module in lib/data/sources")
    parser.add_argument("--source", required=True, choices=SOURCES, help="where it comes from")
    parser.add_argument("--data-root", help="the directory of the files, for every source but embedded")
    parser.add_argument("--output", required=True, help="the .npz to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write the arrays and, as `fingerprint`, a 0-d string array."""
    arguments = parse_arguments(argv)
    arrays = registry.load(arguments.dataset, arguments.module, arguments.source, arguments.data_root)
    spec = registry.get(arguments.module, arguments.dataset)
    save_arrays(arguments.output, **arrays, fingerprint=np.array(spec.fingerprint or fingerprint(**arrays)))


if __name__ == "__main__":
    cli.run(main)
