"""What a release is made of, and what it must not depend on."""

import json
import subprocess
import sys

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from lib.core.errors import InputError
from lib.core.files import load_arrays, read_json, read_sealed_json, save_arrays, write_sealed_json
from lib.core.provenance import file_digest
from lib.models.classifiers import make_classifier
from lib.pate.gan_student import train_gan_student
from lib.pate.student_settings import GanSettings
from lib.release.classifier_weights import classifier_weights
from lib.release.loader import Student, load
from lib.release.verify import verify
from lib.release.weights import names_fault, weights_fault
from lib.training.context import Context
from scripts import sanitize_epsilon
from tests.release.conftest import ACCOUNTING, RUN

FOREST = {"kind": "random_forest", "trees": 7}
LOGISTIC = {"kind": "logistic_regression", "iterations": 200}


def contents(folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def sound(folder) -> bool:
    return not any(check.faults for check in verify(folder)[1])


# ---------------------------------------------------------------- the student


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize(
    "settings", [FOREST, {"kind": "logistic_regression", "iterations": 100}], ids=lambda s: s["kind"]
)
def test_the_loader_computes_what_scikit_learn_does(settings, classes):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(80, 6)), 1 + rng.integers(0, classes, 80)
    x[:, 0] += y
    model = make_classifier(settings, 1).fit(x, y)
    student = Student(settings["kind"], classes + 2, 1.0, classifier_weights(model))
    asked = rng.normal(size=(50, 2, 3))
    found = student.probabilities(asked)
    assert found.shape == (50, classes + 2) and (found[:, [0, classes + 1]] == 0).all()
    np.testing.assert_allclose(found[:, 1:-1], model.predict_proba(asked.reshape(50, 6)), atol=1e-12)
    assert names_fault(settings["kind"], set(student.weights)) is None
    assert names_fault(settings["kind"], {*student.weights, "votes"})


@pytest.mark.usefixtures("one_thread")
def test_the_loader_computes_what_a_network_does():
    rng = np.random.default_rng(2)
    x = rng.integers(0, 256, (20, 4, 3), dtype=np.uint8)
    given = GanSettings(
        hidden=[8, 6],
        generator=[5],
        latent=3,
        input_noise=0.3,
        hidden_noise=0.5,
        epochs=1,
        labelled_batch=10,
        unlabelled_batch=10,
        learning_rate=0.003,
        beta1=0.5,
        beta2=0.999,
        decay_start=0.5,
        unlabelled_weight=1.0,
        average_decay=0.9,
        initial_batch=10,
    )
    trained = train_gan_student(x, np.arange(20) % 3, x, 3, 255, given, Context(1, ("job",), torch.device("cpu")))
    student = Student("dense", 3, float(trained.white), trained.dense())
    np.testing.assert_allclose(student.probabilities(x), trained.predict_probabilities(x), atol=1e-5)
    assert names_fault("dense", set(student.weights)) is None and len(student.weights) == 6
    assert names_fault("dense", set()) and names_fault("dense", {"weight_1", "bias_1"})
    about = {"kind": "dense", "shape": [4, 3], "classes": 3, "white": 255.0, "model": {"hidden": [8, 6]}}
    assert weights_fault(about, student.weights) is None
    large = {name: array * np.float32(1e30) for name, array in student.weights.items()}
    with np.errstate(all="ignore"):
        assert np.isnan(Student("dense", 3, 255.0, large).probabilities(x)).any()
    assert "so large that sums may overflow" in weights_fault(about, large)
    assert "so large that sums may overflow" in weights_fault(about | {"white": 1e-300}, student.weights)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"classes": np.array([1])}, "not at least two"),
        ({"classes": np.array([0, 2, 1])}, "in rising order"),
        ({"classes": np.array([[0, 1, 2]])}, "classes are not"),
        ({"classes": np.array([0.0, 1.0, 2.0])}, "whole numbers"),
        ({"mean": np.full(4, 1e300), "coef": np.full((3, 4), 1e10)}, "scores may overflow"),
    ],
)
def test_a_linear_student_that_cannot_be_used_is_refused(changed, said):
    about = {"kind": "logistic_regression", "shape": [2, 2], "classes": 3, "model": {"kind": "logistic_regression"}}
    sound = {"classes": np.arange(3), "mean": np.zeros(4), "scale": np.ones(4)}
    sound |= {"coef": np.ones((3, 4)), "intercept": np.zeros(3)}
    assert weights_fault(about, sound) is None
    assert said in weights_fault(about, sound | changed)


