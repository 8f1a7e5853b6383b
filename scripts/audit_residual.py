"""Audit one way to train ResNet8: runs with and without a canary, and the bound on epsilon that they show."""

import argparse

import numpy as np
import pandas as pd

from lib.accounting import rdp
from lib.accounting.statement import PrivacyStatement
from lib.attacks.canary import neighbours
from lib.attacks.empirical_epsilon import lower_bound
from lib.core.checkpoint import Checkpoint, state_key
from lib.core.code_inputs import digest
from lib.core.files import atomic_path
from lib.data.samples import read_samples
from lib.dp_mac.accounting import one_block, statements
from lib.dp_sgd.training import account
from lib.reporting.records import write_record
from lib.residual_perturbation.audited import MECHANISMS, Audited, audited, canary_statistics
from lib.training.device import choose_device
from scripts import cli

KINDS = {"with": True, "without": False}


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = cli.job_parser(__doc__)
    parser.add_argument("--data", required=True, help="prepared dataset of images")
    parser.add_argument("--mechanism", choices=MECHANISMS, required=True, help="how networks are trained")
    cli.add_json(parser, "--task", "the task's block of the configuration")
    cli.add_json(parser, "--orders", "the grid of Renyi orders of DP-SGD's accounting")
    parser.add_argument("--delta", type=float, required=True, help="of the bound, and of DP-SGD's accounting")
    parser.add_argument("--level", type=float, required=True, help="confidence of the bound")
    cli.add_training(parser)
    parser.add_argument("--statistics", required=True, help="what each run showed, to write, .csv")
    parser.add_argument("--output", required=True, help="the record to write")
    return parser.parse_args(argv)


def privacy_of(how: Audited, arguments: argparse.Namespace) -> dict[str, PrivacyStatement]:
    """What a run of DP-SGD costs, in every reading; of the others nothing is proved."""
    if not how.sigma:
        return {}
    run = account(arguments.task["samples"], how.recipe, how.sigma)
    return statements(one_block(run), rdp.order_grid(**arguments.orders), arguments.delta)


def main(argv: list[str] | None = None) -> None:
    """Write the statistic of every run, and the record with the bound."""
    arguments = parse_arguments(argv)
    task, seed, job = arguments.task, arguments.seed, tuple(arguments.job)
    samples = read_samples(arguments.data)
    training = slice(samples.official_train)
    # keyed without the mechanism: all are audited on the same images and canary
    pair = neighbours(samples.x[training], samples.y[training], task["samples"], task["classes"], seed, job[:-1])
    how = audited(arguments.mechanism, task, pair.x.shape[3] if pair.x.ndim == 4 else 1)
    device = choose_device(arguments.device, arguments.threads)
    files = dict.fromkeys(("checkpoint", "output", "statistics"))
    key = state_key(vars(arguments) | files, digest("scripts/audit_residual.py"), samples.fingerprint)
    report, total = cli.progress("runs"), len(KINDS) * task["runs"]
    with Checkpoint(arguments.checkpoint, key) as checkpoint:
        saved = checkpoint.load() or {}
        found = {kind: saved.get(kind, np.zeros(0)) for kind in KINDS}
        for kind, with_canary in KINDS.items():
            while (done := len(found[kind])) < task["runs"]:
                runs = range(done, min(done + task["together"], task["runs"]))
                new = canary_statistics(how, pair, with_canary, runs, seed, job, device)
                found[kind] = np.concatenate([found[kind], new])
                checkpoint.save(found)
                report(sum(map(len, found.values())), total)
        bound = lower_bound(found["with"], found["without"], arguments.delta, arguments.level)
        table = pd.concat(
            [
                pd.DataFrame({"run": range(len(values)), "canary": int(KINDS[kind]), "statistic": values})
                for kind, values in found.items()
            ]
        )
        with atomic_path(arguments.statistics) as temporary:
            table.assign(sanitized=False).to_csv(temporary, index=False)
        write_record(
            arguments.output,
            **cli.identity(arguments),
            fingerprint=samples.fingerprint,
            parameters={
                "mechanism": arguments.mechanism,
                "task": task,
                "delta": arguments.delta,
                "level": arguments.level,
            },
            device=arguments.device,
            metrics={"largest": bound.largest},
            private_metrics={
                "lower_bound": bound.epsilon,
                "threshold": bound.threshold,
                **{f"measured_{kind}": runs for kind, runs in zip(KINDS, bound.runs, strict=True)},
                **{f"event_{kind}": count for kind, count in zip(KINDS, bound.counts, strict=True)},
            },
            privacy=privacy_of(how, arguments),
        )
        checkpoint.remove()


if __name__ == "__main__":
    cli.run(main)
