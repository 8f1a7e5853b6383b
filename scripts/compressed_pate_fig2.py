"""Figure 2 of compressed PATE: cross-entropy of reconstructed masks over noise, for every encoder."""

from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.reporting.claims.cells import read_table
from lib.reporting.plotting import figure, save
from lib.reporting.sweeps import averaged, read_sweeps
from lib.reporting.tables import yes_no

FLOOR = 1e-4  # nats; below it is the naive approach alone, down to where probabilities are clipped
READINGS = {"each number": r"noise $\sigma$ on each number of the code", "bound": r"noise over the code's bound"}


def compared(numbers: pd.DataFrame, encoders: dict) -> pd.DataFrame:
    """Each encoder beside the naive approach and the same autoencoder trained with the next weaker noise."""
    trained = {name: block["recipe"]["sigma"] for name, block in encoders.items() if block["kind"] == "autoencoder"}
    family = {name: all_but_noise(encoders[name]) for name in trained}
    rows, sigmas = [], numbers["sigma"]
    for _, level in numbers.groupby(["dataset", "reading", "sigma"], sort=False):
        by_name = level.set_index("encoder")
        (naive,) = (name for name, block in encoders.items() if block["kind"] == "identity")
        for name, row in by_name.iterrows():
            found = {"encoder": name} | row.to_dict() | {"sigma_train": trained.get(name)}
            kind = encoders.get(name, {}).get("kind", "pca")  # of whole volumes, or the components of blocks
            found["method"] = "naive" if name.startswith(naive) else kind
            weaker = [other for other in trained if name in trained and family[other] == family[name]]
            weaker = [other for other in weaker if trained[other] < trained[name] and other in by_name.index]
            found |= {"cross_entropy_weaker": None, "cross_entropy_weaker_spread": None}
            others = {"naive": naive, "posterior": f"{naive}, posterior mean"}
            if weaker:
                others["weaker"] = max(weaker, key=lambda other: trained[other])
            for role, other in others.items():
                for end in ("", "_spread"):
                    found[f"cross_entropy_{role}{end}"] = by_name.at[other, f"cross_entropy{end}"]
            found["noise"] = "large" if row["sigma"] >= 1 else "small"
            # the first noise above what it was trained with: much more leaves neither of two anything
            above = sigmas[sigmas > trained[name]].min() if name in trained else None
            found |= {"trained_with_more": yes_no(bool(weaker)), "just_above": yes_no(row["sigma"] == above)}
            rows.append(found)
    return pd.DataFrame(rows)


def all_but_noise(encoder: dict) -> str:
    """All of an autoencoder's settings but the noise that it is trained with."""
    return str(encoder | {"recipe": encoder["recipe"] | {"sigma": None}})


def title(name: str, encoders: dict) -> str:
    """Return an encoder's name in the legend."""
    block = encoders.get(name)
    if block is None or block["kind"] != "autoencoder":
        return name.replace("pca", "PCA")
    kind = "2D" if block["dimensions"] == 2 else "3D"
    return f"{kind} autoencoder, trained with {block['recipe']['sigma']:g}"


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """A row a dataset, a column a reading of the noise; one legend, of the encoders' titles.

    An encoder lies over those after it, and the last is drawn wide, so that lines are seen where they agree.
    """
    datasets, top = table["dataset"].unique(), 2 * table["cross_entropy"].max()
    with figure(len(datasets), len(READINGS), height=3.4) as (drawn, axes):
        for axis, (dataset, reading) in zip(axes, product(datasets, READINGS), strict=True):
            shown = table[(table["dataset"] == dataset) & (table["reading"] == reading)]
            encoders = list(shown.groupby("encoder", sort=False))
            for number, (_, rows) in enumerate(encoders, start=1):
                y, spread = rows["cross_entropy"], rows["cross_entropy_spread"]
                bars: dict[str, Any] = {"marker": ".", "capsize": 2, "elinewidth": 1, "zorder": 3 - number / 100}
                bars |= {"linewidth": 3.5, "alpha": 0.6} if number == len(encoders) else {}
                axis.errorbar(rows["sigma"], y, spread, label=rows["title"].iloc[0], **bars)
            axis.set(xscale="log", yscale="log", xlabel=READINGS[reading], title=dataset, ylim=(FLOOR, top))
            axis.set_ylabel("cross-entropy (nats a voxel)")
        looks: dict[str, Any] = {"loc": "outside lower center", "ncols": 3, "fontsize": "small"}
        said = 'after "trained with": the noise on each number of the code in training'
        drawn.legend(*axes[0].get_legend_handles_labels(), title=said, **looks)
        save(drawn, *paths)


@command
def main(
    sweeps: list[Path], tasks: list, encoders: dict, numbers: Path, comparison: Path, png: Path, pdf: Path
) -> None:
    """Write the figure, its numbers, and what the claims compare.

    sweeps: errors of each task, shard of encoders and repetition, .csv. tasks: the tasks' blocks of the configuration,
    one for each of the sweeps. encoders: the encoders' blocks of the configuration, by name. numbers: the numbers
    behind the figure to write, .csv. comparison: what its claims compare, to write, .csv. png, pdf: the figure to
    write.
    """
    errors = averaged(read_sweeps(sweeps, tasks), ["encoder", "reading", "sigma"])
    shown = errors.assign(title=[title(name, encoders) for name in errors["encoder"]])
    for path, table in ((numbers, shown), (comparison, compared(errors, encoders))):
        with atomic_path(path) as temporary:
            table.to_csv(temporary, index=False, float_format="%.6g")
    draw(read_table(numbers), png, pdf)


if __name__ == "__main__":
    run(main)
