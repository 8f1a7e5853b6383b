"""The scripts of the leaderboard, from a dataset to the table, as the rules call them."""

import copy
import json
import time

import numpy as np
import pandas as pd
import pytest
import torch

from lib.core.checkpoint import Checkpoint
from lib.core.command import Training
from lib.core.errors import InputError
from lib.core.files import load_arrays, save_arrays
from lib.core.seeding import generator
from lib.leaderboard.gradients import Plain
from lib.leaderboard.network import network_trainer
from lib.leaderboard.shard import each_world
from lib.leaderboard.worlds import read_private
from lib.plan.leaderboard_checks import ASK_TEACHERS
from lib.reporting.records import read_record
from scripts import (
    attack_worlds,
    audit_releases,
    count_world_votes,
    draw_worlds,
    leaderboard,
    leaderboard_cost,
    train_worlds,
)
from tests.redrawn import assert_redrawn

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]

SIZES = {"slots": 60, "canaries": 20, "public": 40, "test": 40, "worlds": 4, "classes": 3}
PRIVACY = {
    "delta": 1e-3,
    "classes": 3,
    "largest": 16,
    "orders": {"linear": [1.5, 64, 0.5], "logarithmic": [64, 256, 12]},
}
ADAM = {"batch": 20, "epochs": 4, "rate": 0.02, "optimizer": "adam"}
METHODS = {
    "memorised": {"kind": "memorised", "hidden": [8], "recipe": ADAM},
    "gnmax": {"kind": "gnmax", "queries": 20, "teachers": 6, "student": {"hidden": [], "recipe": ADAM}},
}
ENTRIES = {"memorised": "memorised/none", "gnmax": "gnmax/8"}
ATTACKED = {"scores": "", "curves": ".roc", "audits": ".audit"}  # ends of the files of a shard of attacks
ATTACKS = {
    "shadow": {"rate": 0.001, "top": 3, "epochs": 1, "batch": 128},
    "rates": [0.2],
    "level": 0.95,
    "guesses": [1.0],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What all scripts before the table wrote, in two shards of worlds."""
    root = tmp_path_factory.mktemp("leaderboard")
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3
    x = np.clip(rng.normal(4 + 4 * y[:, None], 2, (300, 16)), 0, 16).astype(np.uint8)
    save_arrays(root / "data.npz", x=x.reshape(300, 4, 4), y=y, fingerprint=np.array("f" * 64))
    parts = ["--worlds", str(root / "worlds.npz"), "--public", str(root / "public.npz")]
    seeded = ["--seed", "1", "--job", "leaderboard"]
    given = ["--data", str(root / "data.npz"), "--sizes", json.dumps(SIZES)]
    draw_worlds.main([*given, *seeded, "worlds", *parts])
    for shard in (0, 1):
        work = [*parts, "--shard", str(2 * shard), str(2 * shard + 2), "--device", "cpu", "--threads", "1"]
        work += ["--checkpoint", str(root / "checkpoint.npz")]
        model = json.dumps({"kind": "logistic_regression", "iterations": 20})
        asked = ["--teachers", "6", "--model", model, "--classes", "3", *seeded, "teachers"]
        written = ["--votes", str(root / f"votes{shard}.npz"), "--cost", str(root / f"votes{shard}.csv")]
        count_world_votes.main([*asked, *work, *written])
        for name, method in METHODS.items():
            budget = "none" if name == "memorised" else "8"
            told = ["--method", json.dumps(method), "--budget", budget, "--privacy", json.dumps(PRIVACY)]
            told += ["--preset", "test", "--dataset", "made", *seeded, name, budget, *work]
            told += ["--votes", str(root / f"votes{shard}.npz")] if name == "gnmax" else []
            written = ["--predictions", str(root / f"{name}{shard}.npz"), "--record", str(root / f"{name}{shard}.json")]
            train_worlds.main([*told, *written, "--cost", str(root / f"{name}{shard}.csv")])
    attack(root, "0", *METHODS)
    told = ["--entries", json.dumps([["gnmax", "8", METHODS["gnmax"]]]), "--privacy", json.dumps(PRIVACY)]
    told += ["--slots", "60", "--runs", "400", "--level", "0.95", "--bounds", str(root / "releases.csv")]
    audit_releases.main([*told, "--seed", "1", "--job", "leaderboard", "releases"])
    return root


def test_a_board_on_which_nothing_is_released_has_an_empty_audit(tmp_path):
    told = ["--privacy", json.dumps(PRIVACY), "--slots", "60", "--runs", "400", "--level", "0.95"]
    audit_releases.main([*told, "--seed", "1", "--job", "board", "--bounds", str(tmp_path / "releases.csv")])
    assert (tmp_path / "releases.csv").read_text().split() == ["entry,lower_bound,largest,runs"]


def attack(root, place, *names):
    """Attack the entries of some methods in one job, and write what it finds as the shard `place`."""
    told = ["--worlds", str(root / "worlds.npz"), "--attacks", json.dumps(ATTACKS), "--targets", "0", "1"]
    told += ["--choosing", "2", "3"]
    told += ["--predictions", *(f"{root}/{name}{shard}.npz" for name in names for shard in (0, 1))]
    told += ["--entries", *(ENTRIES[name] for name in names), "--delta", "1e-3"]
    told += ["--seed", "1", "--job", "leaderboard", "attack"]
    attack_worlds.main([*told, *(f"--{option}={root}/{place}{end}.csv" for option, end in ATTACKED.items())])


def board(folder, *names):
    """The table of some methods."""
    entries = [{"method": name, "budget": "none" if name == "memorised" else "8", "title": name} for name in names]
    settings = {
        "label": "made",
        "slots": 60,
        "canaries": 20,
        "worlds": 4,
        "targets": [0, 1],
        "delta": 1e-3,
        "rates": [0.2],
    }
    told = [f"--{option}={folder}/0{ATTACKED[option]}.csv" for option in ("scores", "audits")]
    told += ["--records", *(f"{folder}/{name}{shard}.json" for name in names for shard in (0, 1))]
    told += ["--releases", f"{folder}/releases.csv"]
    told += ["--entries", json.dumps(entries), "--settings", json.dumps(settings)]
    for name in ("table", "privacy", "png", "pdf"):
        told += [f"--{name}", f"{folder}/board.{name}"]
    leaderboard.main(told)
    assert_redrawn(leaderboard, f"{folder}/board.png", f"{folder}/board.table")
    return pd.read_csv(folder / "board.table")


def test_shards_are_of_the_worlds_they_say(folder):
    private = read_private(folder / "worlds.npz")
    assert private.chosen.shape == (4, 60)
    for shard in (0, 1):
        assert load_arrays(folder / f"votes{shard}.npz")["votes"].shape == (2, 40, 3)
        # the control that leaks all gives its own records their labels with certainty
        found = load_arrays(folder / f"memorised{shard}.npz")["probabilities"]
        for place in (0, 1):
            rows = 2 * np.arange(60) + private.chosen[2 * shard + place]
            assert (found[place][rows, private.y[rows]] == 1).all()


def test_the_control_is_found_out_and_the_private_method_keeps_its_budget(folder):
    table = board(folder, "memorised", "gnmax").set_index("method")
    assert table.loc["memorised", "auc"] > 0.95
    assert table.loc["memorised", "lower_bound"] > 1
    assert np.isnan(table.loc["memorised", "epsilon"]) and table.loc["memorised", "guarantee"] == "no"
    assert 7.98 < table.loc["gnmax", "epsilon"] <= 8 and table.loc["gnmax", "guarantee"] == "yes"
    assert 0 < table.loc["gnmax", "lower_bound_mechanism"] < table.loc["gnmax", "epsilon"]
    assert 4 > table.loc["gnmax", "largest_mechanism"] > 3
    assert table.loc["memorised", ["lower_bound_mechanism", "largest_mechanism"]].isna().all()
    assert table["accuracy"].between(0, 100).all() and table["auc"].between(0, 1).all()
    meanings = pd.read_csv(folder / "board.privacy").set_index(["method", "column"])
    assert list(meanings.index) == [("gnmax", "epsilon"), ("gnmax", "epsilon_renyi")]
    for (_, column), told in meanings.iterrows():
        assert told["neighbouring"] == "replace_one" and bool(told["guarantee"])
        assert told["epsilon"] == table.loc["gnmax", column]
    assert meanings["accountant"].tolist() == ["analytic gaussian", "rdp"]
    assert 8 < table.loc["gnmax", "epsilon_renyi"] < 10
    assert np.isnan(table.loc["memorised", "epsilon_renyi"])


@pytest.mark.parametrize("names", [("gnmax",), ("gnmax", "memorised")])
def test_attacks_do_not_depend_on_the_shards_of_entries(folder, names):
    attack(folder, "other", *names)
    for end in ATTACKED.values():
        together, other = (pd.read_csv(folder / f"{place}{end}.csv") for place in ("0", "other"))
        assert set(other["entry"]) == {ENTRIES[name] for name in names} and len(set(together["entry"])) == 2
        for entry, rows in other.groupby("entry"):
            same = together[together["entry"] == entry].reset_index(drop=True)
            pd.testing.assert_frame_equal(rows.reset_index(drop=True), same, check_exact=True, check_dtype=False)


def test_an_attack_needs_what_was_predicted_in_every_world(folder):
    told = ["--worlds", str(folder / "worlds.npz"), "--predictions", str(folder / "gnmax0.npz"), "--entries", "gnmax/8"]
    told += ["--attacks", json.dumps(ATTACKS), "--targets", "0", "--choosing", "1", "--delta", "1e-3"]
    told += ["--seed", "1", "--job", "attack"]
    with pytest.raises(InputError, match=r"^predictions of 2 worlds: allowed are the 4 there are$"):
        attack_worlds.main([*told, *(f"--{option}={folder}/none{end}.csv" for option, end in ATTACKED.items())])


def test_the_bound_is_of_the_target_that_was_named_first(folder):
    table = board(folder, "memorised", "gnmax").set_index("method")
    audit = pd.read_csv(folder / "0.audit.csv")
    audit = audit[(audit["entry"] == "memorised/none") & (audit["score"] == "lira")]
    audit = audit.set_index("target")["lower_bound"]
    row = table.loc["memorised"]
    assert row["lower_bound"] == pytest.approx(audit[0], rel=1e-5)
    assert row["lower_bound_mean"] == pytest.approx(audit.mean(), rel=1e-5)
    assert row["lower_bound_highest"] == pytest.approx(audit.max(), rel=1e-5)
    assert "negative_auc" not in table


def test_all_of_a_row_is_of_the_attack_that_was_chosen_on_other_worlds(folder):
    """Whatever is strongest on the targets: what is shown is of one attack, chosen by the worlds that are not."""
    scores = pd.read_csv(folder / "0.csv")
    assert set(scores["target"][scores["choosing"]]) == {2, 3} and set(scores["target"][~scores["choosing"]]) == {0, 1}
    gnmax = scores[scores["entry"] == "gnmax/8"].copy()
    gnmax["auc"] = 0.5
    gnmax.loc[gnmax["choosing"] & (gnmax["attack"] == "lira_shift"), "auc"] = 0.6
    gnmax.loc[~gnmax["choosing"] & (gnmax["attack"] == "rmia"), "auc"] = 0.9
    shown = leaderboard.strongest(gnmax)
    assert set(shown["attack"]) == {"lira_shift"} and shown["target"].tolist() == [0, 1]
    gnmax["auc"] = 0.5
    assert set(leaderboard.strongest(gnmax)["attack"]) == {"threshold"}
    row = board(folder, "memorised", "gnmax").set_index("method").loc["gnmax"]
    own = scores[(scores["entry"] == "gnmax/8") & ~scores["choosing"] & (scores["attack"] == row["attack"])]
    for column in ("auc", "tpr_0.2"):
        assert row[column] == pytest.approx(own[column].mean(), rel=1e-5)
        assert row[f"{column}_low"] == pytest.approx(own[f"{column}_low"].min(), rel=1e-5)
        assert row[f"{column}_draws_low"] <= row[column] <= row[f"{column}_draws_high"]


def test_a_stopped_job_does_not_go_on_with_worlds_that_were_drawn_anew(folder, tmp_path, monkeypatch):
    """Stopped after two of three worlds; the same dataset, split into other worlds, in the same files."""
    monkeypatch.setattr(Checkpoint, "due", lambda self: True)
    fit, fitted = Plain.fit, []

    def stopping(self, given):
        fitted.append(given.context.job[-1])
        if len(fitted) == 3:
            raise KeyboardInterrupt
        return fit(self, given)

    monkeypatch.setattr(Plain, "fit", stopping)

    def draw(canaries):
        told = ["--data", str(folder / "data.npz"), "--sizes", json.dumps(SIZES | {"canaries": canaries})]
        told += ["--seed", "1", "--job", "leaderboard", "worlds", "--worlds", f"{tmp_path}/worlds.npz"]
        draw_worlds.main([*told, "--public", f"{tmp_path}/public.npz"])

    def train(name):
        told = ["--worlds", f"{tmp_path}/worlds.npz", "--public", f"{tmp_path}/public.npz", "--shard", "0", "3"]
        told += ["--device", "cpu", "--threads", "1", "--checkpoint", f"{tmp_path}/{name}.checkpoint.npz"]
        told += ["--method", json.dumps(METHODS["memorised"] | {"kind": "plain"}), "--budget", "none"]
        told += ["--privacy", json.dumps(PRIVACY), "--preset", "test", "--seed", "1", "--dataset", "made"]
        told += ["--job", "leaderboard", "plain", "none"]
        told += ["--predictions", f"{tmp_path}/{name}.npz", "--record", f"{tmp_path}/{name}.json"]
        train_worlds.main([*told, "--cost", f"{tmp_path}/{name}.csv"])
        return load_arrays(tmp_path / f"{name}.npz")["probabilities"]

    draw(20)
    with pytest.raises(KeyboardInterrupt):
        train("stopped")
    assert len(load_arrays(tmp_path / "stopped.checkpoint.npz")["probabilities"]) == 2
    draw(40)
    found = train("stopped")
    assert fitted[3:] == ["0", "1", "2"]
    np.testing.assert_array_equal(found, train("fresh"))


def test_worlds_may_be_told_by_features_of_the_public_pool(folder, tmp_path):
    features = {"patch": 2, "kinds": 3, "unit": 32}
    told = ["--data", str(folder / "data.npz"), "--sizes", json.dumps(SIZES), "--seed", "1", "--job", "leaderboard"]
    files = ["--worlds", f"{tmp_path}/worlds.npz", "--public", f"{tmp_path}/public.npz"]
    draw_worlds.main([*told, "worlds", *files, "--features", json.dumps(features)])
    as_images = [load_arrays(folder / f"{name}.npz") for name in ("worlds", "public")]
    found = [load_arrays(tmp_path / f"{name}.npz") for name in ("worlds", "public")]
    for images, own in zip(as_images, found, strict=True):
        assert own["x"].shape == (len(images["x"]), 12) and own["x"].dtype == np.int8
        for name in {"y", "chosen", "canaries", "test_y"} & set(images):
            np.testing.assert_array_equal(own[name], images[name])
    assert str(found[1]["fingerprint"]) != str(as_images[1]["fingerprint"])
    work = [*files, "--shard", "0", "1", "--device", "cpu", "--threads", "1", "--checkpoint", f"{tmp_path}/c.npz"]
    work += ["--method", json.dumps(METHODS["memorised"] | {"kind": "plain"}), "--budget", "none"]
    work += ["--privacy", json.dumps(PRIVACY | {"largest": 32}), "--preset", "test", "--dataset", "made"]
    written = [f"--{name}={tmp_path}/{name}" for name in ("predictions", "record", "cost")]
    train_worlds.main([*work, *told[4:], "plain", "none", *written])
    assert load_arrays(tmp_path / "predictions")["probabilities"].shape == (1, 120, 3)


def test_a_job_that_was_stopped_and_goes_on_says_what_all_its_worlds_cost(tmp_path, monkeypatch):
    def work(number):
        if number == stopped:
            raise KeyboardInterrupt
        worked.append(number)
        time.sleep(0.01 * number)
        return {"found": np.array(number)}

    def write(found):
        if full:
            raise OSError
        kept.update(found)

    monkeypatch.setattr(Checkpoint, "due", lambda self: True)
    training = Training(device="cpu", threads=1, checkpoint=tmp_path / "state.npz", settings={})
    written = tmp_path / "cost.csv"
    told = {"shard": range(1, 4), "work": work, "write": write, "read": {}, "training": training, "code": "code"}
    worked, kept = [], {}
    stopped, full = 3, False
    with pytest.raises(KeyboardInterrupt):
        each_world(**told, cost=written)
    stopped, full = None, True
    with pytest.raises(OSError):
        each_world(**told, cost=written)
    assert not written.exists() and not kept and training.checkpoint.exists()
    full = False
    each_world(**told, cost=written)
    assert list(kept["found"]) == worked == [1, 2, 3] and not training.checkpoint.exists()
    cost = pd.read_csv(written)
    assert list(cost["world"]) == [1, 2, 3]
    assert (cost["seconds"] >= 0.0099 * cost["world"]).all() and (cost["memory_mib"] > 1).all()
    assert (cost["processor_seconds"] <= cost["seconds"] + 0.1).all()


STUDENT = {"queries": 20, "teachers": 6, "student": {"hidden": [], "recipe": ADAM | {"epochs": 1}}}
PRIVATE = {
    **{kind: {"kind": kind, **STUDENT} for kind in ("gnmax", "lnmax", "encoded_mean")},
    "confident": {"kind": "confident_gnmax", **STUDENT, "max_answered": 10, "ratio": 2.0, "threshold": 0.3},
    "dp_sgd": {"kind": "dp_sgd", "hidden": [], "recipe": {"batch": 60, "epochs": 2, "rate": 1.0, "clip": 1.0}},
    "dp_mac": {
        "kind": "dp_mac",
        "hidden": [4],
        "threshold": 0.3,
        "recipe": {"batch": 60, "epochs": 2, "z_steps": 1, "z_rate": 0.02, "w_steps": 1, "w_rate": 0.1},
    },
}


def test_all_noise_is_drawn_once(folder, tmp_path, monkeypatch):
    """By every method, at every budget, in every world: whoever has two releases cannot subtract the noise of one."""
    first: dict[tuple[str, str], list[float]] = {}
    running = []

    def recorded(made, role):
        def make(seed, *job):
            rng = made(seed, *job)
            if job[-1].startswith(role):
                first[running[-1]].append(copy.deepcopy(rng).standard_normal())
            return rng

        return make

    def trainer(*given):
        made = network_trainer(*given)
        if given[4] > 0:  # sigma
            drawn = torch.randn(1, generator=torch.Generator().manual_seed(made._noise.initial_seed()))
            first[running[-1]].append(float(drawn))
        return made

    monkeypatch.setattr("lib.core.seeding.generator", recorded(generator, ("aggregation", "noise ")))
    monkeypatch.setattr("lib.leaderboard.network.network_trainer", trainer)
    for name, method in PRIVATE.items():
        for budget in ("1", "8"):
            running.append((name, budget))
            first[running[-1]] = []
            told = ["--worlds", f"{folder}/worlds.npz", "--public", f"{folder}/public.npz", "--shard", "0", "2"]
            told += ["--device", "cpu", "--threads", "1", "--checkpoint", f"{tmp_path}/checkpoint.npz"]
            told += ["--method", json.dumps(method), "--budget", budget, "--privacy", json.dumps(PRIVACY)]
            told += ["--votes", f"{folder}/votes0.npz"] if method["kind"] in ASK_TEACHERS else []
            told += ["--preset", "test", "--dataset", "made", "--seed", "1", "--job", "leaderboard", name, budget]
            told += ["--predictions", f"{tmp_path}/found.npz", "--record", f"{tmp_path}/found.json"]
            train_worlds.main([*told, "--cost", f"{tmp_path}/found.csv"])
    for (name, _), drawn in first.items():
        assert len(drawn) == (4 if name == "dp_mac" else 2)  # DP-MAC: a generator a step, and two steps
    everything = [draw for drawn in first.values() for draw in drawn]
    assert len(set(everything)) == len(everything) == 28


def test_a_record_says_how_much_noise_there_was(folder):
    record = read_record(folder / "gnmax0.json")
    assert record["parameters"]["noise"]["sigma"] > 0
    assert set(record["private_metrics"]) == {"accuracy 0", "accuracy 1"}


def test_cost_is_shared_among_worlds(tmp_path):
    for name, seconds in (("a", 10), ("few", 30), ("many", 60)):
        rows = {"world": range(4), "seconds": seconds / 4, "processor_seconds": seconds / 4, "memory_mib": 100.0}
        pd.DataFrame(rows).to_csv(tmp_path / f"{name}.csv", index=False)
    kinds = {"gnmax": "few", "plain": None, "lnmax": "many"}
    entries = [{"title": kind, "kind": kind, "budget": "1"} for kind in kinds]
    told = ["--costs", *[f"{tmp_path}/a.csv"] * 3, "--asks", "gnmax", "lnmax", "--worlds", "4"]
    told += ["--teachers", *(f"{tmp_path}/{name}.csv" for name in kinds.values() if name)]
    leaderboard_cost.main([*told, "--entries", json.dumps(entries), "--table", f"{tmp_path}/cost.csv"])
    table = pd.read_csv(tmp_path / "cost.csv")
    assert table["seconds_per_world"].tolist() == [10, 2.5, 17.5]
    assert table["teachers_processor_seconds_per_world"].tolist() == [7.5, 0, 15]
