"""Membership attacks from data to tables and figures, on a few small images: what is written, and that it agrees."""

import json
import re
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch

from lib.attacks.membership import Attack, attacked
from lib.attacks.predictions import asked, read_predictions
from lib.attacks.shadow_settings import AttackSettings
from lib.attacks.sides import SIDES
from lib.attacks.split import QUARTERS
from lib.attacks.task import PARTS, read_task
from lib.core.checkpoint import Checkpoint
from lib.core.errors import InputError
from lib.core.files import save_arrays
from lib.dp_mac.accounting import one_block
from lib.dp_mac.statements import statements
from lib.reporting import plotting
from lib.reporting.records import read_record
from lib.residual_perturbation import dp_sgd as residual_dp_sgd
from lib.residual_perturbation import job as residual_job
from lib.residual_perturbation.network import PerturbedResNet8
from lib.residual_perturbation.prediction import predicted_probabilities
from lib.residual_perturbation.training import Replica, ResidualTrainer
from lib.training.context import Context
from lib.training.dp_sgd import SgdTrainer
from lib.training.sgd_recipe import SgdRecipe, account
from pate_accountant import rdp
from pate_accountant.statement import dearest
from scripts import (
    attack_residual,
    draw_task,
    predict_residual,
    predict_residual_dp_sgd,
    residual_perturbation_fig2,
    residual_perturbation_noise,
    residual_perturbation_roc,
    residual_perturbation_table,
    train_residual,
    train_residual_dp_sgd,
)
from tests.attacks.builders import JOINT, ROW, said_of, write_attack
from tests.redrawn import assert_redrawn

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("module_device")]

ORDERS = {"linear": [1.5, 64.0, 0.5], "logarithmic": [64.0, 256.0, 10]}
CROSSING = ({"joint": 2.0, "joint_tight": 1.0}, {"joint": 1.9, "joint_tight": 1.5})
TASK = {
    "dataset": "made",
    "label": "made",
    "stands_for": "MNIST",
    "protocol": "reduced",
    "classes": 3,
    "largest": 16,
    "quarter": 16,
    "test": 20,
    "widths": [8, 8, 8],
    "recipe": {"epochs": 3, "batch": 8, "rate": 0.05, "milestones": [2], "scale": "standardised"},
    "dp_sgd": {"sigma": 1.1, "delta": 1e-5, "clip": 1.0, "batch": 8, "epochs": 2, "rate": 0.1},
}
PLAIN = {"title": "ResNet8", "kind": "residual"}
STRATEGY1 = {"title": "Strategy I", "kind": "residual", "form": {"strategy": "additive"}}
DP_SGD = {"title": "DP-SGD", "kind": "dp_sgd", "norm": "group"}
CONTROL = {"title": "learned by heart", "kind": "residual", "memorise": 8}
CONTROL |= {"recipe": {"epochs": 40, "batch": 4, "rate": 0.02, "milestones": []}}
ATTACK = {"rates": [0.1, 0.01], "epochs": 8, "batch": 32, "top": 2, "thresholds": [0.5, 0.6]}
NAMES = ["shadow 0.1", "shadow 0.01", "plain shadow 0.1", "plain shadow 0.01", "threshold"]
COMMON = ["--preset=tiny", "--seed=1"]


def draw(folder, block, arrays, repetitions=2):
    """Write a dataset, draw from it, and return the files."""
    save_arrays(folder / "data.npz", **arrays, fingerprint=np.array("ab" * 32))
    files = {kind: folder / f"task.{kind}" for kind in ("npz", "csv", "json")}
    draw_task.main(
        [
            *[*COMMON, f"--data={folder / 'data.npz'}", "--task", json.dumps(block), "--job", "made"],
            *["--dataset=made", f"--repetitions={repetitions}", f"--samples={files['npz']}"],
            *[f"--patients={files['csv']}", f"--record={files['json']}"],
        ]
    )
    return SimpleNamespace(samples=files["npz"], patients=files["csv"], record=files["json"])


def train(
    samples, place, method, gamma=0.0, members=1, sizes=(1,), repetitions=2, block=TASK, checkpoint=None, sides=SIDES
):
    """Train what a method trains, and return the files."""
    files = {name: f"{place}{end}" for name, end in (("record", ".json"), ("predictions", ".npz"))}
    written = [f"--{name}={path}" for name, path in files.items()]
    design = [*COMMON, f"--samples={samples}", "--task", json.dumps(block), "--method", json.dumps(method)]
    design += ["--job", "made", method["title"], f"{gamma:g}", "--dataset=made", "--device=cpu", "--threads=1"]
    networks = [f"--gamma={gamma}", f"--members={members}", "--sizes", *map(str, sizes), f"--repetitions={repetitions}"]
    half = checkpoint or f"{place}_half.npz"
    private = method["kind"] == "dp_sgd"
    script, asked_for = (train_residual_dp_sgd, []) if private else (train_residual, networks[:2])
    weights = []
    for repetition, side in product(range(1, repetitions + 1), sides):
        weights.append(f"{place}_{repetition}_{side}.npz")
        own = [f"--repetition={repetition}", f"--side={side}", f"--weights={weights[-1]}", f"--checkpoint={half}"]
        if not Path(weights[-1]).exists():  # no job is run again whose file is there
            script.main([*design, *asked_for, *own])
    said = [*design, *networks, "--weights", *weights, *written, *(["--alone"] if sides != SIDES else [])]
    if private:
        predict_residual_dp_sgd.main([*said, "--orders", json.dumps(ORDERS)])
    else:
        predict_residual.main(said)
    return SimpleNamespace(**files, weights=weights, samples=samples)


def attack(trained, plain, place):
    """Attack it, with the shadow of the plain networks besides its own, and return the path of the record.

    plain: None for networks without shadows.
    """
    attack_residual.main(
        [
            *[*COMMON, f"--networks={trained.record}", f"--predictions={trained.predictions}"],
            *([f"--plain={plain.predictions}"] if plain else []),
            *["--dataset=made", "--attack", json.dumps(ATTACK)],
            *["--job", "attack", "made", Path(place).name, "0", f"--scores={place}.csv", f"--curves={place}.roc.csv"],
            f"--record={place}.json",
        ]
    )
    return f"{place}.json"


