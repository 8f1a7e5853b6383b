"""Configurations of the leaderboard that are refused before any job starts."""

import copy
from pathlib import Path
from types import SimpleNamespace

import pytest

from lib.leaderboard.methods import KINDS
from lib.plan.config import check_config
from lib.plan.leaderboard import Leaderboard
from lib.plan.leaderboard_checks import ASK_TEACHERS, ON_SAMPLES, ONES_OWN, PROMISE_NOTHING
from tests.plan.configurations import CONFIG, SCHEMA, refusal

FEATURES = {"patch": 6, "kinds": 8}
OF_IMAGES = {"student": {"widths": [8, 16, 32], "recipe": {"batch": 50, "epochs": 1, "rate": 0.1}}}


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
        (
            lambda block: block["methods"]["gnmax"].update(teachers=601),
            "methods.gnmax.teachers = 601: allowed is at most",
        ),
        (lambda block: block["methods"]["gnmax"].update(per_epsilon=[[1.0, {"teachers": 601}]]), "teachers = 601"),
        (lambda block: block.update(canaries=600), "leaderboard.canaries = 600"),
        (lambda block: block.update(targets=[0, 7]), "leaderboard.targets = [0, 7]"),
        (lambda block: block.update(targets=list(range(7))), "one that is not attacked"),
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
        (lambda block: block["methods"]["dp_sgd"]["recipe"].pop("batch"), "dp_sgd.recipe: lacks the key 'batch'"),
        (lambda block: block["methods"]["dp_mac"].pop("recipe"), "dp_mac: lacks the key 'recipe'"),
        (lambda block: block["methods"]["dp_mac"].update(per_epsilon=[[8.0, {"recipe": {"batch": 601}}]]), "= 601"),
        (lambda block: block.update(epsilons=[1.0, 1.2345678]), "leaderboard.epsilons: 1.2345678"),
        (lambda block: block.update(epsilons=[1e6]), "leaderboard.epsilons: 1000000.0"),
        (lambda block: block.update(features={"patch": 1, "kinds": 8}), "leaderboard.features.patch"),
        (lambda block: block.update(features=FEATURES), "leaderboard.features: residual has a network of images"),
        (
            lambda block: (
                block.update(features=FEATURES, chosen=["gnmax"]) or block["methods"]["gnmax"].update(OF_IMAGES)
            ),
            "leaderboard.features: gnmax has a network of images",
        ),
    ],
)
def test_what_does_not_fit_is_named(change, names):
    config = copy.deepcopy(CONFIG)
    change(config["leaderboard"])
    assert names in refusal(config)


@pytest.mark.parametrize(
    ("name", "settings", "line"),
    [
        ("plain", {"kind": "pate"}, ".kind = 'pate': allowed is one of plain, memorised, untouched, dp_sgd"),
        (
            "plain",
            {"clip": 1.0},
            ": unknown key 'clip' (did you mean recipe?); allowed: activation, groups, hidden, kind, per_epsilon",
        ),
        ("plain", {"widths": [8, 16, 32]}, ".hidden = (32,): allowed are either hidden or widths"),
        ("residual", {"widths": [8, 16]}, ".widths = [8, 16]: allowed is a list of 3 numbers"),
        ("dp_sgd", {"activation": "sine"}, ".activation = 'sine': allowed is one of relu, tanh"),
        ("dp_sgd", {"recipe": {"batch": 10, "epochs": 1, "rate": 1.0}}, ".recipe: lacks the key 'clip'"),
        ("dp_sgd", {"per_epsilon": [[1.0, {"title": "x"}]]}, ".per_epsilon.0.1: unknown key 'title'"),
        ("dp_sgd", {"per_epsilon": [[1.0, {"recipe": {"rate": 0.0}}]]}, ".per_epsilon.0.1.recipe.rate = 0.0"),
        ("dp_sgd", {"warm": {"batch": 10, "epochs": 1}}, ".warm: lacks the key 'rate'"),
        ("gnmax", {"warm": {"batch": 10, "epochs": 1, "rate": 0.1}}, ": unknown key 'warm'"),
        ("dp_mac", {"threshold": 0.0}, ".threshold = 0.0: allowed is greater than 0"),
        ("gnmax", {"queries": 0}, ".queries = 0: allowed is at least 1"),
        ("gnmax", {"threshold": 0.5}, ": unknown key 'threshold'"),
        ("gnmax", {"student": {"hidden": []}}, ".student: lacks the key 'recipe'"),
        (
            "gnmax",
            {"per_epsilon": [[1.0, {"student": {"width": 3}}]]},
            "student: unknown key 'width' (did you mean wid",
        ),
    ],
)
def test_settings_that_a_method_has_not_are_refused(name, settings, line):
    config = copy.deepcopy(CONFIG)
    config["leaderboard"]["methods"][name] |= settings
    message = refusal(config)
    assert message.startswith(f"leaderboard.methods.{name}.") or message.startswith(f"leaderboard.methods.{name}:")
    assert line in message


