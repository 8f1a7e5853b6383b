"""Releases of a world: the noise of each draw, the number of answers, one teacher for each record, noise by world."""

import json

import numpy as np
import pandas as pd
import pytest
import torch

from lib.core.files import save_arrays
from lib.leaderboard import pate, votes
from lib.leaderboard.calibration import Calibrated
from lib.leaderboard.network import Mlp
from lib.leaderboard.votes import owners, teacher_votes
from lib.leaderboard.worlds import PrivateWorlds, PublicPart
from lib.training.context import Context
from scripts import count_world_votes, leaderboard, train_worlds
from tests.leaderboard.builders import CLASSIFIER
from tests.pate_accountant.test_ledger import CountingGenerator

QUERIES, TEACHERS, CLASSES = 30, 10, 4
STUDENT = Mlp((2, 2), 1.0, (), CLASSES)
NOISE = {"sigma": 3.0, "sigma_threshold": 7.0, "laplace_scale": 5.0}
VOTES = np.random.default_rng(1).multinomial(TEACHERS, [0.4, 0.3, 0.2, 0.1], size=QUERIES)
ANSWERED = 12
BUILT = {
    "lnmax": lambda: pate.pate_lnmax(QUERIES, TEACHERS, STUDENT, None, None),
    "gnmax": lambda: pate.pate_gnmax(QUERIES, TEACHERS, STUDENT, None, None),
    "confident": lambda: pate.pate_confident(QUERIES, ANSWERED, 2.0, 0.3, TEACHERS, STUDENT, None, None),
    "interactive": lambda: pate.pate_interactive(
        10, QUERIES, ANSWERED, 2.0, 0.3, 0.1, 1.0, TEACHERS, STUDENT, None, None
    ),
}


@pytest.fixture
def released(monkeypatch):
    """A function that releases answers by a method with the noise above: the rows answered, and what was drawn."""
    for name in ("lnmax_noise", "gnmax_noise", "confident_noise"):
        monkeypatch.setattr(pate, name, lambda *arguments: Calibrated(NOISE, {}))

    def release(kind, seed=3):
        rng = CountingGenerator(seed)
        _, rows = BUILT[kind]().release(VOTES, rng, lambda answers: np.full((QUERIES, CLASSES), 1 / CLASSES))
        return rows, rng.draws

    return release


def test_an_answer_has_noise_of_its_own_for_every_class(released):
    assert released("lnmax")[1] == [("laplace", 5.0, QUERIES * CLASSES)]
    assert released("gnmax")[1] == [("normal", 3.0, QUERIES * CLASSES)]


def test_every_check_has_the_checks_noise_and_every_answer_the_answers(released):
    rows, drawn = released("confident")
    (kind, scale, count), (other, answers, numbers) = drawn
    assert (kind, scale, count) == ("normal", 7.0, QUERIES)
    # answers beyond the last that is released are drawn and thrown away
    assert (other, answers) == ("normal", 3.0) and numbers % CLASSES == 0 and numbers >= CLASSES * len(rows)
    (check, first), (again, second) = (released("interactive")[1][i : i + 2] for i in (0, 2))
    assert [(one[1], one[2]) for one in (check, again)] == [(7.0, 10), (7.0, QUERIES - 10)]
    assert first[1] == second[1] == 3.0


@pytest.mark.parametrize("kind", ["confident", "interactive"])
def test_as_many_answers_are_released_as_are_charged_and_no_more(released, kind):
    assert {len(released(kind, seed)[0]) for seed in range(20)} == {ANSWERED}


def spied(monkeypatch, model):
    """The records of each teacher's part, told by their labels."""
    parts = {}

    def labels(*arguments):
        part = next(one for one in arguments if callable(one) and getattr(one, "__name__", "") == "part")
        parts.update({teacher: part(teacher) for teacher in range(TEACHERS)})
        return np.zeros((1, TEACHERS), int)

    for name in ("teacher_labels", "replica_labels"):
        monkeypatch.setattr(votes, name, labels)
    y = np.arange(45)
    x = np.repeat(y, 64).reshape(45, 8, 8).astype(np.uint8)
    teacher_votes(x, y, TEACHERS, model, x[:1], 45, Context(1, ("votes",), torch.device("cpu")))
    return parts


@pytest.mark.parametrize(
    "model", [CLASSIFIER, {"kind": "mlp", "hidden": [8], "recipe": {"steps": 2, "batch": 2, "rate": 0.01}}]
)
def test_every_record_is_in_the_part_of_one_teacher(monkeypatch, model):
    parts = spied(monkeypatch, model)
    assert sorted(np.concatenate([y for _, y in parts.values()]).tolist()) == list(range(45))
    for teacher, (x, y) in parts.items():
        assert (x[:, 0, 0] == y).all() and (owners(45, TEACHERS)[y] == teacher).all()


