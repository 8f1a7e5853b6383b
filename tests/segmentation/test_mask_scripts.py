"""The jobs of PATE for masks on tiny phantoms: what is written, that it agrees, and what is private in it."""

import json
import math
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.stats import norm

from lib.core import checkpoint
from lib.core.checkpoint import Checkpoint
from lib.core.errors import InputError
from lib.core.files import load_arrays
from lib.core.seeding import generator
from lib.core.shards import load_unit, save_shard
from lib.data.volumes.split import teacher_shards
from lib.dp_mac.accounting import one_block
from lib.dp_mac.statements import statements
from lib.encoders.blocks import Blocks
from lib.encoders.build import build_encoder
from lib.encoders.coarse import coarse
from lib.encoders.principal_components import fit_blocks, fit_volumes
from lib.models.unet3d import UNet3D
from lib.reporting.records import read_record, read_records
from lib.segmentation.dice import best_threshold, dice, hard_labels
from lib.segmentation.dp_sgd import with_joint_clip
from lib.segmentation.job import SegmentationJob, rows_of
from lib.segmentation.mask_autoencoder import AutoencoderTrainer
from lib.segmentation.networks import mean_mask, public_dice
from lib.segmentation.prediction import predicted_masks
from lib.segmentation.released import cost_of_codes
from lib.segmentation.segmentation_recipes import SegmentationRecipe, SegmentationSgdRecipe
from lib.segmentation.training import SegmentationTrainer, train_segmentation
from lib.training.context import Context
from lib.training.sgd_recipe import account
from pate_accountant import rdp
from pate_accountant.run_statements import replaced_statement
from scripts import train_mask_students
from scripts.autoencoded_pate_results import private_training
from tests.segmentation.conftest import (
    ACCOUNTING,
    ENCODERS,
    MADE,
    MEAN_MASK,
    SEED,
    SGD,
    SIDES,
    TASK,
    TRUTH,
    WHOLE,
    arrays_of,
    record_of,
)

pytestmark = pytest.mark.slow

CPU = torch.device("cpu")
UNET = {
    name: UNet3D(channels=4, outputs=outputs, widths=(2, 2, 4, 4, 4)) for name, outputs in (("tiny", 4), ("whole", 1))
}


def recipe(name):
    return SegmentationRecipe(**TASK[name])


def written(path, *ends):
    """The bytes of a job's files."""
    return [path.with_name(path.name + end).read_bytes() for end in ends]


def stopping(trainer, after):
    """What a trainer does in a step, up to so many."""
    advance, done = trainer.advance, []

    def advanced(self):
        if len(done) == after:
            raise KeyboardInterrupt
        done.append(1)
        advance(self)

    return advanced


# ---------------------------------------------------------------- volumes and parts


def test_volumes_and_parts_are_what_the_configuration_says(work):
    assert work.volumes.image.shape == (9, 4, *SIDES) and work.volumes.classes == 3
    for repetition in (1, 2):
        parts = {part: work.rows(part, repetition=repetition) for part in TASK["parts"]}
        assert {part: len(rows) for part, rows in parts.items()} == TASK["parts"]
        assert len(set(np.concatenate(list(parts.values())))) == 9
    assert work.rows("test").tolist() != work.rows("test", repetition=2).tolist()


def test_repetitions_that_are_apart_share_no_patient(work):
    task = WHOLE | {"apart": 2, "parts": {"public": 2, "student": 1, "test": 1}}
    rows = [np.concatenate(list(rows_of(work.volumes, task, SEED, number).values())) for number in (1, 2, 3)]
    assert not set(rows[0]) & set(rows[1]) and rows[0].tolist() != rows[2].tolist()
    with pytest.raises(InputError, match="there are 9 patients"):
        rows_of(work.volumes, TASK | {"apart": 2}, SEED, 1)


# ---------------------------------------------------------------- encoders


