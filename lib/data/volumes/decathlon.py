"""Medical Segmentation Decathlon, Task01 (brain tumours): four channels in one file, labelled cases only.

A case's name tells nothing of its patient, so each counts as a patient of its own.
"""

import os
from pathlib import Path

import numpy as np

from lib.core.errors import InputError
from lib.data.volumes import labels, nifti
from lib.data.volumes.datalist import read_datalist
from lib.data.volumes.source import Volume, one_each

# What the file calls its channels, in its order, and what they are called here.
_MODALITIES = {"flair": "flair", "t1w": "t1", "t1gd": "t1ce", "t2w": "t2"}
_MOST_VOXELS = 2**26  # of a file of four channels; there are 240 x 240 x 155 x 4, about half as many
_LABELS = {"0": "background", "1": "edema", "2": "non-enhancing tumor", "3": "enhancing tumour"}


class DecathlonBrainTumour:
    """The training cases of a folder with dataset.json, imagesTr and labelsTr, as a VolumeSource."""

    channels = tuple(_MODALITIES.values())
    classes = labels.classes_of(labels.MSD)

    def __init__(self, folder: str | Path) -> None:
        """Nothing is read yet."""
        self._folder = Path(folder)
        self._cases: dict[str, tuple[Path, Path]] | None = None

    def subjects(self) -> tuple[str, ...]:
        """Return the labelled cases' names, sorted.

        Raises InputError if dataset.json is not of this task, has no labelled case, or one twice, or if a file that it
        names is missing.
        """
        return one_each({case: self.patient(case) for case in self._case_files()}, self._folder / "dataset.json")

    def patient(self, name: str) -> str:
        """Return the case itself: nothing is known of its patient."""
        return name

    def read(self, name: str) -> Volume:
        """Image and label of a case; InputError, naming the file, where they are not whole."""
        path = self._case_files()[name][0]
        array, affine = nifti.load_image(path, _MOST_VOXELS)
        if array.ndim != 4 or array.shape[3] != len(self.channels):
            missing = "; a modality is missing" if array.ndim < 4 or array.shape[3] < len(self.channels) else ""
            raise InputError(f"{path}: shape {array.shape}, expected (X, Y, Z, {len(self.channels)}){missing}")
        path, label, own_affine = self._label(name)
        nifti.check_grid(path, label.shape, own_affine, array.shape[:3], affine)
        return Volume(name, np.ascontiguousarray(np.moveaxis(array, 3, 0)), label)

    def label(self, name: str) -> np.ndarray:
        """Return the label of a case, (X, Y, Z) uint8."""
        return self._label(name)[1]

    def _label(self, name: str) -> tuple[Path, np.ndarray, np.ndarray]:
        path = self._case_files()[name][1]
        return path, *nifti.load_label(path, labels.MSD, _MOST_VOXELS)

    def _case_files(self) -> dict[str, tuple[Path, Path]]:
        """Image and label of each labelled case, found once."""
        if self._cases is None:
            self._cases = self._read_list()
        return self._cases

    def _read_list(self) -> dict[str, tuple[Path, Path]]:
        path = self._folder / "dataset.json"
        content, listed = read_datalist(path, 1)
        for what, expected in (("modality", list(_MODALITIES)), ("labels", list(_LABELS.values()))):
            found = content.get(what)
            if isinstance(found, dict):
                found = [str(value).lower() for _, value in sorted(found.items())]
            if found != expected:
                raise InputError(f"{path}: {what} {str(found)[:200]}, expected {expected}, in this order")
        cases: dict[str, tuple[Path, Path]] = {}
        for (name,), label_name in listed:
            if label_name is None:
                continue
            image, label = self._folder / name, self._folder / label_name
            case = image.name.removesuffix(".gz").removesuffix(".nii")
            if case in cases:
                raise InputError(f"{path}: the same patient twice, {case}; allowed is one case each")
            for file, missing in ((image, "image"), (label, "label")):
                if not os.path.isfile(file):
                    raise InputError(f"{path}: missing {missing} of case {case}, expected {file}")
            cases[case] = image, label
        return cases
