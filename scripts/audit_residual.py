"""Audit one way to train ResNet8: the bound on epsilon that runs with and without a canary show."""

from pathlib import Path

import numpy as np
import pandas as pd

from lib.accounting import rdp
from lib.accounting.statement import PrivacyStatement
from lib.attacks.canary import KINDS
from lib.attacks.empirical_epsilon import lower_bound
from lib.core.command import Job, command, run
from lib.core.files import atomic_path, load_arrays
from lib.dp_mac.accounting import one_block, statements
from lib.dp_sgd.recipe import SgdRecipe, account
from lib.reporting.records import write_record


def privacy_of(mechanism: str, task: dict, orders: dict, delta: float) -> dict[str, PrivacyStatement]:
    """What a run of DP-SGD costs, in every reading; of the others nothing is proved."""
    if mechanism != "dp_sgd":
        return {}
    spent = account(task["samples"], SgdRecipe(**task["sgd"]["recipe"]), task["sgd"]["sigma"])
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
    """Write the statistic of every run, and the record with the bound.

    runs: what the networks say of the canary, a .npz for some runs of each kind, in their order. mechanism: how they
    were trained: strategy1, plain or dp_sgd. task: the task's block of the configuration. orders: grid of Renyi orders
    of DP-SGD's accounting. delta: of the bound, and of DP-SGD's accounting. level: confidence of the bound. device:
    where networks were trained. statistics: the .csv of what each run showed to write. record: the record to write.
    """
    parts = [load_arrays(path, "fingerprint", *KINDS) for path in runs]
    found = {kind: np.concatenate([part[kind] for part in parts]) for kind in KINDS}
    bound = lower_bound(found["with"], found["without"], delta, level)
    table = pd.concat(
        [
            pd.DataFrame({"run": range(len(values)), "canary": int(KINDS[kind]), "statistic": values})
            for kind, values in found.items()
        ]
    )
    with atomic_path(statistics) as temporary:
        table.assign(sanitized=False).to_csv(temporary, index=False)
    write_record(
        record,
        **job.identity(),
        fingerprint=str(parts[0]["fingerprint"]),
        parameters={"mechanism": mechanism, "task": task, "delta": delta, "level": level},
        device=device,
        metrics={"largest": bound.largest},
        private_metrics={
            "lower_bound": bound.epsilon,
            "threshold": bound.threshold,
            **{f"measured_{kind}": count for kind, count in zip(KINDS, bound.runs, strict=True)},
            **{f"event_{kind}": count for kind, count in zip(KINDS, bound.counts, strict=True)},
        },
        privacy=privacy_of(mechanism, task, orders, delta),
    )


if __name__ == "__main__":
    run(main)