@pytest.mark.parametrize("name", ENCODERS)
@pytest.mark.parametrize("task", [TASK, WHOLE], ids=lambda task: task["name"])
def test_every_encoder_is_fitted_and_holds_its_bound(work, task, name):
    record = record_of(work.encoder(name, task=task))
    assert record["parameters"] == {"task": json.loads(json.dumps(task)), "encoder": ENCODERS[name], "repetition": 1}
    assert record["metrics"]["masks"] == len(work.rows(task["encoder_part"], task))
    if ENCODERS[name]["kind"] == "autoencoder":  # whether it is any good is said beside it
        assert {"spread_of_codes", "dice_own_masks", "dice_mean_mask"} <= set(record["metrics"])
        assert record["metrics"]["spread_of_codes"] > 1e-3
    assert record["fingerprint"] == work.volumes.fingerprint and record["privacy"] == record["private_metrics"] == {}
    encoder, masks = work.built(name, task), work.masks("test", task)
    codes = encoder.encode(masks)
    numbers = {"naive": masks[0].size, "pca": 2, "blocks": 32 * 3, "ball": 3, "clip": 4, "slices": 16 * 2, "coarse": 3}
    radius = {"naive": math.sqrt(masks[0].size) / 2, "pca": math.sqrt(masks[0].size) / 2, "blocks": 2.0, "slices": 4.0}
    assert codes.shape == (2, encoder.latent_dim) == (2, numbers[name])
    assert encoder.radius == pytest.approx(radius.get(name, 1.0))
    assert (np.linalg.norm(codes.astype(np.float64), axis=1) <= encoder.radius).all()
    decoded = encoder.decode(codes)
    assert decoded.shape == masks.shape and decoded.min() >= 0 and decoded.max() <= 1
    assert np.abs(decoded - masks).max() < 1e-6 or name != "naive"


@pytest.mark.parametrize("task", [TASK, WHOLE], ids=lambda task: task["name"])
def test_encoders_are_fitted_to_the_public_masks_alone(work, task):
    masks = work.masks(task["encoder_part"], task)
    for name, expected in (
        ("pca", fit_volumes(masks, 2)),
        ("blocks", fit_blocks([masks], Blocks(work.shape(task), (8, 8, 8)), 3)),
    ):
        arrays = work.fitted(name, task)
        for key, array in expected.arrays().items():
            np.testing.assert_allclose(arrays[key], array, atol=1e-6)
    assert work.fitted("naive", task) == {}


def test_autoencoders_are_fitted_to_the_public_masks_alone(work, monkeypatch):
    """By what reaches their training."""
    seen, started = [], AutoencoderTrainer.__init__

    def noted(self, design, y, *others):
        seen.append(y)
        started(self, design, y, *others)

    monkeypatch.setattr(AutoencoderTrainer, "__init__", noted)
    for name in ("ball", "coarse"):
        again = work.encoder(name, task=WHOLE, again=f"seen/{name}")
        assert written(again, ".npz", ".json") == written(work.encoder(name, task=WHOLE), ".npz", ".json")
    masks = work.masks("public", WHOLE)
    np.testing.assert_array_equal(seen[0], masks)
    np.testing.assert_array_equal(seen[1], coarse(masks, (16, 16, 8)))


def test_a_grid_finer_than_the_masks_is_refused(work):
    with pytest.raises(InputError, match=r"grid \(32, 32, 17\)"):
        work.encoder("coarse", again="refused/grid", grid=[32, 32, 17])
    assert not list((work.folder / "refused").glob("grid*"))


def test_each_repetition_has_its_own_public_masks(work):
    one, two = (work.fitted("pca", WHOLE, number)["mean"] for number in (1, 3))
    assert np.abs(one - two).max() > 0.1


# ---------------------------------------------------------------- teachers


def test_one_job_of_two_teachers_is_two_jobs_of_one(work):
    whole, parts = work.teachers(), [work.teachers(shard, shard, shard + 1) for shard in (0, 1)]
    answers = load_arrays(f"{whole}.answers.npz")
    assert {part: (answer.shape, answer.dtype) for part, answer in answers.items()} == {
        "student": ((2, 3, 4, *SIDES), np.uint8),
        "test": ((2, 2, 4, *SIDES), np.uint8),
    }
    for part, answer in answers.items():
        alone = np.concatenate([load_arrays(f"{path}.answers.npz")[part] for path in parts])
        np.testing.assert_array_equal(answer, alone)
        assert not np.array_equal(answer[0], answer[1])
    both = load_arrays(f"{parts[0]}.npz") | load_arrays(f"{parts[1]}.npz")
    weights = load_arrays(f"{whole}.npz")
    assert set(weights) == set(both)
    for name, array in weights.items():
        np.testing.assert_array_equal(array, both[name])
    # the private metric of both is the mean of theirs
    found = [read_record(f"{path}.json")["private_metrics"]["own_dice"] for path in (whole, *parts)]
    assert found[0] == pytest.approx(np.mean(found[1:]))


