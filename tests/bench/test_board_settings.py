"""The settings of the board of features: as many tried for each method, and the catalogue has the best of them."""

import json

import numpy as np
import pandas as pd
import pytest

from bench.board_settings import METHODS, SETTINGS, TABLE, best, combined, others, recipes, tried
from lib.core.code_inputs import ROOT
from lib.core.seeding import Draws
from lib.data.samples import Samples
from lib.leaderboard.method_settings import settings_at
from lib.leaderboard.worlds import draw_worlds
from lib.plan.config import layered
from lib.plan.leaderboard_checks import ASK_TEACHERS

BLOCK = layered([ROOT / "presets" / "real.yaml"])["leaderboard"]
FOLLOWS = {  # what is not tried, and whose settings it has
    "feature_memorised": "feature_plain",
    "feature_dp_sgd_broken": "feature_dp_sgd",
    "feature_gnmax_broken": "feature_gnmax",
    "feature_taught": "feature_gnmax",
}


def laid_over(settings, over):
    """Settings with others laid over them, as a block is read at an epsilon."""
    return settings_at({**settings, "per_epsilon": [[1.0, over]]}, 1.0)


def test_every_method_has_twelve_settings_that_differ():
    for name, settings in SETTINGS.items():
        different = {json.dumps(over, sort_keys=True) for over in settings}
        assert len(different) == len(settings) == (3 if name in METHODS else 12)
    by_hand = {"feature_longer", "feature_dp_mac_warm"}
    assert {*SETTINGS, *FOLLOWS, *by_hand} - {*METHODS} == set(BLOCK["chosen"])
    assert BLOCK["methods"]["feature_longer"]["recipe"]["epochs"] == 30  # beside what was chosen by accuracy


def test_the_table_has_all_that_is_tried_once():
    table = pd.read_csv(TABLE)
    found = [(row.method, row.epsilon, row.settings) for row in table.fillna({"epsilon": 0}).itertuples()]
    wanted = [(name, epsilon or 0, json.dumps(over, sort_keys=True)) for name, epsilon, over in tried(BLOCK)]
    assert sorted(found) == sorted(wanted)
    assert (table["least"] <= table["accuracy"]).all() and (table["accuracy"] <= table["most"]).all()


def test_the_catalogue_has_the_best():
    chosen = best(pd.read_csv(TABLE))
    teachers = {epsilon: chosen.pop(("teachers", epsilon))["teachers"] for epsilon in BLOCK["epsilons"]}
    for (name, epsilon), over in chosen.items():
        method = BLOCK["methods"][name]
        settings = settings_at(method, epsilon)
        if method["kind"] in ASK_TEACHERS:
            assert settings.pop("teachers", BLOCK["teachers"]["count"]) == teachers[epsilon], (name, epsilon)
        assert laid_over(settings_at(method, None), over) == settings, (name, epsilon)


@pytest.mark.parametrize("name", FOLLOWS)
def test_controls_have_the_settings_of_what_they_control(name):
    own, followed = (BLOCK["methods"][one] for one in (name, FOLLOWS[name]))
    at = settings_at(followed, max(BLOCK["epsilons"]))
    if name == "feature_taught":
        at |= at.pop("student")
    same = {key: value for key, value in settings_at(own, None).items() if key not in ("title", "kind")}
    assert same == {key: value for key, value in at.items() if key not in ("title", "kind")}


def test_settings_are_tried_on_no_image_of_the_board():
    rows = np.arange(200)
    samples = Samples(np.stack([rows % 256, rows // 256], 1).astype(np.uint8), rows % 3, "made", 150)
    block = {"slots": 40, "public": 20, "test": 30}
    left = others(samples, block, 5)
    private, public = draw_worlds(
        samples, **block, canaries=3, worlds=2, classes=3, draws=Draws(5, ("leaderboard", "worlds"))
    )
    used = {tuple(row) for part in (private.x, public.x, public.test_x) for row in part}
    assert len(left.y) == 150 - 100 and not used & {tuple(row) for row in left.x}
    assert left.official_train is None


def test_choices_are_joined_key_by_key():
    found = combined([{"a": 1}, {"a": 2}], recipes(rate=[0.1, 0.2], epochs=[3]), [{"recipe": {"batch": 4}}])
    assert len(found) == 4 and found[0] == {"a": 1, "recipe": {"rate": 0.1, "epochs": 3, "batch": 4}}


def test_the_first_of_equals_is_the_best():
    rows = [("m", 1.0, 5.0, "{}"), ("m", 1.0, 6.0, '{"a": 1}'), ("m", 1.0, 6.0, '{"a": 2}'), ("p", None, 1.0, "{}")]
    table = pd.DataFrame(rows, columns=["method", "epsilon", "accuracy", "settings"])
    assert best(table) == {("m", 1.0): {"a": 1}, ("p", None): {}}
