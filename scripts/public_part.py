"""Take the public part out of a dataset: what a student may read, in a file of its own without a private record."""

from pathlib import Path

import numpy as np

from lib.core.command import Job, command, run
from lib.core.files import fingerprint, save_arrays
from lib.core.provenance import PUBLIC, provenance
from lib.core.records import write_record
from lib.data.glyph_pool import open_any_pool


@command
def main(data: Path, split: Path, job: Job, samples: Path, record: Path) -> None:
    """Write x_public (without labels: a student has those that were released), x_test, y_test, and their fingerprint.

    It is the fingerprint of these arrays: that of the dataset would be a function of the private records.

    data: prepared dataset of samples. split: split of split_data. samples: the .npz to write. record: the record to
    write.
    """
    pool = open_any_pool(data, split)
    (x_public, _), (x_test, y_test) = pool.public(), pool.test()
    arrays = {"x_public": x_public, "x_test": x_test, "y_test": y_test}
    digest = fingerprint(**arrays)
    save_arrays(samples, **arrays, fingerprint=np.array(digest))
    write_record(
        record,
        **job.identity(),
        fingerprint=digest,
        parameters={},
        metrics={"public_samples": len(x_public), "test_samples": len(x_test)},
        provenance=provenance(PUBLIC, [data, split], [samples]),
    )


if __name__ == "__main__":
    run(main)