def test_a_teacher_sees_its_own_patients_and_nobody_elses(work):
    """By the same training, asked for with the labels of these patients alone."""
    answers = load_arrays(f"{work.teachers()}.answers.npz")
    for teacher, rows in enumerate(teacher_shards(work.rows("teachers"), 2)):
        labels = np.zeros((9, *SIDES), np.uint8)
        labels[rows] = work.volumes.label[rows]
        images = np.zeros((9, 4, *SIDES), np.float16)
        images[rows] = work.volumes.image[rows]
        job = ("train_mask_teachers", "tiny", "1", f"teacher {teacher}")
        weights, _ = train_segmentation(UNET["tiny"], images, labels, rows, recipe("teacher"), Context(SEED, job, CPU))
        for name, array in weights.items():
            np.testing.assert_array_equal(load_arrays(f"{work.teachers()}.npz")[f"{teacher}.{name}"], array)
        said = np.stack(
            list(predicted_masks(UNET["tiny"], weights, work.volumes.image, work.rows("student"), CPU, SIDES))
        )
        assert np.abs(said - answers["student"][teacher] / 255).max() <= 0.5 / 255 + 1e-7


def test_nothing_that_teachers_say_is_public(work):
    record = read_record(f"{work.teachers()}.json")
    assert record["metrics"] == record["privacy"] == {} and "own_dice" in record["private_metrics"]
    record = read_record(f"{work.baselines()}.json")
    assert record["metrics"] == record["privacy"] == {}
    assert {"average_dice", "ensemble_dice", "mean_mask_dice"} <= set(record["private_metrics"])


# ---------------------------------------------------------------- what is released


def delta_of(epsilon, ratio):
    """The delta of a Gaussian whose sensitivity over sigma is `ratio`, at epsilon, exactly (Balle and Wang 2018)."""
    return norm.cdf(ratio / 2 - epsilon / ratio) - math.exp(epsilon) * norm.cdf(-ratio / 2 - epsilon / ratio)


@pytest.mark.parametrize(
    ("source", "encoder"),
    [*(("teachers", name) for name in ("naive", "pca", "blocks", "ball", "slices")), ("labels", "clip")],
)
def test_an_epsilon_is_never_less_than_what_its_noise_costs(work, source, encoder):
    made = MADE[source]
    task = TASK if source == "teachers" else WHOLE
    record, radius = record_of(work.codes(f"{source}/{encoder}")), work.built(encoder, task).radius
    assert record["metrics"]["radius"] == radius
    noisy = [it for it in made if it["epsilon"] is not None]
    assert record["privacy"] == {}
    privacy = cost_of_codes(record)
    assert set(privacy) == {f"{it['name']} {route}" for it in noisy for route in ("rdp", "analytic")}
    assert len(record["ledger"]) == len(noisy)
    for asked, entry in zip(noisy, record["ledger"], strict=True):
        name, sigma = asked["name"], record["metrics"][f"sigma {asked['name']}"]
        both = {route: privacy[f"{name} {route}"] for route in ("rdp", "analytic")}
        assert both[asked["route"]].epsilon == pytest.approx(asked["epsilon"], rel=1e-9)
        assert both["analytic"].epsilon <= both["rdp"].epsilon
        ratio = 2 * radius * math.sqrt(asked["queries"]) / asked["teachers"] / sigma
        for statement in both.values():
            if statement.epsilon < 100:  # beyond, exp(epsilon) leaves float64 or delta its digits
                assert delta_of(statement.epsilon, ratio) <= 1e-3 * (1 + 1e-6)
            # true labels in the answers' place are nobody's vote: nothing of them is protected
            assert (
                statement.guarantee == (source == "teachers")
                and not statement.data_dependent
                and statement.delta == 1e-3
            )
        if both["analytic"].epsilon < 100:
            assert delta_of(both["analytic"].epsilon * 0.99, ratio) > 1e-3
        assert (entry["labelling"], entry["count"]) == (name, asked["queries"])
        assert entry["parameters"] == {"sigma": sigma, "teachers": asked["teachers"], "radius": radius}
        assert abs(record["metrics"][f"ledger difference {name}"]) < 1e-6


