"""Files of attacks whose numbers are known: a record, and the scores and curves beside it."""

import json
from pathlib import Path

import pandas as pd

from lib.core.records import write_record
from lib.reporting.records import read_record
from pate_accountant.statement import PrivacyStatement

FINGERPRINT = "0123456789abcdef" * 4
TASK = {
    "label": "digits",
    "stands_for": "MNIST",
    "protocol": "reduced",
    "quarter": 64,
    "widths": [8, 16, 32],
    "recipe": {"epochs": 12, "batch": 16},
    "dp_sgd": {"epochs": 6, "batch": 4},
}
JOINT = PrivacyStatement(
    epsilon=7.25,
    delta=1e-5,
    accountant="rdp",
    conversion="classic",
    neighbouring="add_or_remove_one",
    data_dependent=False,
    sanitized=False,
    one_sided=False,
    proved_bound=True,
)
ROW = {
    "members": 1,
    "ensemble": 0,
    "attack": "threshold",
    "auc": 0.6,
    "auc_low": 0.55,
    "auc_high": 0.65,
    "constant": False,
    "negative_auc": 0.5,
    "negative_auc_low": 0.45,
    "negative_auc_high": 0.55,
    "negative_constant": False,
    "train_accuracy": 0.9,
    "out_accuracy": 0.6,
    "test_accuracy": 0.6,
    "majority_accuracy": 0.3,
    "precision": 0.5,
    "recall": 0.5,
    "precision_0.5": 0.5,
    "recall_0.5": 0.5,
    "precision_0.6": 0.5,
    "recall_0.6": 0.5,
    "repetition": 1,
    "sanitized": False,
}
DIAGONAL = {0.0: 0.0, 0.5: 0.5, 1.0: 1.0}


def write_attack(
    path: Path,
    rows: list[dict],
    *,
    title: str = "ResNet8",
    gamma: float = 0.0,
    privacy: dict[str, PrivacyStatement] | None = None,
    curves: list[dict[float, float]] | None = None,
    task: dict | None = None,
    method: dict | None = None,
) -> str:
    """Write a record and its tables, and return its path. rows: what differs from ROW; curves: one for each of them."""
    scores = pd.DataFrame([ROW | row for row in rows])
    parts = [
        pd.DataFrame({**scores.loc[place, ["members", "ensemble", "attack", "repetition"]], "fpr": list(curve)}).assign(
            tpr=list(curve.values())
        )
        for place, curve in enumerate(curves or [DIAGONAL] * len(rows))
    ]
    block = TASK | (task or {})
    path.parent.mkdir(parents=True, exist_ok=True)
    scores.to_csv(path.with_suffix(".csv"), index=False)
    pd.concat(parts).to_csv(path.with_suffix(".roc.csv"), index=False)
    write_record(
        path,
        job=["attack", block["label"], path.stem, f"{gamma:g}"],
        preset="tiny",
        seed=1,
        dataset="digits_data",
        code="c0" * 32,
        fingerprint=FINGERPRINT,
        parameters={
            "task": block,
            "method": {"title": title, "kind": "residual"} | (method or {}),
            "gamma": gamma,
        },
        metrics={},
        privacy=privacy,
    )
    return str(path)


def said_of(*records: str) -> list[str]:
    """Options of a table or figure: what it says of the tasks and methods of these records, which name them."""
    tasks, methods = {}, {}
    for record in map(read_record, records):
        _, task, method, _ = record["job"]
        tasks[task], methods[method] = (record["parameters"][name] for name in ("task", "method"))
    return ["--tasks", json.dumps(tasks), "--methods", json.dumps(methods)]
