"""Patches by patient: what is clear is read, whatever could be somebody else's or something else is refused."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from lib.core.errors import InputError
from lib.core.files import load_arrays
from lib.data import registry
from lib.data.patches import list_patches, read_patches
from lib.data.sources import idc
from lib.data.supervised import divided
from scripts import prepare_data

RNG = np.random.default_rng(6)
FILES = (
    "10/0/10_idx5_x1_y51_class0.png",
    "10/0/10_idx5_x51_y1_class0.png",
    "10/1/10_idx5_x101_y1_class1.png",
    "9/0/9_idx5_x1_y51_class0.png",
    "9/1/9_idx5_x1001_y1_class1.png",
)


def write(path, array):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(array).save(path)


@pytest.fixture
def folder(tmp_path):
    """Five patches of two patients."""
    for file in FILES:
        write(tmp_path / "idc" / file, RNG.integers(0, 256, (50, 50, 3), np.uint8))
    return tmp_path / "idc"


def read(folder):
    return read_patches(list_patches(folder))


def test_patches_are_read_by_patient_and_place(folder):
    (folder / ".DS_Store").touch()
    found = read(folder)
    assert found["group"].tolist() == ["10", "10", "10", "9", "9"]
    assert found["y"].tolist() == [0, 0, 1, 0, 1]
    assert found["skipped"].tolist() == [0, 0]
    assert (found["x"].dtype, found["y"].dtype) == (np.uint8, np.int64)
    for image, file in zip(found["x"], FILES, strict=True):
        np.testing.assert_array_equal(image, np.asarray(Image.open(folder / file)))


@pytest.mark.parametrize("shape", [(50, 32, 3), (17, 50, 3), (1, 1, 3)])
def test_smaller_patches_at_the_border_are_left_out_and_counted(folder, shape):
    write(folder / "9/1/9_idx5_x1051_y1_class1.png", np.zeros(shape, np.uint8))
    found = read(folder)
    assert len(found["x"]) == len(found["y"]) == len(found["group"]) == 5
    assert found["skipped"].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("file", "fault"),
    [
        ("9/1/9_idx5_x51_y1_class1 (1).png", "ambiguous name"),
        ("9/1/9_idx5_x51_y1.png", "ambiguous name"),
        ("9/1/9_idx5_x51_y1_class1.jpg", "ambiguous name"),
        ("9/1/9_idx5_x51_y1_class2.png", "ambiguous name"),
        ("9/1/9_idx5_x51_y1_class0.png", "ambiguous, 0 by its name and 1 by its folder"),
        ("9/1/10_idx5_x51_y1_class1.png", "ambiguous, 10 by its name and 9 by its folder"),
        ("9/2/9_idx5_x51_y1_class1.png", "not a folder of a class, allowed: 0, 1"),
        ("9/9_idx5_x51_y1_class1.png", "not a folder of a class"),
        ("IDC_regular_ps50_idx5/9/1/9_idx5_x51_y1_class1.png", "not a folder of a class"),
        ("9/1/9_idx5_x1_y51_class1.png", "the same place of the same patient as .*9_idx5_x1_y51_class0"),
        ("9/0/9_idx6_x1_y51_class0.png", "the same place"),
        ("9/0/9_idx5_x01_y051_class0.png", "the same place"),
    ],
)
def test_what_is_not_clear_is_refused_by_name(folder, file, fault):
    write(folder / file.replace(".jpg", ".png"), np.full((50, 50, 3), 7, np.uint8))
    if file.endswith(".jpg"):
        (folder / file).with_suffix(".png").rename(folder / file)
    with pytest.raises(InputError, match=fault) as caught:
        list_patches(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("array", "fault"),
    [
        (np.zeros((51, 50, 3), np.uint8), "50 x 51 pixels"),
        (np.zeros((20, 51, 3), np.uint8), "51 x 20 pixels"),
        (np.zeros((50, 50), np.uint8), "50 x 50 pixels, L"),
        (np.zeros((50, 50, 4), np.uint8), "50 x 50 pixels, RGBA"),
    ],
)
def test_other_images_are_refused_by_name(folder, array, fault):
    write(folder / "9/0/9_idx5_x2_y2_class0.png", array)
    with pytest.raises(InputError, match=rf"9_idx5_x2_y2_class0\.png: {fault}"):
        read(folder)


def test_the_same_pixels_twice_are_refused_unless_blank(folder):
    for file in ("9/0/9_idx5_x2_y2_class0.png", "10/1/10_idx5_x2_y2_class1.png"):
        write(folder / file, np.full((50, 50, 3), (240, 241, 242), np.uint8))
    assert len(read(folder)["x"]) == 7
    shutil.copy(folder / FILES[0], folder / "9/0/9_idx5_x3_y3_class0.png")
    with pytest.raises(InputError, match=r"9_idx5_x3_y3_class0\.png: the same pixels as .*10_idx5_x1_y51_class0\.png"):
        read(folder)


def test_damaged_files_and_no_files_are_refused_by_name(folder, tmp_path):
    (folder / FILES[0]).write_bytes((folder / FILES[0]).read_bytes()[:500])
    with pytest.raises(InputError, match=r"10_idx5_x1_y51_class0\.png: not a readable PNG"):
        read(folder)
    (folder / FILES[0]).write_bytes(b"GIF89a")
    with pytest.raises(InputError, match=r"10_idx5_x1_y51_class0\.png: not a readable PNG"):
        read(folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="empty: no patches"):
        list_patches(tmp_path / "empty")
    with pytest.raises(InputError, match="nothing: not a readable folder"):
        list_patches(tmp_path / "nothing")


def test_a_part_does_not_pass_for_the_whole(folder):
    with pytest.raises(InputError, match=r"3 \+ 2 patches of class 0 \+ 1, the whole set has 198738 \+ 78786"):
        registry.load("idc", "idc", "data_root", folder.parent)
    with pytest.raises(InputError, match="other samples than the dataset's"):
        registry.load("idc_samples", "idc", "data_root", folder.parent)
    with pytest.raises(InputError, match=r"no complete set of files .*IDC_regular_ps50_idx5/ or idc/; 198,738"):
        registry.required_files("idc", "idc", "data_root", folder)


def test_the_folders_are_watched_so_that_added_files_are_seen(folder):
    files = registry.required_files("idc", "idc", "data_root", folder.parent)
    assert files == [folder]
    inner = ("10", "9", "10/0", "10/1", "9/0", "9/1")
    assert registry.watched(files) == [folder, *(folder / name for name in inner)]
    assert registry.watched([folder / FILES[0]]) == [folder / FILES[0]]


def test_where_no_fingerprint_is_known_the_one_found_is_written(folder, tmp_path, monkeypatch):
    whole = replace(idc.DATASETS["idc"], read=lambda folders: idc.read(folders, (3, 2)))
    monkeypatch.setitem(idc.DATASETS, "idc", whole)
    arguments = ["--dataset=idc", "--module=idc", "--source=data_root", f"--data-root={tmp_path}"]
    found = []
    for number in range(2):
        prepare_data.main([*arguments, f"--data={tmp_path / f'{number}.npz'}"])
        found.append(str(load_arrays(tmp_path / f"{number}.npz")["fingerprint"]))
        write(folder / FILES[0], RNG.integers(0, 256, (50, 50, 3), np.uint8))
    assert len(found[0]) == 64
    assert found[0] != found[1]
    with pytest.raises(InputError, match="divide it by group"):
        divided(tmp_path / "0.npz", 2, 2, 255, 1, "split")


def test_the_real_patches_are_of_nine_patients(data_root):
    arrays = registry.load("idc_samples", "idc", "data_root", data_root)
    assert np.bincount(arrays["y"]).tolist() == [26, 14]
    assert len(set(arrays["group"])) == 9
    assert arrays["skipped"].tolist() == [0, 0]