def test_a_code_is_the_mean_of_the_teachers_codes_and_noise_of_its_own(work):
    answers, encoder = load_arrays(f"{work.teachers()}.answers.npz")["student"], work.built("naive")
    mean = np.stack([encoder.encode(query.astype(np.float32) / 255).mean(0) for query in answers.swapaxes(0, 1)])
    path = work.codes("teachers/naive")
    codes, record = arrays_of(path, "teachers/naive"), record_of(path)
    np.testing.assert_allclose(codes["noiseless-n3"], mean, atol=1e-6)
    drawn = []
    for name in ("k2-n3-e8", "k2-n3-e1e+06"):
        noise = (codes[name] - mean) / record["metrics"][f"sigma {name}"]
        assert noise.shape == (3, 4 * 32 * 32 * 16) and noise.std() == pytest.approx(1, abs=0.01)
        drawn += list(noise)
    for place, one in enumerate(drawn):  # neither in two labellings nor for two queries
        for other in drawn[:place]:
            assert abs(np.corrcoef(one, other)[0, 1]) < 0.03


def test_true_labels_stand_in_for_any_number_of_teachers_who_agree(work):
    path, encoder = work.codes("labels/clip"), work.built("clip", WHOLE)
    codes = arrays_of(path, "labels/clip")
    of_truth = encoder.encode(work.masks("student", WHOLE))
    for queries in (1, 2):
        np.testing.assert_allclose(codes[f"noiseless-n{queries}"], of_truth[:queries], atol=1e-6)
        for epsilon in ("1", "8"):
            assert codes[f"k1000-n{queries}-e{epsilon}"].shape == (queries, 4)
    sigma = record_of(path)["metrics"]
    assert sigma["sigma k1000-n1-e1"] > sigma["sigma k1000-n1-e8"]
    assert sigma["sigma k1000-n2-e1"] / sigma["sigma k1000-n1-e1"] == pytest.approx(math.sqrt(2))


@pytest.mark.parametrize("source", ["teachers", "labels"])
def test_how_good_labels_are_is_private(work, source):
    made = MADE[source]
    record = record_of(work.codes("labels/clip" if source == "labels" else "teachers/ball"))
    assert {name.rpartition(" ")[0] for name in record["metrics"]} <= {"", "sigma", "ledger difference"}
    for it in made:
        assert f"{it['name']} dice" in record["private_metrics"]


@pytest.mark.parametrize("name", ["k2-n3-e8", "noiseless-n3"])
def test_labels_are_also_measured_at_the_threshold_that_is_best_on_public_masks(work, name):
    """Which are encoded, made as noisy as the labels, and decoded; no private mask is looked at."""
    task = TASK | {"name": "coded", "coded_classes": 1}
    path = work.codes("teachers/naive", task=task)
    record, codes = record_of(path), arrays_of(path, "teachers/naive")
    encoder = build_encoder(ENCODERS["naive"], (1, *SIDES), {}, CPU)
    public, rows = (work.rows(part, task) for part in (task["encoder_part"], "student"))
    answers = encoder.encode(work.volumes.masks(public, 1))
    if sigma := record["metrics"].get(f"sigma {name}"):
        drawn = generator(SEED, "aggregate_masks", "coded", "teachers", "naive", "1", name, "public")
        answers = answers + drawn.normal(0.0, sigma, answers.shape).astype(np.float32)
    limit, _ = best_threshold(encoder.decode(answers), work.volumes.label[public])
    assert (limit == 0.5) != bool(sigma)
    true = (work.volumes.label[rows] > 0).astype(np.uint8)
    for measure, threshold in (("dice", None), ("tuned_dice", limit)):
        found = hard_labels(encoder.decode(codes[name]), threshold)
        expected = dice(found, true, {"whole": (1,)}, "skip").mean()
        assert record["private_metrics"][f"{name} {measure}_whole"] == pytest.approx(expected, abs=1e-6)
    assert {"encoder_dice_whole", "encoder_tuned_dice_whole"} <= set(record["private_metrics"])


