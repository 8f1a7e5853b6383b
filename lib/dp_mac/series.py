"""The images of a series: which of a dataset its networks are trained on, and which they are tested on."""

from pathlib import Path

from lib.data.supervised import Images, divided


def series_images(data: str | Path, series: dict, seed: int, dataset: str) -> Images:
    """Images of a prepared dataset, divided as a series' block of the configuration says.

    All series with the same numbers of images have the same ones: the draw is keyed by the preset's seed and the
    dataset's name. Raises InputError where there are too few.
    """
    return divided(data, series["train"], series["test"], series["largest"], seed, "split", dataset)