@pytest.fixture
def files(tmp_path):
    """Three worlds of four slots, in the files that both scripts read."""
    x = np.zeros((8, 2, 2), np.uint8)
    PrivateWorlds(x, np.arange(8) % 2, np.zeros((3, 4), bool), 0, "f" * 64).write(tmp_path / "worlds.npz")
    PublicPart(x[:2], np.arange(2), x[:2], np.arange(2), "f" * 64).write(tmp_path / "public.npz")
    save_arrays(tmp_path / "votes.npz", votes=np.ones((3, 2, 2), np.int64))
    options = [f"--{name}={tmp_path}/{name}.npz" for name in ("worlds", "public")]
    options += ["--shard", "0", "3", "--device", "cpu", "--threads", "1", f"--checkpoint={tmp_path}/c.npz"]
    return [*options, "--seed", "1", f"--cost={tmp_path}/cost.csv", "--job", "leaderboard", "dp_sgd", "8"]


def test_every_shadow_run_has_noise_of_its_own(files, tmp_path, monkeypatch):
    """Training, by the name that keys its draws: with one name all worlds would have the same noise."""
    names = []

    class Method:
        def fit(self, given):
            names.append((given.context.seed, *given.context.job))
            return lambda records: np.full((len(records), 2), 0.5)

        cost = parameters = lambda self: {}

    monkeypatch.setattr(train_worlds, "build_method", lambda *arguments: Method())
    privacy = {
        "classes": 2,
        "largest": 1.0,
        "delta": 1e-3,
        "orders": {"linear": [1.5, 3, 0.5], "logarithmic": [4, 8, 2]},
    }
    told = ["--method", "{}", "--budget", "8", "--privacy", json.dumps(privacy), "--preset", "t", "--dataset", "made"]
    train_worlds.main([*told, f"--predictions={tmp_path}/p.npz", f"--record={tmp_path}/r.json", *files])
    assert len(set(names)) == 3 and {name[:-1] for name in names} == {(1, "leaderboard", "dp_sgd", "8")}


def test_the_teachers_of_every_shadow_run_draw_by_its_name(files, tmp_path, monkeypatch):
    names = []
    monkeypatch.setattr(
        count_world_votes,
        "teacher_votes",
        lambda *arguments: names.append((arguments[6].seed, arguments[6].job)) or np.ones((2, 2), np.int64),
    )
    count_world_votes.main(["--teachers", "2", "--model", "{}", "--classes", "2", f"--votes={tmp_path}/v.npz", *files])
    assert len(set(names)) == 3


def test_a_row_spans_the_intervals_of_all_targets():
    """The lowest end of any target and the highest, of the areas and of the rates."""
    intervals = {"auc": [0.6, 0.7], "auc_low": [0.5, 0.65], "auc_high": [0.68, 0.75]}
    intervals |= {"tpr_0.1": [0.2, 0.4], "tpr_0.1_low": [0.1, 0.3], "tpr_0.1_high": [0.3, 0.5]}
    scores = pd.DataFrame({"attack": ["lira_online"] * 2, "target": [0, 1], "choosing": False, **intervals})
    scores = pd.concat([scores, scores[:1].assign(target=2, choosing=True, auc=0.9, auc_high=1.0)])
    bounds = {"lower_bound": [0.4, 0.9], "auc": [0.6, 0.8], "largest": [3.0, 3.0], "level": [0.95, 0.95]}
    bounds |= {"lower_bound_gaussian": [0.7, 1.1]}
    audit = pd.DataFrame({"score": ["lira"] * 2, "target": [0, 1], **bounds})
    record = {"dataset": "made", "fingerprint": "f" * 64, "parameters": {"spent": {}, "noise": {}}}
    settings = {"label": "made", "targets": [0, 1], "rates": [0.1], "delta": 1e-3}
    settings |= {"slots": 4, "canaries": 1, "worlds": 2}
    records = [record | {"private_metrics": {"accuracy 0": 50.0}}]
    row = leaderboard.row_of({"title": "GNMax", "budget": "8"}, records, scores, audit, {}, settings)
    assert (row["auc_low"], row["auc"], row["auc_high"]) == (0.5, pytest.approx(0.65), 0.75)
    assert (row["tpr_0.1_low"], row["tpr_0.1"], row["tpr_0.1_high"]) == (0.1, pytest.approx(0.3), 0.5)
    # the draw of models: Student's 12.7 of one degree of freedom, times the error of a mean of two
    assert row["auc_draws_high"] - row["auc"] == pytest.approx(12.7062 * 0.05, rel=1e-5)
    # bounds hold by themselves: that of the target named first
    assert (row["lower_bound"], row["lower_bound_highest"], row["canary_auc"]) == (0.4, 0.9, pytest.approx(0.7))
    assert row["lower_bound_gaussian"] == 0.7
