"""Volumes in folders, one a case, with one NIfTI file (.nii.gz or .nii) a channel and one of labels."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lib.core.errors import InputError
from lib.data.volumes import labels, nifti
from lib.data.volumes.source import Volume, one_each

# Where the head is around the brain, the air is no exact zero: voxels above this share of the brightest percent, and
# what they enclose in a slice, are the head, specks aside.
_AIR = 0.08
_BRIGHTEST = 99.0  # percentile
_MOST_VOXELS = 2**24  # of a file; those of BraTS have 240 x 240 x 155, about half as many


@dataclass(frozen=True)
class Layout:
    """How a collection names its files.

    channels: name of each channel to that of its file; label: that of the label's file; both without suffix, "{case}"
    standing for the name of the case's folder. values: the label's numbers to canonical ones. parents: folders that
    hold the cases' folders, below the collection's, "" for itself; one of them is enough. brain: the file of a brain
    mask, outside of which the image becomes 0. air: whether the air around the head becomes 0. patient: of a case's
    name.
    """

    channels: Mapping[str, str]
    label: str
    values: Mapping[int, int]
    parents: tuple[str, ...] = ("",)
    brain: str | None = None
    air: bool = False
    patient: Callable[[str], str] = str


def _without_last_part(case: str) -> str:
    return case.rpartition("_")[0] or case


BRATS_2019 = Layout(
    channels={name: f"{{case}}_{name}" for name in ("flair", "t1", "t1ce", "t2")},
    label="{case}_seg",
    values=labels.BRATS_2019,
    parents=("HGG", "LGG"),
    patient=_without_last_part,  # BraTS19_SITE_PATIENT_1
)
BRATS_2013 = Layout(
    channels={"flair": "flair", "t1ce": "t1c"},
    label="seg",
    values=labels.BRATS_2013,
    brain="brainmask",
    patient=_without_last_part,  # brats_2013_pat0001_1
)
LGG = Layout(
    channels={"flair": "flair"},
    label="mask",
    values=labels.LGG,
    air=True,
    patient=_without_last_part,  # TCGA_SITE_PATIENT_DATE
)


class CaseFolders:
    """A collection of cases in a Layout, as a VolumeSource."""

    def __init__(self, folder: str | Path, layout: Layout) -> None:
        """Nothing is read yet."""
        self._folder, self._layout = Path(folder), layout
        self.channels = tuple(layout.channels)
        self.classes = labels.classes_of(layout.values)
        self._cases: dict[str, Path] | None = None

    def subjects(self) -> tuple[str, ...]:
        """Return the cases' names, sorted.

        Raises InputError if there are none, if none is labelled, if a patient has two, or if a file of one is missing.
        """
        return one_each({case: self.patient(case) for case in self._case_folders()}, self._folder)

    def patient(self, name: str) -> str:
        """Return the patient that a case's name begins with."""
        return self._layout.patient(name)

    def read(self, name: str) -> Volume:
        """Image and label of a case; InputError, naming the file, where they are not whole."""
        layout = self._layout
        image, affine = nifti.load_channels(
            [self._file(name, file, channel) for channel, file in layout.channels.items()], _MOST_VOXELS
        )
        path, label, own_affine = self._label(name)
        nifti.check_grid(path, label.shape, own_affine, image.shape[1:], affine)
        if layout.brain:
            path = self._file(name, layout.brain, "brain mask")
            brain, own_affine = nifti.load_image(path, _MOST_VOXELS)
            nifti.check_grid(path, brain.shape, own_affine, image.shape[1:], affine)
            image[:, brain < 0.5] = 0
        if layout.air:
            image[:, ~_head(image)] = 0
        return Volume(name, image, label)

    def label(self, name: str) -> np.ndarray:
        """Return the label of a case, (X, Y, Z) uint8."""
        return self._label(name)[1]

    def _label(self, name: str) -> tuple[Path, np.ndarray, np.ndarray]:
        path = self._file(name, self._layout.label, "label")
        return path, *nifti.load_label(path, self._layout.values, _MOST_VOXELS)

    def _file(self, name: str, file: str, what: str) -> Path:
        return nifti.existing(self._case_folders()[name] / file.format(case=name), what)

    def _case_folders(self) -> dict[str, Path]:
        """Return the folder of each case, found once, whose files are all there."""
        if self._cases is None:
            parents = [path for path in (self._folder / parent for parent in self._layout.parents) if path.is_dir()]
            folders = sorted(
                path for parent in parents for path in parent.iterdir() if path.is_dir() and path.name[0] != "."
            )
            if not folders:
                within = " or ".join(filter(None, self._layout.parents))
                raise InputError(
                    f"{self._folder}: no case; each belongs in a folder of its own{within and f' in {within}'}"
                )
            cases: dict[str, Path] = {}
            for path in folders:
                if path.name in cases:
                    raise InputError(f"{path}: the same patient twice, also in {cases[path.name]}")
                cases[path.name] = path
            self._check_files(cases)
            self._cases = cases
        return self._cases

    def _check_files(self, cases: Mapping[str, Path]) -> None:
        """Raise InputError for the first file that is not there, before any is read."""
        label = self._layout.label
        if not any(nifti.find(path / label.format(case=case)) for case, path in cases.items()):
            raise InputError(f"{self._folder}: no labelled case, expected {label.format(case='CASE')}.nii.gz in each")
        wanted = [(file, f"modality {channel}") for channel, file in self._layout.channels.items()]
        wanted.append((label, "label"))
        if self._layout.brain:
            wanted.append((self._layout.brain, "brain mask"))
        for case, path in cases.items():
            for file, what in wanted:
                nifti.existing(path / file.format(case=case), what)


def _head(image: np.ndarray) -> np.ndarray:
    """Where the head is, (X, Y, Z) bool, of an image (channels, X, Y, Z)."""
    from scipy import ndimage  # half a second, which every call of Snakemake would wait for

    bright = np.any([channel > _AIR * np.percentile(channel, _BRIGHTEST) for channel in image], axis=0)
    within_slices = np.zeros((3, 3, 3), bool)
    within_slices[1, :, 1] = within_slices[:, 1, 1] = True
    filled = ndimage.binary_fill_holes(bright, within_slices)
    pieces, _ = ndimage.label(filled)
    sizes = np.bincount(pieces.ravel())
    sizes[0] = 0
    return (pieces == sizes.argmax()) & filled  # specks of noise in the air are pieces of their own
