"""Put a release together from public files and what mechanisms released, and nothing else."""

import importlib.metadata
from pathlib import Path

from lib.core import command
from lib.release.build import assemble, build
from lib.release.chain import SANITIZED
from lib.release.commit import commit
from lib.release.origins import SANITIZE
from lib.reporting.records import read_record
from pate_accountant.rdp import order_grid


@command.command
def main(
    records: list[Path],
    ensemble: dict,
    accounting: dict,
    largest_epsilon: float,
    folder: Path,
    licence: str | None = None,
) -> None:
    """Write the folder.

    records: records of the student, its public part, mechanisms. ensemble: the run's ensemble's block of the
    configuration. accounting: that block of the configuration. largest_epsilon: above which nothing is announced.
    folder: the folder to write. licence: of the student.
    """
    read = {str(path): read_record(path) for path in records}
    # without conditions C5 and C6 no epsilon was released: that record has nothing to publish
    read = {
        path: record for path, record in read.items() if record["job"][0] != SANITIZE or SANITIZED in record["privacy"]
    }
    environment = {"commit": commit(), "safetensors": importlib.metadata.version("safetensors")}
    orders = order_grid(**accounting["orders"]).tolist()
    build(folder, assemble(read, ensemble, orders, environment, licence), largest_epsilon)


if __name__ == "__main__":
    command.run(main)
