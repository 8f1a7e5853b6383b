"""Audit one way to train ResNet8: the bound on epsilon that its runs show, of a canary or of the canaries of slots."""

from pathlib import Path
from typing import Any

import numpy as np

from lib.attacks.canary import KINDS
from lib.attacks.evidence import Coins, Evidence, Runs
from lib.core.command import Job, command, run
from lib.core.files import atomic_path, load_arrays
from lib.core.records import write_record
from lib.dp_mac.accounting import one_block
from lib.dp_mac.statements import statements
from lib.training.sgd_recipe import SgdRecipe, account
from pate_accountant import rdp
from pate_accountant.run_statements import replaced_statement
from pate_accountant.statement import PrivacyStatement


def privacy_of(mechanism: str, task: dict, orders: dict, delta: float) -> dict[str, PrivacyStatement]:
    """Return what DP-SGD costs by the relation of its audit, in every interpretation; of others nothing is proved."""
    if mechanism != "dp_sgd":
        return {}
    spent = account(task["samples"], SgdRecipe(**task["sgd"]["recipe"]), task["sgd"]["sigma"])
    if "canaries" in task:  # a coin replaces a record by another
        return {"joint": replaced_statement(spent, rdp.order_grid(**orders), delta)}
    return statements(one_block(spent), rdp.order_grid(**orders), delta)


@command
def main(
    runs: list[Path],
    mechanism: str,
    task: dict,
    orders: dict,
    delta: float,
    level: float,
    job: Job,
    device: str,
    statistics: Path,
    record: Path,
) -> None:
    """Write the statistic of every run, or slot of a run, and the record with the bound.

    runs: what the networks say of canaries, a .npz for some runs, in their order. mechanism: how they were trained:
    strategy1, plain or dp_sgd. task: what is read of the task's block of the configuration. orders: grid of Renyi
    orders of DP-SGD's accounting. delta: of the bound, and of DP-SGD's accounting. level: confidence of the bound.
    device: where networks were trained. statistics: the .csv of what each run showed to write. record: the record to
    write.
    """
    names = ("differences", "second", "train_accuracy") if "canaries" in task else tuple(KINDS)
    parts = [load_arrays(path, "fingerprint", *names) for path in runs]
    arrays = {name: np.concatenate([part[name] for part in parts]) for name in names}
    if "canaries" in task:
        accuracy = float(arrays.pop("train_accuracy").mean())
        fitted = {} if np.isnan(accuracy) else {"train_accuracy": accuracy}  # NaN: all images are candidates
        found: Evidence[Any] = Coins(arrays["differences"], arrays["second"], tuple(task["guesses"]))
    else:
        fitted, found = {}, Runs(*(arrays[name] for name in names))
    bound = found.pooled(delta, level)
    with atomic_path(statistics) as temporary:
        found.table().assign(sanitized=False).to_csv(temporary, index=False)
    write_record(
        record,
        **job.identity(),
        fingerprint=str(parts[0]["fingerprint"]),
        parameters={"mechanism": mechanism, "task": task, "delta": delta, "level": level},
        device=device,
        metrics={"largest": bound.largest},
        private_metrics={"lower_bound": bound.epsilon, **found.measured(bound), **fitted},
        privacy=privacy_of(mechanism, task, orders, delta),
    )


if __name__ == "__main__":
    run(main)
