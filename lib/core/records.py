"""Write the record of a job: what it measured, on what, with what, as one JSON file.

Nothing that differs from run to run (time, memory, host, date) goes in: cost is read from benchmark files. A training
writes its record by this module, which knows no privacy statement; `lib/reporting/records.py` reads records.
"""

import importlib.metadata
import platform
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import jsonschema
import yaml

from lib.core.errors import InputError
from lib.core.files import write_sealed_json

DATA_FILES = ("../../schemas/record.schema.yaml",)
_PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "dp-accounting", "torch", "opacus", "monai")


class Statement(Protocol):
    """A privacy statement, as far as a record has it."""

    def as_dict(self) -> dict:
        """Its fields as plain JSON values."""


def record_of(
    *,
    job: list[str],
    preset: str,
    seed: int,
    dataset: str,
    code: str,
    fingerprint: str,
    parameters: dict,
    metrics: dict[str, float],
    private_metrics: dict[str, float] | None = None,
    privacy: Mapping[str, Statement] | None = None,
    ledger: list[dict] | None = None,
    provenance: dict | None = None,
    device: str = "cpu",
) -> dict:
    """Return a record, not yet validated.

    code: digest of the code that ran. metrics: numbers that are public or only about public data. private_metrics:
    numbers that depend on private data other than through a mechanism; they are research results and marked as not
    sanitised. provenance: of `lib.core.provenance`.
    """
    record = {
        "job": job,
        "preset": preset,
        "seed": seed,
        "dataset": dataset,
        "code": code,
        "fingerprint": fingerprint,
        "device": device,
        "versions": {"python": platform.python_version()} | _versions(),
        "parameters": parameters,
        "metrics": metrics,
        "private_metrics": {"sanitized": False, "values": private_metrics or {}},
        "privacy": {name: statement.as_dict() for name, statement in (privacy or {}).items()},
        "ledger": ledger or [],
    }
    return record | ({"provenance": provenance} if provenance else {})


def write_record(path: str | Path, **content: Any) -> None:
    """Write and validate a record of what `record_of` takes; InputError names the file of what is none."""
    record = record_of(**content)
    validate(path, record)
    write_sealed_json(path, record)


def write_records(path: str | Path, records: list[dict]) -> None:
    """Write and validate several records of `record_of` in one file: those of a job that does several units' work."""
    for record in records:
        validate(path, record)
    write_sealed_json(path, {"records": records})


def validate(path: str | Path, record: object) -> None:
    """Raise InputError, which names the file, unless the content is that of a record."""
    try:
        jsonschema.validate(record, _schema())
    except jsonschema.ValidationError as error:
        raise InputError(f"{path}: not a result record ({error.message})") from error


@cache
def _schema() -> dict:
    return yaml.safe_load((Path(__file__).parent / DATA_FILES[0]).read_text(encoding="utf-8"))


def _versions() -> dict[str, str]:
    versions = {}
    for package in _PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:  # a conda environment holds only what its jobs need
            continue
    return versions
