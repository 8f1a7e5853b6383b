"""The record of a job: what it measured, on what, with what, as one JSON file.

Nothing that differs from run to run (time, memory, host, date) goes in: cost is read from benchmark files.
"""

import importlib.metadata
import platform
from pathlib import Path

import jsonschema
import yaml

from lib.accounting.statement import PrivacyStatement
from lib.errors import InputError
from lib.files import read_json, write_json

DATA_FILES = ("../schemas/record.schema.yaml",)
_PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "dp-accounting")


def write_record(
    path: str | Path,
    *,
    job: list[str],
    preset: str,
    seed: int,
    dataset: str,
    fingerprint: str,
    parameters: dict,
    metrics: dict[str, float],
    private_metrics: dict[str, float] | None = None,
    privacy: dict[str, PrivacyStatement] | None = None,
    ledger: list[dict] | None = None,
    device: str = "cpu",
) -> None:
    """Write and validate a record.

    metrics: numbers that are public or only about public data. private_metrics: numbers that depend on private data
    other than through a mechanism; they are research results and marked as not sanitised.
    """
    record = {
        "job": job,
        "preset": preset,
        "seed": seed,
        "dataset": dataset,
        "fingerprint": fingerprint,
        "device": device,
        "versions": {"python": platform.python_version()} | _versions(),
        "parameters": parameters,
        "metrics": metrics,
        "private_metrics": {"sanitized": False, "values": private_metrics or {}},
        "privacy": {name: statement.as_dict() for name, statement in (privacy or {}).items()},
        "ledger": ledger or [],
    }
    jsonschema.validate(record, _schema())
    write_json(path, record)


def read_record(path: str | Path) -> dict:
    """Read a record back, its privacy statements as PrivacyStatement; InputError names a file that is no record."""
    record = read_json(path)
    try:
        jsonschema.validate(record, _schema())
    except jsonschema.ValidationError as error:
        raise InputError(f"{path}: not a result record ({error.message})") from error
    try:
        record["privacy"] = {name: PrivacyStatement(**statement) for name, statement in record["privacy"].items()}
    except ValueError as error:
        raise InputError(f"{path}: not a result record ({error})") from error
    record["private_metrics"] = record["private_metrics"]["values"]
    return record


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