@pytest.mark.parametrize("classes", [2, 10])
def test_data_of_another_number_of_classes_than_the_tasks_are_refused_before_any_training(tmp_path, classes):
    arrays = {"x": np.zeros((130, 8, 8), np.uint8), "y": np.arange(130) % 3}
    with pytest.raises(InputError, match=rf"data\.npz: 3 .* residual_perturbation\.tasks\.made\.classes = {classes};"):
        draw(tmp_path, TASK | {"classes": classes}, arrays)
    assert not (tmp_path / "task.npz").exists()


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """Drawn data, and functions that train and attack a method there, once each."""
    folder, made = tmp_path_factory.mktemp("attacks"), {}
    rng = np.random.default_rng(0)
    x = rng.integers(0, 17, (130, 8, 8), dtype=np.uint8)
    drawn = draw(folder, TASK, {"x": x, "y": np.arange(130) % 3})

    def trained(method, gamma=0.0, members=1):
        place = folder / f"{method['title']} {gamma:g}"
        if place not in made:
            repetitions = 1 if "memorise" in method else 2
            made[place] = train(drawn.samples, place, method, gamma, members, range(1, members + 1), repetitions)
        return made[place]

    def under_attack(method, *which):
        found = trained(method, *which)
        place = folder / f"attack on {Path(found.record).stem}"
        if place not in made:
            made[place] = attack(found, trained(PLAIN), place)
        return made[place]

    return SimpleNamespace(drawn=drawn, task=read_task(drawn.samples), train=trained, attack=under_attack)


def weights_of(trained, repetition, side, members=1, trained_by="recipe"):
    """The networks of one side as they were written, by the names that their draws are keyed by."""
    path = next(path for path in trained.weights if path.endswith(f"_{repetition}_{side}.npz"))
    recipe = {name: value for name, value in TASK[trained_by].items() if name != "delta"}
    task, names = read_task(trained.samples), [f"{repetition} {side} {k}" for k in range(members)]
    return residual_job.load_networks(path, names, task, task.rows(repetition, f"{side}_train"), recipe)


def stopping(trainer, after, done):
    """What a trainer does in a step, up to so many, each of which is noted."""
    advance = trainer.advance

    def advanced(self):
        if len(done) == after:
            raise KeyboardInterrupt
        done.append(1)
        advance(self)

    return advanced


# ---------------------------------------------------------------- data


def test_every_repetition_is_drawn_anew(work):
    record, task = read_record(work.drawn.record), work.task
    assert record["private_metrics"] == dict.fromkeys(QUARTERS, 16.0) | {"test": 20.0}
    assert record["fingerprint"] == task.fingerprint == "ab" * 32 and record["metrics"] == {}
    assert task.repetitions == [1, 2] and len(task.y) == 2 * 84 and task.x.shape[1:] == (8, 8, 1)
    for name in PARTS:
        one, two = (task.x[task.rows(number, name)] for number in (1, 2))
        assert one.shape == two.shape and not np.array_equal(np.sort(one, axis=0), np.sort(two, axis=0))
    assert work.drawn.patients.read_text().strip() in ("", '""')


# ---------------------------------------------------------------- networks


def test_networks_come_with_what_they_say_about_all_they_are_asked(work):
    trained = work.train(STRATEGY1, 0.5, 2)
    found = read_predictions(trained.predictions)
    assert list(found) == [1, 2]
    for repetition, sides in found.items():
        for side, count in (("target", 84), ("shadow", 32)):
            own, rows = sides[side], asked(work.task, repetition, side)
            assert own.probabilities.shape == (3, count, 3) and own.sizes.tolist() == [1, 1, 2]
            np.testing.assert_allclose(own.probabilities.sum(2), 1)
            np.testing.assert_array_equal(own.labels, work.task.y[rows])
            np.testing.assert_array_equal(own.part, work.task.part[rows])
    record = read_record(trained.record)
    assert record["parameters"] | {"gamma": 0.5, "members": 2, "sizes": [1, 2]} == record["parameters"]
    assert record["privacy"] == {} and record["metrics"] == {}
    # accuracies are means over the target's networks alone: two in each of two repetitions
    for name, part in (("train_accuracy", 0), ("test_accuracy", 4)):
        right = [
            np.mean(own["target"].probabilities[k].argmax(1)[rows] == own["target"].labels[rows])
            for own in found.values()
            for rows in [own["target"].part == part]
            for k in (0, 1)
        ]
        assert record["private_metrics"][name] == pytest.approx(np.mean(right))


def test_each_network_is_trained_on_its_own_half(work):
    """As the pixels' mean and deviation say, which are taken from what is trained on."""
    seen = set()
    for repetition in (1, 2):
        for side in ("target", "shadow"):
            images = work.task.x[work.task.rows(repetition, f"{side}_train")].astype(float)
            arrays = weights_of(work.train(STRATEGY1, 0.5, 2), repetition, side, 2).arrays
            np.testing.assert_allclose(arrays["shift"][:, 0], images.mean(), rtol=1e-6)
            np.testing.assert_allclose(arrays["factor"][:, 0], 1 / images.std(), rtol=1e-6)
            assert arrays["gamma"].tolist() == [0.5, 0.5] and arrays["pi"].tolist() == [0.25, 0.25]
            seen |= {array.tobytes() for array in arrays["weight.stem.weight"]}
    assert len(seen) == 8


def test_dp_sgd_is_trained_on_its_own_half(work):
    """Its scale tells nothing of what it saw: by the same training, asked for anew."""
    network = PerturbedResNet8(channels=1, classes=3, widths=(8, 8, 8), norm="group")
    recipe, job, cpu = SgdRecipe(batch=8, epochs=2, rate=0.1, clip=1.0), ("made", "DP-SGD", "0"), torch.device("cpu")
    for repetition, side in ((1, "target"), (2, "shadow")):
        replica = Replica(f"{repetition} {side} 0", work.task.rows(repetition, f"{side}_train"))
        expected = residual_dp_sgd.train_residual_dp_sgd(
            network, work.task.x, work.task.y, replica, recipe, 1.1, Context(1, job, cpu), 16
        )
        for name, array in weights_of(work.train(DP_SGD), repetition, side, trained_by="dp_sgd").arrays.items():
            np.testing.assert_array_equal(array, expected.arrays[name])


