"""The settings that the papers state, beside what a configuration says; and the page that is made of them."""

import pytest
import yaml

from lib.core.errors import InputError
from lib.plan.config import ROOT, layered, load, load_schema, merged
from lib.plan.paper_settings import UNSTATED, Setting, check_device, check_protocols, differences, find, settings
from lib.plan.results import PAPERS
from lib.plan.schema import fill_defaults
from scripts import paper_settings as page

ROWS = settings()
PAPER = load([ROOT / "presets" / "paper.yaml"])


def quick(**blocks: object) -> dict:
    """The configuration of quick with other blocks, defaults filled in."""
    config = layered((), blocks)
    fill_defaults(config, load_schema())
    return config


def row(key: str, value: str = "1") -> Setting:
    return Setting("a_paper", "an experiment", "a setting", value, key, "Table 1", "")


def test_every_paper_has_rows_that_say_where_or_why():
    assert {each.paper for each in ROWS} == set(PAPERS)
    for each in ROWS:
        assert each.experiment and each.setting and each.value, each
        assert each.where or each.value == UNSTATED, each
        assert each.key or each.note or each.value == UNSTATED, each
        assert each.note or each.value != UNSTATED, each
        yaml.safe_load(each.value)
    named = [(each.paper, each.experiment, each.setting) for each in ROWS]
    assert len(set(named)) == len(named)


def test_dp_sgd_trains_on_all_volumes_of_teachers_and_student():
    (volumes,) = [each for each in ROWS if (each.experiment, each.setting) == ("DP-SGD", "volumes")]
    parts = find(PAPER, "autoencoded_pate.results.tasks.0.parts").value
    assert int(volumes.value) == parts["teachers"] + parts["student"] and not volumes.differs


def test_every_key_is_there_in_the_preset_paper():
    assert [each.key for each in ROWS if each.key and find(PAPER, each.key).value is None] == []


def test_the_preset_paper_differs_only_where_the_table_says_so_and_why():
    assert [each for each, _ in differences(PAPER, ROWS)] == [each for each in ROWS if each.key and each.differs]


def test_a_difference_is_found_and_named():
    config = quick(scalable_pate={"runs": {"mnist_confident": {"threshold": 250}}})
    (found,) = [found for each, found in differences(config) if each.setting == "threshold, Confident-GNMax"][:1]
    assert (found.value, found.promised) == (250, True)
    check_protocols(config)  # a run that quick does not choose
    config["scalable_pate"]["table1"] = ["mnist_confident"]
    with pytest.raises(InputError) as caught:
        check_protocols(config)
    assert str(caught.value) == (
        "scalable_pate.runs.mnist_confident.threshold = 250 is not the paper's: 200 (scalable_pate, code: pate_2018, "
        "generate_table.sh); set ensembles.mnist.protocol to `reduced`"
    )


@pytest.mark.parametrize(
    ("blocks", "key"),
    [
        ({"dp_mac": {"series": {"usps_dp_mac": {"recipe": {"batch": 500}}}}}, "dp_mac.series.usps_dp_mac.protocol"),
        ({"dp_mac": {"networks": {"usps_autoencoder": {"hidden": [9]}}}}, "dp_mac.series.usps_dp_mac.protocol"),
        ({"scalable_pate": {"runs": {"mnist_confident": {"student_protocol": "paper"}}}}, "student_protocol"),
        ({"ensembles": {"mnist_own": {"protocol": "paper"}}}, "ensembles.mnist_own.protocol"),
    ],
)
def test_what_calls_itself_the_papers_and_is_not_is_refused(blocks, key):
    with pytest.raises(InputError) as caught:
        check_protocols(quick(**blocks))
    assert f"{key} to `reduced`" in str(caught.value) and "\n" not in str(caught.value)


def test_what_says_that_it_is_reduced_may_differ():
    series = {"usps_dp_mac": {"protocol": "reduced", "recipe": {"batch": 500}}}
    check_protocols(quick(dp_mac={"series": series}))
    check_protocols(quick(scalable_pate={"runs": {"mnist_confident": {"student": None}}}))


def test_passes_may_be_fewer_where_the_protocol_says_shorter_and_no_other_setting_may():
    def real(recipe: dict) -> dict:
        config = layered([ROOT / "presets" / "real.yaml"], {"residual_perturbation": {"tasks": {"mnist": recipe}}})
        fill_defaults(config, load_schema())
        return config

    check_protocols(real({"recipe": {"epochs": 2}}))
    with pytest.raises(InputError, match=r"tasks\.mnist\.recipe\.batch = 64 .*tasks\.mnist\.protocol"):
        check_protocols(real({"recipe": {"batch": 64}}))


