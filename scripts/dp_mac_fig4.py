"""Figure 4 of DP-MAC: test images, and their reconstructions by autoencoders with and without privacy."""

from pathlib import Path

import numpy as np
import pandas as pd

from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.dp_mac.curves import OF_TABLE_1
from lib.dp_mac.evaluation import squared_errors
from lib.dp_mac.trained_networks import TrainedNetworks, read_networks
from lib.reporting.claims.cells import read_table
from lib.reporting.plotting import bare, figure, save

DATA_FILES = ("../published/dp_mac_fig4.csv",)


def reconstructed(trained: TrainedNetworks, rows: np.ndarray) -> tuple[np.ndarray, float]:
    """Test images as the first repetition reconstructs them, (n, h, w), and its error over all of them."""
    x = trained.rows(trained.images.test_x)
    x = x if trained.projections is None else x[0]
    first = [weight[:1] for weight in trained.weights]
    predicted = trained.network.predict(first, x[rows])[0].numpy()
    if trained.projections is not None:
        predicted += trained.projections[0].centre
    error = squared_errors(trained.network, first, x, x)
    return predicted.reshape(-1, *trained.images.test_x.shape[1:]), float(error)


def in_the_paper(trained: TrainedNetworks, printed: pd.DataFrame) -> str:
    """The error that the paper prints for a network with Table 2's settings, in words; empty where it prints none."""
    series, epsilon = trained.series, trained.paper_epsilon
    if series["variant"] not in OF_TABLE_1:
        return ""
    same = (printed["dataset"] == series["label"]) & (printed["method"] == series["title"])
    found = printed[
        same & (printed["paper_epsilon"].isna() if epsilon is None else printed["paper_epsilon"] == epsilon)
    ]
    return f" (paper: {found['test_error'].iloc[0]:g})" if len(found) else ""


@command
def main(
    records: list[Path],
    weights: list[Path],
    data: Path,
    seed: int,
    series: dict,
    images: int,
    numbers: Path,
    png: Path,
    pdf: Path,
) -> None:
    """Write the figure, and the error of every image in it.

    records: records of autoencoders, a row of the figure each. weights: their weights. data: the prepared dataset.
    seed: seed of the preset. series: what is said of each series, by name: title and variant. images: number of images
    shown. numbers: error of every image shown.
    """
    networks = [read_networks(*pair, data, seed, series) for pair in zip(records, weights, strict=True)]
    printed = read_table(Path(__file__).parent / DATA_FILES[0])
    labels = networks[0].images.test_labels
    # one of each class in turn
    rows = np.array([np.flatnonzero(labels == i % 10)[i // 10] for i in range(images)])
    original = networks[0].images.test_x[rows]
    shown, tables = [("test images", original)], []
    for trained in networks:
        predicted, error = reconstructed(trained, rows)
        shown.append((f"{trained.title}: error {error:.1f}{in_the_paper(trained, printed)}", predicted))
        errors = np.square(predicted - original).sum((1, 2))
        columns = {"image": np.arange(len(rows)), "label": labels[rows], "error": errors}
        tables.append(pd.DataFrame({"network": trained.name, **columns, "test_error": error}))
    with atomic_path(numbers) as temporary:
        pd.concat(tables).assign(sanitized=False).to_csv(temporary, index=False, float_format="%.6g")
    with figure(len(shown), 1, width=0.62 * images, height=0.82) as (drawn, axes):
        for axis, (name, pictures) in zip(axes, shown, strict=True):
            axis.imshow(np.concatenate(list(pictures), axis=1), cmap="gray_r", vmin=0, vmax=1)
            bare(axis)
            axis.set_title(name, loc="left")
        save(drawn, png, pdf)


if __name__ == "__main__":
    run(main)
