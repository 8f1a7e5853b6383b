"""Read a dataset from its source, verify it, and write its arrays with its fingerprint."""

from pathlib import Path

import numpy as np

from lib.core.command import command, run
from lib.core.files import fingerprint, save_arrays
from lib.core.secret import keyed
from lib.data import registry


@command
def main(dataset: str, module: str, source: str, data: Path, data_root: Path | None = None) -> None:
    """Write the arrays and, as `fingerprint`, a 0-d string array.

    dataset: its name. module: its module in lib/data/sources. source: where it comes from. data: the .npz to write.
    data_root: the directory of the files, for every source but embedded.
    """
    arrays = registry.load(dataset, module, source, data_root)
    spec = registry.get(module, dataset)
    found = spec.fingerprint or fingerprint(**arrays)
    save_arrays(data, **arrays, fingerprint=np.array(keyed(found, data) if spec.private else found))


if __name__ == "__main__":
    run(main)