def test_ensembles_are_the_mean_of_their_members_logits(work):
    trained, network = work.train(STRATEGY1, 0.5, 2), PerturbedResNet8(channels=1, classes=3, widths=(8, 8, 8))
    for repetition, sides in read_predictions(trained.predictions).items():
        for side, own in sides.items():
            x, job = work.task.x[asked(work.task, repetition, side)], ("made", "Strategy I", "0.5", side)
            weights = weights_of(trained, repetition, side, 2)
            expected = predicted_probabilities(
                network, weights, x, Context(1, job, torch.device("cpu")), ensembles=[[0], [1], [0, 1]]
            )
            np.testing.assert_allclose(own.probabilities, expected, rtol=1e-9)
            # logits are log-probabilities up to a constant
            mean = np.exp(np.log(own.probabilities[:2]).mean(0))
            np.testing.assert_allclose(own.probabilities[2], mean / mean.sum(1, keepdims=True), rtol=1e-9)
            assert np.abs(own.probabilities[0] - own.probabilities[1]).max() > 0.01


def test_noise_that_depends_on_the_batch_is_given_to_a_mixture_of_all_parts(work, tmp_path):
    """Or else members would be known by their batch."""
    method = STRATEGY1 | {"form": {"strategy": "additive", "scaling": "std"}}
    trained = train(work.drawn.samples, tmp_path / "std", method, 0.5)
    for repetition, sides in read_predictions(trained.predictions).items():
        for side, own in sides.items():
            rows = asked(work.task, repetition, side)
            pairs = [
                sorted(zip(parts, labels, strict=True))
                for parts, labels in ((own.part, own.labels), (work.task.part[rows], work.task.y[rows]))
            ]
            assert pairs[0] == pairs[1]
            # of a random order, about 1 - 1/5 or 1 - 1/2 of neighbours are of different parts
            assert np.mean(np.diff(own.part) != 0) > 0.3
    again = train(work.drawn.samples, tmp_path / "again", method, 0.5)
    assert Path(again.predictions).read_bytes() == Path(trained.predictions).read_bytes()


def test_dp_sgd_alone_costs_something_and_says_how_much(work):
    record = read_record(work.train(DP_SGD).record)
    recipe = SgdRecipe(batch=8, epochs=2, rate=0.1, clip=1.0)
    expected = statements(one_block(account(16, recipe, 1.1)), rdp.order_grid(**ORDERS), 1e-5)
    assert record["privacy"] == expected and record["privacy"]["joint"].guarantee
    for which in ((PLAIN,), (STRATEGY1, 0.5, 2), (CONTROL,)):
        assert read_record(work.train(*which).record)["privacy"] == {}
    assert read_record(work.attack(DP_SGD))["privacy"] == expected
    assert read_record(work.attack(PLAIN))["privacy"] == {}
    # its scale is public, and no mean of private pixels
    arrays = weights_of(work.train(DP_SGD), 1, "target", trained_by="dp_sgd").arrays
    assert arrays["shift"].tolist() == [[0]] and arrays["factor"] == np.float32(1 / 16)


def test_none_of_the_networks_by_dp_sgd_costs_more_than_is_said(work, tmp_path):
    """Fewer samples have a larger rate, but one more may make one more step of an epoch."""
    rows = np.concatenate([work.task.rows(1, "target_train")[:15], work.task.rows(1, *PARTS[1:])])
    work.task.select(rows).write(tmp_path / "uneven.npz")
    recipe, orders = TASK["dp_sgd"] | {"batch": 7.5, "epochs": 1}, rdp.order_grid(**ORDERS)
    trained = train(
        tmp_path / "uneven.npz", tmp_path / "uneven", DP_SGD, repetitions=1, block=TASK | {"dp_sgd": recipe}
    )
    private = SgdRecipe(batch=7.5, epochs=1, rate=0.1, clip=1.0)
    costs = [
        statements(one_block(account(samples, private, 1.1)), orders, 1e-5)["joint"].epsilon for samples in (15, 16)
    ]
    assert costs[1] > 1.05 * costs[0]
    assert read_record(trained.record)["privacy"]["joint"].epsilon == max(costs)


@pytest.mark.parametrize(("gamma", "members"), [(0.5, 1), (0.0, 2)])
def test_dp_sgd_has_no_noise_of_its_own_and_no_ensembles(gamma, members, work, tmp_path):
    with pytest.raises(InputError, match=f"members {members}, gamma {gamma:g}: allowed are 1 and 0 for DP-SGD"):
        train(work.drawn.samples, tmp_path / "refused", DP_SGD, gamma, members)
    assert not {"refused.json", "refused.npz"} & {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("order", "rows", "sigma", "told"),
    [
        ([1, 0, 2, 3], 16, 1.1, "names 1 shadow 0; needed is 1 target 0; delete the file"),
        ([0, 1, 2, 3], 17, 1.1, "1_target.npz: samples "),
        ([0, 1, 2, 3], 16, 2.2, '"sigma": 1.1}; needed is {"batch": 8, "clip": 1.0'),
        ([0, 1, 2], 16, 1.1, "weights of 3 jobs: 4 are needed, two a repetition"),
    ],
)
def test_no_network_is_charged_for_what_another_cost(order, rows, sigma, told, work, tmp_path):
    """Nor for one that had more samples, with as much noise."""
    trained, drawn = work.train(DP_SGD), work.task
    if rows > 16:
        drawn = drawn.select(np.r_[np.arange(len(drawn.y)), drawn.rows(1, "target_out")[:1]])
        drawn.part[-1] = PARTS.index("target_train")
    drawn.write(tmp_path / "samples.npz")
    assert len(drawn.rows(1, "target_train")) == rows
    task = TASK | {"dp_sgd": TASK["dp_sgd"] | {"sigma": sigma}}
    options = [*COMMON, f"--samples={tmp_path / 'samples.npz'}", "--task", json.dumps(task), "--dataset=made"]
    options += ["--method", json.dumps(DP_SGD), "--gamma=0", "--members=1", "--sizes", "1", "--repetitions=2"]
    options += ["--job", "made", "--device=cpu", "--threads=1", "--orders", json.dumps(ORDERS)]
    options += ["--weights", *(trained.weights[place] for place in order)]
    with pytest.raises(InputError, match=re.escape(told)):
        predict_residual_dp_sgd.main(
            [*options, f"--predictions={tmp_path / 'said.npz'}", f"--record={tmp_path / 'said.json'}"]
        )
    assert [path.name for path in tmp_path.iterdir()] == ["samples.npz"]


