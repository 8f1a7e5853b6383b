"""Table 1 of Scalable PATE: means over repetitions, of which a difference has no more than the fewer of its sides."""

import math

import pytest

from lib.reporting.spread import held_out_error
from pate_accountant.statement import PrivacyStatement
from scripts.scalable_pate_table1 import row

ENSEMBLE = {"name": "own", "label": "Own", "protocol": "reduced", "test": 100}
RUN = {"name": "run", "ensemble": ENSEMBLE, "baseline": "forest", "aggregator": "gnmax", "sigma": 20.0, "delta": 1e-3}
RUN |= {"baseline_test": 150}
STATED = PrivacyStatement.data_independent(
    2.0, 1e-3, accountant="rdp", conversion="classic", neighbouring="replace_one", proved_bound=True
)


def record(metrics=None, private=None, privacy=None):
    blank = {"dataset": "own", "fingerprint": "ab" * 32, "metrics": metrics or {}, "private_metrics": private or {}}
    return blank | {"privacy": privacy or {}}


def table_row(students, baselines):
    accounts = [
        record({"queries_made": 10}, {"queries_answered": 10, "order_epsilon": 3.0}, {"epsilon": STATED})
        for _ in range(2)
    ]
    records = {
        ("account", "run"): accounts,
        ("aggregate", "run"): [record({"queries_answered": 10, "queries_reinforced": 0})],
        ("train_student", "run"): [record({"student_accuracy": value}) for value in students],
        ("train_baseline", "own", "forest"): [record(private={"baseline_accuracy": value}) for value in baselines],
    }
    return row(RUN | {"claims": {}}, records, {}, "epsilon", "gnmax")


@pytest.mark.parametrize(("students", "baselines"), [([80.0, 84.0], [90.0, 91.0, 92.0]), ([80.0, 82.0, 84.0], [91.0])])
def test_the_gap_counts_the_fewer_of_its_two_repetitions(students, baselines):
    found = table_row(students, baselines)
    assert (found["student_accuracy_seeds"], found["baseline_accuracy_seeds"]) == (len(students), len(baselines))
    assert found["accuracy_gap_seeds"] == min(len(students), len(baselines))
    assert found["accuracy_gap"] == pytest.approx(91 - 82)


def test_the_gap_has_the_errors_of_both_sides():
    found = table_row([80.0, 84.0], [90.0, 91.0, 92.0])
    spread = math.hypot(found["student_accuracy_spread"], found["baseline_accuracy_spread"])
    error = math.hypot(found["student_accuracy_held_out_error"], found["baseline_accuracy_held_out_error"])
    assert found["accuracy_gap_spread"] == pytest.approx(spread) and spread > found["student_accuracy_spread"]
    assert found["accuracy_gap_held_out_error"] == pytest.approx(error) and error > 0
    assert found["baseline_accuracy_held_out_error"] == held_out_error(91.0, 150)
