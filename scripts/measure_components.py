"""Principal components of the blocks of a task's public masks: how many to keep, and what they lose, over noise."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.core.seeding import generator
from lib.encoders.blocks import Blocks
from lib.encoders.component_choice import exhaustive_components, heuristic_components, lost_squares, pca_error
from lib.encoders.pca import PcaEncoder
from lib.encoders.principal_components import PrincipalComponents, fit_blocks
from lib.encoders.reconstruction import noisy_reconstruction
from lib.segmentation.job import SegmentationJob
from lib.segmentation.reconstruction_errors import READINGS, error_rows


def chosen(pca: PrincipalComponents, lost: dict[str, np.ndarray], sigma: float, dimension: int) -> dict:
    """Return what the heuristic and the exhaustive search keep at one sigma, and the error a voxel of each.

    The search is over test masks, as it must be to be the best; `search_public` is over the public ones.
    """
    # as numpy counts a rank; beyond it directions are arbitrary
    rounding = dimension * np.finfo(float).eps * pca.eigenvalues[0]
    rank = int((pca.eigenvalues > rounding).sum())
    kept = {
        "heuristic": heuristic_components(pca.eigenvalues, sigma),
        "optimal": exhaustive_components(lost["test"][: rank + 1], sigma),
        "search_public": exhaustive_components(lost["public"][: rank + 1], sigma),
    }
    row = {"sigma": sigma} | {f"{how}_components": count for how, count in kept.items()}
    row |= {f"{how}_fraction": count / dimension for how, count in kept.items()}
    errors = {how: (count * sigma**2 + lost["test"][count]) / dimension for how, count in kept.items()}
    row |= {f"{how}_mse": float(error) for how, error in errors.items()}
    row |= {"rank": rank, "below_rank": float(kept["heuristic"] < rank)}
    row["heuristic_over_optimal"] = errors["heuristic"] / errors["optimal"]
    # a ratio: the shares are so small that any difference of them is
    row["components_over_optimal"] = max(kept["heuristic"], 1) / max(kept["optimal"], 1)
    formula = pca_error(pca.eigenvalues, np.arange(len(pca.eigenvalues) + 1), sigma, pca.total) / dimension
    predicted = formula[kept["heuristic"]]
    row["heuristic_over_least"] = float(predicted / formula.min())
    row |= {"formula_mse": float(predicted), "error_over_formula": float(errors["heuristic"] / predicted)}
    return row | {"mse_without": float(lost["test"][0] / dimension)}


def measured(job: SegmentationJob, pca: PrincipalComponents, blocks: Blocks, settings: dict) -> pd.DataFrame:
    """Errors of reconstructed test masks with the components that the heuristic keeps at every noise."""
    masks, rows = job.masks("test", settings["shown"]), []
    for sigma in settings["sigmas"]:
        for reading, unit in READINGS.items():
            applied = sigma * unit(PcaEncoder(pca, blocks, 0))
            encoder = PcaEncoder(pca, blocks, heuristic_components(pca.eigenvalues, applied))
            rows += error_rows(job, "pca", partial(noisy_reconstruction, encoder), masks, {reading: {sigma: applied}})
    return pd.DataFrame(rows)


def checked(job: SegmentationJob, pca: PrincipalComponents, blocks: Blocks, settings: dict) -> pd.DataFrame:
    """Squared errors of blocks of test masks with noise drawn, before anything is clipped, beside the formula.

    The formula is that of Fay et al. (2022, Theorem 4) with what the same masks lose: it holds for any orthonormal
    components, so that this checks the code and not the data.
    """
    rows, test = [], job.rows["test"][: settings["shown"]]
    masks = [job.prepared.masks([row], job.task["classes"]) for row in test]
    lost = lost_squares(pca, masks, blocks)
    for sigma in settings["sigmas"]:
        heuristic = heuristic_components(pca.eigenvalues, sigma)
        for kept, count in (("heuristic", heuristic), ("fixed", settings["fixed"])):
            rng, a = generator(job.seed, *job.job, f"{sigma:g}", kept), pca.components[:count]
            squares = 0.0
            for mask in masks:  # one by one: a volume may be large
                vectors = blocks.split(mask).reshape(-1, blocks.dimension) - pca.mean
                codes = vectors @ a.T + np.float32(sigma) * rng.standard_normal((len(vectors), count), np.float32)
                vectors -= codes @ a
                squares += float(np.square(vectors, out=vectors).sum(dtype=np.float64))
            error, expected = squares / (len(masks) * blocks.count), float(count * sigma**2 + lost[count])
            row = {"sigma": sigma, "kept": kept, "components": count, "error": error, "formula": expected}
            rows.append(row | {"error_over_formula": error / expected})
    return pd.DataFrame(rows)


@command
def main(job: SegmentationJob, settings: dict, components: Path, formula: Path, errors: Path) -> None:
    """Write the tables.

    settings: block, sigmas, shown, fixed. components: components and errors by sigma to write, .csv. formula: errors
    with noise drawn beside the formula to write, .csv. errors: errors of reconstructions by sigma to write, .csv.
    """
    blocks = Blocks(job.shape, tuple(settings["block"]))

    def masks(part: str) -> Iterator[np.ndarray]:
        return (job.prepared.masks([row], job.task["classes"]) for row in job.rows[part])

    pca = fit_blocks(masks(job.task["encoder_part"]), blocks)
    lost = {
        "public": lost_squares(pca, masks(job.task["encoder_part"]), blocks),
        "test": lost_squares(pca, masks("test"), blocks),
    }
    rows = [chosen(pca, lost, sigma, blocks.dimension) for sigma in settings["sigmas"]]
    tables = {
        components: pd.DataFrame(rows).assign(public_masks=len(job.rows[job.task["encoder_part"]])),
        formula: checked(job, pca, blocks, settings),
        errors: measured(job, pca, blocks, settings),
    }
    for path, table in tables.items():
        with atomic_path(path) as temporary:
            table.assign(fingerprint=job.prepared.fingerprint).to_csv(temporary, index=False, float_format="%.8g")


if __name__ == "__main__":
    run(main)
