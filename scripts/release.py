"""Put a release together from public files and what mechanisms released, and nothing else."""

import argparse
import importlib.metadata

from lib.accounting.rdp import order_grid
from lib.core.errors import InputError
from lib.release.build import SANITIZED, build
from lib.reporting.records import read_record
from scripts import cli

STUDENT = "release_student"


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", required=True, help="the student's .safetensors")
    parser.add_argument(
        "--records", nargs="+", required=True, help="records of the student, its public part, mechanisms"
    )
    cli.add_json(parser, "--run", "the run's block of the configuration")
    cli.add_json(parser, "--ensemble", "its ensemble's block of the configuration")
    cli.add_json(parser, "--accounting", "the accounting block of the configuration")
    cli.add_json(parser, "--licence", "a licence, or null")
    parser.add_argument("--folder", required=True, help="the folder to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write the folder."""
    arguments = parse_arguments(argv)
    records = {path: read_record(path) for path in arguments.records}
    # without conditions C5 and C6 no epsilon was released: that record has nothing to publish
    records = {
        path: record
        for path, record in records.items()
        if record["job"][0] != "sanitize_epsilon" or SANITIZED in record["privacy"]
    }
    trained = next((record for record in records.values() if record["job"][0] == STUDENT), None)
    if trained is None:
        raise InputError(f"{' '.join(arguments.records)}: none of them is a record of {STUDENT}")
    student = {name: trained["parameters"][name] for name in ("kind", "model", "classes", "shape", "white")} | {
        "format": 1,
        "label": arguments.ensemble["label"],
        "dataset": trained["dataset"],
        "labels": trained["metrics"]["labels"],
        "teachers": arguments.ensemble["teachers"],
        "private_samples": arguments.ensemble["private"],
        "public_samples": trained["metrics"]["public_samples"],
        "test_samples": trained["metrics"]["test_samples"],
        "public_fingerprint": trained["fingerprint"],
        "accuracy": trained["metrics"]["student_accuracy"],
        "licence": arguments.licence,
    }
    build(
        arguments.folder,
        arguments.weights,
        student,
        arguments.run,
        order_grid(**arguments.accounting["orders"]).tolist(),
        records,
        trained["versions"] | {"safetensors": importlib.metadata.version("safetensors")},
    )


if __name__ == "__main__":
    cli.run(main)
