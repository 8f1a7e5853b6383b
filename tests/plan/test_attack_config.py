"""The block residual_perturbation of the configuration: what a schema cannot refuse."""

import pytest

from lib.plan.config import check_config
from lib.plan.residual_perturbation_checks import check_attacks, shows_patients
from tests.plan.configurations import CONFIG, SCHEMA, changed, refusal

PAPER = "residual_perturbation"


def test_patches_of_patients_are_known_as_such():
    for name, patients in (("tissue_patches", False), ("idc", True), ("idc_samples", True)):
        config = CONFIG | {"residual_perturbation": CONFIG["residual_perturbation"] | {"patches": name}}
        check_attacks(config)
        assert shows_patients(config) == patients


def test_tables_and_figures_may_be_left_out():
    check_config(changed(f"{PAPER}.tables.table1", None), SCHEMA)
    check_config(changed(f"{PAPER}.figures.fig6", None), SCHEMA)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("patches", "tisue", "patches = 'tisue': not in datasets; allowed: "),
        ("tasks.shapes.dataset", "shape", "tasks.shapes.dataset = 'shape'"),
        ("tasks.tissue.top", 3, "tasks.tissue.top = 3: allowed is at most classes"),
        (
            "tasks.shapes.dp_sgd.batch",
            65,
            "tasks.shapes.dp_sgd.batch = 65: allowed is at most tasks.shapes.quarter = 48",
        ),
        (
            "tasks.shapes.dp_sgd.delta",
            0.5,
            "tasks.shapes.dp_sgd.delta = 0.5: allowed is less than one in tasks.shapes.quarter = 48",
        ),
        ("tasks.shapes.dp_sgd.delta", 1 / 48, "allowed is less than one in tasks.shapes.quarter = 48"),
        ("tasks.shapes.protocol", "shorter", "tasks.shapes.passes = None: allowed with protocol shorter, and needed"),
        ("tasks.mnist.protocol", "reduced", "tasks.mnist.passes = 542: allowed with protocol shorter, and needed"),
        ("methods.dp_sgd.norm", "batch", "methods.dp_sgd: allowed is norm group"),
        ("methods.plain.norm", "group", "methods.plain: allowed is norm group"),
        ("networks.0.task", "digts", "networks.0.task = 'digts'"),
        ("networks.0.method", "plane", "networks.0.method = 'plane'"),
        ("networks.0.gammas", [0, 1], "networks.0.gammas = [0, 1]: allowed is 0"),
        ("networks.1.gammas", [0], "networks.1.gammas = [0]: allowed is above 0"),
        ("networks.1.repetitions", 4, "networks.1.repetitions = 4: attacks with a plain shadow need as many of plain"),
        ("networks.2.members", 2, "networks.2.members = 2: allowed is 1 for DP-SGD"),
        ("networks.1", CONFIG["residual_perturbation"]["networks"][0], "plain at 0 on digits stands twice"),
        (
            "tables.table1.rows",
            [["strategy1", 0.7, 1]],
            "tables.table1.rows.0: residual_perturbation.networks trains no strategy1 at 0.7 on tissue; "
            "there: plain at 0, strategy1 at 0.5, ",
        ),
        (
            "tables.table1.rows",
            [["strategy1", 0.5, 2]],
            "2 members of strategy1 at 0.5 on tissue; allowed are 1, as residual_perturbation.networks has 1",
        ),
        ("tables.table1.task", "mnist", "on mnist"),
        ("figures.fig3.tasks", ["tissue", "shapes"], "allowed is one"),
        (
            "figures.fig3.tasks",
            ["mnist"],
            "trains no plain at 0 on mnist, which attacks on every task need; there: nothing",
        ),
        (
            "figures.fig3.method",
            "strategy1_std",
            "trains no network of it with noise on tissue; allowed is strategy1 or strategy2",
        ),
        ("tradeoff.task", "mnist", "tradeoff: residual_perturbation.networks trains no control at 0 on mnist"),
        (
            "tables.table3",
            None,
            "tradeoff: residual_perturbation.tables.table3 is null; it is needed, for its row of DP-",
        ),
        (
            "tradeoff.curves",
            [{"title": "T", "gamma": 0.7, "methods": ["strategy1"], "end": None}],
            "tradeoff.curves.0.methods: residual_perturbation.networks trains no strategy1 at 0.7 on shapes",
        ),
        (
            "tradeoff.curves",
            [{"title": "T", "gamma": 0, "methods": ["plain"], "end": "strategy1"}],
            "tradeoff.curves.0.end = 'strategy1': Table III has no such row; allowed is plain or dp_sgd",
        ),
        (
            "tradeoff.curves",
            [{"title": "T", "gamma": 0, "methods": ["plain"], "end": "plain"}],
            "tradeoff.curves.0.methods: trained for [12, 12] epochs; allowed are epochs that rise",
        ),
        ("recipes.task", "mnist", "recipes: residual_perturbation.networks trains no control at 0 on mnist"),
        (
            "recipes.methods",
            ["strategy1", "strategy2"],
            "recipes.methods.1 = 'strategy2': residual_perturbation.networks trains none on shapes at 0.75 or 4.5, nor",
        ),
        (
            "recipes.points",
            [{"gamma": gamma, "auc": 0.5, "test_accuracy": 0.5} for gamma in (4.5, 0.75)],
            "recipes.points: gamma = [4.5, 0.75]; allowed are noise coefficients that rise",
        ),
        ("sizes", [1], "2 members of "),
        (
            "tasks.digits.recipe.epochs",
            6,
            "tasks.digits.recipe.milestones = [6]: of plain on digits, allowed are epochs that rise, below epochs = 6",
        ),
        (
            "methods.strategy1.recipe",
            {"epochs": 5, "milestones": [3, 2]},
            "methods.strategy1.recipe.milestones = [3, 2]",
        ),
        ("methods.strategy1.recipe", {"milestones": [3, 3]}, "strategy1.recipe.milestones = [3, 3]: of strategy1 on"),
        (
            "methods.dp_sgd.recipe",
            {"batch": 49},
            "methods.dp_sgd.recipe.batch = 49: of dp_sgd on shapes, allowed is at",
        ),
        (
            "methods.strategy1_std.title",
            "Strategy I",
            "rows.2: strategy1 and strategy1_std have one title, 'Strategy I', and both are shown at 0.75",
        ),
        (
            "tables.table1.rows",
            [["plain", 0, 1], ["strategy1", 0.5, 1], ["plain", 0, 1]],
            "tables.table1.rows.2 = ['plain', 0, 1]: stands twice",
        ),
        (
            "tasks.shapes_100.label",
            "textured shapes, 10 classes",
            "figures.fig7.tasks = ['shapes', 'shapes_100', 'tissue']",
        ),
        ("audit.tasks.shapes_slots.canaries", 97, "canaries = 97: allowed is at most samples = 96"),
        ("audit.tasks.shapes_slots.canaries", 1, "canaries = 1: allowed is at least one a repetition"),
        ("audit.tasks.shapes_small.runs", 1, "runs = 1: allowed is at least two a repetition"),
    ],
)
def test_what_is_not_trained_or_known_is_refused(path, value, message):
    line = refusal(changed(f"{PAPER}.{path}", value))
    assert message in line and line.startswith("residual_perturbation.")


def test_a_method_of_dp_sgd_may_change_all_that_its_training_has():
    recipe = {"sigma": 2.0, "clip": 0.5, "decay": 0.5, "decay_every": 3, "momentum": 0.5, "rate": 0.2, "epochs": 5}
    check_config(changed(f"{PAPER}.methods.dp_sgd.recipe", recipe), SCHEMA)


def test_every_table_needs_its_positive_control():
    networks = [entry for entry in CONFIG[PAPER]["networks"] if entry["method"] != "control"]
    assert "trains no control at 0 on tissue, which attacks on every task need" in refusal(
        changed(f"{PAPER}.networks", networks)
    )
