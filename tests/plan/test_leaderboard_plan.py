"""The plan of the leaderboard: its entries, and how worlds and attacks are cut into jobs."""

import copy
from types import SimpleNamespace

import pytest

from lib.leaderboard.method_settings import settings_at
from lib.plan.leaderboard import Entry, Leaderboard
from tests.plan.configurations import CONFIG

BOARD = {"chosen": ["plain", "gnmax"], "epsilons": [0.5, 8.0], "worlds": 5, "shard": 2}
ENTRIES = [Entry("plain", "none"), Entry("gnmax", "0.5"), Entry("gnmax", "8")]


def planned(processes: int | None = 2, **over) -> Leaderboard:
    config = copy.deepcopy(CONFIG)
    config["leaderboard"] |= BOARD | over
    config["leaderboard"]["attacks"]["processes"] = processes
    return Leaderboard(config)


def job(**wildcards: str) -> SimpleNamespace:
    return SimpleNamespace(**wildcards)


def test_a_method_is_an_entry_a_budget_or_one_where_it_promises_nothing():
    assert planned().entries() == ENTRIES


def test_shards_of_worlds_are_all_worlds_once():
    assert planned().shards() == [(0, 2), (2, 4), (4, 5)]


@pytest.mark.parametrize("processes", [None, 1, 2, 3, 50])
def test_every_entry_is_attacked_once(processes):
    shards = planned(processes).attack_shards()
    assert sorted(entry for shard in shards for entry in shard) == sorted(ENTRIES)
    assert len(shards) == min(processes or 3, 3) and all(shards)


def test_an_attack_has_the_predictions_of_its_entries_in_their_order():
    plan, folder = planned(2), "results/quick/private/leaderboard/predictions"
    settings = plan.attack_settings(job(shard="0"))
    assert settings["entries"] == ["plain/none", "gnmax/8"] and settings["job"] == ["leaderboard", "attack"]
    assert "processes" not in settings["attacks"]
    expected = [f"{folder}/{entry}/{shard}.npz" for entry in settings["entries"] for shard in range(3)]
    assert plan.predictions(job(shard="0")) == expected
    assert plan.attacks(".roc.csv") == [f"results/quick/leaderboard/attacks/{shard}.roc.csv" for shard in (0, 1)]


@pytest.mark.parametrize(("targets", "choosing"), [([0, 1], [3, 4]), ([4], [3]), ([0, 1, 2], [3, 4])])
def test_worlds_that_are_not_attacked_choose_what_is_shown(targets, choosing):
    settings = planned(targets=targets).attack_settings(job(shard="0"))
    assert settings["targets"] == targets and settings["choosing"] == choosing


def test_only_methods_that_ask_teachers_wait_for_them():
    plan = planned()
    asking, other = (job(method=name, budget=budget, shard="2") for name, budget in (("gnmax", "8"), ("plain", "none")))
    assert plan.votes(asking) == ["results/quick/private/leaderboard/votes/100/2.npz"] and plan.votes(other) == []
    assert plan.training_settings(asking)["method"]["teachers"] == CONFIG["leaderboard"]["teachers"]["count"]
    assert not {"teachers", "title"} & set(plan.training_settings(other)["method"])


def test_teachers_may_be_others_at_an_epsilon():
    config = copy.deepcopy(CONFIG)
    config["leaderboard"] |= BOARD
    config["leaderboard"]["methods"]["gnmax"]["per_epsilon"] = [[0.5, {"teachers": 50}]]
    plan = Leaderboard(config)
    few, many = (job(method="gnmax", budget=budget, shard="0") for budget in ("0.5", "8"))
    folder = "results/quick/private/leaderboard/votes"
    assert [plan.votes(one) for one in (few, many)] == [[f"{folder}/50/0.npz"], [f"{folder}/100/0.npz"]]
    settings = [plan.votes_settings(job(teachers=teachers, shard="0")) for teachers in ("50", "100")]
    assert [one["teachers"] for one in settings] == [50, 100]
    assert settings[0]["checkpoint"] != settings[1]["checkpoint"]
    at = settings_at(plan.training_settings(few)["method"], 0.5)
    assert at["teachers"] == 50 and settings_at(plan.training_settings(many)["method"], 8.0)["teachers"] == 100
    cost = [f"results/quick/leaderboard/costs_of_teachers/{teachers}/{{}}.csv" for teachers in (50, 100)]
    assert plan.costs_of_teachers(None) == [each.format(shard) for each in cost for shard in range(3)]


def test_draws_are_keyed_by_what_they_are_for():
    plan = planned()
    settings = plan.training_settings(job(method="gnmax", budget="0.5", shard="2"))
    assert settings["job"] == ["leaderboard", "gnmax", "0.5"] and settings["shard"] == [4, 5]
    assert plan.votes_settings(job(teachers="50", shard="1"))["job"] == ["leaderboard", "teachers"]
    assert plan.worlds_settings(None)["job"] == ["leaderboard", "worlds"]


def test_the_board_reads_every_shard_of_every_entry_and_its_cost():
    plan = planned()
    places = [f"{entry.method}/{entry.budget}/{shard}" for entry in ENTRIES for shard in range(3)]
    assert plan.records(None) == [f"results/quick/leaderboard/models/{place}.json" for place in places]
    assert plan.costs(None) == [f"results/quick/leaderboard/costs/{place}.csv" for place in places]
    teachers = [f"results/quick/leaderboard/costs_of_teachers/100/{shard}.csv" for shard in range(3)]
    assert plan.costs_of_teachers(None) == teachers * 2  # at both budgets
    assert ["/".join(job.values()) for job in plan.trained()] == places
    described = plan.board_settings(None)["entries"]
    assert [(entry["method"], entry["budget"]) for entry in described] == ENTRIES
    assert described[0]["title"] == "no privacy" and plan.cost_settings(None)["entries"] == described
