"""Put a release together from public files and what mechanisms released, and nothing else."""

import importlib.metadata
from pathlib import Path

from lib.accounting.rdp import order_grid
from lib.core import command
from lib.core.errors import InputError
from lib.release.build import SANITIZED, build
from lib.reporting.records import read_record

STUDENT = "release_student"


@command.command
def main(
    weights: Path,
    records: list[Path],
    run: dict,
    ensemble: dict,
    accounting: dict,
    folder: Path,
    licence: str | None = None,
) -> None:
    """Write the folder.

    weights: the student's .safetensors. records: records of the student, its public part, mechanisms. run: the run's
    block of the configuration. ensemble: its ensemble's block. accounting: that block of the configuration. folder: the
    folder to write. licence: of the student.
    """
    read = {str(path): read_record(path) for path in records}
    # without conditions C5 and C6 no epsilon was released: that record has nothing to publish
    read = {
        path: record
        for path, record in read.items()
        if record["job"][0] != "sanitize_epsilon" or SANITIZED in record["privacy"]
    }
    trained = next((record for record in read.values() if record["job"][0] == STUDENT), None)
    if trained is None:
        raise InputError(f"{' '.join(map(str, records))}: none of them is a record of {STUDENT}")
    student = {name: trained["parameters"][name] for name in ("kind", "model", "classes", "shape", "white")} | {
        "format": 1,
        "label": ensemble["label"],
        "dataset": trained["dataset"],
        "labels": trained["metrics"]["labels"],
        "teachers": ensemble["teachers"],
        "private_samples": ensemble["private"],
        "public_samples": trained["metrics"]["public_samples"],
        "test_samples": trained["metrics"]["test_samples"],
        "public_fingerprint": trained["fingerprint"],
        "accuracy": trained["metrics"]["student_accuracy"],
        "licence": licence,
    }
    versions = trained["versions"] | {"safetensors": importlib.metadata.version("safetensors")}
    build(folder, str(weights), student, run, order_grid(**accounting["orders"]).tolist(), read, versions)


if __name__ == "__main__":
    command.run(main)
