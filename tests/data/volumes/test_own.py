"""A person's own volumes: read as the configuration says they lie, refused in one line where they do not."""

import json

import numpy as np
import pytest

from lib.core.errors import InputError
from lib.data.volumes import own, registry
from lib.plan.config import expand_own_volumes
from tests.data.volumes.conftest import SHAPE, image, label, write_nifti
from tests.plan.configurations import CONFIG, SCHEMA, changed, check_config, refusal

FOLDERS = {
    "layout": "folders",
    "folder": "mine",
    "images": {"flair": "{case}/flair.nii.gz", "t1": "{case}/{case}_t1.nii.gz"},
    "label": "{case}/seg.nii.gz",
    "labels": {"1": "oedema", "2": "core", "4": "enhancing"},
}
LIST = {"layout": "datalist", "folder": "mine", "list": "list.json", "channels": ["flair"], "labels": {"1": "whole"}}


@pytest.fixture
def root(tmp_path):
    """A data_root with two cases."""
    for case in ("a_1", "b_1"):
        folder = tmp_path / "mine" / case
        folder.mkdir(parents=True)
        for name in ("flair", f"{case}_t1"):
            write_nifti(folder / f"{name}.nii.gz", image(1))
        write_nifti(folder / "seg.nii.gz", label(1, 2, 4))
    return tmp_path


def test_volumes_in_folders_are_read(root):
    source = registry.get("own", FOLDERS, root)
    assert source.subjects() == ("a_1", "b_1") and source.channels == ("flair", "t1") and source.classes == 3
    volume = source.read("a_1")
    assert volume.image.shape == (2, *SHAPE) and set(np.unique(volume.label)) == {0, 1, 2, 3}
    assert registry.spec("own", FOLDERS).classes == 3
    assert registry.required_files("own", root, FOLDERS) == [root / "mine"]


def test_two_classes_may_be_of_anything(root):
    settings = FOLDERS | {"labels": {"1": "second", "2": "first", "4": "background"}}
    source = registry.get("own", settings, root)
    label = source.read(source.subjects()[0]).label
    assert source.classes == registry.spec("own", settings).classes == 2
    assert (label == 1).sum() == (label == 2).sum() > 0 and set(np.unique(label)) == {0, 1, 2}


def test_so_are_those_of_a_datalist(root):
    items = [{"image": f"{case}/flair.nii.gz", "label": f"{case}/seg.nii.gz"} for case in ("a_1", "b_1")]
    (root / "mine" / "list.json").write_text(json.dumps({"training": items}))
    settings = LIST | {"labels": FOLDERS["labels"]}
    source = registry.get("own", settings, root)
    assert len(source.subjects()) == 2 and source.read(source.subjects()[0]).image.shape == (1, *SHAPE)
    for broken, said in (({"training": []}, "no labelled case"), ({"training": [{"image": "x"}]}, "has no label")):
        (root / "mine" / "list.json").write_text(json.dumps(broken))
        with pytest.raises(InputError, match=said):
            registry.get("own", settings, root).subjects()


@pytest.mark.parametrize(
    "images", [7, None, {"a": "b"}, ["x", "y"], [None], [], "", "\ud800", "a\nb.nii", "n" * 300, "a\0.nii"]
)
@pytest.mark.parametrize("settings", [LIST, LIST | {"channels": ["flair", "t1"]}])
def test_an_entry_of_a_datalist_that_names_no_files_is_one_line(root, images, settings):
    path = root / "mine" / "list.json"
    for key in ("image", "label"):
        files = {"image": "a_1/flair.nii.gz", "label": "a_1/seg.nii.gz"} | {key: images}
        path.write_text(json.dumps({"training": [files]}))
        with pytest.raises(InputError) as caught:
            registry.get("own", settings, root).subjects()
        assert str(root / "mine") in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    ["[]", "7", "null", '{"training": 7}', '{"training": [7]}', '{"training": [[]]}', "[" * 100_000, "", "\0"],
)
def test_a_file_that_is_no_datalist_is_one_line(root, content):
    (root / "mine" / "list.json").write_text(content)
    with pytest.raises(InputError, match=r"list\.json") as caught:
        registry.get("own", LIST, root).subjects()
    assert "\n" not in str(caught.value)


def test_hidden_files_are_no_cases(root):
    """As macOS writes them beside each file on a foreign disk."""
    flat = {"images": "{case}.nii.gz", "label": "labels/{case}.nii.gz", "labels": {"1": "whole"}}
    for case in ("a", ".b", "._a"):
        write_nifti(root / "flat" / f"{case}.nii.gz", image(1))
        write_nifti(root / "flat" / "labels" / f"{case}.nii.gz", label(1))
    (root / "flat" / ".DS_Store").touch()
    source = registry.get("own", {"layout": "folders", "folder": "flat"} | flat, root)
    assert source.subjects() == ("a",)
    for case in (".hidden", "._a_1"):
        write_nifti(root / "mine" / case / "flair.nii.gz", image(1))
    assert registry.get("own", FOLDERS, root).subjects() == ("a_1", "b_1")
    named = {"images": ".scans/t{case}.nii", "label": ".scans/l{case}.nii", "labels": {"1": "whole"}}
    for what in "tl":
        write_nifti(root / "mine" / ".scans" / f"{what}.1.nii", label(1))
    assert registry.get("own", {"layout": "folders", "folder": "mine"} | named, root).subjects() == (".1",)


