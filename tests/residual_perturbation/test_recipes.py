"""Ways to train beside the paper's points: which are near both, which are excluded, which are open."""

import json

import pandas as pd
import pytest

from lib.core.errors import InputError
from scripts import residual_perturbation_recipes
from tests.attacks.builders import said_of, write_attack

SEEN = {
    "label": "CIFAR10",
    "stands_for": "CIFAR10",
    "protocol": "shorter",
    "passes": 653,
    "quarter": None,
    "largest": 255,
}
POINTS = [{"gamma": 0.75, "auc": 0.573, "test_accuracy": 0.675}, {"gamma": 4.5, "auc": 0.511, "test_accuracy": 0.695}]
FLOORS = [{"epochs": 10, "test_accuracy": 0.3}, {"epochs": 20, "test_accuracy": 0.45}]
ADDITIVE = {"strategy": "additive"}


def recipe(title, gamma, epochs=20, form=ADDITIVE, **changes):
    own = {"epochs": epochs, "milestones": [epochs // 2], "weight_decay": 1e-4, "scale": "pixels"} | changes
    return {"title": title, "gamma": gamma, "largest": 255, "recipe": own, "form": form}


@pytest.fixture
def made(tmp_path):
    """A function that makes the table of recipes, each with the area and the test accuracy of its networks."""

    def table(*rows, table3=None, points=POINTS):
        records = []
        for place, (own, area, accuracy) in enumerate(rows):
            path = tmp_path / f"{place}.json"
            numbers = [{"auc": area, "test_accuracy": accuracy, "train_accuracy": 0.8}]
            written = {"title": own["title"], "gamma": own["gamma"], "task": SEEN, "method": {"recipe": own["recipe"]}}
            records.append(write_attack(path, numbers, **written))
        control = write_attack(tmp_path / "control.json", [{"auc": 0.9}], title="by heart", gamma=0, task=SEEN)
        told = [own for own, _, _ in rows]
        given = ["--records", *records, f"--control={control}", *said_of(*records, control)]
        given += ["--points", json.dumps(points), "--tolerance=0.03", "--floors", json.dumps(FLOORS)]
        given += [f"--table={tmp_path / 't.csv'}"]
        if table3 is not None:
            pd.DataFrame([numbers for _, numbers in table3]).to_csv(tmp_path / "table3.csv", index=False)
            given += [f"--table3={tmp_path / 'table3.csv'}"]
            told += [own for own, _ in table3]
        residual_perturbation_recipes.main([*given, "--recipes", json.dumps(told)])
        return pd.read_csv(tmp_path / "t.csv")

    return table


@pytest.mark.parametrize(
    ("weak", "strong", "near", "answer"),
    [
        ((0.573, 0.675), (0.511, 0.695), ["yes", "yes"], "both"),
        ((0.545, 0.647), (0.539, 0.667), ["yes", "yes"], "both"),
        ((0.642, 0.678), (0.515, 0.672), ["no", "yes"], "not both"),  # the area is too far
        ((0.573, 0.675), (0.511, 0.605), ["yes", "no"], "not both"),  # the accuracy is
        ((0.573, 0.675), (0.511, 0.449), ["yes", "no"], "excluded"),
    ],
)
def test_a_recipe_is_near_both_points_or_not(made, weak, strong, near, answer):
    table = made((recipe("a", 0.75), *weak), (recipe("a, strong", 4.5), *strong))
    assert table["near"].tolist() == near and table["answer"].tolist() == [answer] * 2
    assert table["gamma"].tolist() == [0.75, 4.5] and table["paper_auc"].tolist() == [0.573, 0.511]


@pytest.mark.parametrize(
    ("gamma", "epochs", "accuracy", "answer"),
    [
        (4.5, 10, 0.29, "excluded"),
        (4.5, 10, 0.31, "open"),
        (4.5, 19, 0.31, "open"),
        (4.5, 20, 0.44, "excluded"),
        (4.5, 60, 0.44, "excluded"),  # by the floor of 20 epochs
        (4.5, 60, 0.46, "open"),
        (4.5, 5, 0.1, "open"),  # no length of so few has a floor
        (0.75, 20, 0.1, "open"),  # floors are of the largest noise
    ],
)
def test_one_point_excludes_or_leaves_open(made, gamma, epochs, accuracy, answer):
    assert made((recipe("a", gamma, epochs), 0.5, accuracy))["answer"].tolist() == [answer]


def test_recipes_differ_by_how_networks_are_trained(made):
    rows = [
        recipe("a", 4.5),
        recipe("b", 4.5, form=ADDITIVE | {"pi_share": 0}),
        recipe("c", 4.5, form=ADDITIVE | {"scaling": "std"}, scale="unit"),
        recipe("d", 4.5, form=ADDITIVE | {"start": "stem"}, scale="standardised", weight_decay=5e-4),
        recipe("e", 0.75, milestones=[8, 12, 16]),
    ]
    table = made(*((own, 0.511, 0.695) for own in rows))
    assert table["noise"].tolist() == [
        *("image and sums", "sums", "image and sums, times deviation", "stem and sums", "image and sums")
    ]
    assert table["pixels"].tolist() == [
        *("pixels in [0, 255]", "pixels in [0, 255]", "pixels in [0, 1]", "standardised pixels", "pixels in [0, 255]")
    ]
    assert table["rate_falls_at"].tolist() == ["50%"] * 4 + ["40%, 60%, 80%"]
    assert table["weight_decay"].tolist() == [1e-4, 1e-4, 1e-4, 5e-4, 1e-4]
    assert table["answer"].tolist() == ["open"] * 5  # the last is another way than the first: the rate falls elsewhere


NUMBERS = {"method": "a, strong", "gamma": 4.5, "members": 1, "attack": "threshold", "auc": 0.515, "auc_spread": 0.004}
NUMBERS |= {"train_accuracy": 0.75, "train_accuracy_spread": 0.02, "test_accuracy": 0.672, "test_accuracy_spread": 0.01}
NUMBERS |= {"dataset": "CIFAR10", "attacker_works": "yes", "seeds": 3, "stands_for": "CIFAR10"}
NUMBERS |= {"protocol": "paper", "data": "cifar10"}


def test_networks_of_table_iii_count_where_there_are_no_others(made):
    others = [NUMBERS | {"attack": "shadow 0.1", "auc": 0.9}, NUMBERS | {"members": 5, "auc": 0.9}]
    table3 = [(recipe("a, strong", 4.5), NUMBERS)]
    table = made((recipe("a", 0.75), 0.573, 0.675), table3=table3)
    assert table["auc"].tolist() == [0.573, 0.515] and table["seeds"].tolist() == [1, 3]
    assert table["answer"].tolist() == ["both"] * 2
    with pytest.raises(InputError, match=r"a, strong at 4\.5: Table III has 0 rows of it, one is needed"):
        made((recipe("a", 0.75), 0.573, 0.675), table3=[(recipe("a, strong", 4.5), others[0])])
    with pytest.raises(InputError, match=r"a, strong at 4\.5: Table III has 0 rows of it, one is needed"):
        made((recipe("a", 0.75), 0.573, 0.675), table3=[(recipe("a, strong", 4.5), others[1])])
