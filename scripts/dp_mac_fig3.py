"""Figure 3 of DP-MAC: features of the first layer that matter most for some labels, with and without privacy."""

from pathlib import Path

import numpy as np
import pandas as pd

from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.dp_mac.features import inside, roughness, significant_units
from lib.dp_mac.trained_networks import TrainedNetworks, read_networks
from lib.reporting.plotting import bare, figure, save
from lib.reporting.spread import mean_and_spread


def features(trained: TrainedNetworks, labels: list[int]) -> np.ndarray:
    """The feature of each label, as images (R, labels, h, w); of components, as the pixels that they weigh."""
    images, x = trained.images, trained.rows(trained.images.test_x)
    units = significant_units(trained.network, trained.weights, x, images.test_labels, labels)
    first = trained.weights[0].numpy()[:, : x.shape[-1]]
    if trained.projections and trained.projections[0].basis is not None:
        bases = [projection.basis for projection in trained.projections]
        first = np.stack([basis @ weight for basis, weight in zip(bases, first, strict=True)])
    shown = np.stack([weight[:, chosen].T for weight, chosen in zip(first, units, strict=True)])
    return shown.reshape(*units.shape, *images.x.shape[1:])


@command
def main(
    records: list[Path],
    weights: list[Path],
    data: Path,
    seed: int,
    series: dict,
    labels: list[int],
    numbers: Path,
    comparison: Path,
    png: Path,
    pdf: Path,
) -> None:
    """Write the figure, the numbers, and the roughness of private features beside those without privacy.

    records: records of classifiers, a row of the figure each; private ones are set beside the nearest before them that
    is not, and is the first. weights: their weights. data: the prepared dataset. seed: seed of the preset. series: what
    is said of each series, by name: label, title, variant, stands_for and protocol. labels: labels shown. numbers:
    roughness of every feature shown. comparison: what the claim compares.
    """
    rows = [read_networks(*pair, data, seed, series) for pair in zip(records, weights, strict=True)]
    shown = [features(trained, labels) for trained in rows]
    tables, compared, plain = [], [], shown[0]
    for trained, images in zip(rows, shown, strict=True):
        rough = roughness(images)
        repetitions, places = np.indices(rough.shape)
        columns = {"repetition": 1 + repetitions.ravel(), "label": np.array(labels)[places.ravel()]}
        tables.append(pd.DataFrame({"network": trained.name, **columns, "roughness": rough.ravel()}))
        if not trained.private:
            plain = images
        else:
            ending = "_as_run" if trained.series["variant"] == "as run" else ""
            what = f"roughness_of_features{ending}"
            about = {name: trained.series[name] for name in ("stands_for", "protocol")}
            about |= {"dataset": trained.series["label"], "comparison": what, "at": trained.name}
            for column, each in (("value", rough), ("other_value", roughness(plain))):
                about[column], about[f"{column}_spread"] = mean_and_spread(each.mean(1))
            seeds = min(len(rough), len(plain))
            compared.append(about | {"seeds": seeds, "data": f"{data.stem} ({trained.images.fingerprint[:12]})"})
    for path, table in ((numbers, pd.concat(tables)), (comparison, pd.DataFrame(compared))):
        with atomic_path(path) as temporary:
            table.assign(sanitized=False).to_csv(temporary, index=False, float_format="%.6g")
    with figure(len(rows), len(labels), width=1.25, height=1.35) as (drawn, axes):
        for i, (trained, images) in enumerate(zip(rows, shown, strict=True)):
            for j, label in enumerate(labels):
                axis = axes[i * len(labels) + j]
                limit = np.abs(inside(images[0, j])).max()
                axis.imshow(images[0, j], cmap="gray", vmin=-limit, vmax=limit)
                bare(axis)
                axis.set_xlabel(f"roughness {roughness(images[0, j]):.2f}", labelpad=2, fontsize=8)
                if i == 0:
                    axis.set_title(f"label {label}")
            axes[i * len(labels)].set_ylabel(trained.title.replace(", ", "\n").replace(" (", "\n("), fontsize=8)
        save(drawn, png, pdf)


if __name__ == "__main__":
    run(main)