@pytest.mark.parametrize("model", [FOREST, LOGISTIC], ids=lambda m: m["kind"])
def test_the_loader_of_a_release_gives_the_stated_accuracy_without_the_project(made, model, tmp_path):
    made.student(model)
    folder = made.release()
    stated = read_json(folder / "student.json")["accuracy"]
    assert stated > 60
    part = load_arrays(made.SAMPLES)
    assert load(folder).accuracy(part["x_test"], part["y_test"]) == stated
    run = [sys.executable, "-I", str(folder / "load_student.py"), made.SAMPLES]
    printed = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert printed == f"accuracy: {stated:.2f} %\n" and f"{stated:.2f} %" in (folder / "MODEL_CARD.md").read_text()
    assert sound(folder)


# ---------------------------------------------------------------- what it may depend on


def test_the_same_release_has_the_same_bytes(made, folder):
    before = contents(folder)
    assert contents(made.release()) == before


def test_no_private_number_of_a_record_reaches_a_release(made, folder):
    """All that depends on private data without noise is changed; the folder stays as it is, byte by byte."""
    before = contents(folder)
    for path in (made.AGGREGATED, made.SANITIZED):
        record = read_sealed_json(path)
        record["private_metrics"]["values"] = {"votes": 123.0}
        record["fingerprint"] = "1" * 64
        record["provenance"]["read"][0]["sha256"] = "2" * 64
        for statement in record["privacy"].values():
            if not statement["sanitized"]:
                statement["epsilon"] = 0.01
        record["metrics"] = {name: 1.0 for name in record["metrics"]}
        write_sealed_json(path, record)
    assert contents(made.release()) == before


def test_the_public_part_does_not_depend_on_a_private_record(made):
    made.student()
    before = file_digest(made.SAMPLES), load_file(made.WEIGHTS)
    arrays, split = load_arrays(made.DATA), load_arrays(made.SPLIT)
    arrays["x"][split["private"]] = 0
    arrays["y"][split["private"]] = 3
    save_arrays(made.DATA, **arrays | {"fingerprint": np.array("3" * 64)})
    made.student()
    assert file_digest(made.SAMPLES) == before[0]
    for name, tensor in load_file(made.WEIGHTS).items():
        np.testing.assert_array_equal(tensor, before[1][name])
    # and it does depend on the public ones
    arrays["x"][split["public"][:1]] += 1
    save_arrays(made.DATA, **arrays)
    made.student()
    assert file_digest(made.SAMPLES) != before[0]


def test_nothing_of_the_dataset_but_its_public_part_is_told(made, folder):
    """The fingerprint of the dataset, and digests of private files, would confirm a guess of a private record."""
    text = "".join(path.read_text() for path in folder.iterdir() if path.suffix != ".safetensors")
    private = [str(load_arrays(made.DATA)["fingerprint"])]
    private += [file_digest(path) for path in (made.DATA, made.SPLIT, made.VOTES, made.LABELS, *made.records())]
    private += [
        str(read_json(path)["privacy"][name]["epsilon"])[:8]
        for path, name in (
            (made.AGGREGATED, "dependent"),
            (made.AGGREGATED, "joint"),
            (made.SANITIZED, "sanitized_epsilon_fixed"),
        )
    ]
    for secret in private:
        assert secret not in text, secret
    assert file_digest(made.SAMPLES) in text


def test_a_student_that_reads_private_data_is_refused(made):
    record = read_sealed_json(made.STUDENT)
    record["provenance"]["read"].append({"path": made.SPLIT, "sha256": file_digest(made.SPLIT)})
    write_sealed_json(made.STUDENT, record)
    with pytest.raises(InputError, match=f"depends on private data other than through a mechanism: .* <- {made.SPLIT}"):
        made.release()


def test_a_student_of_noiseless_labels_is_refused(made):
    record = read_sealed_json(made.AGGREGATED)
    record["ledger"] = []
    write_sealed_json(made.AGGREGATED, record)
    with pytest.raises(InputError, match="without a draw of noise"):
        made.release()


