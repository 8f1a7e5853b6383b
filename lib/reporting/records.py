"""Read the records of jobs, which `lib/core/records.py` writes, with their privacy statements."""

from pathlib import Path

from lib.core.errors import InputError
from lib.core.files import read_sealed_json
from lib.core.records import validate
from pate_accountant.statement import PrivacyStatement


def read_record(path: str | Path) -> dict:
    """Read a record back, its privacy statements as PrivacyStatement; InputError names one that is none, or altered."""
    return _read(path, read_sealed_json(path))


def read_records(path: str | Path) -> list[dict]:
    """Read a file of one record or of several back, as `read_record` does."""
    content = read_sealed_json(path)
    return (
        [_read(path, record) for record in content["records"]]
        if set(content) == {"records"}
        else [_read(path, content)]
    )


def _read(path: str | Path, record: dict) -> dict:
    validate(path, record)
    try:
        record["privacy"] = {
            name: PrivacyStatement.from_dict(statement) for name, statement in record["privacy"].items()
        }
    except (ValueError, OverflowError) as error:  # JSON's integers know no bounds
        raise InputError(f"{path}: not a result record ({error})") from error
    record["private_metrics"] = record["private_metrics"]["values"]
    return record
