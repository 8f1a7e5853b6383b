"""Masks in pictures and as NIfTI: of the right volumes, and of what students really say."""

import json

import nibabel
import numpy as np
import pandas as pd
import pytest

from lib.core.errors import InputError
from lib.core.files import load_arrays
from lib.segmentation.dice import dice, hard_labels, whole_tumour
from lib.segmentation.pictures import fullest_slice
from lib.segmentation.prediction import predicted_masks
from lib.segmentation.students import student_weights
from scripts import autoencoded_pate_curves, autoencoded_pate_masks, write_masks
from tests.redrawn import assert_redrawn
from tests.segmentation.conftest import MADE, TASK, TRUTH, described
from tests.segmentation.test_mask_scripts import CPU, UNET

pytestmark = pytest.mark.slow

UNIT, NOISY = "teachers/ball", MADE["teachers"][0]["name"]


def test_the_fullest_slice_has_the_most_tumour():
    label = np.zeros((3, 3, 4), np.uint8)
    label[0, 0, 1], label[:2, 0, 3] = 3, 1
    assert fullest_slice(label) == 3


def test_the_whole_tumour_of_classes_is_what_is_not_background():
    mask = np.array([0.2, 0.5, 0.3, 0.0], np.float32).reshape(4, 1, 1, 1)
    assert whole_tumour(mask).item() == pytest.approx(0.8)
    assert whole_tumour(mask[:1]).item() == pytest.approx(0.2)


def seen(work, unit, labelling, rows):
    weights = student_weights([f"{work.students(unit)}.npz"], unit, labelling)
    return np.stack(list(predicted_masks(UNET["tiny"], weights, work.volumes.image, rows, CPU, TASK["window"])))


def test_the_figure_shows_each_step_of_the_students_volumes(work, tmp_path):
    arguments = work.common(TASK, 1, ("autoencoded_pate_masks", "tiny"))
    arguments += ["--unit", json.dumps({name: described(UNIT)[name] for name in ("source", "encoder", "settings")})]
    arguments += [f"--labelling={NOISY}", "--truth=n3", "--shown=2", f"--fitted={work.encoder('ball')}.npz"]
    arguments += [f"--answers={work.teachers()}.answers.npz", f"--codes={work.codes(UNIT)}.npz", "--students"]
    arguments += [f"{work.students(UNIT)}.npz", f"{work.students(TRUTH)}.npz"]
    files = {name: tmp_path / f"masks{end}" for name, end in (("numbers", ".csv"), ("png", ".png"), ("pdf", ".pdf"))}
    autoencoded_pate_masks.main([*arguments, *(f"--{name}={path}" for name, path in files.items())])
    found = pd.read_csv(files["numbers"]).pivot(index="volume", columns="mask", values="dice_whole")
    rows = work.rows("student")[:2]
    assert list(found.index) == sorted(work.volumes.names[row] for row in rows)
    assert files["png"].read_bytes()[:4] == b"\x89PNG" and files["pdf"].read_bytes()[:4] == b"%PDF"
    said = load_arrays(f"{work.teachers()}.answers.npz", "student")["student"]
    for number, row in enumerate(rows):
        true = (work.volumes.label[row] > 0)[None].astype(np.uint8)
        for what, mask in (
            ("teachers' mean", said[:, number].mean(0) / 255),
            ("student of these", seen(work, UNIT, NOISY, [row])[0]),
            ("student on true labels", seen(work, TRUTH, "n3", [row])[0]),
        ):
            expected = dice(hard_labels(whole_tumour(mask)[None, None]), true, {"whole": (1,)}, "skip").mean()
            assert found.loc[work.volumes.names[row], what] == pytest.approx(float(expected), abs=1e-3)


def test_masks_on_disk_are_what_the_student_says_of_test_volumes(work, tmp_path):
    arguments = [*work.common(TASK, 1, ("write_masks", "tiny")), "--units", json.dumps([described(TRUTH)])]
    arguments += [f"--students={work.students(TRUTH)}.npz", f"--masks={tmp_path / 'masks'}"]
    write_masks.main(arguments)
    rows, folder = work.rows("test"), tmp_path / "masks" / "truth" / "none" / "n3"
    names = {work.volumes.names[row] for row in rows}
    assert {path.name for path in folder.iterdir()} == {f"{name}{end}" for name in names for end in (".nii.gz", ".png")}
    for row, mask in zip(rows, seen(work, TRUTH, "n3", rows), strict=True):
        found = nibabel.load(folder / f"{work.volumes.names[row]}.nii.gz")
        np.testing.assert_array_equal(np.asarray(found.dataobj), hard_labels(mask[None])[0])


def test_curves_are_those_of_every_network_by_its_labels(work, tmp_path):
    arguments = ["--label=made", f"--teachers={work.teachers()}_curves.csv", "--students"]
    arguments += [f"{work.students(unit)}_curves.csv" for unit in (UNIT, TRUTH)]
    files = {name: tmp_path / f"curves{end}" for name, end in (("numbers", ".csv"), ("png", ".png"), ("pdf", ".pdf"))}
    autoencoded_pate_curves.main([*arguments, *(f"--{name}={path}" for name, path in files.items())])
    found = pd.read_csv(files["numbers"])
    names = {"teacher 0", "teacher 1", "student on true labels"}
    names |= {"student, ε = 8", "student, ε = 1e+06", "student, no noise"}
    assert set(found["network"]) == names and files["pdf"].is_file()
    assert_redrawn(autoencoded_pate_curves, files["png"], files["numbers"])
    true = pd.read_csv(f"{work.students(TRUTH)}_curves.csv")
    shown = found[found["network"] == "student on true labels"]
    np.testing.assert_allclose(shown[["step", "loss", "dice"]], true[["step", "loss", "dice"]], rtol=1e-3)


def test_a_student_that_no_shard_has_is_refused_by_name(work):
    with pytest.raises(InputError, match="no arrays of teachers/pca"):
        student_weights([f"{work.students(TRUTH)}.npz"], "teachers/pca", "n3")