def test_a_file_that_was_altered_since_is_refused(made):
    arrays = load_arrays(made.LABELS)
    arrays["labels"][:] = 1
    save_arrays(made.LABELS, **arrays)
    with pytest.raises(InputError, match=f"{made.LABELS}: is not what aggregate/run/1 wrote"):
        made.release()
    made.mechanisms()
    arrays = load_arrays(made.SAMPLES)
    save_arrays(made.SAMPLES, **arrays | {"more": np.zeros(1)})
    with pytest.raises(InputError, match=f"{made.SAMPLES}: is not what public_part/digits/1 wrote"):
        made.release()


def test_a_student_of_other_labels_is_refused(made):
    made.mechanisms(noise_seed="8")
    with pytest.raises(InputError, match="was another file when release_student/run/1 read it"):
        made.release()


def test_a_record_that_does_not_say_is_refused(made):
    record = read_sealed_json(made.STUDENT)
    del record["provenance"]
    write_sealed_json(made.STUDENT, record)
    with pytest.raises(InputError, match=f"{made.STUDENT}: does not say what its job read"):
        made.release()
    with pytest.raises(InputError, match="none of them is a record of release_student"):
        made.release([made.PUBLIC, made.AGGREGATED])


# ---------------------------------------------------------------- noise


def test_noise_of_the_system_makes_it_private_and_every_time_another(made):
    made.mechanisms(noise_seed=None)
    first = load_arrays(made.LABELS)["labels"]
    made.student()
    folder = made.release()
    said, page = read_json(folder / "privacy.json"), (folder / "MODEL_CARD.md").read_text()
    assert said["noise_seed"] is None and said["announced"]["statement"]["guarantee"]
    assert not said["spent"]["statement"]["guarantee"]  # the votes decide how many draws there are
    assert page.splitlines()[2].startswith("> **Epsilon ") and "NOT PRIVATE" not in page and sound(folder)
    made.mechanisms(noise_seed=None)
    assert not np.array_equal(first, load_arrays(made.LABELS)["labels"])


def test_noise_of_a_seed_is_said_not_to_be_private(folder):
    said, page = read_json(folder / "privacy.json"), (folder / "MODEL_CARD.md").read_text()
    assert said["noise_seed"] == 7 and "seed 7" in said["meaning"]
    assert not said["announced"]["statement"]["guarantee"] and not said["spent"]["statement"]["guarantee"]
    assert page.splitlines()[2].startswith("> **NOT PRIVATE**")


def test_noise_of_two_seeds_is_refused(made):
    record = read_sealed_json(made.SANITIZED)
    record["parameters"]["noise_seed"] = None
    write_sealed_json(made.SANITIZED, record)
    with pytest.raises(InputError, match="drawn with the seeds"):
        made.release()


def test_the_released_epsilon_is_part_of_what_is_announced(made):
    with_it = read_json(made.release() / "privacy.json")
    without = read_json(made.release([made.STUDENT, made.PUBLIC, made.AGGREGATED]) / "privacy.json")
    assert without["sanitized"] is None and sound(made.root / made.FOLDER)
    assert with_it["announced"]["statement"]["epsilon"] > without["announced"]["statement"]["epsilon"]
    caps = read_json(made.SANITIZED)["privacy"]["epsilon_caps"]["epsilon"]
    assert without["announced"]["statement"]["epsilon"] == pytest.approx(caps, rel=1e-8)
    assert without["announced"]["statement"]["epsilon"] >= caps


def test_a_discrete_run_is_released_with_its_own_ledger(made):
    run = RUN | {"noise": "discrete"}
    made.mechanisms(run=run)
    made.student()
    folder = made.release([made.STUDENT, made.PUBLIC, made.AGGREGATED])
    said = read_json(folder / "privacy.json")
    assert said["noise"] == "discrete" and sound(folder)
    assert [draw["mechanism"] for draw in said["spent"]["draws"]] == ["discrete_threshold", "discrete_gnmax"]
    assert "floating-point" not in (folder / "MODEL_CARD.md").read_text()


def test_a_discrete_epsilon_is_not_sanitised(made):
    with pytest.raises(InputError, match="nothing to sanitise"):
        sanitize_epsilon.main(
            [
                *made.job("sanitize_epsilon"),
                "--votes",
                made.VOTES,
                "--teachers",
                "60",
                "--noise-seed",
                "1",
                "--run",
                json.dumps(RUN | {"noise": "discrete"}),
                "--accounting",
                json.dumps(ACCOUNTING),
                "--sanitize",
                "{}",
                "--record",
                "x",
            ]
        )
