"""Attacks over repetitions as rows of tables: means and spreads by hand, and which attack is which."""

from collections import defaultdict

import numpy as np
import pytest

from lib.attacks.roc import WORKS
from lib.attacks.summary import OVERFITTED, only, read_attacked, summary_row, titled
from lib.core.errors import InputError
from tests.attacks.builders import DIAGONAL, FINGERPRINT, JOINT, write_attack

THREE = [  # three repetitions
    {"auc": 0.5, "train_accuracy": 0.9, "test_accuracy": 0.5, "precision": 0.5, "negative_auc": 0.4},
    {"auc": 0.6, "train_accuracy": 1.0, "test_accuracy": 0.8, "precision": np.nan, "negative_auc": 0.5},
    {"auc": 0.7, "train_accuracy": 0.8, "test_accuracy": 0.5, "precision": 0.7, "negative_auc": 0.6},
]


def read(paths, tasks=None, methods=None):
    """Attacks that are read; what tables say of them is in these records, or given."""
    return read_attacked(paths, tasks or defaultdict(dict), methods or defaultdict(dict))


def read_one(path, rows, **named):
    (found,) = read([write_attack(path / "one.json", rows, **named)])
    return found


def repeated(*rows):
    """The same, one a repetition."""
    return [row | {"repetition": number} for number, row in enumerate(rows, 1)]


# ---------------------------------------------------------------- rows


def test_means_and_spreads_are_over_repetitions(tmp_path):
    """Beside them lie an ensemble and another attack, which do not count."""
    others = [{"members": 2, "ensemble": 1, "auc": 0.1}, {"attack": "shadow 0.1", "auc": 0.9}]
    row = summary_row(read_one(tmp_path, [*repeated(*THREE), *others]), 1, "threshold")
    assert (row["auc"], row["auc_spread"]) == pytest.approx((0.6, 0.1))
    assert (row["train_accuracy"], row["train_accuracy_spread"]) == pytest.approx((0.9, 0.1))
    assert (row["test_accuracy"], row["test_accuracy_spread"]) == pytest.approx((0.6, 0.03**0.5))
    # the gaps are 0.4, 0.2 and 0.3
    assert (row["gap"], row["gap_spread"]) == pytest.approx((0.3, 0.1))
    # where nobody is called a member there is no precision
    assert (row["precision"], row["precision_spread"]) == pytest.approx((0.6, 0.02**0.5))
    assert (row["recall"], row["recall_spread"]) == (0.5, 0)
    assert (row["negative_auc"], row["negative_auc_spread"]) == pytest.approx((0.5, 0.1))
    assert (row["out_accuracy"], row["majority_accuracy"], row["seeds"]) == (0.6, pytest.approx(0.3), 3)
    assert (row["auc_distance"], row["auc_distance_spread"]) == pytest.approx((0.1, 0.1))


