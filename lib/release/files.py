"""The files of a release, and their checksums."""

import re
from pathlib import Path

from lib.core.errors import InputError
from lib.core.files import reading, write_text
from lib.core.provenance import file_digest

SUMS = "SHA256SUMS"
CONTENT = (
    "MODEL_CARD.md",
    "environment.json",
    "load_student.py",
    "model.safetensors",
    "privacy.json",
    "provenance.json",
    "student.json",
)


def write_sums(folder: Path) -> None:
    """Write the checksums of all content, for `sha256sum --check` too."""
    write_text(folder / SUMS, "".join(f"{file_digest(folder / name)}  {name}\n" for name in CONTENT))


def read_sums(folder: Path) -> dict[str, str]:
    """The checksums by name; InputError names a line that is none, or a name that comes twice."""
    sums: dict[str, str] = {}
    with reading(folder / SUMS, "checksum"):
        lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        match = re.fullmatch(r"([0-9a-f]{64}) [ *](.+)", line)
        if not match or match[2] in sums:
            raise InputError(f"{SUMS}: line {number} is no checksum and name, or repeats a name")
        sums[match[2]] = match[1]
    return sums
