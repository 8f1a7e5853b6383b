"""Is sqrt(d) / K close to the sensitivity of principal components? Bounds on max |A v| over the cube, over sqrt(d)."""

import math
from pathlib import Path

import pandas as pd

from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.core.seeding import generator
from lib.data.volumes.prepared_folder import read_prepared
from lib.encoders.cube import cube_lower_bound, cube_upper_bound
from lib.encoders.principal_components import fit_volumes
from lib.reporting.spread import mean_and_spread
from lib.reporting.tables import yes_no
from lib.segmentation.job import rows_of

FEW = 8  # components of which a claim is judged: with more the corner that is found lies further out, on these data too


def shares(volumes: Path, task: dict, settings: dict, seed: int, repetition: int) -> tuple[dict, str, int]:
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


@command
def main(volumes: list[Path], tasks: list, settings: dict, seed: int, repetitions: int, table: Path) -> None:
    """Write the table.

    volumes: index.json of each task's prepared volumes. tasks: the tasks' blocks of the configuration with their names,
    in the same order. settings: components, starts. seed: seed of the preset. repetitions: divisions of the patients.
    table: the table to write, .csv.
    """
    rows = []
    for place, task in zip(volumes, tasks, strict=True):
        made = [shares(place, task, settings, seed, repetition) for repetition in range(1, repetitions + 1)]
        for components in made[0][0]:
            row = {"dataset": task["label"], "stands_for": task["stands_for"], "protocol": task["protocol"]}
            row |= {"d": made[0][2], "components": components, "few": yes_no(components <= FEW)}
            for name in ("lower", "upper", "largest_eigenvalue_share"):
                row[name], row[f"{name}_spread"] = mean_and_spread([found[components][name] for found, _, _ in made])
            rows.append(row | {"seeds": len(made), "data": f"{task['volumes']} ({made[0][1][:12]})"})
    with atomic_path(table) as temporary:
        pd.DataFrame(rows).to_csv(temporary, index=False, float_format="%.6g")


if __name__ == "__main__":
    run(main)