# 6 steps of the networks of a side at once, or 4 by DP-SGD: it stops in the midst of the second
@pytest.mark.parametrize(
    ("which", "trainer", "stop", "steps"),
    [((STRATEGY1, 0.5, 2), ResidualTrainer, 8, 24), ((DP_SGD,), SgdTrainer, 6, 16)],
)
def test_a_training_that_was_stopped_goes_on_to_the_same_bytes(
    which, trainer, stop, steps, work, tmp_path, monkeypatch, capsys
):
    whole, advance, done = work.train(*which), trainer.advance, []
    members = which[2] if len(which) > 1 else 1
    again = partial(train, work.drawn.samples, tmp_path / "again", *which, sizes=range(1, members + 1))
    monkeypatch.setattr("lib.training.context.Checkpoint", partial(Checkpoint, seconds=0))
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(trainer, "advance", stopping(trainer, stop, done))
        again()
    assert (tmp_path / "again_half.npz").exists() and not (tmp_path / "again.json").exists()
    capsys.readouterr()
    monkeypatch.setattr(trainer, "advance", lambda self: (done.append(1), advance(self)))
    found = again()
    assert len(done) == steps and "going on from" in capsys.readouterr().err
    files, expected = ((made.predictions, made.record, *made.weights) for made in (found, whole))
    assert [Path(path).read_bytes() for path in files] == [Path(path).read_bytes() for path in expected]
    assert {path.name for path in tmp_path.iterdir()} == {Path(path).name for path in files}


def test_half_done_work_of_another_job_is_not_gone_on_with(work, tmp_path, monkeypatch):
    monkeypatch.setattr("lib.training.context.Checkpoint", partial(Checkpoint, seconds=0))
    left = partial(train, work.drawn.samples, checkpoint=tmp_path / "half.npz")
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(ResidualTrainer, "advance", stopping(ResidualTrainer, 3, []))
        left(tmp_path / "stopped", STRATEGY1, 2.0)
    assert (tmp_path / "half.npz").exists()
    found = left(tmp_path / "plain", PLAIN)
    assert Path(found.weights[0]).read_bytes() == Path(work.train(PLAIN).weights[0]).read_bytes()


# ---------------------------------------------------------------- the positive control


def test_the_control_learns_labels_that_are_not_the_true_ones(work):
    given = partial(residual_job.memorised, work.task, 8, 3)
    one, same = given(1, ("job",)), given(1, ("job",))
    np.testing.assert_array_equal(one.y, same.y)
    for other in (given(2, ("job",)), given(1, ("other",))):
        assert (other.y != one.y).mean() > 0.4
    kept = np.concatenate([work.task.rows(number, name)[:8] for number in (1, 2) for name in PARTS])
    np.testing.assert_array_equal(one.x, work.task.x[kept])
    for name in PARTS:
        for number in (1, 2):
            assert len(one.rows(number, name)) == 8
            np.testing.assert_array_equal(one.x[one.rows(number, name)], work.task.x[work.task.rows(number, name)[:8]])
    # two of three random labels are wrong
    assert 0.5 < (one.y != work.task.y[kept]).mean() < 0.85 and set(one.y) == {0, 1, 2}


def test_what_is_learned_by_heart_is_found(work):
    trained = work.train(CONTROL)
    expected = residual_job.memorised(work.task.first(1), 8, 3, 1, ("made", "learned by heart", "0"))
    (sides,) = read_predictions(trained.predictions).values()
    for side, own in sides.items():
        np.testing.assert_array_equal(own.labels, expected.y[asked(expected, 1, side)])
    assert read_record(trained.record)["private_metrics"]["train_accuracy"] == 1
    scores = pd.read_csv(Path(work.attack(CONTROL)).with_suffix(".csv")).set_index("attack")
    assert scores.index.tolist() == NAMES and (scores.loc[["shadow 0.01", "threshold"], "auc"] > 0.75).all()


# ---------------------------------------------------------------- attacks


def test_attacks_are_written_for_every_network_and_repetition(work):
    trained, path = work.train(STRATEGY1, 0.5, 2), Path(work.attack(STRATEGY1, 0.5, 2))
    scores, curves = (pd.read_csv(path.with_suffix(f".{end}")) for end in ("csv", "roc.csv"))
    assert set(ROW) == set(scores)
    keys = ["repetition", "ensemble", "members", "attack"]
    expected = [
        (repetition, place, members, name)
        for repetition in (1, 2)
        for place, members in enumerate((1, 1, 2))
        for name in NAMES
    ]
    assert list(scores[keys].itertuples(index=False, name=None)) == expected
    assert list(curves[keys].drop_duplicates().itertuples(index=False, name=None)) == expected
    assert len(curves) == 30 * 201
    for (repetition, place, _, _), row in scores[scores["attack"] == "threshold"].set_index(keys).iterrows():
        own = read_predictions(trained.predictions)[repetition]["target"]
        inside, outside = (own.probabilities[place].max(1)[own.part == part] for part in (0, 1))
        wins = (inside[:, None] > outside) + 0.5 * (inside[:, None] == outside)
        assert row["auc"] == pytest.approx(wins.mean(), abs=1e-7)
    record = read_record(path)
    alone = scores[scores["members"] == 1].groupby("attack")["auc"].mean()
    for name in NAMES:
        assert record["private_metrics"][f"auc of {name}"] == pytest.approx(alone[name], abs=1e-7)
    before = read_record(trained.record)
    assert record["parameters"] == before["parameters"] | {"attack": ATTACK}
    assert record["private_metrics"] | before["private_metrics"] == record["private_metrics"]


