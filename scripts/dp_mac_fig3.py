"""Figure 3 of DP-MAC: features of the first layer that matter most for some labels, with and without privacy."""

import argparse

import numpy as np
import pandas as pd
import torch

from lib.core.files import atomic_path
from lib.dp_mac.features import roughness, significant_units
from lib.dp_mac.trained import TrainedNetworks, read_networks
from lib.reporting.plotting import figure, save
from lib.reporting.spread import mean_and_spread
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line; the two lists of files have one entry a row, the first without privacy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", nargs="+", required=True, help="records of classifiers")
    parser.add_argument("--weights", nargs="+", required=True, help="their weights")
    parser.add_argument("--data", required=True, help="the prepared dataset")
    parser.add_argument("--seed", type=int, required=True, help="seed of the preset")
    parser.add_argument("--labels", type=int, nargs="+", required=True, help="labels shown")
    parser.add_argument("--output", required=True, help="roughness of every feature shown, .csv")
    parser.add_argument("--comparison", required=True, help="what its claim compares, .csv")
    parser.add_argument("--png", required=True, help="the figure, .png")
    parser.add_argument("--pdf", required=True, help="the figure, .pdf")
    return parser.parse_args(argv)


def features(trained: TrainedNetworks, labels: list[int]) -> np.ndarray:
    """The feature of each label, as images (R, labels, h, w)."""
    images = trained.images
    x = torch.from_numpy(images.test_x.reshape(len(images.test_x), -1))
    units = significant_units(trained.network, trained.weights, x, images.test_labels, labels)
    first = trained.weights[0].numpy()[:, : x.shape[1]]
    shown = np.stack([weight[:, chosen].T for weight, chosen in zip(first, units, strict=True)])
    return shown.reshape(*units.shape, *images.x.shape[1:])


def main(argv: list[str] | None = None) -> None:
    """Write the figure, the numbers, and the roughness of private features beside those without privacy."""
    arguments = parse_arguments(argv)
    pairs = zip(arguments.records, arguments.weights, strict=True)
    rows = [read_networks(record, weights, arguments.data, arguments.seed) for record, weights in pairs]
    shown = [features(trained, arguments.labels) for trained in rows]
    tables, compared = [], []
    for trained, images in zip(rows, shown, strict=True):
        rough = roughness(images)
        repetitions, labels = np.indices(rough.shape)
        columns = {"repetition": 1 + repetitions.ravel(), "label": np.array(arguments.labels)[labels.ravel()]}
        tables.append(pd.DataFrame({"network": trained.name, **columns, "roughness": rough.ravel()}))
        if trained.private:
            about = {name: trained.series[name] for name in ("stands_for", "protocol")}
            about |= {"dataset": trained.series["label"], "comparison": "roughness_of_features", "at": trained.name}
            for column, each in (("value", rough), ("other_value", roughness(shown[0]))):
                about[column], about[f"{column}_spread"] = mean_and_spread(each.mean(1))
            seeds = min(len(rough), len(shown[0]))
            data = f"{arguments.data} ({trained.images.fingerprint[:12]})"
            compared.append(about | {"seeds": seeds, "data": data.rpartition("/")[2].replace(".npz", "")})
    for path, table in ((arguments.output, pd.concat(tables)), (arguments.comparison, pd.DataFrame(compared))):
        with atomic_path(path) as temporary:
            table.assign(sanitized=False).to_csv(temporary, index=False, float_format="%.6g")
    with figure(len(rows), len(arguments.labels), width=1.1, height=1.1) as (drawn, axes):
        for i, (trained, images) in enumerate(zip(rows, shown, strict=True)):
            for j, label in enumerate(arguments.labels):
                axis = axes[i * len(arguments.labels) + j]
                axis.imshow(images[0, j], cmap="gray")
                axis.set(xticks=[], yticks=[])
                axis.grid(False)
                if i == 0:
                    axis.set_title(str(label))
            axes[i * len(arguments.labels)].set_ylabel(trained.name.replace(", ", "\n"), fontsize=7)
        save(drawn, arguments.png, arguments.pdf)


if __name__ == "__main__":
    cli.run(main)
