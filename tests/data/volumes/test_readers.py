"""Readers: volumes in the real folder layouts come out alike, and what is not whole is refused by name."""

import json
import shutil

import nibabel
import numpy as np
import pytest

from lib.core.errors import InputError
from lib.data.volumes.decathlon import DecathlonBrainTumour
from lib.data.volumes.folders import BRATS_2013, BRATS_2019, LGG, CaseFolders
from tests.data.volumes.conftest import SHAPE, image, label, write_nifti


def rows(volume_label):
    """The classes of the slices that `label` fills, each of one class."""
    assert all(len(np.unique(part)) == 1 for part in volume_label)
    return volume_label[:, 0, 0].tolist()


# ---------------------------------------------------------------- what is read


def test_decathlon_channels_and_labels_keep_their_order(decathlon):
    source = DecathlonBrainTumour(decathlon)
    assert source.subjects() == ("BRATS_001", "BRATS_002")
    assert source.channels == ("flair", "t1", "t1ce", "t2") and source.classes == 3
    volume = source.read("BRATS_002")
    np.testing.assert_array_equal(volume.image, np.stack([image(20 + channel) for channel in range(4)]))
    assert volume.image.dtype == np.float32 and volume.label.dtype == np.uint8
    assert rows(volume.label) == [0, 1, 2, 3, 0, 0]
    np.testing.assert_array_equal(source.label("BRATS_002"), volume.label)


def test_brats2019_labels_are_other_numbers_and_axes_are_turned(brats2019):
    source = CaseFolders(brats2019, BRATS_2019)
    assert source.subjects() == ("BraTS19_2013_2_1", "BraTS19_CBICA_AAB_1", "BraTS19_TCIA09_141_1")
    assert source.patient("BraTS19_CBICA_AAB_1") == "BraTS19_CBICA_AAB"
    for number, case in enumerate(source.subjects()):
        volume = source.read(case)
        expected = np.stack([image(10 * number + channel) for channel in range(4)])
        np.testing.assert_array_equal(volume.image, expected[:, ::-1, ::-1])
        assert rows(volume.label[::-1]) == [0, 2, 1, 3, 0, 0]
        np.testing.assert_array_equal(source.label(case), volume.label)


def test_brats2013_is_zero_outside_the_brain(brats2013):
    source = CaseFolders(brats2013, BRATS_2013)
    assert source.channels == ("flair", "t1ce")
    assert source.patient("brats_2013_pat0001_1") == "brats_2013_pat0001"
    volume = source.read("brats_2013_pat0001_1")
    assert (volume.image[:, 0] == 0).all() and volume.image.shape == (2, *SHAPE)
    np.testing.assert_array_equal(volume.image[1, 1:], (image(11) / 200 - 3)[1:])
    assert rows(volume.label) == [0, 2, 1, 2, 3, 0]


def test_lgg_is_zero_in_the_air_and_not_in_the_dark_inside(lgg_mri):
    source = CaseFolders(lgg_mri, LGG)
    assert source.classes == 1 and len(source.subjects()) == 3
    assert source.patient("TCGA_CS_4941_19960909") == "TCGA_CS_4941"
    volume = source.read("TCGA_CS_4941_19960909")
    head = np.zeros((16, 16, 4), bool)
    head[3:13, 3:13] = True
    np.testing.assert_array_equal(volume.image[0] > 0, head)
    assert (volume.image[0, 7:9, 7:9, 1] == 1).all()
    assert volume.label.sum() == 18 and volume.label.max() == 1


# ---------------------------------------------------------------- what is refused

READERS = {
    "decathlon": DecathlonBrainTumour,
    "brats2019": lambda folder: CaseFolders(folder, BRATS_2019),
    "brats2013": lambda folder: CaseFolders(folder, BRATS_2013),
    "lgg_mri": lambda folder: CaseFolders(folder, LGG),
}
LABELS = {
    "decathlon": ("BRATS_001", "labelsTr/BRATS_001.nii.gz"),
    "brats2019": ("BraTS19_2013_2_1", "HGG/BraTS19_2013_2_1/BraTS19_2013_2_1_seg.nii.gz"),
    "brats2013": ("brats_2013_pat0001_1", "brats_2013_pat0001_1/seg.nii.gz"),
    "lgg_mri": ("TCGA_CS_4941_19960909", "TCGA_CS_4941_19960909/mask.nii.gz"),
}
IMAGES = {
    "decathlon": ("BRATS_001", "imagesTr/BRATS_001.nii.gz"),
    "brats2019": ("BraTS19_2013_2_1", "HGG/BraTS19_2013_2_1/BraTS19_2013_2_1_t1ce.nii.gz"),
    "brats2013": ("brats_2013_pat0001_1", "brats_2013_pat0001_1/t1c.nii.gz"),
    "lgg_mri": ("TCGA_CS_4941_19960909", "TCGA_CS_4941_19960909/flair.nii.gz"),
}


