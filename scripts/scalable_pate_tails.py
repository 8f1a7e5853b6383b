"""How fast the chance of another answer than the plurality falls with the teachers' consensus, LNMax and GNMax."""

from pathlib import Path

import numpy as np
import pandas as pd

from lib.core.command import command, run
from lib.core.files import atomic_path
from pate_accountant import gnmax, lnmax


def chances(ratios: list[float]) -> dict[str, np.ndarray]:
    """The chance (n,) that the smaller of two counts wins, each noise at scale 1, by mechanism.

    ratios: (n,) the difference of the counts over the noise's scale: b of Laplace noise, the standard deviation of
    Gaussian noise. With two classes the union bounds that the accounting uses are the chances themselves.
    """
    votes = np.stack([np.asarray(ratios, float), np.zeros(len(ratios))], axis=1)
    bounds = {"lnmax": lnmax.log_error_bound(votes, 1.0), "gnmax": gnmax.log_error_bound(votes, 1.0)}
    return {name: np.exp(logarithm) for name, logarithm in bounds.items()}


@command
def main(ratios: list[float], table: Path) -> None:
    """Write a row a ratio, with each chance and the factor by which it fell since the ratio before, at first 0.

    ratios: differences of the two counts over the noise's scale, increasing. table: the table, .csv.
    """
    rows = pd.DataFrame({"dataset": "two classes", "ratio": ratios})
    for name, chance in chances([0.0, *ratios]).items():
        rows[f"chance_{name}"], rows[f"fall_{name}"] = chance[1:], chance[1:] / chance[:-1]
    rows = rows.assign(seeds=0, data="exact", protocol="paper")
    with atomic_path(table) as temporary:
        rows.to_csv(temporary, index=False, float_format="%.6g")


if __name__ == "__main__":
    run(main)
