"""Operations of networks small enough to count by hand, and jobs of the presets."""

import json
import math

import pytest
import torch

from bench.presets import Job
from bench.work import COUNTED, autoencoder_flops, flops, resnet8_flops, teacher_flops, unet_flops, vat_flops
from lib.plan.command_line import command_line

MLP = json.dumps({"kind": "mlp", "hidden": [5]})
RECIPE = {"epochs": 3, "batch": 4}


def test_a_linear_layer_is_counted_by_hand():
    layer, x = torch.nn.Linear(7, 3, device="meta"), torch.zeros(2, 7, device="meta")
    # forward, and the gradient of the weights; nobody asks for that of x
    assert flops(lambda: layer(x)) == 2 * (2 * 2 * 7 * 3)


def test_a_perceptron_is_counted_by_hand():
    first, second = 16 * 5, 5 * 10
    assert teacher_flops(MLP, (4, 4), 10) == 2 * (2 * first + 3 * second)


def test_a_convolution_grows_with_the_image():
    assert resnet8_flops((64, 64), 3, 10, (16, 32, 64)) == pytest.approx(
        4 * resnet8_flops((32, 32), 3, 10, (16, 32, 64)), rel=0.01
    )


def job(rule, wildcards, **params) -> Job:
    return Job(rule, "", wildcards, params, True, 60, 1000, (), None)


def test_teachers_are_as_many_as_the_shard_has():
    model = {**json.loads(MLP), "together": 4, "recipe": {"steps": 10, "batch": 6}}
    ensemble = {"dataset": "mnist", "model": "mlp", "classes": 10}
    config = {"ensembles": {"some": ensemble}, "models": {"mlp": model}}
    work = COUNTED["train_network_teachers"](
        job("train_network_teachers", {"ensemble": "some"}, settings="--teachers 5 15"), config
    )
    assert work.amount == 10 * 10 * 6 * teacher_flops(MLP, (28, 28), 10)
    assert work.steps == 3 * 10  # ten teachers, four at once


def test_a_baseline_of_a_teachers_kind_is_one_network():
    model = {**json.loads(MLP), "together": 4, "recipe": {"steps": 10, "batch": 6}}
    told = f"--dataset mnist --classes 10 --model '{json.dumps(model)}'"
    work = COUNTED["train_network_baseline"](job("train_network_baseline", {"ensemble": "some"}, settings=told), {})
    assert work.amount == 10 * 6 * teacher_flops(MLP, (28, 28), 10)
    assert (work.kind, work.steps) == ("mlp", 10)


@pytest.mark.parametrize(("rule", "networks"), [("train_residual", 2), ("train_residual_dp_sgd", 1)])
def test_networks_of_an_attack_are_those_of_one_side_in_one_repetition(rule, networks):
    task = {"dataset": "mnist", "quarter": None, "classes": 10, "widths": [8, 16, 32]} | dict.fromkeys(
        ("recipe", "dp_sgd"), RECIPE
    )
    entry = {"task": "mnist", "method": "plain", "gammas": [0], "members": networks, "repetitions": 3}
    block = {"tasks": {"mnist": task}, "methods": {"plain": {}}, "networks": [entry]}
    made = job(rule, {"task": "mnist", "method": "plain", "gamma": "0"})
    work = COUNTED[rule](made, {"residual_perturbation": block})
    assert work.amount == networks * 3 * 15_000 * resnet8_flops((28, 28), 1, 10, (8, 16, 32))
    # together they take the steps of one
    assert work.steps == 3 * math.ceil(15_000 / 4)