@pytest.fixture(params=READERS)
def collection(request):
    """The name of a collection and its folder."""
    return request.param, request.getfixturevalue(request.param)


def refused(collection, match, case=None):
    name, folder = collection
    source = READERS[name](folder)
    with pytest.raises(InputError, match=match) as caught:
        source.read(case) if case else source.subjects()
    assert "\n" not in str(caught.value)


def shape_of(collection):
    name, folder = collection
    return READERS[name](folder).label(LABELS[name][0]).shape


def axes_of(name):
    return np.diag([-1.0, -1, 1, 1]) if name == "brats2019" else np.eye(4)


def test_a_label_outside_the_map(collection):
    name, folder = collection
    case, file = LABELS[name]
    wrong = np.full(shape_of(collection), 7, np.uint8)
    write_nifti(folder / file, wrong, axes_of(name))
    refused(collection, rf"{file}: labels 7 outside the map, allowed: 0, 1", case)


def test_a_label_of_another_shape(collection):
    name, folder = collection
    case, file = LABELS[name]
    write_nifti(folder / file, np.zeros((3, 7, 5), np.uint8), axes_of(name))
    refused(collection, rf"{file}: shape \(3, 7, 5\), but the subject's image has .*; they must agree", case)


def test_a_label_whose_axes_run_elsewhere(collection):
    name, folder = collection
    case, file = LABELS[name]
    write_nifti(folder / file, np.zeros(shape_of(collection), np.uint8), np.diag([1.0, -1, 1, 1]))
    refused(collection, rf"{file}: axes run RPS, but those of the subject's image", case)