def test_labels_decoded_from_nearly_no_noise_are_the_teachers_own(work):
    path = work.codes("teachers/naive")
    record, codes = record_of(path)["private_metrics"], arrays_of(path, "teachers/naive")
    assert record["k2-n3-e1e+06 dice"] != record["k2-n3-e8 dice"]
    apart, sigma = codes["k2-n3-e1e+06"] - codes["noiseless-n3"], record_of(path)["metrics"]["sigma k2-n3-e1e+06"]
    assert apart.std() == pytest.approx(sigma, rel=0.02)


def test_an_answer_is_repeated_to_the_same_bytes(work):
    again = work.codes("teachers/ball", again="again/codes")
    assert written(again, ".npz", ".json") == written(work.codes("teachers/ball"), ".npz", ".json")


def test_answers_of_too_few_teachers_are_refused(work):
    with pytest.raises(InputError, match="2 teachers: there are answers of 1"):
        work.codes("teachers/ball", answers=[work.teachers(0, 0, 1)], again="refused/codes")
    assert not list((work.folder / "refused").glob("codes*"))


# ---------------------------------------------------------------- students


def test_students_learn_from_what_was_released(work):
    """By the same training, asked for with the decoded masks alone."""
    weights, encoder = arrays_of(work.students("labels/clip"), "labels/clip"), work.built("clip", WHOLE)
    for made in MADE["labels"][1:3]:
        rows, name = work.rows("student", WHOLE)[: made["queries"]], made["name"]
        masks = np.zeros((9, 1, *SIDES), np.float16)
        masks[rows] = encoder.decode(arrays_of(work.codes("labels/clip"), "labels/clip")[name])
        job = ("train_mask_students", "whole", "labels", "clip", "1", name)
        given = (UNET["whole"], work.volumes.image, masks, rows, recipe("student"))
        expected, _ = train_segmentation(*given, Context(SEED, job, CPU))
        for key, array in expected.items():
            np.testing.assert_array_equal(weights[f"{name}/{key}"], array)


@pytest.mark.parametrize(
    ("found", "kept"), [([0.5], 1), ([0.4, 0.9], 2), ([0.1, 0.3, 0.2], 2)], ids=["good", "second", "none is good"]
)
def test_a_student_below_the_mean_public_mask_is_trained_anew_and_the_best_on_public_volumes_kept(
    work, monkeypatch, found, kept
):
    dice = iter([0.5, *found])  # the mean mask's first
    monkeypatch.setattr(train_mask_students, "public_dice", lambda job, masks: next(dice))
    again = f"tries/{'-'.join(map(str, found))}"
    path = work.students(MEAN_MASK, task=TASK | {"tries": 3}, again=again)
    assert record_of(path)["private_metrics"]["n3 tries"] == len(found)
    weights, masks, rows = arrays_of(path, MEAN_MASK), np.zeros((9, 4, *SIDES), np.float16), work.rows("student")
    masks[rows] = work.masks(TASK["encoder_part"]).mean(axis=0)
    job = ("train_mask_students", "tiny", "mean_mask", "none", "1", "n3", *([f"try{kept}"] if kept > 1 else []))
    expected, _ = train_segmentation(
        UNET["tiny"], work.volumes.image, masks, rows, recipe("student"), Context(SEED, job, CPU)
    )
    for key, array in expected.items():
        np.testing.assert_array_equal(weights[f"n3/{key}"], array)
    assert not [path for path in (work.folder / "tries").glob("*half*") if path.suffix != ".lock"]


def test_what_a_student_is_tried_on_is_the_public_part_alone(work):
    named = {"seed": SEED, "job": ("any",), "preset": "tiny", "dataset": "made", "script": Path(__file__)}
    job = SegmentationJob(**named, volumes=work.index, task=WHOLE, repetition=1, device="cpu", threads=1)
    public = work.masks("public", WHOLE)
    np.testing.assert_allclose(mean_mask(job), public.mean(axis=0), rtol=1e-6)
    assert public_dice(job, public) == 1
    assert public_dice(job, work.masks("test", WHOLE).repeat(2, axis=0)) < 1