def test_a_name_with_a_line_break_leaves_a_refusal_one_line(root):
    """It is written as Python writes it."""
    (root / "mine" / "a_1").rename(root / "mine" / "a\n1")
    with pytest.raises(InputError, match=r"case a\\n1 lacks") as caught:
        registry.get("own", FOLDERS, root).subjects()
    assert "\n" not in str(caught.value)


def test_names_with_signs_of_patterns_are_read_as_they_are(root):
    write_nifti(root / "mine" / "[ab]" / "x[1]?.nii", label(1))
    write_nifti(root / "mine" / "a" / "x[1]?.nii", label(1))
    settings = {"images": "./[ab]/x{case}?.nii", "label": "[ab]//x{case}?.nii", "labels": {"1": "whole"}}
    assert registry.get("own", {"layout": "folders", "folder": "mine"} | settings, root).subjects() == ("[1]",)


def test_an_expression_that_takes_too_long_is_refused(root, monkeypatch):
    (root / "mine" / "a_1").rename(root / "mine" / ("a" * 60 + "_1"))
    old = root / "mine" / ("a" * 60 + "_1")
    (old / "a_1_t1.nii.gz").rename(old / f"{old.name}_t1.nii.gz")
    monkeypatch.setattr(own, "LONGEST", 0.5)
    with pytest.raises(InputError, match=r"takes more than 0\.5 s for 2 names of cases"):
        registry.get("own", FOLDERS | {"patient": "((?:a+)+)_x"}, root).subjects()


@pytest.mark.parametrize("expression", ["(x)", "(x)?.*"])
def test_a_case_without_a_patient_is_named(root, expression):
    with pytest.raises(InputError, match=r"no patient in the case 'a_1' by"):
        registry.get("own", FOLDERS | {"patient": expression}, root).subjects()


def test_a_patient_with_two_cases_is_refused(root):
    (root / "mine" / "b_1").rename(root / "mine" / "a_2")
    (root / "mine" / "a_2" / "b_1_t1.nii.gz").rename(root / "mine" / "a_2" / "a_2_t1.nii.gz")
    assert len(registry.get("own", FOLDERS, root).subjects()) == 2
    with pytest.raises(InputError, match="the same patient twice, a"):
        registry.get("own", FOLDERS | {"patient": "(.*)_[0-9]+"}, root).subjects()


def test_a_file_that_is_missing_or_a_number_without_a_meaning_is_named(root):
    with pytest.raises(InputError, match="labels 2, 4 outside the map"):
        registry.get("own", FOLDERS | {"labels": {"1": "whole"}}, root).label("a_1")
    (root / "mine" / "a_1" / "seg.nii.gz").unlink()
    with pytest.raises(InputError, match=r"case a_1 lacks .*seg\.nii\.gz"):
        registry.get("own", FOLDERS, root).subjects()
    with pytest.raises(InputError, match="no file like"):
        registry.get("own", FOLDERS | {"images": "{case}.nii", "label": "{case}_seg.nii"}, root).subjects()
    with pytest.raises(InputError, match="put the files as the configuration says"):
        registry.get("own", FOLDERS | {"folder": "elsewhere"}, root)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"layout": "guess"}, "allowed: folders, datalist"),
        ({"label": None}, "lacks the key 'label'"),
        ({"list": "x.json"}, "unknown key 'list'"),
        ({"label": "seg.nii.gz"}, "{case}"),
        ({"label": "/scans/{case}.nii.gz"}, "below the folder"),
        ({"label": "**/{case}.nii.gz"}, "no *"),
        ({"images": "a**/{case}.nii"}, "no *"),
        ({"labels": {"1": "tumour"}}, "allowed are 0 to 255"),
        ({"labels": {"1": "whole", "2": "core"}}, "no other is allowed"),
        ({"labels": {"1": "oedema", "2": "core"}}, "all three"),
        ({"labels": {"1": "first"}}, "allowed are whole alone, first and second, or oedema, core and enhancing"),
        ({"labels": {"1": "first", "2": "second", "3": "enhancing"}}, "first and second"),
        ({"patient": "("}, "no regular expression"),
        ({"patient": "(a{99999999999})"}, "no regular expression"),
        ({"patient": ".*"}, "one pair of parentheses"),
    ],
)
def test_settings_that_do_not_say_enough_are_refused(change, said):
    with pytest.raises(InputError) as caught:
        own.check_settings(FOLDERS | change)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def configured(**more):
    """Quick's configuration with volumes as a person writes them."""
    mine = {
        "layout": "folders",
        "images": "{case}/flair.nii.gz",
        "label": "{case}/seg.nii.gz",
        "labels": {1: "whole"},
        "shape": [48, 48, 32],
    }
    config = changed(("segmentation", "volumes", "mine"), mine | more)
    config = changed("segmentation.tasks.lgg.volumes", "mine", config)
    expand_own_volumes(config)
    return config


def test_what_a_person_writes_is_checked_as_a_block_of_the_catalogue():
    config = configured()
    check_config(config, SCHEMA)
    block = config["segmentation"]["volumes"]["mine"]
    assert block["settings"]["folder"] == "mine" and block["settings"]["labels"] == {"1": "whole"}
    assert set(block) == set(CONFIG["segmentation"]["volumes"]["lgg"])
    assert "segmentation.volumes.mine" in refusal(configured(label="seg.nii.gz"))
    assert "'shape'" in refusal({**config, "segmentation": without_shape(config)})


def without_shape(config):
    volumes = {key: dict(value) for key, value in config["segmentation"]["volumes"].items()}
    del volumes["mine"]["shape"]
    return {**config["segmentation"], "volumes": volumes}
