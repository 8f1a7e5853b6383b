"""Sensitivities of a layer's linear coefficient: analytic, as printed and as they should read, beside its threshold."""

from pathlib import Path

import numpy as np
import pandas as pd

from lib.core.command import command, run
from lib.core.errors import InputError
from lib.core.files import atomic_path
from lib.dp_mac.sensitivity import hidden_corrected, hidden_printed, output_corrected, output_printed
from lib.dp_mac.trained_networks import read_networks
from lib.reporting.records import read_record
from lib.reporting.results import data_name
from lib.reporting.spread import mean_and_spread


def rows_of(
    record: Path, weights: Path, data: Path, bound: float, threshold: float, seed: int, series: dict
) -> list[dict]:
    """A row a layer, in units of 1/(2N): the bounds at trained weights, with mean and spread over repetitions."""
    trained = read_networks(record, weights, data, seed, series)
    if trained.network.activation != "softplus":
        raise InputError(f"{record}: its activation is {trained.network.activation}; the bounds are for softplus")
    rows = []
    for k, layer in enumerate(trained.weights):
        last = k == trained.network.layers - 1 and trained.network.output == "binary_cross_entropy"
        bounds = {
            "analytic_printed": output_printed if last else hidden_printed,
            "analytic_corrected": output_corrected if last else hidden_corrected,
        }
        row = {"dataset": trained.series["label"], "layer": k + 1, "width": layer.shape[-1], "input_bound": bound}
        for name, bounded in bounds.items():
            found = [2 * bounded(weight.numpy().astype(float), bound, 1).linear for weight in layer]
            row[name], row[f"{name}_spread"] = mean_and_spread(np.array(found))
        row |= {"threshold": threshold, "threshold_spread": 0.0, "seeds": len(layer)}
        row |= {name: trained.series[name] for name in ("stands_for", "protocol")}
        rows.append(row | {"data": data_name(read_record(record)), "sanitized": False})
    return rows


@command
def main(
    records: list[Path],
    weights: list[Path],
    data: list[Path],
    bounds: list[float],
    thresholds: list[float],
    seed: int,
    series: dict,
    table: Path,
) -> None:
    """Write the table; lists have one entry a network.

    records: records of networks without privacy. weights: their weights. data: their prepared datasets. bounds: T_z, on
    norms of inputs and targets. thresholds: T_b. seed: seed of the preset. series: what is said of each series, by
    name: label, title, variant, stands_for and protocol. table: the CSV to write.
    """
    entries = zip(records, weights, data, bounds, thresholds, strict=True)
    rows = [row for entry in entries for row in rows_of(*entry, seed, series)]
    with atomic_path(table) as temporary:
        pd.DataFrame(rows).to_csv(temporary, index=False, float_format="%.6g")


if __name__ == "__main__":
    run(main)