def test_what_is_measured_of_a_student_is_public_only_where_a_mechanism_released_its_labels(work):
    for unit in ("teachers/ball", "labels/clip", TRUTH):
        record, source = record_of(work.students(unit)), unit.partition("/")[0]
        assert not any("own_" in name for name in record["metrics"])  # against the truth of what was to be labelled
        for made in MADE[source]:
            public = source == "teachers" and made["epsilon"] is not None
            for measure in ("dice", "tuned_dice"):
                name = f"{made['name']} {measure}"
                assert (name in record["metrics"], name in record["private_metrics"]) == (public, not public)
        assert record["privacy"] == {}


def test_codes_of_another_encoder_or_of_other_queries_are_refused(work, tmp_path):
    noisy, *_ = MADE["teachers"]
    refused = partial(work.students, again="refused/students")
    save_shard(f"{tmp_path}/codes.npz", {"teachers/slices": arrays_of(work.codes("teachers/ball"), "teachers/ball")})
    with pytest.raises(InputError, match=r"codes of shape \(1, 3\): allowed are \(n, 32\)"):
        refused("teachers/slices", codes=tmp_path / "codes")
    with pytest.raises(InputError, match="k2-n3-e8 answers 3 queries; expected 2"):
        refused("teachers/ball", labellings=[noisy | {"queries": 2}])
    with pytest.raises(InputError, match="teachers/ball: no codes of k2-n3-e2; there are k2-n3-e8, "):
        refused("teachers/ball", labellings=[noisy | {"name": "k2-n3-e2"}])
    assert not list((work.folder / "refused").glob("students*npz"))


def test_a_unit_that_no_shard_has_is_refused_by_name(work):
    """Of codes, of what was fitted, and of the students of another unit of the same encoder."""
    ball = work.codes("teachers/ball")
    with pytest.raises(InputError, match=rf"^{ball}\.npz: no arrays of teachers/slices$"):
        work.students("teachers/slices", codes=ball, again="refused/unit")
    with pytest.raises(InputError, match=r"ball/1\.npz, .*pca/1\.npz: no arrays of slices$"):
        work.codes("teachers/slices", fitted=[work.encoder("ball"), work.encoder("pca")], again="refused/unit")
    assert not [path for path in (work.folder / "refused").glob("unit*") if "half" not in path.name]


# ---------------------------------------------------------------- the baseline


def test_a_student_on_the_mean_mask_sees_no_label_of_its_volumes(work):
    weights = arrays_of(work.students(MEAN_MASK), MEAN_MASK)
    masks, rows = np.zeros((9, 4, *SIDES), np.float16), work.rows("student")
    masks[rows] = work.masks(TASK["encoder_part"]).mean(axis=0)
    job = ("train_mask_students", "tiny", "mean_mask", "none", "1", "n3")
    expected, _ = train_segmentation(
        UNET["tiny"], work.volumes.image, masks, rows, recipe("student"), Context(SEED, job, CPU)
    )
    for key, array in expected.items():
        np.testing.assert_array_equal(weights[f"n3/{key}"], array)


@pytest.mark.parametrize(("who", "name"), [("the task", "naive"), ("the encoder", "whole_naive")])
def test_whole_tumours_of_three_classes_can_be_encoded(work, who, name):
    """By codes of one channel: the answers' tumour, whatever its class, and students of one class."""
    task = TASK | {"name": "coded", "coded_classes": 1} if who == "the task" else TASK
    encoder = build_encoder(
        ENCODERS["naive"], (1, *SIDES), load_unit([f"{work.encoder(name, task=task)}.npz"], name), CPU
    )
    unit, codes = f"teachers/{name}", work.codes(f"teachers/{name}", task=task)
    answers = load_arrays(f"{work.teachers(task=task)}.answers.npz")["student"].astype(np.float32) / 255
    mean = np.stack([encoder.encode(1 - query[:, :1]).mean(0) for query in answers.swapaxes(0, 1)])
    np.testing.assert_allclose(arrays_of(codes, unit)["noiseless-n3"], mean, atol=1e-6)
    students = work.students(unit, task=task, codes=codes)
    assert arrays_of(students, unit)["noiseless-n3/output.conv.conv.bias"].shape == (1,)
    assert record_of(students)["parameters"]["task"]["classes"] == 1
    truth = arrays_of(work.students(TRUTH, task=task), TRUTH)
    assert truth["n3/output.conv.conv.bias"].shape == (4,)
    assert {"n3 dice_core", "n3 dice_whole"} <= set(record_of(work.students(TRUTH, task=task))["private_metrics"])


