"""Write what Open Glyph is made of: its settings and its fingerprint; samples are generated where they are used."""

import argparse
import json

import numpy as np

from lib.core.files import fingerprint, save_arrays
from lib.data.glyph import OpenGlyph
from lib.data.glyph_settings import SPLITS, GlyphSettings
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    cli.add_json(parser, "--settings", "the settings of the configuration; what they do not name keeps its default")
    parser.add_argument("--output", required=True, help="the .npz to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write `stream`, the settings as text, and `fingerprint`, of the first samples of every split."""
    arguments = parse_arguments(argv)
    glyph = OpenGlyph(GlyphSettings.from_block(arguments.settings))
    digest = fingerprint(**{split: np.array(glyph.fingerprint(split)) for split in SPLITS})
    stream = json.dumps(arguments.settings, sort_keys=True)
    save_arrays(arguments.output, stream=np.array(stream), fingerprint=np.array(digest))


if __name__ == "__main__":
    cli.run(main)