def test_dp_mac_trains_as_its_noise_allows():
    for name, value in (("expansion", "second"), ("batches", "in_order")):
        config = copy.deepcopy(CONFIG)
        config["leaderboard"]["methods"]["dp_mac"]["recipe"][name] = value
        assert f"dp_mac.recipe.{name} = {value!r}: allowed is one of " in refusal(config)


def test_every_kind_is_sorted_by_what_it_asks_and_promises():
    assert set(ASK_TEACHERS) | set(PROMISE_NOTHING) | set(ON_SAMPLES) | set(ONES_OWN) == set(KINDS)
    assert not set(ONES_OWN) & {*ASK_TEACHERS, *PROMISE_NOTHING, *ON_SAMPLES}
    assert not set(ASK_TEACHERS) & set(ON_SAMPLES)
    assert set(PROMISE_NOTHING) & {*ASK_TEACHERS, *ON_SAMPLES} == {"dp_sgd_broken", "gnmax_broken"}


OWN = {"title": "mine", "kind": "external", "entry": "docs.examples.noisy_means:NoisyMeans", "promises": True}
ELSEWHERE = {"title": "theirs", "kind": "predictions", "folder": "theirs", "promises": False}


def with_own(**methods):
    config = copy.deepcopy(CONFIG)
    config["leaderboard"]["methods"] |= methods
    config["leaderboard"]["chosen"] = ["plain", *methods]
    return config


def test_a_method_of_ones_own_runs_at_the_budgets_it_promises_and_is_made_anew_with_its_code():
    config = with_own(mine=OWN, theirs=ELSEWHERE)
    check_config(config, SCHEMA)
    board = Leaderboard(config)
    assert [tuple(entry) for entry in board.entries()] == [
        ("plain", "none"),
        ("mine", "1"),
        ("mine", "8"),
        ("theirs", "none"),
    ]
    code = board.ones_own(SimpleNamespace(method="mine", budget="1", shard="0"))
    assert [Path(file).name for file in code] == ["noisy_means.py"]
    files = board.ones_own(SimpleNamespace(method="theirs", budget="none", shard="0"))
    assert files == [f"theirs/none/{world}.npz" for world in range(7)]
    assert board.ones_own(SimpleNamespace(method="plain", budget="none", shard="0")) == []


@pytest.mark.parametrize(
    ("changed", "names"),
    [
        (
            {"entry": "nowhere.to.be:Found"},
            "leaderboard.methods.mine.entry = nowhere.to.be:Found: no module nowhere.to.be",
        ),
        ({"entry": "docs.examples.noisy_means"}, "leaderboard.methods.mine.entry"),
        ({"entry": "docs.examples.noisy_means:Noisy"}, "module docs.examples.noisy_means has no Noisy"),
        ({"entry": "a:b; touch c"}, "leaderboard.methods.mine.entry"),
        ({"entry": "os:system"}, "leaderboard.methods.mine.entry = os:system: the module os is part of Python"),
        ({"entry": "sys:exit"}, "leaderboard.methods.mine.entry = sys:exit: the module sys is part of Python"),
        ({"promises": "yes"}, "leaderboard.methods.mine.promises"),
    ],
)
def test_an_entry_that_is_none_is_refused(changed, names):
    assert names in refusal(with_own(mine=OWN | changed))


def test_braces_in_the_path_of_a_method_are_refused(tmp_path, monkeypatch):
    """Snakemake would see wildcards in them."""
    assert "methods.theirs.folder = 'a{b}': allowed is text matching" in refusal(
        with_own(theirs=ELSEWHERE | {"folder": "a{b}"})
    )
    folder = tmp_path / "a{b}"
    folder.mkdir()
    (folder / "in_braces.py").write_text("class Mine: pass")
    monkeypatch.syspath_prepend(folder)
    line = refusal(with_own(mine=OWN | {"entry": "in_braces:Mine"}))
    assert f"leaderboard.methods.mine.entry = in_braces:Mine: {folder / 'in_braces.py'} has braces" in line


def test_what_a_method_of_ones_own_needs_is_named():
    assert "entry" in refusal(with_own(mine={"title": "mine", "kind": "external", "promises": True}))
    assert "folder" in refusal(with_own(mine={"title": "mine", "kind": "predictions", "promises": True}))
