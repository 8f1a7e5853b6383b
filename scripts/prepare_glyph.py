"""Write what Open Glyph is made of: its settings and its fingerprint; samples are generated where they are used."""

import json
from pathlib import Path

import numpy as np

from lib.core.command import command, run
from lib.core.files import fingerprint, save_arrays
from lib.data.glyph import OpenGlyph
from lib.data.glyph_settings import SPLITS, GlyphSettings


@command
def main(settings: dict, data: Path) -> None:
    """Write `stream`, the settings as text, and `fingerprint`, of the first samples of every split.

    settings: those of the configuration; what they do not name keeps its default. data: the .npz to write.
    """
    glyph = OpenGlyph(GlyphSettings.from_block(settings))
    digest = fingerprint(**{split: np.array(glyph.fingerprint(split)) for split in SPLITS})
    save_arrays(data, stream=np.array(json.dumps(settings, sort_keys=True)), fingerprint=np.array(digest))


if __name__ == "__main__":
    run(main)