def test_networks_that_share_their_data_count_as_one(tmp_path):
    """Means of the repetitions are 0.6, 0.8 and 0.1, of precision 0.5, 0.3 and none."""
    rows = [{"auc": 0.5, "precision": np.nan}, {"auc": 0.7}, {"auc": 0.6, "precision": 0.3}]
    rows += [{"auc": 1.0, "precision": 0.3}, *[{"auc": 0.1, "precision": np.nan, "constant": True}] * 2]
    rows = [row | {"ensemble": k % 2, "repetition": 1 + k // 2} for k, row in enumerate(rows)]
    row = summary_row(read_one(tmp_path, rows), 1, "threshold")
    assert (row["auc"], row["auc_spread"]) == pytest.approx((0.5, 0.13**0.5))
    assert (row["precision"], row["precision_spread"]) == pytest.approx((0.4, 0.02**0.5))
    assert row["seeds"] == 3 and row["constant"] == pytest.approx(1 / 3)
    (two,) = read([write_attack(tmp_path / "two.json", rows[:2])])
    alone = summary_row(two, 1, "threshold")
    assert alone["seeds"] == 1 and alone["auc"] == pytest.approx(0.6) and alone["auc_spread"] is None


def test_ends_of_intervals_are_means(tmp_path):
    rows = [
        {"auc_low": 0.2, "auc_high": 0.8, "negative_auc_low": 0.1, "negative_auc_high": 0.5},
        {"auc_low": 0.4, "auc_high": 0.9, "negative_auc_low": 0.3, "negative_auc_high": 0.6},
    ]
    row = summary_row(read_one(tmp_path, rows), 1, "threshold")
    found = [row[name] for name in ("auc_low", "auc_high", "negative_low", "negative_high")]
    assert found == pytest.approx([0.3, 0.85, 0.2, 0.55])


def test_one_network_has_no_spread_and_no_precision_stays_none(tmp_path):
    row = summary_row(read_one(tmp_path, [{"auc": 0.375, "precision": np.nan}]), 1, "threshold")
    assert row["auc"] == 0.375 and row["auc_spread"] is None and row["auc_distance_spread"] is None
    assert row["auc_distance"] == 0.125  # on either side of a half
    assert row["precision"] is None and row["precision_spread"] is None and row["recall"] == 0.5


@pytest.mark.parametrize(("gaps", "said"), [([0.1], "yes"), ([0.099], "no"), ([0.3, -0.05], "yes"), ([-0.5], "no")])
def test_a_method_is_overfitted_by_what_it_says_of_samples_of_the_same_draw(gaps, said, tmp_path):
    """Not of the test set, which may be of other people."""
    assert OVERFITTED == 0.1
    rows = [{"train_accuracy": max(gap, 0.0), "out_accuracy": max(-gap, 0.0), "test_accuracy": 0.5} for gap in gaps]
    row = summary_row(read_one(tmp_path, repeated(*rows)), 1, "threshold")
    assert row["overfitted"] == said and row["gap"] == pytest.approx(np.mean([r["train_accuracy"] for r in rows]) - 0.5)


@pytest.mark.parametrize(
    ("low", "high", "said"), [(0.45, 0.55, "yes"), (0.5, 0.5, "yes"), (0.51, 0.6, "no"), (0.4, 0.49, "no")]
)
def test_the_negative_control_holds_where_one_half_is_in_its_interval(low, high, said, tmp_path):
    found = read_one(tmp_path, [{"negative_auc_low": low, "negative_auc_high": high}])
    assert summary_row(found, 1, "threshold")["negative_holds"] == said


def test_ensembles_are_named_by_their_size(tmp_path):
    found = read_one(tmp_path, [{"members": members} for members in (1, 2, 5, 2)])
    assert found.largest_ensemble == 5
    named = {members: summary_row(found, members, "threshold")["ensemble"] for members in (1, 2, 5)}
    assert named == {1: "one", 2: "between", 5: "largest"}
    assert len(found.of(2, "threshold")) == 2
    (alone,) = read([write_attack(tmp_path / "alone.json", [{}])])
    assert alone.largest_ensemble == 1 and summary_row(alone, 1, "threshold")["ensemble"] == "one"


def test_a_row_says_what_was_attacked_and_what_it_cost(tmp_path):
    task = {"label": "shapes", "stands_for": "CIFAR10", "protocol": "paper"}
    found = read_one(tmp_path, [{}], title="Strategy I", gamma=0.75, task=task)
    row = summary_row(found, 1, "threshold")
    assert [row[name] for name in ("dataset", "stands_for", "protocol")] == list(task.values())
    assert [row[name] for name in ("method", "gamma", "members", "attack")] == ["Strategy I", 0.75, 1, "threshold"]
    assert row["epsilon"] is None and row["sanitized"] is False
    assert row["data"] == f"digits_data ({FINGERPRINT[:12]})"
    scaled = read_one(tmp_path, [{}], task={"largest": 255}, method={"recipe": {"scale": "pixels"}})
    assert summary_row(scaled, 1, "threshold")["data"] == f"{row['data']}, pixels in [0, 255]"
    private = read_one(tmp_path, [{}], privacy={"joint": JOINT, "training": JOINT})
    assert summary_row(private, 1, "threshold")["epsilon"] == JOINT


def test_what_is_smaller_than_in_the_paper_is_said(tmp_path):
    def protocol(task=None, method=None):
        (found,) = read([write_attack(tmp_path / "one.json", [{}], task=task, method=method)])
        return summary_row(found, 1, "threshold")["protocol"]

    assert protocol() == "reduced: 64 images a model, 12 epochs, batches of 16, widths 8-16-32"
    longer = protocol({"quarter": None}, {"recipe": {"epochs": 60}})
    assert longer == "reduced: all images, 60 epochs, batches of 16, widths 8-16-32"
    assert protocol(method={"kind": "dp_sgd"}) == "reduced: 64 images a model, 6 epochs, batches of 4, widths 8-16-32"
    assert protocol({"protocol": "paper"}, {"recipe": {"epochs": 60}}) == "paper"


def test_a_shorter_training_counts_as_the_papers_where_the_data_are_as_well_fitted(tmp_path):
    task = {"protocol": "shorter", "quarter": None, "fitted": [{"method": "one", "gamma": 2.5, "accuracy": 0.96}]}
    task["passes"] = 40

    def row(reached, gamma=2.5, members=1, **method):
        rows = [{"members": members, "train_accuracy": reached}]
        path = write_attack(tmp_path / "one.json", rows, gamma=gamma, task=task, method=method)
        (found,) = read([path])
        return summary_row(found, members, "threshold")

    trained = "shorter: all images, 12 epochs, batches of 16, widths 8-16-32"
    assert row(0.951)["protocol"] == row(0.969)["protocol"] == "paper"
    for reached in (0.949, 0.971):  # who fits more leaks more
        assert row(reached)["protocol"] == f"{trained}, training accuracy {reached} where the paper has 0.96"
    assert row(0.96, gamma=2.0)["protocol"] == row(0.96, members=5)["protocol"] == trained
    # what decides may not be judged by what it decides
    assert (
        row(0.96)["train_accuracy_protocol"]
        == f"{trained}: whether that is enough, this number itself decides, so that it could only agree"
    )
    assert row(0.5, kind="dp_sgd")["train_accuracy_protocol"] == "paper"
    assert row(0.96)["data"] == f"digits_data ({FINGERPRINT[:12]}), 12 epochs"
    # as many passes as the paper's may have had are no shorter training, whatever they come to
    whole = row(0.5, recipe={"epochs": 40})
    assert whole["protocol"] == whole["train_accuracy_protocol"] == "paper"
    assert whole["data"] == f"digits_data ({FINGERPRINT[:12]})"
    assert row(0.5, recipe={"epochs": 39})["protocol"].startswith("shorter: all images, 39 epochs")
    by_dp_sgd = row(0.5, kind="dp_sgd")  # whose passes the paper states
    assert by_dp_sgd["protocol"] == "paper"
    assert by_dp_sgd["data"] == f"digits_data ({FINGERPRINT[:12]})"


def test_titles_say_what_is_smaller_and_whether_there_is_anything_to_attack():
    assert titled("CIFAR10", "paper", "yes") == "CIFAR10"
    assert titled("shapes", "reduced: 3 images", "yes") == "shapes, reduced: 3 images"
    assert titled("shapes", "few", "no") == "shapes, few; not overfitted without noise: this tests nothing"


# ---------------------------------------------------------------- the positive control


@pytest.mark.parametrize(
    ("areas", "constant", "auc", "works"),
    [
        ([0.9, 0.95], False, 0.925, "yes"),
        ([0.65], False, 0.65, "yes"),
        ([0.649], False, 0.649, "no"),
        ([0.9], True, 0.9, "no"),
    ],
)
def test_an_attacker_works_who_finds_what_was_learned_by_heart_and_does_not_say_the_same_of_all(
    areas, constant, auc, works, tmp_path
):
    assert WORKS == 0.65
    learned = [{"auc": area, "repetition": number} for number, area in enumerate(areas)]
    learned += [{"auc": 0.1, "members": 2}, {"auc": 0.7, "attack": "shadow 0.1"}]
    (control,) = read([write_attack(tmp_path / "control.json", learned)])
    found = read_one(tmp_path, [{}, {"constant": constant, "repetition": 2}])
    row = summary_row(found, 1, "threshold", control)
    assert row["control_auc"] == pytest.approx(auc) and row["attacker_works"] == works
    without = summary_row(found, 1, "threshold")
    assert without["control_auc"] is None and without["attacker_works"] == ""


def test_a_control_that_was_not_attacked_alike_is_refused(tmp_path):
    (control,) = read([write_attack(tmp_path / "control.json", [{}])])
    found = read_one(tmp_path, [{"attack": "shadow 0.1"}])
    with pytest.raises(InputError, match=r"no ensembles of 1 attacked by 'shadow 0\.1'"):
        summary_row(found, 1, "shadow 0.1", control)


# ---------------------------------------------------------------- files


def test_records_are_read_with_what_lies_beside_them(tmp_path):
    bent = {0.0: 0.0, 0.5: 0.75, 1.0: 1.0}
    attacks = [{"attack": name, "repetition": number} for number in (1, 2) for name in ("shadow 0.1", "threshold")]
    one = write_attack(tmp_path / "strategy1" / "0.75.json", attacks, gamma=0.75, curves=[bent, DIAGONAL] * 2)
    other = write_attack(tmp_path / "strategy1" / "0.5.json", [{"auc": 0.2}], gamma=0.5, method={"skip": False})
    found = read([one, other])
    assert [each.gamma for each in found] == [0.75, 0.5]
    assert found[0].attacks == ["shadow 0.1", "threshold"] and found[1].attacks == ["threshold"]
    assert (
        found[1].method == {"title": "ResNet8", "kind": "residual", "skip": False}
        and found[0].task["label"] == "digits"
    )
    assert found[1].scores["auc"].tolist() == [0.2]
    curve = found[0].curves[found[0].curves["attack"] == "shadow 0.1"]
    assert curve["tpr"].tolist() == [0, 0.75, 1] * 2 and curve["repetition"].tolist() == [1] * 3 + [2] * 3
    assert found[0].scores["gap"].to_numpy() == pytest.approx(0.3)


def test_what_tables_say_is_given_beside_what_was_trained(tmp_path):
    path = write_attack(tmp_path / "one.json", [{}], task={"label": "old", "widths": [4]}, method={"skip": False})
    said = {"label": "shapes", "stands_for": "CIFAR10", "protocol": "paper"}
    (found,) = read([path], {"old": said}, {"one": {"title": "Strategy I", "kind": "residual"}})
    row = summary_row(found, 1, "threshold")
    assert [row[name] for name in ("dataset", "stands_for", "protocol", "method")] == [*said.values(), "Strategy I"]
    assert found.task["widths"] == [4] and found.method["skip"] is False


@pytest.mark.parametrize(
    ("name", "text", "match"),
    [
        ("one.csv", None, r"one\.csv: not a readable CSV"),
        ("one.roc.csv", None, r"one\.roc\.csv: not a readable CSV"),
        ("one.csv", "", r"one\.csv: not a readable CSV"),
        ("one.json", "{}", r"one\.json: does not match the digest"),
        ("one.json", "{", r"one\.json: not a readable JSON"),
    ],
)
def test_damaged_files_are_refused_by_name(name, text, match, tmp_path):
    path = write_attack(tmp_path / "one.json", [{}])
    if text is None:
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=match):
        read([path])


def test_a_table_of_something_else_is_refused_by_name(tmp_path):
    path = write_attack(tmp_path / "one.json", [{}])
    (tmp_path / "one.csv").write_text("epoch,loss\n1,0.5\n")
    with pytest.raises(InputError, match=r"one\.csv"):
        read([path])


def test_sizes_and_attacks_that_there_are_not_are_refused(tmp_path):
    found = read_one(tmp_path, [{}])
    for members, attack in ((2, "threshold"), (1, "shadow 0.1")):
        with pytest.raises(InputError, match=f"no ensembles of {members} attacked by '{attack}'"):
            found.of(members, attack)


# ---------------------------------------------------------------- one of many


@pytest.fixture
def many(tmp_path):
    places = [("ResNet8", 0.0, "digits"), ("Strategy I", 0.5, "digits"), ("Strategy I", 2.0, "digits")]
    places += [("Strategy II", 2.0, "digits"), ("ResNet8", 0.0, "shapes")]
    return read(
        write_attack(tmp_path / f"{number}.json", [{}], title=title, gamma=gamma, task={"label": label})
        for number, (title, gamma, label) in enumerate(places)
    )


def test_only_finds_the_one_that_is_meant(many):
    assert only(many, title="Strategy I", gamma=2.0) is many[2]
    assert only(many, title="Strategy I", gamma=0.5) is many[1]
    assert only(many, title="Strategy II") is many[3]
    assert only(many, label="shapes") is many[4]
    assert only(many, label="digits", gamma=0.0) is many[0]
    assert only(iter(many), title="Strategy II", gamma=2, label="digits") is many[3]


@pytest.mark.parametrize(
    ("wanted", "match"),
    [
        ({"title": "Strategy I"}, "attacks on title Strategy I: 2 are given, one is needed"),
        ({"gamma": 2.0}, "attacks on gamma 2.0: 2 are given"),
        ({"title": "ResNet8", "gamma": 0.0}, "2 are given"),
        ({"title": "DP-SGD", "gamma": 0.0}, "attacks on title DP-SGD, gamma 0.0: 0 are given, one is needed"),
        ({"title": "Strategy II", "label": "shapes"}, "0 are given"),
    ],
)
def test_none_and_several_are_refused(wanted, match, many):
    with pytest.raises(InputError, match=match):
        only(many, **wanted)
