"""Errors that any autoencoder must beat: of the mean image, and of principal components."""

import argparse

from lib.data.supervised import divided
from lib.dp_mac.references import mean_image_error, pca_error
from lib.reporting.records import write_record
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = cli.job_parser(__doc__)
    parser.add_argument("--data", required=True, help="prepared dataset of images")
    cli.add_json(parser, "--series", "the series' block of the configuration that these are for")
    parser.add_argument("--components", type=int, required=True, help="number of principal components")
    parser.add_argument("--output", required=True, help="the record to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write the record; both are fitted on the training images without privacy."""
    arguments = parse_arguments(argv)
    series = arguments.series
    images = divided(
        arguments.data, series["train"], series["test"], series["largest"], arguments.seed, "split", arguments.dataset
    )
    x, test_x = (part.reshape(len(part), -1) for part in (images.x, images.test_x))
    write_record(
        arguments.output,
        **cli.identity(arguments),
        fingerprint=images.fingerprint,
        parameters={"series": series, "components": arguments.components},
        metrics={},
        private_metrics={
            "mean_image_error": mean_image_error(x, test_x),
            "pca_error": pca_error(x, test_x, arguments.components),
        },
    )


if __name__ == "__main__":
    cli.run(main)