def test_a_plain_shadow_is_the_shadow_of_the_plain_networks_of_the_same_repetition(work):
    path = Path(work.attack(STRATEGY1, 0.5, 2))
    found = pd.read_csv(path.with_suffix(".csv"))
    plain, noisy = (read_predictions(work.train(*which).predictions) for which in ((PLAIN,), (STRATEGY1, 0.5, 2)))
    learner = Attack(AttackSettings(rate=0.01, top=2, epochs=8, batch=32), plain=True)
    for number in (1, 2):
        job = ("attack", "made", path.stem, "0", str(number))
        expected, _ = attacked(noisy[number], [learner], [0.5, 0.6], 1, job, plain[number]["shadow"])
        own = found[(found["repetition"] == number) & (found["attack"] == learner.name)]
        for name in ("auc", "recall_0.5", "recall_0.6"):
            np.testing.assert_allclose(own[name], expected[name], atol=1e-7)


def test_networks_without_shadows_are_attacked_by_a_threshold_as_those_with_them(work, tmp_path):
    alone = train(work.drawn.samples, tmp_path / "alone", PLAIN, sides=SIDES[:1])
    found = pd.read_csv(Path(attack(alone, None, tmp_path / "attack")).with_suffix(".csv"))
    beside = pd.read_csv(Path(work.attack(PLAIN)).with_suffix(".csv"))
    beside = beside[beside["attack"] == "threshold"].reset_index(drop=True)
    assert found["attack"].tolist() == ["threshold"] * 2 and found["recall"].isna().all()
    for name in ("auc", "train_accuracy", "test_accuracy"):
        pd.testing.assert_series_equal(found[name], beside[name])
    # neither of the shadow's halves is asked about
    assert all(set(own["target"].part) == {0, 1, 4} for own in read_predictions(alone.predictions).values())


def test_an_attack_repeated_is_the_same_bytes(work, tmp_path):
    first = Path(work.attack(STRATEGY1, 0.5, 2))
    again = Path(attack(work.train(STRATEGY1, 0.5, 2), work.train(PLAIN), tmp_path / first.stem))
    for end in (".csv", ".roc.csv", ".json"):
        assert again.with_suffix(end).read_bytes() == first.with_suffix(end).read_bytes()


def test_plain_networks_of_fewer_repetitions_than_those_attacked_are_refused(work, tmp_path):
    few = train(work.drawn.samples, tmp_path / "few", PLAIN, repetitions=1)
    with pytest.raises(InputError, match="repetition"):
        attack(work.train(DP_SGD), few, tmp_path / "attack")


# ---------------------------------------------------------------- tables


def make_table(folder, records, control, draws, rows):
    residual_perturbation_table.main(
        [
            *["--records", *records, f"--control={control}", f"--draws={draws}", "--rows", json.dumps(rows)],
            *said_of(*records, control),
            *[f"--table={folder / 'table.csv'}", f"--privacy={folder / 'table_privacy.csv'}"],
        ]
    )
    return pd.read_csv(folder / "table.csv"), pd.read_csv(folder / "table_privacy.csv")


def test_a_table_has_its_rows_by_every_attack(work, tmp_path):
    records = [work.attack(PLAIN), work.attack(DP_SGD), work.attack(STRATEGY1, 0.5, 2), work.attack(STRATEGY1, 2.0, 2)]
    rows = [["ResNet8", 0, 1], ["DP-SGD", 0, 1], ["Strategy I", 2.0, 2], ["Strategy I", 0.5, 1]]
    control = work.attack(CONTROL)
    table, meaning = make_table(tmp_path, records, control, work.drawn.record, rows)
    assert len(table) == 20
    assert list(table[["method", "gamma", "members"]][::5].itertuples(index=False, name=None)) == [
        tuple(row) for row in rows
    ]
    assert table["attack"].tolist() == 4 * NAMES and set(table["seeds"]) == {2}
    for _, row in table.iterrows():
        number = {"ResNet8": 0, "DP-SGD": 1}.get(row["method"], 2 + (row["gamma"] == 2))
        scores = pd.read_csv(Path(records[number]).with_suffix(".csv"))
        own = scores[(scores["members"] == row["members"]) & (scores["attack"] == row["attack"])]
        assert len(own) == (4 if row["gamma"] == 0.5 else 2)  # of the last, two networks in each repetition
        own = own.groupby("repetition").mean(numeric_only=True)
        for name in ("auc", "train_accuracy", "test_accuracy", "negative_auc"):
            assert row[name] == pytest.approx(own[name].mean(), rel=1e-4)
            assert row[f"{name}_spread"] == pytest.approx(own[name].std(), rel=1e-4, abs=1e-6)
        learned = pd.read_csv(Path(control).with_suffix(".csv")).set_index("attack")
        assert row["control_auc"] == pytest.approx(learned.loc[row["attack"], "auc"], rel=1e-4)
        private = read_record(records[1])["privacy"]["joint"].epsilon
        assert np.isnan(row["epsilon"]) if number != 1 else row["epsilon"] == pytest.approx(private, rel=1e-5)
        baseline = table[(table["method"] == "DP-SGD") & (table["attack"] == row["attack"])].iloc[0]
        for name in ("auc", "auc_spread", "test_accuracy", "test_accuracy_spread", "attacker_works"):
            if row["gamma"] > 0:
                assert row[f"baseline_{name}"] == baseline[name]
            else:
                assert pd.isna(row[f"baseline_{name}"])
    assert meaning[["method", "column", "guarantee"]].drop_duplicates().to_numpy().tolist() == [
        ["DP-SGD", "epsilon", True]
    ]
    assert table["all_negative_accuracy"].isna().all() and (table["skip"] == "yes").all()


def both(first, second, **more):
    """Rows of two attacks with areas that are known, of one network or ensemble."""
    return [{"attack": "shadow 0.1", "auc": first} | more, {"attack": "threshold", "auc": second} | more]


