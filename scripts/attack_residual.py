"""Attack the networks of one method at one noise coefficient: which samples were they trained on?"""

import argparse

import pandas as pd

from lib.attacks.membership import Attack, attacked
from lib.attacks.predictions import read_predictions
from lib.attacks.shadow import AttackSettings
from lib.core.errors import InputError
from lib.core.files import atomic_path
from lib.reporting.records import read_record, write_record
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = cli.job_parser(__doc__)
    parser.add_argument("--record", required=True, help="the record of the networks")
    parser.add_argument("--predictions", required=True, help="their predictions in every repetition")
    parser.add_argument(
        "--plain", required=True, help="predictions of the networks without noise, for attacks with a plain shadow"
    )
    cli.add_json(parser, "--attack", "the attack block of the configuration, with `top` of the task")
    parser.add_argument("--scores", required=True, help="what the attacks achieve, .csv")
    parser.add_argument("--curves", required=True, help="their ROC curves, .csv")
    parser.add_argument("--output", required=True, help="the record to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write what the attacks achieve, the ROC curves, and the record."""
    arguments = parse_arguments(argv)
    record, block = read_record(arguments.record), arguments.attack
    more = {name: block[name] for name in ("top", "epochs", "batch")}
    classifiers = [AttackSettings(rate=rate, **more) for rate in block["rates"]]
    attacks = [*map(Attack, classifiers), *(Attack(settings, plain=True) for settings in classifiers), Attack()]
    plain = read_predictions(arguments.plain)
    tables = ([], [])
    for number, predictions in read_predictions(arguments.predictions).items():
        if number not in plain:
            raise InputError(f"{arguments.plain}: has no repetition {number}; the networks attacked have one")
        job, shadow = (*arguments.job, str(number)), plain[number]["shadow"]
        found = attacked(predictions, attacks, block["thresholds"], arguments.seed, job, shadow)
        for whole, part in zip(tables, found, strict=True):
            whole.append(part.assign(repetition=number, sanitized=False))
    scores, curves = (pd.concat(parts, ignore_index=True) for parts in tables)
    for path, table in ((arguments.scores, scores), (arguments.curves, curves)):
        with atomic_path(path) as temporary:
            table.to_csv(temporary, index=False, float_format="%.8g")
    alone = scores[scores["members"] == 1].groupby("attack", sort=False)["auc"].mean()
    write_record(
        arguments.output,
        **cli.identity(arguments),
        fingerprint=record["fingerprint"],
        parameters=record["parameters"] | {"attack": block},
        metrics={},
        private_metrics=record["private_metrics"] | {f"auc of {name}": float(area) for name, area in alone.items()},
        privacy=record["privacy"],
    )


if __name__ == "__main__":
    cli.run(main)
