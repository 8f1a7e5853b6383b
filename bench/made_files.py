"""Writes files of the format, number and shape of those that papers used, for the preset smoke: they show nothing.

    python -m bench.made_files DIR

Below DIR: patches of IDC, and full-size volumes of a few patients in the folders of Decathlon Task01 and BraTS 2019.
What is known by a digest of its content (MNIST, CIFAR, ...) cannot be made: lib/data/sources/made.py stands for it.
"""

import argparse
import json
from pathlib import Path

import nibabel
import numpy as np
from PIL import Image

from lib.data.patches import SIDE
from lib.data.sources.idc import PUBLISHED
from lib.data.volumes.phantom import BrainPhantom

PATIENTS = 279  # of IDC
SHAPE = (240, 240, 155)
MODALITIES = ("FLAIR", "T1w", "t1gd", "T2w")
LABELS = ("background", "edema", "non-enhancing tumor", "enhancing tumour")
BRATS = np.array([0, 2, 1, 4], np.uint8)  # the challenge's numbers of ours


def write_patches(folder: Path, counts: tuple[int, int] = PUBLISHED, patients: int = PATIENTS) -> None:
    """So many patches of class 0 and 1, dealt to patients: noise in a corner, by which they differ, on one colour."""
    rng = np.random.default_rng(0)
    for label, count in enumerate(counts):
        for patient in range(patients):
            (folder / f"{10000 + patient}" / str(label)).mkdir(parents=True, exist_ok=True)
        for number in range(count):
            patch = np.full((SIDE, SIDE, 3), 200 - 80 * label, np.uint8)
            patch[:4, :4] = rng.integers(0, 256, (4, 4, 3), np.uint8)
            name, place = 10000 + number % patients, number // patients
            where = f"x{1 + SIDE * (place % 80)}_y{1 + SIDE * (place // 80) + 25 * label}"
            path = folder / str(name) / str(label) / f"{name}_idx5_{where}_class{label}.png"
            Image.fromarray(patch).save(path, compress_level=1)


def write_nifti(path: Path, array: np.ndarray) -> None:
    """One file, uncompressed where its name ends in .nii."""
    path.parent.mkdir(parents=True, exist_ok=True)
    nibabel.save(nibabel.Nifti1Image(array, np.diag([-1.0, -1.0, 1.0, 1.0])), path)


def write_decathlon(folder: Path, cases: int, shape: tuple[int, int, int] = SHAPE) -> None:
    """Task01: four channels in one file of float32."""
    phantom, training = BrainPhantom(shape, 0), []
    for number in range(cases):
        volume, name = phantom.subject(number), f"BRATS_{number + 1:03d}.nii.gz"
        write_nifti(folder / "imagesTr" / name, np.moveaxis(volume.image, 0, 3))
        write_nifti(folder / "labelsTr" / name, volume.label)
        training.append({"image": f"./imagesTr/{name}", "label": f"./labelsTr/{name}"})
    content = {"modality": dict(enumerate(MODALITIES)), "labels": dict(enumerate(LABELS)), "training": training}
    (folder / "dataset.json").write_text(json.dumps(content))


def write_brats(folder: Path, cases: int, shape: tuple[int, int, int] = SHAPE) -> None:
    """BraTS 2019: a file a channel, of int16."""
    phantom = BrainPhantom(shape, 1)
    for number in range(cases):
        volume, name = phantom.subject(number), f"BraTS19_MADE_{number}_1"
        for channel, image in zip(("flair", "t1", "t1ce", "t2"), volume.image, strict=True):
            write_nifti(folder / "HGG" / name / f"{name}_{channel}.nii.gz", image.astype(np.int16))
        write_nifti(folder / "HGG" / name / f"{name}_seg.nii.gz", BRATS[volume.label])


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the data_root to be")
    parser.add_argument("--cases", type=int, default=13, help="patients of each collection of volumes")
    chosen = parser.parse_args()
    write_decathlon(chosen.folder / "Task01_BrainTumour", chosen.cases)
    write_brats(chosen.folder / "MICCAI_BraTS_2019_Data_Training", chosen.cases)
    write_patches(chosen.folder / "IDC_regular_ps50_idx5")


if __name__ == "__main__":
    main()