def test_comparable_is_who_has_noise_and_an_area_at_most_a_little_above_that_of_dp_sgd(work, tmp_path):
    areas = {("Strategy I", 0.5): (0.5255, 0.5065), ("Strategy I", 2.0): (0.5265, 0.5055)}
    areas |= {("Strategy II", 2.0): (0.40, 0.90), ("ResNet8", 0.0): (0.40, 0.40), ("DP-SGD", 0.0): (0.52, 0.50)}
    records = [
        write_attack(tmp_path / f"{title}{gamma}.json", both(*pair), title=title, gamma=gamma)
        for (title, gamma), pair in areas.items()
    ]
    control = write_attack(tmp_path / "control.json", both(0.9, 0.8))
    rows = [[title, gamma, 1] for title, gamma in areas]
    table, _ = make_table(tmp_path, records, control, work.drawn.record, rows)
    said = table.set_index(["method", "gamma", "attack"])["comparable"]
    expected = {
        ("Strategy I", 0.5): ["yes", "no"],
        ("Strategy I", 2.0): ["no", "yes"],
        ("Strategy II", 2.0): ["yes", "no"],
    }
    for key, pair in expected.items():
        assert [said[(*key, name)] for name in ("shadow 0.1", "threshold")] == pair
    # neither without noise nor without DP-SGD in the table is there anything to compare
    assert said["ResNet8"].isna().all() and said["DP-SGD"].isna().all()
    table, _ = make_table(tmp_path, records, control, work.drawn.record, rows[:3])
    assert table["comparable"].isna().all() and table["baseline_auc"].isna().all()


def test_a_row_that_nobody_trained_is_refused(work, tmp_path):
    with pytest.raises(InputError, match=r"attacks on title Strategy I, gamma 4\.5: 0 are given, one is needed"):
        make_table(tmp_path, [work.attack(PLAIN)], work.attack(CONTROL), work.drawn.record, [["Strategy I", 4.5, 1]])
    with pytest.raises(InputError, match="no ensembles of 5 attacked by 'shadow 0"):
        make_table(tmp_path, [work.attack(PLAIN)], work.attack(CONTROL), work.drawn.record, [["ResNet8", 0, 5]])


# ---------------------------------------------------------------- figures


def make_figure(script, folder, records, controls, *more):
    files = [f"--numbers={folder / 'f.csv'}", f"--comparison={folder / 'f_comparison.csv'}"]
    files += [f"--png={folder / 'f.png'}", f"--pdf={folder / 'f.pdf'}"]
    said = said_of(*records, *controls)
    script.main(["--records", *records, "--controls", *controls, *said, *more, *files])
    assert all((folder / f"f.{end}").stat().st_size > 5000 for end in ("png", "pdf"))
    tables = [folder / "f.csv"] + [folder / "f_comparison.csv"] * (script is residual_perturbation_roc)
    assert_redrawn(script, folder / "f.png", *tables)
    return pd.read_csv(folder / "f.csv"), pd.read_csv(folder / "f_comparison.csv")


def test_figures_over_noise_have_every_network_that_was_attacked(work, tmp_path):
    records = [work.attack(PLAIN), work.attack(STRATEGY1, 2.0, 2), work.attack(STRATEGY1, 0.5, 2)]
    controls = [work.attack(CONTROL)]
    numbers, compared = make_figure(residual_perturbation_noise, tmp_path, records, controls)
    assert len(numbers) == (1 + 2 + 2) * 5 and len(compared) == 2 * 5
    means = {
        gamma: pd.read_csv(Path(path).with_suffix(".csv"))
        .groupby(["members", "attack"])
        .agg(lambda column: column.mean(skipna=False))  # where one network calls nobody a member there is no precision
        for gamma, path in zip((0, 2, 0.5), records, strict=True)
    }
    for _, row in numbers.iterrows():
        for name in ("auc", "test_accuracy", "precision_0.6", "recall_0.5"):
            expected = means[row["gamma"]].loc[(row["members"], row["attack"]), name]
            assert row[name] == pytest.approx(expected, rel=1e-4, nan_ok=True)
    for _, row in compared.iterrows():
        before = means[0].loc[1] if row["gamma"] == 0.5 else means[0.5].loc[2]
        assert row["members"] == 2 and row["largest"] == ("yes" if row["gamma"] == 2 else "no")
        for column, found in (("", means[row["gamma"]].loc[2]), ("_at_zero", means[0].loc[1]), ("_before", before)):
            for name in ("auc", "test_accuracy"):
                assert row[f"{name}{column}"] == pytest.approx(found.loc[row["attack"], name], rel=1e-4)
    sizes, _ = make_figure(residual_perturbation_noise, tmp_path, records, controls, "--by-size")
    assert set(numbers.pop("line")) == {"attack"} and set(sizes.pop("line")) == {"members"}
    pd.testing.assert_frame_equal(sizes, numbers)


@pytest.mark.parametrize(
    ("dataset", "method", "printed"),
    [
        ("CIFAR10", "Strategy I", [(0, 0.757, 0.669), (0.75, 0.573, 0.675)]),
        ("CIFAR10", "Strategy II", [(0, 0.757, 0.669), (2, 0.526, 0.712)]),
        ("IDC", "Strategy I", [(0, 0.563, 0.847), (0.2, 0.495, 0.867)]),
        ("CIFAR100", "Strategy I", [(0, 0.903, 0.305), (3.25, 0.515, 0.383)]),
        ("CIFAR100", "Strategy II", [(0, 0.903, 0.305)]),
        ("IDC", "Strategy II", []),
        ("CIFAR10", "Strategy I, another", []),
    ],
)
def test_the_papers_numbers_of_a_dataset_and_a_strategy(dataset, method, printed):
    found = residual_perturbation_noise.printed_of(dataset, method)
    assert list(found.itertuples(index=False, name=None)) == printed


