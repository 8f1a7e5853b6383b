"""What is planned for residual perturbation: files and settings of its jobs, and what is refused."""

import copy
from types import SimpleNamespace

import pytest

from lib.core.errors import InputError
from lib.plan.config import check_config, register
from lib.plan.plan import Plan
from tests.plan.configurations import CONFIG, SCHEMA

REGISTER = register()
NOTHING = SimpleNamespace()
ATTACKS = "results/quick/residual_perturbation/attacks"


def planned(**changes):
    """The plan of quick with some keys of its block changed."""
    config = copy.deepcopy(CONFIG)
    config["residual_perturbation"] |= changes
    return Plan(config, REGISTER).residual_perturbation


def network(task, method, gamma):
    return SimpleNamespace(task=task, method=method, gamma=gamma)


def entry(**more):
    return {"task": "shapes", "method": "plain", "gammas": [0], "members": 1, "repetitions": 3} | more


def test_a_network_is_trained_as_its_entry_says_at_any_spelling_of_its_noise():
    plan = planned()
    for gamma in ("0.75", "0.750"):
        settings = plan.prediction_settings(network("shapes", "strategy1", gamma))
        assert (settings["members"], settings["repetitions"], settings["sizes"]) == (2, 1, [1, 2])
        side = network("shapes", "strategy1", gamma)
        side.repetition, side.side = "1", "shadow"
        trained = plan.network_settings(side)
        assert settings["job"] == trained["job"] == ["shapes", "strategy1", gamma] and trained["members"] == 2
        assert trained["checkpoint"] == f"results/quick/checkpoints/shapes/strategy1/{gamma}/1/shadow.npz"
    # of two entries of one method that with the coefficient
    assert plan.prediction_settings(network("shapes", "strategy1", "4.5"))["sizes"] == [1]
    block = CONFIG["residual_perturbation"]["tasks"]["shapes"]
    read = {name: block[name] for name in ("classes", "largest", "widths", "recipe")}
    assert plan.prediction_settings(network("shapes", "strategy1", "4.5"))["task"] == read


def test_a_task_stands_for_what_its_label_says_unless_it_says_otherwise():
    tasks = copy.deepcopy(CONFIG["residual_perturbation"]["tasks"])
    del tasks["shapes"]["stands_for"]
    config = copy.deepcopy(CONFIG)
    config["residual_perturbation"]["tasks"] = tasks
    check_config(config, SCHEMA)
    plan = planned(tasks=tasks)
    for table, task, stands_for in (("table3", "shapes", "textured shapes, 10 classes"), ("table2", "digits", "MNIST")):
        assert plan.rows_of_table(table)(NOTHING)["tasks"][task]["stands_for"] == stands_for


@pytest.mark.parametrize(("method", "kind", "members"), [("strategy1", "residual", 2), ("dp_sgd", "dp_sgd", 1)])
def test_each_side_is_a_job_of_its_own_that_does_not_depend_on_how_many_repetitions_there_are(method, kind, members):
    found = {}
    for count in (1, 2):
        own = entry(task="digits", method=method, repetitions=count, members=members)
        plan = planned(networks=[entry(task="digits", repetitions=2), own])
        jobs = [job for job in plan.trained_sides(kind) if job["method"] == method]
        words = [(job["repetition"], job["side"]) for job in jobs]
        assert words == [(str(number), side) for number in range(1, count + 1) for side in ("target", "shadow")]
        files = plan.trained_networks(network("digits", method, "0"))
        folder = f"results/quick/private/residual_perturbation/weights/digits/{method}/0"
        assert files == [f"{folder}/{number}/{side}.npz" for number, side in words]
        predicts, trains = (
            (plan.dp_sgd_prediction_settings, plan.dp_sgd_network_settings)
            if kind == "dp_sgd"
            else (plan.prediction_settings, plan.network_settings)
        )
        together = predicts(network("digits", method, "0"))
        assert together["repetitions"] == count and together["members"] == members
        assert together.get("orders") == (CONFIG["accounting"]["orders"] if kind == "dp_sgd" else None)
        found[count] = [trains(SimpleNamespace(**job)) for job in jobs]
        # one name for all of them: replicas tell their draws apart
        assert {tuple(settings["job"]) for settings in found[count]} == {("digits", method, "0")}
        assert len({settings["checkpoint"] for settings in found[count]}) == 2 * count
    assert found[1] == found[2][:2] and found[1][0]["dataset"] == "digits"


@pytest.mark.parametrize(
    ("method", "given"),
    [
        ("draws_of_networks", network("shapes", "strategy1", "0.5")),
        ("draws_of_networks", network("digits", "strategy2", "2")),
        ("network_settings", network("mnist", "plain", "0")),
    ],
)
def test_networks_that_nobody_asked_for_are_refused_in_one_line(method, given):
    with pytest.raises(InputError) as caught:
        getattr(planned(), method)(given)
    noise = f"{float(given.gamma):g}"
    assert str(caught.value) == (
        f"residual_perturbation.networks: has none of task {given.task}, method {given.method}, gamma {noise}"
    )