@pytest.mark.parametrize(
    ("preset", "blocks", "line"),
    [
        (
            "paper",
            {"methods": {"strategy1": {"recipe": {"rate": 0.9}}}},
            "residual_perturbation.methods.strategy1.recipe.rate = 0.9 is not the paper's: 0.1 (residual_perturbation, "
            'Section IV-A, "same settings as [33]"); set residual_perturbation.tasks.mnist_paper.protocol to `reduced`',
        ),
        (
            "paper",
            {"methods": {"strategy2": {"recipe": {"epochs": 500}}}},
            "methods.strategy2.recipe.epochs = 500 is not the paper's: 64000 updates, which are 653 epochs",
        ),
        (
            "paper",
            {"tasks": {"mnist_paper": {"recipe": {"epochs": 541}}}},
            "tasks.mnist_paper.recipe.epochs = 541 is not the paper's: 64000 updates, which are 542 epochs",
        ),
        (
            "paper",
            {"methods": {"plain": {"recipe": {"milestones": [1]}}}},
            "methods.plain.recipe.milestones = [1] is not the paper's",
        ),
        ("paper", {"methods": {"dp_sgd": {"recipe": {"epochs": 1}}}}, "methods.dp_sgd.recipe.epochs = 1 is not"),
        ("paper", {"tasks": {"cifar100_paper": {"quarter": 500}}}, "tasks.cifar100_paper.quarter = 500 is not"),
        ("real", {"methods": {"strategy1_mnist": {"recipe": {"batch": 64}}}}, "strategy1_mnist.recipe.batch = 64 is"),
        ("real", {"methods": {"dp_sgd": {"recipe": {"epochs": 99}}}}, "methods.dp_sgd.recipe.epochs = 99 is not"),
    ],
)
def test_what_a_method_changes_about_the_papers_training_is_refused(preset, blocks, line):
    with pytest.raises(InputError) as caught:
        load([ROOT / "presets" / f"{preset}.yaml"], {"residual_perturbation": blocks})
    assert line in str(caught.value) and "\n" not in str(caught.value)


def test_readings_of_what_is_left_open_the_control_and_longer_trainings_are_not_refused():
    for method in ({"recipe": {"batch": 612}}, {"recipe": {"momentum": 0}}):
        load([ROOT / "presets" / "paper.yaml"], {"residual_perturbation": {"methods": {"dp_sgd": method}}})
    longer = {"strategy1": {"recipe": {"epochs": 700, "milestones": [400]}}, "control": {"recipe": {"epochs": 1}}}
    longer |= {"strategy1_unit": {"recipe": {"scale": "pixels"}}}
    idc = {"networks": [entry for entry in PAPER["residual_perturbation"]["networks"] if "idc" not in entry["task"]]}
    config = merged(PAPER, {"residual_perturbation": {"methods": longer} | idc})
    check_protocols(config)


def test_keys_follow_names_and_find_items():
    config = {
        "scalable_pate": {"runs": {"run": {"ensemble": "votes", "student": "net", "queries": 5}}},
        "ensembles": {"votes": {"protocol": "paper", "model": "net"}},
        "models": {"net": {"widths": [1, 2]}},
        "dp_mac": {"curves": [{"series": "a", "noise": "none", "n": 1}, {"series": "b", "noise": "none", "n": 2}]},
        "residual_perturbation": {"tables": {"one": {"task": "t"}}, "tasks": {"t": {"protocol": "reduced", "top": 3}}},
    }
    found = find(config, "scalable_pate.runs.run.student.widths.1")
    assert (found.value, found.place, found.protocol) == (2, "models.net.widths.1", "ensembles.votes.protocol")
    assert find(config, "scalable_pate.runs.run.ensemble.model.widths").promised
    assert find(config, "dp_mac.curves.series=b,noise=none.n").value == 2
    assert find(config, "dp_mac.curves.series=c,noise=none.n").value is None
    task = find(config, "residual_perturbation.tables.one.task.top")
    assert (task.value, task.place, task.promised) == (3, "residual_perturbation.tasks.t.top", False)
    assert find(config, "residual_perturbation.tables.two.task.top").value is None
    assert [found.value for _, found in differences(config, [row("models.net.widths.0"), row("models.net.none")])] == [
        None
    ]


def test_a_preset_that_needs_a_gpu_is_refused_on_the_cpu_unless_forced():
    with pytest.raises(InputError) as caught:
        load([ROOT / "presets" / "paper.yaml"], {"device": "cpu"})
    assert str(caught.value) == (
        "device = 'cpu': the preset paper would train for years; allowed is cuda, or allow_cpu=true beside device=cpu"
    )
    load([ROOT / "presets" / "paper.yaml"], {"device": "cpu", "allow_cpu": True})
    check_device(quick())


def test_the_committed_page_is_what_the_script_makes(tmp_path):
    page.main(["--page", str(tmp_path / "page.md")])
    assert page.PAGE.read_text(encoding="utf-8") == (tmp_path / "page.md").read_text(encoding="utf-8")
