"""Tables of one measurement each, by task and repetition, brought together into means and spreads."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from lib.core.files import reading


def read_sweeps(paths: Sequence[str | Path], tasks: Sequence[Mapping]) -> pd.DataFrame:
    """All tables one below the other, with what each's task is called: dataset, stands_for, protocol and data.

    Every table has a column `fingerprint` of the samples it is about.
    """
    tables = []
    for path, task in zip(paths, tasks, strict=True):
        with reading(path, "CSV"):
            table = pd.read_csv(path, keep_default_na=False, na_values=[""])
        about = {"dataset": task["label"], "stands_for": task["stands_for"], "protocol": task["protocol"]}
        data = task["volumes"] + " (" + table.pop("fingerprint").astype(str).str[:12] + ")"
        tables.append(table.assign(**about, data=data))
    return pd.concat(tables, ignore_index=True)


def averaged(sweeps: pd.DataFrame, key: Sequence[str]) -> pd.DataFrame:
    """Return a row for each dataset and value of `key`: means of other numbers, `_spread` beside each, and `seeds`."""
    about = ["dataset", "stands_for", "protocol", "data"]
    groups = sweeps.groupby([*about, *key], sort=False, dropna=False)
    means, spreads = groups.mean(numeric_only=True), groups.std(numeric_only=True).add_suffix("_spread")
    order = [name for pair in zip(means.columns, spreads.columns, strict=True) for name in pair]
    table = means.join(spreads)[order].assign(seeds=groups.size()).reset_index()
    return table[["dataset", "stands_for", "protocol", *key, *order, "seeds", "data"]]