@pytest.mark.parametrize("noise", ["printed", "budget"])
def test_dp_sgd_costs_what_its_record_says(work, noise):
    record = read_record(f"{work.sgd(noise)}.json")
    privacy = private_training(record)
    made = SegmentationSgdRecipe(**SGD["recipe"])
    orders, sigma = rdp.order_grid(**ACCOUNTING["orders"]), record["metrics"]["sigma"]
    # all patients of teachers and student: 7, in 4 batches
    charged = account(7, with_joint_clip(made, UNET["tiny"]), sigma)
    assert privacy == {"joint": replaced_statement(charged, orders, 1e-3)}
    statement = privacy["joint"]
    assert statement.guarantee and statement.neighbouring == "replace_one" and "dice" in record["metrics"]
    # another patient in one's place costs more than one patient less
    assert statement.epsilon > statements(one_block(charged), orders, 1e-3)["joint_tight"].epsilon
    # of its own volumes; and of a threshold that was chosen on such, where none are public, as here
    private = {name for name in record["private_metrics"] if name.startswith(("own_", "tuned_"))}
    assert set(record["private_metrics"]) == private and not any(name in record["metrics"] for name in private)
    assert {"own_dice", "tuned_dice"} <= private
    assert (record["metrics"]["patients"], record["metrics"]["steps"]) == (7, 4)
    if noise == "printed":
        assert sigma == SGD["sigma"]
    else:
        assert 7.9 < privacy["joint"].epsilon <= 8


def test_clipping_alone_protects_nobody(work):
    record = read_record(f"{work.sgd('clipped')}.json")
    assert private_training(record) == {} and record["metrics"]["sigma"] == 0
    assert "dice" in record["private_metrics"] and "dice" not in record["metrics"]


# ---------------------------------------------------------------- units of one job


@pytest.mark.parametrize(
    ("make", "units"),
    [
        ("encoder", ("ball", "clip")),
        ("encoder", ("naive", "pca")),  # one of them has no arrays
        ("codes", ("teachers/ball", "teachers/clip")),
        ("students", ("teachers/ball", TRUTH)),
    ],
)
def test_a_job_of_two_units_is_two_jobs_of_one(work, make, units):
    """Each unit has draws and a record of its own, whatever is done before it."""
    make = getattr(work, make)
    both, alone = make(*units), [make(unit) for unit in units]
    assert [record["job"] for record in read_records(f"{both}.json")] == [record_of(path)["job"] for path in alone]
    assert read_records(f"{both}.json") == [record_of(path) for path in alone]
    for unit, path in zip(units, alone, strict=True):
        arrays, expected = arrays_of(both, unit), arrays_of(path, unit)
        assert set(arrays) == set(expected)
        for name, array in expected.items():
            np.testing.assert_array_equal(arrays[name], array)
            assert arrays[name].dtype == array.dtype
    first, second = (arrays_of(path, unit) for unit, path in zip(units, alone, strict=True))
    assert set(first) != set(second) or any(not np.array_equal(first[name], second[name]) for name in first)


@pytest.mark.parametrize("answers", ["of one", "of both"])
def test_what_is_released_does_not_depend_on_the_shard_its_encoder_is_in(work, answers):
    fitted = [work.encoder("ball", "clip")] if answers == "of both" else [work.encoder("clip"), work.encoder("ball")]
    again = work.codes("teachers/ball", fitted=fitted, again=f"shards/{answers}")
    assert written(again, ".npz", ".json") == written(work.codes("teachers/ball"), ".npz", ".json")


def test_the_record_of_a_unit_names_rule_task_unit_and_repetition(work):
    expected = {
        work.encoder("ball"): ["train_mask_encoder", "tiny", "ball", "1"],
        work.encoder("pca", task=WHOLE, repetition=3): ["train_mask_encoder", "whole", "pca", "3"],
        work.codes("teachers/ball"): ["aggregate_masks", "tiny", "teachers", "ball", "1"],
        work.students("labels/clip"): ["train_mask_students", "whole", "labels", "clip", "1"],
        work.students(TRUTH): ["train_mask_students", "tiny", "truth", "none", "1"],
    }
    for path, job in expected.items():
        (record,) = read_records(f"{path}.json")
        assert record["job"] == job and (record["preset"], record["seed"], record["dataset"]) == ("tiny", SEED, "made")


