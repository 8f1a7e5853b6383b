"""Audit one way to train ResNet8: runs with and without a canary, and the bound on epsilon that they show."""

from pathlib import Path

import numpy as np
import pandas as pd

from lib.accounting import rdp
from lib.accounting.statement import PrivacyStatement
from lib.attacks.canary import neighbours
from lib.attacks.empirical_epsilon import lower_bound
from lib.core.checkpoint import Checkpoint, state_key
from lib.core.code_inputs import digest
from lib.core.command import Job, Training, command, progress, run
from lib.core.files import atomic_path
from lib.data.samples import read_samples
from lib.dp_mac.accounting import one_block, statements
from lib.dp_sgd.recipe import account
from lib.reporting.records import write_record
from lib.residual_perturbation.audited import Audited, audited, canary_statistics
from lib.training.device import choose_device

KINDS = {"with": True, "without": False}


def privacy_of(how: Audited, samples: int, orders: dict, delta: float) -> dict[str, PrivacyStatement]:
    """What a run of DP-SGD costs, in every reading; of the others nothing is proved."""
    if not how.sigma:
        return {}
    return statements(one_block(account(samples, how.recipe, how.sigma)), rdp.order_grid(**orders), delta)


@command
def main(
    data: Path,
    mechanism: str,
    task: dict,
    orders: dict,
    delta: float,
    level: float,
    job: Job,
    training: Training,
    statistics: Path,
    record: Path,
) -> None:
    """Write the statistic of every run, and the record with the bound.

    data: prepared dataset of images. mechanism: how networks are trained: strategy1, plain or dp_sgd. task: the task's
    block of the configuration. orders: grid of Renyi orders of DP-SGD's accounting. delta: of the bound, and of
    DP-SGD's accounting. level: confidence of the bound. statistics: the .csv of what each run showed to write. record:
    the record to write.
    """
    samples, seed, words = read_samples(data), job.seed, tuple(job.job)
    own = slice(samples.official_train)
    # keyed without the mechanism: all are audited on the same images and canary
    pair = neighbours(samples.x[own], samples.y[own], task["samples"], task["classes"], seed, words[:-1])
    how = audited(mechanism, task, pair.x.shape[3] if pair.x.ndim == 4 else 1)
    device = choose_device(training.device, training.threads)
    key = state_key(training.settings, digest("scripts/audit_residual.py"), samples.fingerprint)
    report, total = progress("runs"), len(KINDS) * task["runs"]
    with Checkpoint(training.checkpoint, key) as checkpoint:
        saved = checkpoint.load() or {}
        found = {kind: saved.get(kind, np.zeros(0)) for kind in KINDS}
        for kind, with_canary in KINDS.items():
            while (done := len(found[kind])) < task["runs"]:
                runs = range(done, min(done + task["together"], task["runs"]))
                new = canary_statistics(how, pair, with_canary, runs, seed, words, device)
                found[kind] = np.concatenate([found[kind], new])
                checkpoint.save(found)
                report(sum(map(len, found.values())), total)
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
            fingerprint=samples.fingerprint,
            parameters={"mechanism": mechanism, "task": task, "delta": delta, "level": level},
            device=training.device,
            metrics={"largest": bound.largest},
            private_metrics={
                "lower_bound": bound.epsilon,
                "threshold": bound.threshold,
                **{f"measured_{kind}": runs for kind, runs in zip(KINDS, bound.runs, strict=True)},
                **{f"event_{kind}": count for kind, count in zip(KINDS, bound.counts, strict=True)},
            },
            privacy=privacy_of(how, task["samples"], orders, delta),
        )
        checkpoint.remove()


if __name__ == "__main__":
    run(main)
