"""MONAI datalists: JSON files whose `training` names the image files and the label of each case."""

from pathlib import Path

from lib.core.errors import InputError
from lib.core.files import read_json


def read_datalist(path: Path, channels: int) -> tuple[dict, list[tuple[list[str], str | None]]]:
    """Return the whole file, and the image files, one for each channel, and the label (None: without) of each case.

    Raises InputError, naming file and entry, for what is no such list.
    """
    content = read_json(path)
    items = content.get("training") if isinstance(content, dict) else None
    if not isinstance(items, list) or not items:
        raise InputError(f"{path}: no labelled case; expected {{'training': [{{'image': ..., 'label': ...}}, ...]}}")
    cases = []
    for number, item in enumerate(items):
        where = f"{path}: entry {number} of training"
        if not isinstance(item, dict) or "image" not in item:
            raise InputError(f"{where} names no image; expected {{'image': ..., 'label': ...}}")
        images = item["image"] if isinstance(item["image"], list) else [item["image"]]
        if len(images) != channels:
            raise InputError(f"{where} names {len(images)} image files; expected {channels}")
        names = [*images, item["label"]] if "label" in item else images
        for name in names:
            if not isinstance(name, str) or not name or not name.isprintable():
                raise InputError(
                    f"{where} names {str(name)[:60]!r}; allowed are paths of files, of printable characters"
                )
        cases.append((images, item.get("label")))
    return content, cases
