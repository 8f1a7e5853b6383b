"""The ensembles behind the votes: how good a teacher is alone, how far they agree, and how good they are together."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.data.query_labels import labels_of_each
from lib.pate.agreement import measure
from lib.reporting.spread import mean_and_spread


@command
def main(ensembles: list, votes: list[Path], data: list[Path], table: Path, splits: Sequence[Path] = ()) -> None:
    """Write one row an ensemble, with mean and spread over its draws; none of it is sanitised.

    The lists have an entry a draw of an ensemble.

    ensembles: the block of the ensemble, with its name. votes: vote histograms of count_votes. data: prepared samples
    that the votes are about, or the votes' own dataset where it has the labels. splits: splits of the samples. table:
    the table, .csv.
    """
    found: dict[str, list[dict]] = {}
    blocks = {}
    truths = labels_of_each(ensembles, data, splits)
    for ensemble, path, truth in zip(ensembles, votes, truths, strict=True):
        measured, fingerprint = measure(path, ensemble["teachers"], truth)
        found.setdefault(ensemble["name"], []).append(measured)
        blocks[ensemble["name"]] = ensemble | {"data": f"{ensemble['dataset']} ({fingerprint[:12]})"}
    rows = []
    for name, draws in found.items():
        ensemble = blocks[name]
        row = {"dataset": ensemble["label"], "ensemble": name, "teachers": ensemble["teachers"]}
        # published votes that come without samples do not say how many each teacher had
        row["samples_per_teacher"] = ensemble["private"] // ensemble["teachers"] if "private" in ensemble else None
        for column in draws[0]:
            row[column], spread = mean_and_spread([draw[column] for draw in draws])
            if column.endswith("_accuracy"):
                row[f"{column}_spread"] = spread
        about = {"protocol": ensemble["protocol"], "stands_for": ensemble.get("stands_for", ensemble["label"])}
        rows.append(row | {"seeds": len(draws), "sanitized": False, "data": ensemble["data"]} | about)
    with atomic_path(table) as temporary:
        pd.DataFrame(rows).to_csv(temporary, index=False, float_format="%.6g")


if __name__ == "__main__":
    run(main)
