"""Snakemake's own records of a run: which job made a file, from what, by which code; and records that are damaged."""

import ast
import json
import os
import re
from base64 import urlsafe_b64encode
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

FOLDERS = ("metadata", "incomplete")  # below .snakemake, a record a file
_CODE = "code:"  # how the parameter begins that says which code a job runs
_LINE = re.compile(r"^code: \w+, commit: (\S+)$", re.MULTILINE)  # of a job's log (lib/core/command.py)
UNKNOWN = "unknown"


class Origin(NamedTuple):
    """Where a file of a run comes from.

    commit: of the project, where the run began that made the file. code: of its job and of all before it, digest by
    files; None where a job before it did not say so.
    """

    commit: str
    code: dict[str, str] | None


def code_parameter(files: Iterable[str], digest: str) -> str:
    """Return the parameter of a job by which Snakemake knows its code: the files it starts from, and their digest."""
    return f"{_CODE} {' '.join(files)} {digest}"


def origin(path: str, folder: Path = Path(".snakemake"), known: dict[str, dict | None] | None = None) -> Origin:
    """Where a file comes from, by the records below `folder`; commit `unknown` and no code where there are none.

    What no job made (the project's own files, data) has no record and counts as given. known: what was read of other
    files, to which the records of this one are added, so that results with a past in common read each record once.
    """
    known = {} if known is None else known

    def record_of(each: str) -> dict | None:
        if each not in known:
            known[each] = _record(folder, each)
        return known[each]

    own = record_of(path)
    if own is None:
        return Origin(UNKNOWN, None)
    code: dict[str, str] | None = {}
    seen, waiting = set(), [path]
    while waiting:
        record = record_of(each := waiting.pop())
        if record is None:
            continue
        waiting += [before for before in record["input"] if before not in seen]
        seen |= {each, *record["input"]}
        told = [words for words in map(_said, record["params"]) if words.startswith(_CODE)]
        if code is not None:
            code = code | dict(map(_parted, told)) if told else None
    try:
        log = Path(own["log"][0]).read_text(encoding="utf-8", errors="replace")
    except (OSError, IndexError):
        log = ""
    named = _LINE.findall(log)
    return Origin(named[-1] if named else UNKNOWN, code)


def _parted(words: str) -> tuple[str, str]:
    """Files and digest of a parameter."""
    *files, digest = words.removeprefix(_CODE).split()
    return " ".join(files), digest


def _said(parameter: str) -> str:
    """Return a parameter that is a text, as Snakemake writes it down; else nothing."""
    try:
        value = ast.literal_eval(parameter)
    except (ValueError, SyntaxError):
        return ""
    return value if isinstance(value, str) else ""


def _record(folder: Path, path: str) -> dict | None:
    """Read what Snakemake knows of a file: None where no job made it, nothing of it in a damaged record."""
    words = urlsafe_b64encode(path.encode()).decode()
    most = os.pathconf(folder, "PC_NAME_MAX") - 1 if folder.is_dir() else 254
    parts = [words[start : start + most] for start in range(0, len(words), most)]
    place = folder.joinpath(FOLDERS[0], *(f"@{part}" for part in parts[:-1]), parts[-1])
    try:
        found = json.loads(place.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        found = None
    whole = isinstance(found, dict) and all(isinstance(found.get(name), list) for name in ("input", "params", "log"))
    return found if whole else {"input": [], "params": [], "log": []}


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