def test_what_figures_compare_by_hand(tmp_path):
    """The plain network alone beside the largest perturbed ensembles; neither other sizes nor other attacks."""
    plain = both(0.80, 0.90, test_accuracy=0.55, train_accuracy=1.0)
    plain += both(0.70, 0.80, test_accuracy=0.65, train_accuracy=1.0, repetition=2)
    plain += both(0.10, 0.10, members=2, test_accuracy=0.99)
    weak, strong = (
        both(0.20, 0.20, test_accuracy=0.99, out_accuracy=0.99)
        + [
            row | {"repetition": number, "train_accuracy": 0.8, "test_accuracy": test, "out_accuracy": out}
            for number, pair in enumerate(areas, 1)
            for row in both(*pair, members=2)
        ]
        for areas, test, out in (([(0.62, 0.66), (0.58, 0.64), (0.60, 0.65)], 0.70, 0.5), ([(0.45, 0.55)], 0.65, 0.6))
    )
    records = [
        write_attack(tmp_path / f"{gamma}.json", rows, gamma=gamma)
        for gamma, rows in ((2.0, strong), (0.0, plain), (0.5, weak))
    ]
    controls = [write_attack(tmp_path / "control.json", both(0.9, 0.8))]
    _, compared = make_figure(residual_perturbation_noise, tmp_path, records, controls)
    compared = compared.set_index(["attack", "gamma"])
    assert len(compared) == 4
    for attack_name, zero, first, second in (("shadow 0.1", 0.75, 0.60, 0.45), ("threshold", 0.85, 0.65, 0.55)):
        low, high = compared.loc[(attack_name, 0.5)], compared.loc[(attack_name, 2.0)]
        assert [low["auc"], low["auc_at_zero"], low["auc_before"]] == pytest.approx([first, zero, zero])
        assert [high["auc"], high["auc_at_zero"], high["auc_before"]] == pytest.approx([second, zero, first])
        distances = [high[f"auc_distance{which}"] for which in ("", "_at_zero", "_before")]
        assert distances == pytest.approx([0.05, zero - 0.5, first - 0.5])
        assert [low[f"gap{which}"] for which in ("", "_at_zero", "_before")] == pytest.approx([0.1, 0.4, 0.4])
        assert [high[f"gap{which}"] for which in ("", "_at_zero", "_before")] == pytest.approx([0.15, 0.4, 0.1])
        found = [low[f"test_accuracy{which}"] for which in ("", "_at_zero", "_before")]
        assert found == pytest.approx([0.70, 0.60, 0.60])
        # spreads of two plain networks, of three ensembles, and of one, which has none
        assert low["auc_at_zero_spread"] == high["auc_at_zero_spread"] == pytest.approx(0.1 / 2**0.5)
        assert high["auc_before_spread"] == low["auc_spread"] == pytest.approx([0.02, 0.01][attack_name == "threshold"])
        assert np.isnan(high["auc_spread"])
        # the best is chosen by what is outside of the training set, and not by the test set
        assert (low["best"], high["best"], low["largest"], high["largest"]) == ("no", "yes", "no", "yes")
        # whether the plain network is overfitted decides what any of it shows
        assert low["overfitted"] == high["overfitted"] == "yes"
        assert (low["seeds"], high["seeds"]) == (2, 1)


def test_roc_curves_are_means_and_their_distance_is_from_the_diagonal(tmp_path):
    """Of the plain network alone and the largest ensembles, on every dataset."""

    def curve(middle):
        return {0.0: 0.0, 0.25: 0.25, 0.5: middle, 1.0: 1.0}

    shapes = {"label": "shapes"}
    records = [
        write_attack(
            tmp_path / "plain.json",
            [{}, {"repetition": 2}, {"members": 2}],
            curves=[curve(0.9), curve(0.7), curve(0.5)],
            task=shapes,
        ),
        write_attack(
            tmp_path / "weak.json",
            [{"members": 1}, {"members": 2}, {"members": 2, "repetition": 2}],
            curves=[curve(1.0), curve(0.4), curve(0.3)],
            gamma=0.5,
            task=shapes,
        ),
        write_attack(
            tmp_path / "strong.json",
            [{"members": 2, "train_accuracy": 0.45, "test_accuracy": 0.4}],
            curves=[curve(0.6)],
            gamma=4.5,
            task=shapes,
        ),
        write_attack(tmp_path / "digits.json", [{}], curves=[curve(0.55)]),
        write_attack(tmp_path / "other.json", [{}], curves=[curve(0.8)], gamma=2.0, privacy={"joint": JOINT}),
    ]
    controls = [
        write_attack(tmp_path / "digits_control.json", [{"auc": 0.9}]),
        write_attack(tmp_path / "shapes_control.json", [{"auc": 0.6}], task=shapes),
    ]
    curves, compared = make_figure(residual_perturbation_roc, tmp_path, records, controls)
    assert len(curves) == 5 * 4
    middle = curves[curves["fpr"] == 0.5].set_index(["dataset", "gamma"])
    expected = {
        ("shapes", 0.0): (0.8, 0.7, 0.9, 1),
        ("shapes", 0.5): (0.35, 0.3, 0.4, 2),
        ("shapes", 4.5): (0.6, 0.6, 0.6, 2),
        ("digits", 0.0): (0.55, 0.55, 0.55, 1),
        ("digits", 2.0): (0.8, 0.8, 0.8, 1),
    }
    rows = compared.set_index(["dataset", "gamma"])
    assert len(rows) == len(middle) == 5
    for key, (mean, low, high, members) in expected.items():
        assert middle.loc[key, ["tpr", "min", "max"]].tolist() == pytest.approx([mean, low, high])
        assert middle.loc[key, "members"] == rows.loc[key, "members"] == members
        assert rows.loc[key, "away_from_diagonal"] == pytest.approx(abs(mean - 0.5))
        # the largest of its own dataset
        assert rows.loc[key, "largest"] == ("yes" if key in (("shapes", 4.5), ("digits", 2.0)) else "no")
        assert rows.loc[key, "enough_noise"] == ("yes" if key == ("shapes", 4.5) else "no")  # not overfitted
        works = ("yes", 0.9) if key[0] == "digits" else ("no", 0.6)
        assert (rows.loc[key, "attacker_works"], rows.loc[key, "control_auc"]) == works
    assert "epsilon" not in compared


def test_roc_curves_of_trained_networks_are_drawn(work, tmp_path):
    curves, compared = make_figure(
        residual_perturbation_roc,
        tmp_path,
        [work.attack(STRATEGY1, 0.5, 2), work.attack(PLAIN)],
        [work.attack(CONTROL)],
    )
    assert len(curves) == 2 * 5 * 101 and len(compared) == 10
    assert compared[["gamma", "members"]].drop_duplicates().to_numpy().tolist() == [[0, 1], [0.5, 2]]
    assert ((curves["min"] <= curves["tpr"] + 1e-6) & (curves["tpr"] <= curves["max"] + 1e-6)).all()