def test_data_are_drawn_as_often_as_the_networks_that_need_most():
    plan = planned(networks=[entry(repetitions=2), entry(method="strategy1", gammas=[1], repetitions=5)])
    settings = plan.draw_settings(SimpleNamespace(task="shapes"))
    assert settings["repetitions"] == 5 and settings["job"] == ["shapes"]
    assert plan.samples_of_task(SimpleNamespace(task="shapes")) == "results/quick/private/data/textured_shapes_10.npz"
    with pytest.raises(InputError, match=r"networks: has none of task digits$"):
        plan.samples_of_task(SimpleNamespace(task="digits"))


def test_networks_without_shadows_are_targets_alone_and_need_no_plain_network():
    plan = planned(networks=[entry(method="strategy1", gammas=[1], repetitions=2, shadow=False)])
    own = network("shapes", "strategy1", "1")
    assert [(job["repetition"], job["side"]) for job in plan.trained_sides("residual")] == [
        ("1", "target"),
        ("2", "target"),
    ]
    folder = "results/quick/private/residual_perturbation"
    weights = [f"{folder}/weights/shapes/strategy1/1/{number}/target.npz" for number in (1, 2)]
    assert plan.trained_networks(own) == weights
    assert plan.prediction_settings(own)["alone"] and plan.plain_predictions(own) == []
    beside = planned(networks=[entry(method="strategy1", gammas=[1])])
    assert not beside.prediction_settings(own)["alone"]
    assert beside.plain_predictions(own) == f"{folder}/predictions/shapes/plain/0.npz"


def test_the_trade_off_has_its_networks_the_control_and_table_iii():
    curve = {"title": "T", "gamma": 4.5, "methods": ["strategy1"], "end": "strategy1"}
    plan = planned(tradeoff={"task": "shapes", "curves": [curve]})
    files = plan.attacks_in_tradeoff(NOTHING)
    assert files["records"] == [f"{ATTACKS}/shapes/strategy1/4.5.json"]
    assert files["control"] == f"{ATTACKS}/shapes/control/0.json"
    assert files["table3"] == "results/quick/residual_perturbation/table3.csv"
    assert len(files["beside"]) == 4
    told = plan.settings_of_tradeoff(NOTHING)
    assert told["curves"] == [
        {"title": "T", "gamma": 4.5, "networks": ["Strategy I"], "end": "Strategy I", "end_epochs": 12}
    ]
    assert set(told["tasks"]) == {"shapes"} and set(told["methods"]) == {"strategy1", "control"}


def test_recipes_are_networks_of_their_task_else_those_of_table_iii():
    block = CONFIG["residual_perturbation"]
    own = block["recipes"] | {"task": "digits", "methods": ["strategy1", "strategy1_std"]}
    trained = {"task": "digits", "gammas": [0.75], "members": 1, "repetitions": 1}
    networks = [*block["networks"], trained | {"method": "strategy1"}, trained | {"method": "strategy1_std"}]
    plan = planned(recipes=own, networks=networks)
    files = plan.attacks_in_recipes(NOTHING)
    assert files["records"] == [f"{ATTACKS}/digits/{method}/0.75.json" for method in ("strategy1", "strategy1_std")]
    assert files["control"] == f"{ATTACKS}/digits/control/0.json" and len(files["beside"]) == 6
    assert files["table3"] == "results/quick/residual_perturbation/table3.csv"
    told = plan.settings_of_recipes(NOTHING)
    rows = [(each["title"], each["gamma"], each["largest"]) for each in told["recipes"]]
    # in Table III there are networks of the first at 4.5, of another task
    noisy = "Strategy I, noise times deviation"
    assert rows == [("Strategy I", 0.75, 16), ("Strategy I", 4.5, 255), (noisy, 0.75, 16)]
    assert told["recipes"][1]["recipe"]["epochs"] == block["tasks"]["shapes"]["recipe"]["epochs"]
    # nor is there a row of what neither has, where both are of one task
    same = planned(recipes=block["recipes"]).settings_of_recipes(NOTHING)["recipes"]
    assert [(each["title"], each["gamma"]) for each in same] == [
        ("Strategy I", 0.75),
        ("Strategy I", 4.5),
        (noisy, 0.75),
    ]
    alone = planned(recipes=own, networks=networks, tables=block["tables"] | {"table3": None})
    assert "table3" not in alone.attacks_in_recipes(NOTHING)
    assert [each["gamma"] for each in alone.settings_of_recipes(NOTHING)["recipes"]] == [0.75, 0.75]


def test_an_attack_sees_as_many_probabilities_as_its_task_shows():
    settings = planned().attack_settings(network("tissue", "plain", "0"))
    assert settings["attack"] == CONFIG["residual_perturbation"]["attack"] | {"top": 2}
    assert settings["job"] == ["attack", "tissue", "plain", "0"] and settings["dataset"] == "tissue_patches"


