"""Attack the networks of one method at one noise coefficient: which samples were they trained on?"""

from pathlib import Path

import pandas as pd

from lib.attacks.membership import Attack, attacked
from lib.attacks.predictions import read_predictions
from lib.attacks.shadow_settings import AttackSettings
from lib.core.command import Job, command, run
from lib.core.errors import InputError
from lib.core.files import atomic_path
from lib.core.records import write_record
from lib.reporting.records import read_record


@command
def main(
    networks: Path,
    predictions: Path,
    attack: dict,
    job: Job,
    scores: Path,
    curves: Path,
    record: Path,
    plain: Path | None = None,
) -> None:
    """Write what the attacks achieve, the ROC curves, and the record.

    networks: record of the networks. predictions: what the networks say, in every repetition. plain: what the networks
    without noise say, for attacks with a plain shadow; left out where the networks have no shadows, which are then
    attacked by a threshold of confidence alone. attack: block `attack` of the configuration, with `top` of the
    task. scores: the .csv of what the attacks achieve to write. curves: the .csv of their ROC curves to write. record:
    the record to write.
    """
    trained = read_record(networks)
    more = {name: value for name, value in attack.items() if name not in ("rates", "thresholds")}
    classifiers = [AttackSettings(rate=rate, **more) for rate in attack["rates"]]
    attacks = [*map(Attack, classifiers), *(Attack(settings, plain=True) for settings in classifiers), Attack()]
    without_noise = read_predictions(plain) if plain else {}
    tables: tuple[list[pd.DataFrame], list[pd.DataFrame]] = ([], [])
    for number, said in read_predictions(predictions).items():
        if plain and number not in without_noise:
            raise InputError(f"{plain}: has no repetition {number}; the networks attacked have one")
        words, shadow = (*job.job, str(number)), without_noise[number]["shadow"] if plain else None
        found = attacked(said, attacks if plain else attacks[-1:], attack["thresholds"], job.seed, words, shadow)
        for whole, part in zip(tables, found, strict=True):
            whole.append(part.assign(repetition=number, sanitized=False))
    achieved, roc = (pd.concat(parts, ignore_index=True) for parts in tables)
    for path, table in ((scores, achieved), (curves, roc)):
        with atomic_path(path) as temporary:
            table.to_csv(temporary, index=False, float_format="%.8g")
    alone = achieved[achieved["members"] == 1].groupby("attack", sort=False)["auc"].mean()
    write_record(
        record,
        **job.identity(),
        fingerprint=trained["fingerprint"],
        parameters=trained["parameters"] | {"attack": attack},
        metrics={},
        private_metrics=trained["private_metrics"] | {f"auc of {name}": float(area) for name, area in alone.items()},
        privacy=trained["privacy"],
    )


if __name__ == "__main__":
    run(main)
