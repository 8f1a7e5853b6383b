"""Configurations of the leaderboard that are refused before any job starts."""

import copy

import pytest

from lib.leaderboard.methods import KINDS
from lib.plan.config import check_config
from lib.plan.leaderboard_checks import ASK_TEACHERS, ON_SAMPLES, PROMISE_NOTHING
from tests.plan.configurations import CONFIG, SCHEMA, refusal


def test_settings_of_an_epsilon_that_is_not_on_the_leaderboard_are_allowed():
    config = copy.deepcopy(CONFIG)
    config["leaderboard"]["methods"]["gnmax"]["per_epsilon"].append([3.0, {"queries": 40}])
    check_config(config, SCHEMA)


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (lambda block: block.update(dataset="nothing"), "leaderboard.dataset"),
        (lambda block: block["teachers"].update(model="nothing"), "leaderboard.teachers.model"),
        (lambda block: block["teachers"].update(count=10_000), "leaderboard.teachers.count = 10000"),
        (lambda block: block.update(canaries=600), "leaderboard.canaries = 600"),
        (lambda block: block.update(targets=[0, 9]), "leaderboard.targets = [0, 9]"),
        (lambda block: block["attacks"]["shadow"].update(top=11), "leaderboard.attacks.shadow.top = 11"),
        (lambda block: block["chosen"].append("nothing"), "leaderboard.chosen"),
        (lambda block: block["methods"]["lnmax"].update(queries=301), "leaderboard.methods.lnmax.queries = 301"),
        (lambda block: block["methods"]["gnmax"].update(per_epsilon=[[1.0, {"queries": 400}]]), "queries = 400"),
        (lambda block: block["methods"]["lnmax"].update(title="GNMax"), "titles that differ"),
        (lambda block: block["methods"]["gnmax"].update(per_epsilon=[[0.0, {}]]), "gnmax.per_epsilon = [0.0]"),
        (lambda block: block["methods"]["gnmax"].update(per_epsilon=[[2, {}], [2.0, {}]]), "per_epsilon = [2, 2.0]"),
        (lambda block: block["methods"]["confident"].update(max_answered=201), "confident.max_answered = 201"),
        (lambda block: block["methods"]["interactive"].update(first=200), "interactive.first = 200"),
        (lambda block: block.update(delta=0.002), "delta = 0.002"),
        (lambda block: block["methods"]["confident"].update(per_epsilon=[[1.0, {"queries": 59}]]), "max_answered = 60"),
        (lambda block: block["methods"]["dp_sgd"]["recipe"].update(batch=601), "dp_sgd.recipe.batch = 601"),
        (lambda block: block["methods"]["dp_mac"].update(per_epsilon=[[8.0, {"recipe": {"batch": 601}}]]), "= 601"),
        (lambda block: block.update(epsilons=[1.0, 1.2345678]), "leaderboard.epsilons: 1.2345678"),
        (lambda block: block.update(epsilons=[1e6]), "leaderboard.epsilons: 1000000.0"),
    ],
)
def test_what_does_not_fit_is_named(change, names):
    config = copy.deepcopy(CONFIG)
    change(config["leaderboard"])
    assert names in refusal(config)


def test_every_kind_is_sorted_by_what_it_asks_and_promises():
    assert set(ASK_TEACHERS) | set(PROMISE_NOTHING) | set(ON_SAMPLES) == set(KINDS)
    assert not set(ASK_TEACHERS) & set(ON_SAMPLES)
    assert set(PROMISE_NOTHING) & {*ASK_TEACHERS, *ON_SAMPLES} == {"dp_sgd_broken", "gnmax_broken"}
