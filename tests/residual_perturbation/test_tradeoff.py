"""Accuracy at equal success of the attack: points, comparisons and the figure, from attacks whose numbers are known."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from scripts import residual_perturbation_tradeoff
from tests.attacks.builders import said_of, write_attack
from tests.redrawn import assert_redrawn

SEEN = {"label": "CIFAR10", "stands_for": "CIFAR10", "protocol": "shorter", "passes": 653, "quarter": None}
TABLE3 = {
    "dataset": "CIFAR10",
    "gamma": 0,
    "members": 1,
    "attack": "threshold",
    "auc": 0.51,
    "auc_spread": 0.002,
    "train_accuracy": 0.44,
    "train_accuracy_spread": 0.007,
    "test_accuracy": 0.40,
    "test_accuracy_spread": 0.004,
    "attacker_works": "yes",
    "epsilon": None,
    "seeds": 3,
    "stands_for": "CIFAR10",
    "protocol": "paper",
    "data": "cifar10",
}
CURVES = [
    {"title": "ResNet8", "gamma": 0.0, "networks": ["ResNet8, 4 epochs", "ResNet8, 8 epochs"]},
    {"title": "Strategy I", "gamma": 4.5, "networks": ["Strategy I, 8 epochs"], "end": "long", "end_epochs": 70},
]


def attacked(folder, title, gamma, epochs, areas, accuracies):
    rows = [
        {"auc": area, "test_accuracy": accuracy, "repetition": number}
        for number, (area, accuracy) in enumerate(zip(areas, accuracies, strict=True), 1)
    ]
    method = {"recipe": {"epochs": epochs}}
    return write_attack(folder / f"{title}.json", rows, title=title, gamma=gamma, task=SEEN, method=method)


@pytest.fixture
def made(tmp_path):
    records = [
        attacked(tmp_path, "ResNet8, 4 epochs", 0, 4, [0.500, 0.502, 0.504], [0.50, 0.52, 0.54]),
        attacked(tmp_path, "ResNet8, 8 epochs", 0, 8, [0.520, 0.522, 0.524], [0.60, 0.62, 0.64]),
        attacked(tmp_path, "Strategy I, 8 epochs", 4.5, 8, [0.501, 0.501, 0.501], [0.60, 0.60, 0.60]),
    ]
    control = attacked(tmp_path, "learned by heart", 0, 60, [0.9], [0.1])
    noise = TABLE3 | {"method": "long", "gamma": 4.5, "auc": 0.516, "test_accuracy": 0.66}
    private = TABLE3 | {"method": "DP-SGD", "epsilon": 6.371}
    other = private | {"method": "DP-SGD, batches of 612", "epsilon": 16.001, "seeds": 1, "test_accuracy": 0.39}
    elsewhere = private | {"attack": "shadow 0.1", "auc": 0.9}
    pd.DataFrame([elsewhere, private, noise, other]).to_csv(tmp_path / "table3.csv", index=False)
    files = {name: tmp_path / f"t{end}" for name, end in (("numbers", ".csv"), ("comparison", "_comparison.csv"))}
    files |= {name: tmp_path / f"t.{name}" for name in ("png", "pdf")}
    written = [f"--{name}={path}" for name, path in files.items()]
    said = [*said_of(*records, control), "--curves", json.dumps(CURVES)]
    place = [f"--control={control}", f"--table3={tmp_path / 'table3.csv'}"]
    residual_perturbation_tradeoff.main(["--records", *records, *place, *said, *written])
    tables = (pd.read_csv(files[name]) for name in ("numbers", "comparison"))
    return SimpleNamespace(**dict(zip(("numbers", "comparison"), tables, strict=True)), files=files)


@pytest.mark.slow
def test_points_are_those_of_the_networks_and_of_table_iii_by_the_same_attack(made):
    numbers = made.numbers
    curves = numbers[numbers["epochs"].notna()]
    assert list(zip(curves["method"], curves["epochs"], strict=True)) == [
        *(("ResNet8", 4), ("ResNet8", 8)),
        *(("Strategy I", 8), ("Strategy I", 70)),
    ]
    assert curves["auc"].tolist() == pytest.approx([0.502, 0.522, 0.501, 0.516])
    assert curves["test_accuracy"].tolist() == pytest.approx([0.52, 0.62, 0.60, 0.66])
    private = numbers[numbers["epochs"].isna()]
    assert private["said"].tolist() == ["DP-SGD, ε = 6.38", "DP-SGD, batches of 612, ε = 16.1"]  # rounded up
    assert private["auc"].tolist() == [0.51, 0.51]


def test_accuracies_are_compared_at_the_area_of_dp_sgd_and_at_that_of_the_longest_noise(made):
    found = made.comparison.set_index(["method", "at"])
    assert len(found) == 3
    plain, noise = (found.loc[(name, "DP-SGD")] for name in ("ResNet8", "Strategy I"))
    assert plain["test_accuracy"] == pytest.approx(0.56) and noise["test_accuracy"] == pytest.approx(0.636)
    assert noise["plain_accuracy"] == pytest.approx(0.56) and np.isnan(plain["plain_accuracy"])
    assert plain["dp_sgd_accuracy"] == noise["dp_sgd_accuracy"] == pytest.approx(0.40)
    longest = found.loc[("Strategy I", "longest training")]
    assert longest["test_accuracy"] == pytest.approx(0.66) and longest["test_accuracy_spread"] == pytest.approx(0.004)
    assert longest["plain_accuracy"] == pytest.approx(0.59) and longest["auc"] == pytest.approx(0.516)
    assert (found["seeds"] == 3).all() and (found["attacker_works"] == "yes").all()
    assert noise["protocol"].startswith("shorter") and plain["protocol"].startswith("shorter")  # of all that is read


@pytest.mark.slow
def test_points_of_fewer_than_three_repetitions_do_not_count(made):
    few = made.numbers.assign(seeds=made.numbers["seeds"].where(made.numbers["epochs"] != 70, 2))
    found = residual_perturbation_tradeoff.compared(few).set_index(["method", "at"])
    assert found.loc[("Strategy I", "DP-SGD"), "test_accuracy"] == pytest.approx(0.60)
    none = residual_perturbation_tradeoff.compared(made.numbers.assign(seeds=2))
    assert none.empty and list(none.columns) == list(made.comparison.columns)  # a table that can be read


@pytest.mark.slow
def test_the_figure_is_drawn_from_its_numbers_alone(made):
    assert all(made.files[name].stat().st_size > 5000 for name in ("png", "pdf"))
    assert_redrawn(residual_perturbation_tradeoff, made.files["png"], made.files["numbers"])
