"""Sensitivities of a layer's linear coefficient: analytic, as printed and as they should read, beside its threshold."""

import argparse

import numpy as np
import pandas as pd

from lib.core.errors import InputError
from lib.core.files import atomic_path
from lib.dp_mac.sensitivity import hidden_corrected, hidden_printed, output_corrected, output_printed
from lib.dp_mac.trained import read_networks
from lib.reporting.records import read_record
from lib.reporting.results import data_name
from lib.reporting.spread import mean_and_spread
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line; the lists have one entry a network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", nargs="+", required=True, help="records of networks without privacy")
    parser.add_argument("--weights", nargs="+", required=True, help="their weights")
    parser.add_argument("--data", nargs="+", required=True, help="their prepared datasets")
    parser.add_argument("--bounds", nargs="+", type=float, required=True, help="T_z, on norms of inputs and targets")
    parser.add_argument("--thresholds", nargs="+", type=float, required=True, help="T_b")
    parser.add_argument("--seed", type=int, required=True, help="seed of the preset")
    parser.add_argument("--output", required=True, help="the table, .csv")
    return parser.parse_args(argv)


def rows_of(record: str, weights: str, data: str, bound: float, threshold: float, seed: int) -> list[dict]:
    """A row a layer, in units of 1/(2N): the bounds at trained weights, with mean and spread over repetitions."""
    trained = read_networks(record, weights, data, seed)
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


def main(argv: list[str] | None = None) -> None:
    """Write the table."""
    arguments = parse_arguments(argv)
    lists = (arguments.records, arguments.weights, arguments.data, arguments.bounds, arguments.thresholds)
    rows = [row for entry in zip(*lists, strict=True) for row in rows_of(*entry, arguments.seed)]
    with atomic_path(arguments.output) as temporary:
        pd.DataFrame(rows).to_csv(temporary, index=False, float_format="%.6g")


if __name__ == "__main__":
    cli.run(main)