@pytest.mark.parametrize(("mechanism", "turns"), [("strategy1", 4), ("dp_sgd", 8)])
def test_an_audit_is_counted_by_the_runs_of_a_shard(mechanism, turns):
    task = {"dataset": "mnist", "classes": 10, "samples": 50, "runs": 9, "together": 3, "recipe": RECIPE}
    task["sgd"] = {"recipe": RECIPE}
    made = job("train_audited", {"task": "mnist", "mechanism": mechanism, "shard": "1"}, settings="--runs 5 9")
    work = COUNTED["train_audited"](made, {"residual_perturbation": {"audit": {"tasks": {"mnist": task}}}})
    assert work.amount == 2 * 4 * 3 * 50 * resnet8_flops((28, 28), 1, 10, (16, 32, 64))
    # four of either kind: three and one together; DP-SGD trains one after the other
    assert work.steps == 3 * math.ceil(50 / 4) * turns


def test_an_audit_of_slots_is_counted_as_one_training():
    task = {"dataset": "mnist", "classes": 10, "samples": 50, "canaries": 9, "runs": 2, "together": 3, "recipe": RECIPE}
    made = job("train_audited", {"task": "mnist", "mechanism": "plain", "shard": "1"}, settings="--runs 1 2")
    work = COUNTED["train_audited"](made, {"residual_perturbation": {"audit": {"tasks": {"mnist": task}}}})
    assert work.amount == 3 * 50 * resnet8_flops((28, 28), 1, 10, (16, 32, 64))
    assert work.steps == 3 * math.ceil(50 / 4)


BOARD = {"dataset": "mnist", "classes": 10, "slots": 1000, "worlds": 17}


@pytest.mark.parametrize(("budget", "rows"), [("8", 100), ("1", 20)])
def test_a_student_of_the_leaderboard_learns_from_what_was_asked_at_its_budget(budget, rows):
    student = {"hidden": [5], "recipe": {"epochs": 3, "batch": 40}}
    method = {"kind": "gnmax", "queries": 100, "student": student, "per_epsilon": [[1.0, {"queries": 20}]]}
    made = job("train_worlds", {"budget": budget}, settings=f"--method '{json.dumps(method)}' --shard 9 17")
    work = COUNTED["train_worlds"](made, {"leaderboard": BOARD})
    assert work.amount == 8 * 3 * rows * 6 * (784 * 5 + 5 * 10)
    assert work.steps == 8 * 3 * math.ceil(rows / 40)


def test_a_method_of_the_leaderboard_learns_from_all_slots():
    method = {"kind": "residual", "widths": [8, 16, 32], "recipe": {"epochs": 2, "batch": 128}}
    made = job(
        "train_worlds", {"budget": "none"}, settings=f"--shard 0 9 --method '{json.dumps(method)}' --budget none"
    )
    work = COUNTED["train_worlds"](made, {"leaderboard": BOARD})
    assert work.amount == 9 * 2 * 1000 * resnet8_flops((28, 28), 1, 10, (8, 16, 32))


def test_teachers_of_the_leaderboard_are_counted_in_every_world():
    model = {**json.loads(MLP), "together": 4, "recipe": {"steps": 10, "batch": 6}}
    board = BOARD | {"teachers": {"count": 10, "model": "mlp"}}
    made = job("count_world_votes", {"shard": "0"}, settings="--shard 0 2 --seed 1")
    work = COUNTED["count_world_votes"](made, {"leaderboard": board, "models": {"mlp": model}})
    assert work.amount == 2 * 10 * 10 * 6 * teacher_flops(MLP, (28, 28), 10)
    assert work.steps == 2 * 3 * 10


def test_an_attack_goes_over_the_records_of_every_world_for_each_of_its_entries():
    made = job("attack_worlds", {"shard": "1"}, settings="--targets 0 1 --entries lnmax/8 plain/none --delta 0.001")
    work = COUNTED["attack_worlds"](made, {"leaderboard": BOARD})
    assert work.amount == 2 * 2 * 1000 * 17


