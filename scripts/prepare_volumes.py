"""Bring a collection of volumes to one shape, and keep it where every job can read it in place."""

import argparse
from pathlib import Path

from lib.data.volumes import registry
from lib.data.volumes.prepare import Geometry, prepare
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", required=True, help="of the collection")
    cli.add_json(parser, "--block", "the block of the configuration: settings, shape, crop, label_mode, images")
    parser.add_argument("--root", help="folder below which the collection's files lie")
    parser.add_argument("--output", required=True, help="index.json of the folder to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write the folder."""
    arguments = parse_arguments(argv)
    block = arguments.block
    source = registry.get(arguments.name, block["settings"], arguments.root)
    crop = block["crop"] and tuple(block["crop"])
    geometry = Geometry(tuple(block["shape"]), crop, block["label_mode"])
    prepare(source, Path(arguments.output).parent, geometry, block["images"])


if __name__ == "__main__":
    cli.run(main)
