"""Attack the networks of one method at one noise coefficient: which samples were they trained on?"""

import argparse

import numpy as np
import pandas as pd

from lib.attacks.membership import attacked
from lib.attacks.predictions import read_predictions
from lib.attacks.shadow import AttackSettings
from lib.errors import InputError
from lib.files import atomic_path
from lib.records import read_record, write_record
from scripts import cli

SHARED = ("task", "method", "gamma")


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = cli.job_parser(__doc__)
    parser.add_argument("--records", nargs="+", required=True, help="records of the networks, a repetition each")
    parser.add_argument("--predictions", nargs="+", required=True, help="their predictions, in the same order")
    cli.add_json(parser, "--attack", "the attack block of the configuration, with `top` of the task")
    parser.add_argument("--scores", required=True, help="what the attacks achieve, .csv")
    parser.add_argument("--curves", required=True, help="their ROC curves, .csv")
    parser.add_argument("--output", required=True, help="the record to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write what the attacks achieve, the ROC curves, and the record."""
    arguments = parse_arguments(argv)
    records = [read_record(path) for path in arguments.records]
    shared = [{name: record["parameters"][name] for name in SHARED} for record in records]
    if any(
        each != shared[0] or record["fingerprint"] != records[0]["fingerprint"]
        for each, record in zip(shared, records, strict=True)
    ):
        raise InputError(f"{', '.join(arguments.records)}: repetitions of different networks, or on different data")
    block = arguments.attack
    more = {name: block[name] for name in ("top", "epochs", "batch")}
    attacks = [AttackSettings(rate=rate, **more) for rate in block["rates"]] + [None]
    tables, curves = [], []
    for number, path in enumerate(arguments.predictions, start=1):
        found = attacked(
            read_predictions(path), attacks, block["thresholds"], arguments.seed, (*arguments.job, str(number))
        )
        for whole, part in zip((tables, curves), found, strict=True):
            whole.append(part.assign(repetition=number))
    scores = pd.concat(tables, ignore_index=True)
    for path, table in ((arguments.scores, scores), (arguments.curves, pd.concat(curves, ignore_index=True))):
        with atomic_path(path) as temporary:
            table.to_csv(temporary, index=False, float_format="%.8g")
    alone = scores[scores["members"] == 1].groupby("attack", sort=False)["auc"].mean()
    write_record(
        arguments.output,
        job=arguments.job,
        preset=arguments.preset,
        seed=arguments.seed,
        dataset=arguments.dataset,
        fingerprint=records[0]["fingerprint"],
        parameters=shared[0] | {"attack": block, "repetitions": len(records)},
        metrics={},
        private_metrics={f"auc of {name}": float(area) for name, area in alone.items()}
        | {name: float(np.mean(scores[name])) for name in ("train_accuracy", "test_accuracy")},
        privacy=records[0]["privacy"],
    )


if __name__ == "__main__":
    cli.run(main)
