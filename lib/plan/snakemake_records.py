"""Snakemake's own records of a run, where a disk or a power loss has damaged them."""

from pathlib import Path

FOLDERS = ("metadata", "incomplete")  # below .snakemake, a record a file


def empty_damaged(folder: Path) -> list[Path]:
    """Make the records below `folder` (.snakemake) that are no text say nothing; they are returned.

    Snakemake ignores a record that is no JSON, but ends with a traceback at one that is no UTF-8. It writes ASCII
    alone, so that other bytes in one are always damage. The file stays, for that it is there says something, too.
    """
    damaged = []
    for path in sorted(path for name in FOLDERS for path in (folder / name).rglob("*") if path.is_file()):
        if not path.read_bytes().isascii():
            path.write_text("{}")
            damaged.append(path)
    return damaged
