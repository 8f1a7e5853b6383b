"""Figure 4 of DP-MAC: test images, and their reconstructions by autoencoders with and without privacy."""

import argparse

import numpy as np
import pandas as pd
import torch

from lib.core.files import atomic_path
from lib.dp_mac.evaluation import squared_errors
from lib.dp_mac.trained import TrainedNetworks, read_networks
from lib.reporting.plotting import figure, save
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line; the two lists of files have one entry a row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", nargs="+", required=True, help="records of autoencoders")
    parser.add_argument("--weights", nargs="+", required=True, help="their weights")
    parser.add_argument("--data", required=True, help="the prepared dataset")
    parser.add_argument("--seed", type=int, required=True, help="seed of the preset")
    parser.add_argument("--images", type=int, required=True, help="number of images shown")
    parser.add_argument("--output", required=True, help="error of every image shown, .csv")
    parser.add_argument("--png", required=True, help="the figure, .png")
    parser.add_argument("--pdf", required=True, help="the figure, .pdf")
    return parser.parse_args(argv)


def reconstructed(trained: TrainedNetworks, rows: np.ndarray) -> tuple[np.ndarray, float]:
    """Test images as the first repetition reconstructs them, (n, h, w), and its error over all of them."""
    x = torch.from_numpy(trained.images.test_x.reshape(len(trained.images.test_x), -1))
    first = [weight[:1] for weight in trained.weights]
    predicted = trained.network.predict(first, x[rows])[0].numpy()
    error = squared_errors(trained.network, first, x, x)
    return predicted.reshape(-1, *trained.images.test_x.shape[1:]), float(error)


def main(argv: list[str] | None = None) -> None:
    """Write the figure, and the error of every image in it."""
    arguments = parse_arguments(argv)
    pairs = zip(arguments.records, arguments.weights, strict=True)
    networks = [read_networks(record, weights, arguments.data, arguments.seed) for record, weights in pairs]
    images = networks[0].images
    # one of each class in turn
    rows = np.array([np.flatnonzero(images.test_labels == i % 10)[i // 10] for i in range(arguments.images)])
    original = images.test_x[rows]
    shown, numbers = [("test images", original)], []
    for trained in networks:
        predicted, error = reconstructed(trained, rows)
        shown.append((f"{trained.name}: {error:.1f}", predicted))
        errors = np.square(predicted - original).sum((1, 2))
        columns = {"image": np.arange(len(rows)), "label": images.test_labels[rows], "error": errors}
        numbers.append(pd.DataFrame({"network": trained.name, **columns, "test_error": error}))
    with atomic_path(arguments.output) as temporary:
        pd.concat(numbers).assign(sanitized=False).to_csv(temporary, index=False, float_format="%.6g")
    with figure(len(shown), 1, width=0.62 * arguments.images, height=0.82) as (drawn, axes):
        for axis, (name, pictures) in zip(axes, shown, strict=True):
            axis.imshow(np.concatenate(list(pictures), axis=1), cmap="gray_r", vmin=0, vmax=1)
            axis.set(xticks=[], yticks=[])
            axis.grid(False)
            axis.set_title(name, fontsize=8)
        save(drawn, arguments.png, arguments.pdf)


if __name__ == "__main__":
    cli.run(main)
