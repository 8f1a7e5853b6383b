"""Bring a collection of volumes to one shape, and keep it where every job can read it in place."""

from pathlib import Path

from lib.core.command import command, run
from lib.core.keywords import ABSENT
from lib.data.volumes import registry
from lib.data.volumes.preparation import Geometry, prepare


@command
def main(name: str, block: dict, index: Path, root: Path | None = None) -> None:
    """Write the folder.

    name: name of the collection. block: the block of the configuration: settings, shape, crop, label_mode, images, and,
    if any, the seed of shifts and the fingerprint to expect. index: index.json of the folder to write. root: folder
    below which the collection's files lie.
    """
    source = registry.get(name, block["settings"], root and str(root))
    crop = block["crop"] and tuple(block["crop"])
    geometry = Geometry(tuple(block["shape"]), crop, block["label_mode"], block.get("shift", ABSENT))
    private = registry.spec(name, block["settings"]).private
    prepare(source, index.parent, geometry, block["images"], block.get("fingerprint"), private)


if __name__ == "__main__":
    run(main)
