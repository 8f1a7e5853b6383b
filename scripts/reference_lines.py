"""Errors that any autoencoder must beat: of the mean image, and of principal components."""

from pathlib import Path

from lib.core.command import Job, command, run
from lib.core.records import write_record
from lib.dp_mac.references import mean_image_error, pca_error
from lib.dp_mac.series import series_images


@command
def main(data: Path, series: dict, components: int, job: Job, record: Path) -> None:
    """Write the record; both are fitted on the training images without privacy.

    data: prepared dataset of images. series: numbers of images, and the largest pixel, of the series that these are
    for. components: number of principal components. record: the record to write.
    """
    images = series_images(data, series, job.seed, job.dataset)
    x, test_x = (part.reshape(len(part), -1) for part in (images.x, images.test_x))
    write_record(
        record,
        **job.identity(),
        fingerprint=images.fingerprint,
        parameters={"series": series, "components": components},
        metrics={},
        private_metrics={
            "mean_image_error": mean_image_error(x, test_x),
            "pca_error": pca_error(x, test_x, components),
        },
    )


if __name__ == "__main__":
    run(main)
