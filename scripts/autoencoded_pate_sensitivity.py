"""Is sqrt(d) / K close to the sensitivity of principal components? Bounds on max |A v| over the cube, over sqrt(d)."""

import argparse
import math

import pandas as pd

from lib.core.files import atomic_path
from lib.core.seeding import generator
from lib.data.volumes.prepared import read_prepared
from lib.encoders.cube import cube_lower_bound, cube_upper_bound
from lib.encoders.principal_components import fit_volumes
from lib.reporting.spread import mean_and_spread
from scripts import cli
from scripts.segmentation_job import rows_of


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--volumes", nargs="+", required=True, help="index.json of each task's prepared volumes")
    cli.add_json(parser, "--tasks", "the tasks' blocks of the configuration with their names, in the same order")
    cli.add_json(parser, "--settings", "components, starts")
    parser.add_argument("--seed", type=int, required=True, help="seed of the preset")
    parser.add_argument("--repetitions", type=int, required=True, help="divisions of the patients")
    parser.add_argument("--output", required=True, help="the table, .csv")
    return parser.parse_args(argv)


def shares(volumes: str, task: dict, settings: dict, seed: int, repetition: int) -> tuple[dict, str, int]:
    """For each number of components: lower and upper bound over sqrt(d), and the least noise that is of use."""
    prepared = read_prepared(volumes)
    rows = rows_of(prepared, task, seed, repetition)[task["encoder_part"]]
    pca = fit_volumes(prepared.masks(rows, task["classes"]))
    d, found = len(pca.mean), {}
    for components in settings["components"]:
        if components <= len(pca.components):
            a = pca.components[:components]
            rng = generator(seed, "autoencoded_pate_sensitivity", task["name"], str(repetition), str(components))
            found[components] = {
                "lower": cube_lower_bound(a, settings["starts"], rng) / math.sqrt(d),
                "upper": cube_upper_bound(a) / math.sqrt(d),
                "largest_eigenvalue_share": float(pca.eigenvalues[0]) / d,
            }
    return found, prepared.fingerprint, d


def main(argv: list[str] | None = None) -> None:
    """Write the table."""
    arguments = parse_arguments(argv)
    rows = []
    for volumes, task in zip(arguments.volumes, arguments.tasks, strict=True):
        made = [
            shares(volumes, task, arguments.settings, arguments.seed, repetition)
            for repetition in range(1, arguments.repetitions + 1)
        ]
        for components in made[0][0]:
            row = {"dataset": task["label"], "stands_for": task["stands_for"], "protocol": task["protocol"]}
            row |= {"d": made[0][2], "components": components}
            for name in ("lower", "upper", "largest_eigenvalue_share"):
                row[name], row[f"{name}_spread"] = mean_and_spread([found[components][name] for found, _, _ in made])
            rows.append(row | {"seeds": len(made), "data": f"{task['volumes']} ({made[0][1][:12]})"})
    with atomic_path(arguments.output) as temporary:
        pd.DataFrame(rows).to_csv(temporary, index=False, float_format="%.6g")


if __name__ == "__main__":
    cli.run(main)
