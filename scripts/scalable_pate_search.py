"""A search by order of magnitude for the parameters of Confident-GNMax; every epsilon says that its cost is missing."""

from collections.abc import Sequence
from pathlib import Path

from lib.core.command import command, run
from lib.data.query_labels import labels_of_each
from lib.pate.queries import read_queries
from lib.reporting.tables import write_table
from pate_accountant.parameter_search import choose
from pate_accountant.parameter_search import search as search_parameters
from pate_accountant.rdp import order_grid

UNACCOUNTED = "the search itself, which looked at the votes"


@command
def main(
    runs: list,
    votes: list[Path],
    data: list[Path],
    search: dict,
    accounting: dict,
    table: Path,
    privacy: Path,
    grid: Path,
    grid_privacy: Path,
    splits: Sequence[Path] = (),
) -> None:
    """Write every point of every run's grid, and the two that matter.

    runs: the blocks of the runs, each with its name and its ensemble's block under ensemble. votes: vote histograms of
    count_votes, a file a run. data: prepared samples that the votes are about, or the votes' own dataset where it has
    the labels. search: factors of each parameter. accounting: that block of the configuration. table: the run and the
    chosen point of each grid, .csv. privacy: the meaning of their epsilons, .csv. grid: every point, .csv.
    grid_privacy: the meaning of their epsilons, .csv. splits: splits of the samples.
    """
    orders = order_grid(**accounting["orders"])
    rows = []
    truths = labels_of_each([block["ensemble"] for block in runs], data, splits)
    for block, path, truth in zip(runs, votes, truths, strict=True):
        ensemble = block["ensemble"]
        histograms, asked, fingerprint = read_queries(path, ensemble["teachers"], block)
        points = search_parameters(block, histograms, truth[asked], search, orders)
        choose(points)
        about = {"dataset": ensemble["label"], "run": block["name"]}
        more = {"delta": block["delta"], "unaccounted": UNACCOUNTED}
        more |= {"stands_for": ensemble.get("stands_for", ensemble["label"]), "protocol": ensemble["protocol"]}
        more |= {"data": f"{ensemble['dataset']} ({fingerprint[:12]})", "sanitized": False}
        rows += [about | point | more for point in points]
    key = ("dataset", "run", "threshold", "sigma_threshold", "sigma")
    write_table(grid, grid_privacy, rows, key)
    short = [row for row in rows if row["is_the_run"] or row["chosen"]]
    write_table(table, privacy, short, key)


if __name__ == "__main__":
    run(main)
