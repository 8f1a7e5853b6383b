"""Download the public files of a dataset to a directory that then serves as data_root."""

from pathlib import Path

from lib.core.command import command, run
from lib.data.download import fetch


@command
def main(module: str, dataset: str, data_root: Path, attempts: int = 4, wait: float = 2.0) -> None:
    """Fetch its files, unless they are there.

    module: its module in lib/data/sources. dataset: its name. data_root: the directory to download to. attempts: how
    often to try. wait: seconds before the second attempt, then doubled.
    """
    fetch(dataset, module, data_root, attempts=attempts, wait=wait)


if __name__ == "__main__":
    run(main)