def test_a_table_has_each_attack_once_with_the_control_and_what_lies_beside():
    rows = [["plain", 0, 1], ["strategy1", 4.5, 1], ["strategy1", 0.75, 1], ["strategy1", 0.75, 2]]
    plan = planned(tables=CONFIG["residual_perturbation"]["tables"] | {"table3": {"task": "shapes", "rows": rows}})
    files = plan.attacks_in_table("table3")(NOTHING)
    names = ["plain/0", "strategy1/4.5", "strategy1/0.75"]
    assert files["records"] == [f"{ATTACKS}/shapes/{name}.json" for name in names]
    assert files["control"] == f"{ATTACKS}/shapes/control/0.json"
    assert files["draws"] == "results/quick/residual_perturbation/draws/shapes.json"
    expected = {f"{ATTACKS}/shapes/{name}.{end}" for name in [*names, "control/0"] for end in ("csv", "roc.csv")}
    assert set(files["beside"]) == expected and len(files["beside"]) == len(expected)
    assert plan.rows_of_table("table3")(NOTHING)["rows"] == [
        ["ResNet8", 0.0, 1],
        ["Strategy I", 4.5, 1],
        ["Strategy I", 0.75, 1],
        ["Strategy I", 0.75, 2],
    ]


def test_a_figure_has_every_coefficient_in_order_after_the_plain_network():
    files = planned().attacks_in_figure("fig7")(NOTHING)
    assert files["records"] == [
        f"{ATTACKS}/{name}.json"
        for name in (
            *("shapes/plain/0", "shapes/strategy1/0.75", "shapes/strategy1/4.5"),
            *("shapes_100/plain/0", "shapes_100/strategy1/3.25", "tissue/plain/0", "tissue/strategy1/0.5"),
        )
    ]
    assert files["controls"] == [f"{ATTACKS}/{task}/control/0.json" for task in ("shapes", "shapes_100", "tissue")]
    assert len(files["beside"]) == 2 * (7 + 3)
    figures = {"fig3": {"tasks": ["digits"], "method": "strategy2"}}
    with pytest.raises(InputError, match="method strategy2 is not trained on task digits"):
        planned(figures=CONFIG["residual_perturbation"]["figures"] | figures).attacks_in_figure("fig3")(NOTHING)


def test_what_the_preset_does_not_have_is_refused_with_the_key_that_would_switch_it_on():
    block = CONFIG["residual_perturbation"]
    plan = planned(
        tables=block["tables"] | {"skip": None},
        figures=block["figures"] | {"fig12": None},
        tradeoff=None,
        recipes=None,
        audit=block["audit"] | {"chosen": []},
    )
    for name, key, files in (
        ("skip", "tables.skip", plan.attacks_in_table("skip")),
        ("fig12", "figures.fig12", plan.attacks_in_figure("fig12")),
        ("tradeoff", "tradeoff", plan.attacks_in_tradeoff),
        ("recipes", "recipes", plan.attacks_in_recipes),
        ("budget", "audit.chosen", plan.audits),
        ("cost", "cost", plan.files_of_cost),
    ):
        with pytest.raises(InputError) as caught:
            files(NOTHING)
        said = f"residual_perturbation_{name}: preset quick does not have it; set residual_perturbation.{key}"
        assert str(caught.value) == said
    assert planned(cost={"images": 128}).files_of_cost(NOTHING) == []


def test_every_mechanism_is_audited_on_every_chosen_task():
    plan = planned()
    files = plan.audits(NOTHING)
    tasks = ("shapes_small", "tissue_small", "shapes_slots")
    audits = [f"{task}/{how}" for task in tasks for how in ("strategy1", "dp_sgd", "plain")]
    assert files["records"] == [f"results/quick/residual_perturbation/audits/{audit}.json" for audit in audits]
    assert files["statistics"] == [
        f"results/quick/private/residual_perturbation/audits/{audit}.csv" for audit in audits
    ]
    audit = SimpleNamespace(task="tissue_small", mechanism="plain", shard="0")
    trained, settings = plan.audited_settings(audit), plan.audit_settings(audit)
    assert trained["job"] == settings["job"] == ["audit_residual", "tissue_small", "plain"]
    assert trained["checkpoint"] == "results/quick/checkpoints/train_audited/tissue_small/plain/0.npz"
    assert trained["runs"] == [0, 12]


def test_a_task_may_have_fewer_mechanisms_audited():
    audit = copy.deepcopy(CONFIG["residual_perturbation"]["audit"])
    audit["tasks"]["tissue_small"]["mechanisms"] = ["strategy1"]
    plan = planned(audit=audit | {"chosen": ["tissue_small", "shapes_slots"]})
    assert [each["mechanism"] for each in plan.audited()] == ["strategy1", "strategy1", "dp_sgd", "plain"]
    assert "mechanisms" not in plan.audit_settings(SimpleNamespace(task="tissue_small", mechanism="strategy1"))["task"]


def test_the_two_pictures_differ_by_how_noise_comes_in():
    one, eight = (planned().flow(strategy)(NOTHING) for strategy in ("additive", "multiplicative"))
    assert (one.pop("strategy"), eight.pop("strategy")) == ("additive", "multiplicative")
    assert (
        one == eight == {"seed": CONFIG["seed"], "repetitions": 2, "settings": CONFIG["residual_perturbation"]["sde"]}
    )