def turned(angle):
    """A rotation about the upward axis."""
    affine = np.eye(4)
    affine[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    return affine


MOVED = {"shifted": np.eye(4) + np.eye(4, k=3) * 0.5, "coarser": np.diag([1.1, 1.1, 1.1, 1.0]), "turned": turned(0.1)}


@pytest.mark.parametrize("how", MOVED)
def test_a_label_in_another_place(collection, how):
    """Its shape and the letters of its axes are the image's: only the affine differs."""
    name, folder = collection
    case, file = LABELS[name]
    image_affine = nibabel.load(folder / IMAGES[name][1]).affine
    write_nifti(folder / file, np.zeros(shape_of(collection), np.uint8), MOVED[how] @ image_affine)
    refused(collection, rf"{file}: its position, spacing or rotation is not that of the subject's image", case)


@pytest.mark.parametrize("way", ["float32", "decimals", "quaternion"])
def test_a_label_whose_place_is_stored_in_another_way(collection, way):
    name, folder = collection
    case, file = LABELS[name]
    oblique = turned(0.3) @ np.diag([0.9375, 0.9375, 1.2, 1]) @ axes_of(name)
    oblique[:3, 3] = [-117.1234567, 93.7654321, -71.55555]
    for path in (folder / IMAGES[name][1]).parent.glob("*.nii*"):
        found = nibabel.load(path)
        write_nifti(path, np.asarray(found.dataobj), oblique)
    stored = {"float32": oblique.astype(np.float32), "decimals": oblique.round(3), "quaternion": oblique}[way]
    label_image = nibabel.Nifti1Image(np.zeros(shape_of(collection), np.uint8), stored)
    if way == "quaternion":
        label_image.set_qform(stored, 1)
        label_image.set_sform(None, 0)
    nibabel.save(label_image, folder / file)
    assert not READERS[name](folder).read(case).label.any()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity(collection, value):
    name, folder = collection
    case, file = IMAGES[name]
    shape = shape_of(collection) + ((4,) if name == "decathlon" else ())
    wrong = np.ones(shape, np.float32)
    wrong[1, 2, 3] = value
    count = 4 if name == "decathlon" else 1
    write_nifti(folder / file, wrong, axes_of(name))
    refused(collection, rf"{file}: {count} voxels are NaN or infinite", case)


def test_a_file_that_is_no_nifti(collection):
    name, folder = collection
    for case, file in (IMAGES[name], LABELS[name]):
        whole = (folder / file).read_bytes()
        for damaged in (whole[:60], b"nothing of the kind"):
            (folder / file).write_bytes(damaged)
            refused(collection, rf"{file}: not a readable NIfTI file", case)
        (folder / file).write_bytes(whole)


def test_a_missing_modality_or_label(collection):
    name, folder = collection
    for file in (IMAGES[name][1], LABELS[name][1]):
        (folder / file).rename(folder / "elsewhere")
        refused(collection, r"missing (modality t1ce|modality flair|label|image of case BRATS_001|brain mask)")
        (folder / "elsewhere").rename(folder / file)


def test_an_empty_folder(collection, tmp_path):
    name, folder = collection
    shutil.rmtree(folder)
    folder.mkdir()
    refused(collection, "dataset.json: not a readable JSON" if name == "decathlon" else "no case; each belongs in")


def test_no_labelled_case(collection):
    name, folder = collection
    if name == "decathlon":
        content = json.loads((folder / "dataset.json").read_text())
        (folder / "dataset.json").write_text(json.dumps(content | {"training": []}))
    else:
        for path in [*folder.rglob("*seg.nii*"), *folder.rglob("mask.nii*")]:
            path.unlink()
    refused(collection, "no labelled case")


def test_the_same_patient_twice(collection):
    name, folder = collection
    if name == "decathlon":
        content = json.loads((folder / "dataset.json").read_text())
        content["training"].append(content["training"][0])
        (folder / "dataset.json").write_text(json.dumps(content))
    else:
        first = (folder / IMAGES[name][1]).parent
        other = first.with_name(first.name.rpartition("_")[0] + "_9")
        shutil.copytree(first, other)
        for path in other.iterdir():
            path.rename(other / path.name.replace(first.name, other.name))
    refused(collection, "the same patient twice")


def test_the_same_case_in_two_folders(brats2019):
    shutil.copytree(brats2019 / "HGG/BraTS19_2013_2_1", brats2019 / "LGG/BraTS19_2013_2_1")
    refused(("brats2019", brats2019), "LGG/BraTS19_2013_2_1: the same patient twice, also in .*HGG/BraTS19_2013_2_1")


def test_channels_of_another_shape(brats2019):
    case, file = IMAGES["brats2019"]
    write_nifti(brats2019 / file, np.ones((6, 7, 4), np.int16), axes_of("brats2019"))
    refused(("brats2019", brats2019), rf"{file}: shape \(6, 7, 4\), but the subject's image has \(6, 7, 5\)", case)


def test_decathlon_with_a_modality_too_few_or_in_another_order(decathlon):
    case, file = IMAGES["decathlon"]
    write_nifti(decathlon / file, np.ones((*SHAPE, 3), np.float32))
    refused(("decathlon", decathlon), r"shape \(6, 7, 5, 3\), expected \(X, Y, Z, 4\); a modality is missing", case)
    write_nifti(decathlon / file, np.ones(SHAPE, np.float32))
    refused(("decathlon", decathlon), "a modality is missing", case)
    text = (decathlon / "dataset.json").read_text()
    for one, other in (("T1w", "T2w"), ("edema", "non-enhancing tumor")):
        swapped = text.replace(one, "X").replace(other, one).replace("X", other)
        (decathlon / "dataset.json").write_text(swapped)
        refused(("decathlon", decathlon), r"dataset.json: (modality|labels) \[.*\], expected \[.*\], in this order")


@pytest.mark.parametrize(
    "change",
    [
        {"modality": ["FLAIR"]},
        {"modality": None},
        {"modality": {"0": 7, "1": None}},
        {"labels": None},
        {"labels": "background"},
        {"training": None},
        {"training": ["a.nii.gz"]},
        {"training": [{"image": 7, "label": "a"}]},
        {"training": [{"image": ["a", "b"], "label": "a"}]},
        {"training": [{"image": "a", "label": {"a": "b"}}]},
        {"training": [{"image": "n" * 300, "label": "a"}]},
    ],
)
def test_decathlon_whose_list_holds_something_else(decathlon, change):
    content = json.loads((decathlon / "dataset.json").read_text())
    (decathlon / "dataset.json").write_text(json.dumps(content | change))
    refused(("decathlon", decathlon), r"dataset\.json: ")
    (decathlon / "dataset.json").write_text(json.dumps([content]))
    refused(("decathlon", decathlon), r"dataset\.json: ")


def test_decathlon_without_its_labels(decathlon):
    content = json.loads((decathlon / "dataset.json").read_text())
    del content["labels"]
    (decathlon / "dataset.json").write_text(json.dumps(content))
    refused(("decathlon", decathlon), r"dataset\.json: labels None, expected")


def test_real_lgg_and_brats2013_are_read(data_root):
    """Where the real files are: numbers that their makers publish."""
    source = CaseFolders(data_root / "lgg_mri", LGG)
    assert len(source.subjects()) == 110
    volume = source.read(source.subjects()[0])
    assert volume.image.shape[1:3] == (128, 128) and volume.label.any()
    source = CaseFolders(data_root / "brats2013", BRATS_2013)
    assert len(source.subjects()) == 6
    counts = np.bincount(source.label("brats_2013_pat0001_1").ravel())
    assert counts.tolist() == [8816276, 53050, 26371 + 818, 31485]


def test_slices_of_the_made_label_are_what_they_say():
    assert rows(label(1, 2, 4)) == [0, 1, 2, 4, 0, 0]