@pytest.mark.parametrize(("accuracy", "said"), [(0.052, True), (0.172, False)])
def test_a_network_that_learned_next_to_nothing_does_not_look_protected(accuracy, said):
    row = {"dataset": "shapes", "attack": "threshold", "auc": 0.5, "auc_spread": 0.1, "constant": 0.0, "gamma": 0.0}
    row |= {"test_accuracy": accuracy, "test_accuracy_spread": 0.01, "majority_accuracy": 0.01}
    rows = pd.DataFrame([row | {"protocol": "paper", "overfitted": "yes"}])
    with plotting.figure() as (_, (axis,)):
        residual_perturbation_roc.draw_areas(axis, rows, ["shadow", "threshold"])
        words = " ".join(text.get_text() for text in axis.texts)
        colors = {line.get_color() for line in axis.lines if line.get_marker() == "o"}
    assert ("no sign of protection" in words) == said and (colors == {"0.7"}) == said


def test_patches_of_both_classes_are_drawn_the_same_each_time(tmp_path):
    rng = np.random.default_rng(0)
    save_arrays(
        tmp_path / "patches.npz",
        x=rng.integers(0, 256, (10, 8, 8, 3), dtype=np.uint8),
        y=np.arange(10) % 2,
        group=np.repeat(["a", "b"], 5),
        fingerprint=np.array("ab" * 32),
    )

    def figure(seed, name):
        files = [f"--{end}={tmp_path / name}.{end}" for end in ("png", "pdf")]
        residual_perturbation_fig2.main([f"--seed={seed}", "--dataset=p", f"--data={tmp_path / 'patches.npz'}", *files])
        return (tmp_path / f"{name}.png").read_bytes()

    assert figure(1, "one") == figure(1, "same") != figure(2, "other")
    assert (tmp_path / "one.pdf").stat().st_size > 5000


# ---------------------------------------------------------------- patients

PATIENTS = {"train": [40, 20], "test": [30, 15], "of": [100, 50]}
PATCHES = TASK | {"classes": 2, "largest": 255, "quarter": None, "test": None, "patients": PATIENTS}
PATCHES |= {"recipe": {"epochs": 1, "batch": 8, "rate": 0.05}}


@pytest.fixture(scope="module")
def patches(tmp_path_factory):
    """Patches of patients, of whom no draw finds just as many as are asked for."""
    folder, rng = tmp_path_factory.mktemp("patches"), np.random.default_rng(13)
    groups = np.repeat([f"p{number}" for number in range(11)], rng.integers(9, 26, 11))
    y = (rng.random(len(groups)) < 0.35).astype(np.int64)
    x = rng.integers(0, 256, (len(y), 8, 8, 3), dtype=np.uint8)
    drawn = draw(folder, PATCHES, {"x": x, "y": y, "group": groups}, repetitions=3)
    return SimpleNamespace(folder=folder, drawn=drawn, x=x, y=y, groups=groups, task=read_task(drawn.samples))


def test_the_list_of_patients_says_whose_patches_are_where(patches):
    table, task = pd.read_csv(patches.drawn.patients), patches.task
    assert table.columns.tolist() == ["group", "part", "class_0", "class_1", "repetition"]
    assert len(table) == 3 * 11
    owner = {image.tobytes(): group for image, group in zip(patches.x, patches.groups, strict=True)}
    record = read_record(patches.drawn.record)
    negative = []
    for number, rows in table.groupby("repetition"):
        parts = rows.set_index("group")["part"]
        for name in PARTS:
            held = {owner[image.tobytes()] for image in task.x[task.rows(number, name)]}
            assert held and set(parts[list(held)]) == {"test" if name == "test" else "train"}
        for label in (0, 1):
            for part in ("train", "test"):
                have = rows.loc[rows["part"] == part, f"class_{label}"].sum()
                wanted = PATIENTS[part][label] * int(np.sum(patches.y == label)) // PATIENTS["of"][label]
                beyond = record["private_metrics"][f"{number}.{part}.class {label} beyond the target"]
                assert beyond == have - wanted
        negative.append(np.mean(task.y[task.rows(number, "test")] == 0))
    assert record["private_metrics"]["all_negative_accuracy"] == pytest.approx(np.mean(negative))


def test_draws_that_do_not_come_out_even_can_be_trained_on_and_none_costs_more_than_is_said(patches):
    """The trainer takes parts of one size, and fewer samples cost more."""
    table = pd.read_csv(patches.drawn.patients).query("part == 'train'")
    sizes = table.groupby("repetition")[["class_0", "class_1"]].sum().sum(axis=1) // 4
    assert sizes.nunique() > 1 and sizes.min() < sizes[1]
    block = PATCHES | {"dp_sgd": TASK["dp_sgd"] | {"epochs": 1}}
    private = train(patches.drawn.samples, patches.folder / "private", DP_SGD, repetitions=3, block=block)
    smallest = min(len(patches.task.rows(number, "target_train")) for number in (1, 2, 3))
    recipe = SgdRecipe(batch=8, epochs=1, rate=0.1, clip=1.0)
    needed = statements(one_block(account(smallest, recipe, 1.1)), rdp.order_grid(**ORDERS), 1e-5)
    assert read_record(private.record)["privacy"]["joint"].epsilon >= needed["joint"].epsilon
    plain = train(patches.drawn.samples, patches.folder / "plain", PLAIN, repetitions=3, block=block)
    assert list(read_predictions(plain.predictions)) == [1, 2, 3]


def test_every_reading_is_the_dearest_of_its_own():
    """Whoever costs most by one reading may cost less by another."""
    recipe = SgdRecipe(batch=8, epochs=1, rate=0.1, clip=1.0)
    made = statements(one_block(account(40, recipe, 1.1)), rdp.order_grid(**ORDERS), 1e-5)
    one, other = ({name: replace(made[name], epsilon=cost) for name, cost in costs.items()} for costs in CROSSING)
    assert {name: cost.epsilon for name, cost in dearest([one, other]).items()} == {
        "joint": 2.0,
        "joint_tight": 1.5,
    }
