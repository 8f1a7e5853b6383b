"""Bringing the records of repetitions together into one row of a table."""

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from lib.reporting.records import read_records
from lib.reporting.spread import mean_and_spread
from pate_accountant.statement import PrivacyStatement


def by_job(paths: Iterable[str | Path]) -> dict[tuple[str, ...], list[dict]]:
    """Return records grouped by their job's name without its last part, the repetition; each group in that order."""
    groups = defaultdict(list)
    records = [record for path in paths for record in read_records(path)]
    for record in sorted(records, key=lambda record: int(record["job"][-1])):
        groups[tuple(record["job"][:-1])].append(record)
    return dict(groups)


def numbers(records: Sequence[dict], name: str, private: bool = False) -> tuple[float | None, float | None]:
    """Mean and spread of a metric over records."""
    block = "private_metrics" if private else "metrics"
    return mean_and_spread([record[block][name] for record in records if name in record[block]])


def statement(records: Sequence[dict], name: str) -> tuple[PrivacyStatement | None, float | None]:
    """Return the records' statement of that name with their mean epsilon, and the spread; (None, None) if none has it.

    The mean of several epsilons bounds no run: it is proved only where they are all the same.
    Raises ValueError if the records' statements differ in anything but epsilon.
    """
    found = [record["privacy"][name] for record in records if name in record["privacy"]]
    mean, spread = mean_and_spread([made.epsilon for made in found])
    if mean is None:
        return None, None
    equal = len({made.epsilon for made in found}) == 1
    same = {dataclasses.replace(made, epsilon=mean, proved_bound=made.proved_bound and equal) for made in found}
    if len(same) != 1:
        raise ValueError(f"the statements {name} of {len(found)} repetitions mean different things")
    return same.pop(), spread


def data_name(record: dict) -> str:
    """Return the dataset and the beginning of its fingerprint, as tables show it."""
    return f"{record['dataset']} ({record['fingerprint'][:12]})"
