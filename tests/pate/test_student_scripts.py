"""What students see of the samples that the configuration gives them, through the scripts that train them."""

import shlex
from types import SimpleNamespace

import numpy as np
import pytest

from lib.core.files import save_arrays
from lib.data.sources import digits
from lib.pate import semi_supervised
from lib.plan.command_line import command_line
from lib.plan.config import register
from lib.plan.plan import Plan
from scripts import release_network_student, train_network_student
from tests.plan.configurations import CONFIG

PLAN = Plan(CONFIG, register())


class _SeenError(Exception):
    """Ends a job where its data are checked, with the images as its network would see them."""


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The digits, all of them public, and labels of five; what is made of them is given back in place of training."""

    def seen(x_labelled, labels, x_unlabelled, classes, device, white):
        images = make_images(x_labelled, labels, x_unlabelled, classes, device, white)
        raise _SeenError(images.scaled(images.pool))

    make_images = semi_supervised.make_images
    monkeypatch.setattr(semi_supervised, "make_images", seen)
    arrays, rows = digits.read([]), np.arange(1000)
    labels = {"labels": arrays["y"][rows[:5]], "rows": rows[:5]}
    save_arrays(tmp_path / "data.npz", **arrays, fingerprint=np.array("ab" * 32))
    save_arrays(tmp_path / "split.npz", public=rows, private=rows[:0], test=rows[:9] + 1000, teacher=rows[:0])
    save_arrays(tmp_path / "labels.npz", **labels)
    public, test = arrays["x"][rows], rows[:9] + 1000
    part = {"x_public": public, "x_test": arrays["x"][test], "y_test": arrays["y"][test]}
    save_arrays(tmp_path / "samples.npz", **part, fingerprint=np.array("ab" * 32))
    return {name: tmp_path / f"{name}.npz" for name in ("data", "split", "labels", "samples", "record", "weights")}


@pytest.mark.parametrize("run", ["digits_confident_vat", "digits_confident_gan"])
@pytest.mark.parametrize(
    ("script", "plan", "names"),
    [
        (train_network_student, PLAN.scalable_pate, ("data", "split", "labels", "record")),
        (release_network_student, PLAN.release, ("samples", "labels", "weights", "record")),
    ],
)
def test_students_see_images_from_0_to_1(files, tmp_path, script, plan, names, run):
    settings = plan.network_student_settings(SimpleNamespace(run=run, repetition="1"))
    settings |= {"threads": 1, "checkpoint": tmp_path / "half.npz"}
    words = shlex.split(command_line([(name, files[name]) for name in names], settings))
    with pytest.raises(_SeenError) as caught:
        script.main(words)
    (images,) = caught.value.args
    assert (float(images.min()), float(images.max())) == (0, 1)
