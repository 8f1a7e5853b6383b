"""Take the public part out of a dataset: what a student may read, in a file of its own without a private record."""

import argparse

import numpy as np

from lib.core.files import fingerprint, save_arrays
from lib.core.provenance import PUBLIC, provenance
from lib.data.glyph_pool import open_any_pool
from lib.reporting.records import write_record
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = cli.job_parser(__doc__)
    parser.add_argument("--data", required=True, help="prepared dataset of samples")
    parser.add_argument("--split", required=True, help="split of split_data")
    parser.add_argument("--samples", required=True, help="the .npz to write")
    parser.add_argument("--record", required=True, help="the record to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write x_public (without labels: a student has those that were released), x_test, y_test, and their fingerprint.

    It is the fingerprint of these arrays: that of the dataset would be a function of the private records.
    """
    arguments = parse_arguments(argv)
    pool = open_any_pool(arguments.data, arguments.split)
    (x_public, _), (x_test, y_test) = pool.public(), pool.test()
    arrays = {"x_public": x_public, "x_test": x_test, "y_test": y_test}
    digest = fingerprint(**arrays)
    save_arrays(arguments.samples, **arrays, fingerprint=np.array(digest))
    write_record(
        arguments.record,
        **cli.identity(arguments),
        fingerprint=digest,
        parameters={},
        metrics={"public_samples": len(x_public), "test_samples": len(x_test)},
        provenance=provenance(PUBLIC, [arguments.data, arguments.split], [arguments.samples]),
    )


if __name__ == "__main__":
    cli.run(main)