# ---------------------------------------------------------------- going on after a stop


def one_encoder(work, **other):
    return work.encoder("ball", **other)


def two_encoders(work, **other):
    return work.encoder("ball", "clip", **other)


def all_teachers(work, **other):
    return work.teachers(**other)


def all_students(work, **other):
    return work.students("teachers/ball", **other)


def students_of_two_units(work, **other):
    return work.students("teachers/ball", TRUTH, **other)


# the job, what trains in it, the step at which it is stopped, all steps, and the ends of its files; of two units the
# second is stopped
JOBS = {
    "encoder": (one_encoder, AutoencoderTrainer, 3, 4, (".npz", ".json")),
    "encoders": (two_encoders, AutoencoderTrainer, 6, 8, (".npz", ".json")),
    "teachers": (all_teachers, SegmentationTrainer, 4, 6, (".npz", ".answers.npz", ".json")),
    "students": (all_students, SegmentationTrainer, 4, 9, (".npz", ".json", ".csv", "_curves.csv")),
    "units": (students_of_two_units, SegmentationTrainer, 10, 12, (".npz", ".json")),
}


@pytest.mark.parametrize("name", JOBS)
def test_a_job_that_was_stopped_goes_on_to_the_same_bytes(work, monkeypatch, capsys, name):
    run, trainer, stop, steps, ends = JOBS[name]
    whole, advance, done = run(work), trainer.advance, []
    monkeypatch.setattr(checkpoint, "Checkpoint", partial(Checkpoint, seconds=0))
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(trainer, "advance", stopping(trainer, stop))
        run(work, again=f"stopped/{name}")
    left = {path.name for path in (work.folder / "stopped").glob(f"{name}*")}
    assert left and all("half" in path for path in left)
    capsys.readouterr()
    monkeypatch.setattr(trainer, "advance", lambda self: (done.append(1), advance(self)))
    again = run(work, again=f"stopped/{name}")
    assert len(done) == steps - stop and "going on from" in capsys.readouterr().err
    assert written(again, *ends) == written(whole, *ends)
    assert not [path for path in (work.folder / "stopped").glob(f"{name}*") if "half" in path.name]


def half_done(monkeypatch, trainer, run):
    """Stop a job after two steps, with its state saved."""
    monkeypatch.setattr(checkpoint, "Checkpoint", partial(Checkpoint, seconds=0))
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(trainer, "advance", stopping(trainer, 2))
        run()


def test_half_done_work_on_other_codes_is_not_gone_on_with(work, monkeypatch, tmp_path, capsys):
    """Codes may be answered anew under the same name, after their code or their teachers have changed."""
    other = tmp_path / "codes"
    arrays = arrays_of(work.codes("teachers/ball"), "teachers/ball")
    save_shard(f"{other}.npz", {"teachers/ball": {name: array[::-1] for name, array in arrays.items()}})
    students = partial(work.students, "teachers/ball")
    whole = written(students(), ".npz", ".json")
    students = partial(students, half=str(tmp_path / "half.npz"))
    half_done(monkeypatch, SegmentationTrainer, partial(students, codes=other, again="other/half"))
    assert list(tmp_path.glob("half*"))
    assert written(students(again="other/students"), ".npz", ".json") == whole
    assert "going on from" not in capsys.readouterr().err


def test_half_done_work_with_other_settings_is_not_gone_on_with(work, monkeypatch, capsys):
    stopped = {**ENCODERS["ball"]["recipe"], "sigma": 0.9}
    half_done(monkeypatch, AutoencoderTrainer, lambda: work.encoder("ball", again="other/ball", recipe=stopped))
    assert list((work.folder / "other").glob("ball_half*"))
    again = work.encoder("ball", again="other/ball")
    assert "going on from" not in capsys.readouterr().err
    assert written(again, ".npz", ".json") == written(work.encoder("ball"), ".npz", ".json")
