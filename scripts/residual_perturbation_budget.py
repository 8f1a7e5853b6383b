"""Budgets of residual perturbation and of its baseline beside what audits show of them, and the published numbers."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lib.attacks.empirical_epsilon import LowerBound
from lib.attacks.evidence import Evidence, evidence
from lib.attacks.one_run import OneRunBound
from lib.core.command import command, run
from lib.core.errors import InputError
from lib.core.files import reading
from lib.reporting.records import read_record
from lib.reporting.results import data_name
from lib.reporting.spread import mean_and_spread
from lib.reporting.tables import write_table, yes_no
from lib.residual_perturbation.theorems import theorem1
from pate_accountant.statement import PrivacyStatement

TITLES = {"strategy1": "Strategy I", "dp_sgd": "DP-SGD", "plain": "plain"}


def read_statistics(path: Path, task: dict) -> Evidence[Any]:
    """Read what the runs of an audit showed."""
    with reading(path, "statistics"):
        table = pd.read_csv(path)
    try:
        return evidence(table, task.get("guesses", ()))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def budget(record: dict, task: dict, theory: dict) -> tuple[PrivacyStatement | None, float | None]:
    """Return what the audited training costs, if anything is said of it, and the published number for that dataset."""
    mechanism = record["parameters"]["mechanism"]
    if mechanism == "plain":
        return None, None
    block = theory["strategy1"] if mechanism == "strategy1" else theory["dp_sgd"]["runs"]
    settings = [entry for entry in block if entry["dataset"] == task["stands_for"]]
    if not settings:
        raise InputError(f"stands_for {task['stands_for']}: the block theory has nothing of it for {mechanism}")
    if mechanism == "dp_sgd":
        return record["privacy"]["joint"], settings[0]["published"]
    if task["recipe"].get("scale", "standardised") != "standardised":
        return None, settings[0]["published"]  # the printed bound on the input is not that of other pixels
    made = theorem1(
        task["gamma"],
        settings[0]["pi_share"] * task["gamma"],
        residual_bound=settings[0]["residual_bound"],
        input_bound=settings[0]["input_bound"],
        uses=task["recipe"]["epochs"],
        delta=record["parameters"]["delta"],
    )
    return made["joint"], settings[0]["published"]


def scatter(bounds: list[LowerBound] | list[OneRunBound]) -> float | None:
    """Standard deviation of repetitions before they are cut off at 0; None where they do not tell it.

    Cut off, bounds of 0 would seem to be equal. They say nothing where one has no logarithm, nor where all runs are
    parted without fault and give the largest bound every time.
    """
    uncut = [bound.uncut for bound in bounds]
    _, spread = mean_and_spread(uncut) if np.isfinite(uncut).all() else (None, None)
    return spread or None


def row_of(record: dict, said: dict, found: Evidence, theory: dict, published: dict, repetitions: int) -> dict:
    """One row: an audit, all its runs or coins pooled, and parted; said: what tables say of its task."""
    parameters = record["parameters"]
    task, mechanism, delta = parameters["task"] | said, parameters["mechanism"], parameters["delta"]
    pooled = found.pooled(delta, parameters["level"])
    parts = found.parts(delta, parameters["level"], repetitions)
    mean, spread = mean_and_spread([part.epsilon for part in parts])
    epsilon, paper_epsilon = budget(record, task, theory)
    recipe = task["sgd"]["recipe"] if mechanism == "dp_sgd" else task["recipe"]
    return {
        "dataset": task["label"],
        "method": TITLES[mechanism],
        "variant": task.get("variant", "main"),
        "samples": task["samples"],
        "epochs": recipe["epochs"],
        "gamma": task["gamma"] if mechanism == "strategy1" else None,
        "sigma": task["sgd"]["sigma"] if mechanism == "dp_sgd" else None,
        "epsilon": epsilon,
        "epsilon_seeds": 0,
        "delta": delta,
        "paper_epsilon": paper_epsilon,
        "lower_bound": mean,
        "lower_bound_spread": spread,
        "largest": parts[0].largest,
        "lower_bound_pooled": pooled.epsilon,
        # at the most that so many runs can show, a bound can only be too low
        "lower_bound_pooled_spread": 0.0 if pooled.epsilon == pooled.largest else scatter(parts),
        "largest_pooled": pooled.largest,
        "informative": yes_no(0 < pooled.epsilon < pooled.largest),
        "level": parameters["level"],
        "runs": task["runs"],
        "canaries": task.get("canaries"),
        # of coins, by which the bound of all runs was measured
        "guesses": record["private_metrics"].get("guesses"),
        "right": record["private_metrics"].get("right"),
        # on images that are no candidates: a network that fits nothing hides its canaries with all else
        "train_accuracy": record["private_metrics"].get("train_accuracy"),
        "paper_lower_bound": published[task["stands_for"]].get(mechanism),
        "gap": epsilon and epsilon.epsilon - pooled.epsilon,
        "gap_spread": epsilon and scatter(parts),
        "ratio": epsilon.epsilon / pooled.epsilon if epsilon and pooled.epsilon else None,
        "stands_for": task["stands_for"],
        "protocol": task["protocol"],
        "seeds": len(parts),
        "data": data_name(record),
        "sanitized": False,
    }


@command
def main(
    records: list[Path],
    statistics: list[Path],
    tasks: dict,
    theory: dict,
    published: dict,
    repetitions: int,
    table: Path,
    privacy: Path,
) -> None:
    """Write the table.

    records: records of the audits. statistics: what their runs showed, one for each record. tasks: what is said of
    each, by name, and its number of runs. theory: strategy1 and dp_sgd of the block `theory`. published: lower bounds
    by dataset and mechanism. repetitions: number of audits into which the runs or coins are parted. table: the .csv to
    write. privacy: the .csv of what its epsilons mean to write.
    """
    rows = []
    for path, shown in zip(records, statistics, strict=True):
        record = read_record(path)
        found = read_statistics(shown, record["parameters"]["task"])
        rows.append(row_of(record, tasks[record["job"][1]], found, theory, published, repetitions))
    write_table(table, privacy, rows, key=("dataset", "method", "variant"))


if __name__ == "__main__":
    run(main)
