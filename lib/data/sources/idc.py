"""Invasive ductal carcinoma: patches of 50 x 50 from slides of breast tissue, by patient."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from lib.core.errors import InputError
from lib.data.patches import list_patches, read_patches
from lib.data.spec import DatasetSpec

PUBLISHED = (198738, 78786)  # files of class 0 and 1, smaller ones included


def read(folders: Sequence[Path], published: tuple[int, int] | None) -> dict[str, np.ndarray]:
    """Read the one folder by `lib.data.patches.read_patches`.

    published: how many files of each class there must be, None for any; InputError says how many there are.
    """
    (folder,) = folders
    patches = list_patches(folder)
    positives = sum(patch.label for patch in patches)
    counts = (len(patches) - positives, positives)
    if published and counts != published:
        raise InputError(
            f"{folder}: {counts[0]} + {counts[1]} patches of class 0 + 1, the whole set has "
            f"{published[0]} + {published[1]}; a part of it is a dataset of its own"
        )
    return read_patches(patches)


_LICENCE = "none stated (A. Cruz-Roa et al., 2014; A. Janowczyk and A. Madabhushi, 2016)"
_HOMEPAGE = "http://www.andrewjanowczyk.com/use-case-6-invasive-ductal-carcinoma-idc-segmentation/"

DATASETS = {
    "idc": DatasetSpec(
        title="Invasive ductal carcinoma (IDC), patches of breast histology by patient",
        samples="277,524 patches, those smaller than 50 x 50 x 3 left out and counted, 2 classes",
        fingerprint=None,
        known_by="198,738 + 78,786 files of class 0 + 1 whose names and folders agree",
        licence=_LICENCE,
        homepage=_HOMEPAGE,
        obtain="unpack IDC_regular_ps50_idx5.zip of its homepage, so that each patient has a folder in the named one",
        sources=("data_root",),
        read=partial(read, published=PUBLISHED),
        layouts=(("IDC_regular_ps50_idx5/",), ("idc/",)),
    ),
    "idc_samples": DatasetSpec(
        title="IDC, a sample of 40 patches of 9 patients",
        samples="40 patches of 50 x 50 x 3, 2 classes of 26 and 14",
        fingerprint="9f5d1c34628a4885f8a2e08428cb9d155b8b32c7134e481c35991a0bc2892e9f",
        licence=_LICENCE,
        homepage=_HOMEPAGE,
        obtain="take resources/samples of shailesh1210/BCCLASSIFIER on GitHub, each into PATIENT/CLASS by its name",
        sources=("data_root",),
        read=partial(read, published=None),
        layouts=(("idc_samples/",), ("idc/",)),
    ),
}
