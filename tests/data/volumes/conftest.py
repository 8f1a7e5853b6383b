"""Volumes of a few voxels in the folders that collections come in, and one thread."""

import json
from pathlib import Path

import nibabel
import numpy as np
import pytest

SHAPE = (6, 7, 5)


@pytest.fixture(autouse=True)
def always_one_thread(one_thread):
    pass


def write_nifti(path: Path, array: np.ndarray, affine: np.ndarray | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    nibabel.save(nibabel.Nifti1Image(array, np.eye(4) if affine is None else affine), path)


def image(number: int) -> np.ndarray:
    """A channel that differs from every other, 0 in a corner."""
    values = np.random.default_rng(number).integers(100, 900, SHAPE).astype(np.float32)
    values[0] = 0
    return values


def label(*numbers: int) -> np.ndarray:
    """A label in which the numbers fill one slice each, from the second on."""
    values = np.zeros(SHAPE, np.uint8)
    for row, number in enumerate(numbers, 1):
        values[row] = number
    return values


def write_decathlon(root: Path) -> Path:
    """Two labelled cases, and one without label among the test images."""
    folder = root / "Task01_BrainTumour"
    content = {
        "modality": {"0": "FLAIR", "1": "T1w", "2": "t1gd", "3": "T2w"},
        "labels": {"0": "background", "1": "edema", "2": "non-enhancing tumor", "3": "enhancing tumour"},
        "training": [
            {"image": f"./imagesTr/BRATS_{n:03d}.nii.gz", "label": f"./labelsTr/BRATS_{n:03d}.nii.gz"} for n in (2, 1)
        ],
        "test": ["./imagesTs/BRATS_485.nii.gz"],
    }
    for n in (1, 2, 485):
        channels = np.stack([image(10 * n + channel) for channel in range(4)], axis=3)
        write_nifti(folder / f"images{'Tr' if n < 9 else 'Ts'}/BRATS_{n:03d}.nii.gz", channels)
    for n in (1, 2):
        write_nifti(folder / f"labelsTr/BRATS_{n:03d}.nii.gz", label(1, 2, 3))
    (folder / "dataset.json").write_text(json.dumps(content))
    return folder


def write_brats2019(root: Path) -> Path:
    """Three cases of high and low grade, one of them not compressed; axes run to the left and to the back."""
    folder = root / "MICCAI_BraTS_2019_Data_Training"
    axes = np.diag([-1.0, -1.0, 1.0, 1.0])
    for n, case in enumerate(("HGG/BraTS19_2013_2_1", "HGG/BraTS19_CBICA_AAB_1", "LGG/BraTS19_TCIA09_141_1")):
        suffix = ".nii" if n == 1 else ".nii.gz"
        name = case.rpartition("/")[2]
        for channel, what in enumerate(("flair", "t1", "t1ce", "t2")):
            write_nifti(folder / case / f"{name}_{what}{suffix}", image(10 * n + channel).astype(np.int16), axes)
        write_nifti(folder / case / f"{name}_seg{suffix}", label(1, 2, 4), axes)
    (folder / "survival_data.csv").write_text("BraTS19ID,Age\n")
    return folder


def write_brats2013(root: Path) -> Path:
    """Two cases whose images are not 0 outside of the brain mask."""
    folder = root / "brats2013"
    for n in (1, 2):
        case = folder / f"brats_2013_pat{n:04d}_1"
        for channel, what in enumerate(("flair", "t1c")):
            write_nifti(case / f"{what}.nii.gz", image(10 * n + channel) / 200 - 3)
        write_nifti(case / "brainmask.nii.gz", (image(n) > 0).astype(np.uint8))
        write_nifti(case / "seg.nii.gz", label(1, 2, 3, 4))
    return folder


def write_hippocampus(root: Path) -> Path:
    """Two cases of other sizes, beside a hidden file such as archives made on a Mac hold."""
    folder = root / "msd_hippocampus"
    for n, cut in ((1, 6), (367, 5)):
        write_nifti(folder / f"imagesTr/hippocampus_{n:03d}.nii.gz", image(n)[:cut])
        write_nifti(folder / f"labelsTr/hippocampus_{n:03d}.nii.gz", label(1, 2)[:cut])
        (folder / f"imagesTr/._hippocampus_{n:03d}.nii.gz").write_bytes(b"")
    return folder


def write_lgg_mri(root: Path) -> Path:
    """Three patients; air of 2 to 5 around a head that encloses a dark place."""
    folder = root / "lgg_mri"
    for n, case in enumerate(("TCGA_CS_4941_19960909", "TCGA_DU_5849_19950405", "TCGA_HT_8563_19981209")):
        flair = np.random.default_rng(n).integers(2, 6, (16, 16, 4)).astype(np.uint8)
        flair[3:13, 3:13] += 100
        flair[7:9, 7:9, 1] = 1
        mask = np.zeros_like(flair)
        mask[4:7, 4:7, 1:3] = 1
        write_nifti(folder / case / "flair.nii.gz", flair, np.diag([2.0, 2, 1, 1]))
        write_nifti(folder / case / "mask.nii.gz", mask, np.diag([2.0, 2, 1, 1]))
    (folder / "data.csv").write_text("Patient\n")
    return folder


# by the names of the registry, in which `tests/data/readers.py` looks for one of each collection
WRITTEN = {
    "msd_brain_tumour": write_decathlon,
    "msd_hippocampus": write_hippocampus,
    "brats2019": write_brats2019,
    "lgg_mri": write_lgg_mri,
    "brats2013": write_brats2013,
}


@pytest.fixture
def decathlon(tmp_path) -> Path:
    return write_decathlon(tmp_path)


@pytest.fixture
def hippocampus(tmp_path) -> Path:
    return write_hippocampus(tmp_path)


@pytest.fixture
def brats2019(tmp_path) -> Path:
    return write_brats2019(tmp_path)


@pytest.fixture
def lgg_mri(tmp_path) -> Path:
    return write_lgg_mri(tmp_path)


@pytest.fixture
def brats2013(tmp_path) -> Path:
    return write_brats2013(tmp_path)
