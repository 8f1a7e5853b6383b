"""The block residual_perturbation of the configuration: what a schema cannot refuse."""

import copy
from pathlib import Path

import pytest
import yaml

from lib.core.errors import InputError
from lib.plan.residual_perturbation_checks import check_attacks, shows_patients

ROOT = Path(__file__).parents[2]
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text())


def changed(path: str, value: object) -> dict:
    config = copy.deepcopy(CONFIG)
    *way, last = path.split(".")
    block = config["residual_perturbation"]
    for key in way:
        block = block[int(key) if key.isdigit() else key]
    block[int(last) if last.isdigit() else last] = value
    return config


@pytest.mark.parametrize("preset", ["real", "paper"])
def test_every_preset_is_allowed(preset):
    check_attacks(CONFIG)
    over = yaml.safe_load((ROOT / "presets" / f"{preset}.yaml").read_text())["residual_perturbation"]
    config = copy.deepcopy(CONFIG)
    block = config["residual_perturbation"]
    for key, value in over.items():
        block[key] = block[key] | value if isinstance(value, dict) and block[key] else value
    check_attacks(config)


def test_patches_of_patients_are_known_as_such():
    for name, patients in (("tissue_patches", False), ("idc", True), ("idc_samples", True)):
        config = CONFIG | {"residual_perturbation": CONFIG["residual_perturbation"] | {"patches": name}}
        check_attacks(config)
        assert shows_patients(config) == patients


def test_tables_and_figures_may_be_left_out():
    check_attacks(changed("tables.table1", None))
    check_attacks(changed("figures.fig6", None))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("patches", "tisue", "patches = 'tisue': allowed: "),
        ("tasks.shapes.dataset", "shape", "tasks.shapes.dataset = 'shape'"),
        ("tasks.tissue.top", 3, "tasks.tissue.top = 3: allowed is at most classes"),
        ("tasks.shapes.dp_sgd.batch", 65, "tasks.shapes.dp_sgd.batch = 65: allowed is at most quarter"),
        ("methods.dp_sgd.norm", "batch", "methods.dp_sgd: allowed is norm group"),
        ("methods.plain.norm", "group", "methods.plain: allowed is norm group"),
        ("networks.0.task", "digts", "networks.0.task = 'digts'"),
        ("networks.0.method", "plane", "networks.0.method = 'plane'"),
        ("networks.0.gammas", [0, 1], "networks.0.gammas = [0, 1]: allowed is 0"),
        ("networks.1.gammas", [0], "networks.1.gammas = [0]: allowed is above 0"),
        ("networks.1.repetitions", 4, "networks.1.repetitions = 4: attacks with a plain shadow need as many of plain"),
        ("networks.2.members", 2, "networks.2.members = 2: allowed is 1 for DP-SGD"),
        ("networks.1", CONFIG["residual_perturbation"]["networks"][0], "plain at 0 on digits stands twice"),
        ("tables.table1.rows", [["strategy1", 0.7, 1]], "have not 1 of strategy1 at 0.7 on tissue"),
        (
            "tables.table1.rows",
            [["strategy1", 0.5, 2]],
            "have not 2 of strategy1 at 0.5 on tissue; allowed are at most 1",
        ),
        ("tables.table1.task", "mnist", "on mnist"),
        ("figures.fig3.tasks", ["tissue", "shapes"], "allowed is one"),
        ("figures.fig3.tasks", ["mnist"], "have not 1 of plain at 0 on mnist"),
        ("figures.fig3.method", "strategy1_std", "no noise of it on tissue"),
        ("sizes", [1], "have not 2 of "),
    ],
)
def test_what_is_not_trained_or_known_is_refused(path, value, message):
    with pytest.raises(InputError) as caught:
        check_attacks(changed(path, value))
    assert message in str(caught.value) and str(caught.value).startswith("residual_perturbation.")
    assert "\n" not in str(caught.value)


def test_every_table_needs_its_positive_control():
    config = copy.deepcopy(CONFIG)
    block = config["residual_perturbation"]
    block["networks"] = [entry for entry in block["networks"] if entry["method"] != "control"]
    with pytest.raises(InputError, match="have not 1 of control at 0"):
        check_attacks(config)