SIDES = [32, 32, 32]
MASKS = {"volumes": "made", "classes": 3, "parts": {"public": 5, "test": 2}, "encoder_part": "public"}
MASKS |= {
    "widths": [2, 2, 2, 4, 4],
    "teacher": {"patch": SIDES, "steps": 7, "batch": 2},
    "student": {"steps": 3, "batch": 2},
}
SEGMENTATION = {
    "segmentation": {"tasks": {"masks": MASKS}, "volumes": {"made": {"name": "brain_phantom", "shape": SIDES}}}
}
NAIVE = {"kind": "identity", "radius": None}
NETWORK = {"kind": "autoencoder", "bound": "ball", "latent_dim": 3, "dimensions": 3, "widths": [2, 2], "grid": None}
NETWORK |= {"radius": None, "recipe": {"epochs": 4, "batch": 2, "sigma": 0.1, "rate": 0.01}}


def on_masks(rule, **settings):
    """The work of a job that is told so on its command line."""
    return COUNTED[rule](job(rule, {"task": "masks"}, settings=command_line([], settings)), SEGMENTATION)


def test_networks_on_volumes_are_as_many_as_a_shard_trains():
    single = unet_flops(4, 4, (2, 2, 2, 4, 4), (32, 32, 32))
    teachers = on_masks("train_mask_teachers", first=3, last=8)
    assert (teachers.amount, teachers.steps) == (single * 5 * 7 * 2, 5 * 7)
    units = [{"source": "truth", "labellings": [{}]}, {"source": "labels", "labellings": [{}, {}]}]
    students = on_masks("train_mask_students", units=units)
    assert (students.amount, students.steps) == (single * 3 * 3 * 2, 3 * 3)


def test_encoders_of_a_shard_are_counted_together():
    one, two = [["ball", NETWORK]], [["naive", NAIVE], ["ball", NETWORK], ["other", NETWORK | {"latent_dim": 5}]]
    single = on_masks("train_mask_encoder", encoders=one)
    assert single.amount == 4 * 5 * autoencoder_flops(json.dumps(NETWORK), (4, 32, 32, 32))
    assert (single.kind, single.steps) == ("autoencoder 3D", 4 * 3)
    both = on_masks("train_mask_encoder", encoders=two)
    assert (both.kind, both.steps) == ("autoencoder 3D", 2 * single.steps) and both.amount > 2 * single.amount
    alone = on_masks("train_mask_encoder", encoders=two[:1])
    assert (alone.kind, alone.amount, alone.steps) == ("identity", 5 * 32**3, None)
    assert on_masks("measure_limits", encoders=two).amount == 3 * on_masks("measure_components").amount == 3 * 7 * 32**3


def test_students_are_counted_by_what_their_steps_compute():
    vat = {"kind": "vat", "method": "vat_entropy", "blocks": [[4]], "top": [4], "slope": 0.1, "momentum": 0.1}
    vat |= {"steps": 10, "labelled_batch": 3, "unlabelled_batch": 6}
    single = vat_flops(json.dumps(vat), (28, 28), 1, 10)
    settings = {"dataset": "mnist", "model": vat, "classes": 10}
    work = COUNTED["train_network_student"](job("train_network_student", {}, settings=command_line([], settings)), {})
    assert work.amount == pytest.approx(10 * single * (3 + 8 / 3 * 6)) and work.steps == 10
    settings["model"] = vat | {"method": "supervised"}
    work = COUNTED["train_network_baseline"](job("train_network_baseline", {}, settings=command_line([], settings)), {})
    assert work.amount == pytest.approx(10 * single * 3)


def test_a_gan_goes_over_the_pool_in_every_epoch():
    gan = {"kind": "gan", "hidden": [7], "epochs": 5, "labelled_batch": 2, "unlabelled_batch": 4}
    config = {"scalable_pate": {"runs": {"some": {"ensemble": "mnist"}}}, "ensembles": {"mnist": {"public": 10}}}
    settings = command_line([], {"dataset": "mnist", "model": gan, "classes": 10})
    work = COUNTED["train_network_student"](job("train_network_student", {"run": "some"}, settings=settings), config)
    assert work.steps == 5 * 3
    assert work.amount == 15 * 2 * (28 * 28 * 7 + 7 * 10) * (3 * (2 + 8) + 4 * 4)
