"""The one interface behind which phantoms and files of any layout look alike."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lib.core.errors import InputError


@dataclass(frozen=True)
class Volume:
    """One subject: image (channels, X, Y, Z) float32, 0 outside the brain; label (X, Y, Z) uint8, canonical classes.

    X runs from left to right, Y from back to front, Z upwards, as far as the files say.
    """

    name: str
    image: np.ndarray
    label: np.ndarray


class VolumeSource(Protocol):
    """Subjects by name, read one at a time."""

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the image's channels, of "flair", "t1", "t1ce", "t2"."""

    @property
    def classes(self) -> int:
        """Tumour classes that the labels distinguish: 3, 2 (of anything but tumours) or 1 (the whole only)."""

    def subjects(self) -> tuple[str, ...]:
        """All names, sorted, no patient among them twice; InputError if there are none or their files are not whole."""

    def patient(self, name: str) -> str:
        """Return the patient of a subject: who is protected, and never divided between parts."""

    def read(self, name: str) -> Volume:
        """Image and label; InputError, naming the file, for what is not such a volume."""

    def label(self, name: str) -> np.ndarray:
        """Return the label alone, (X, Y, Z) uint8, for which no image is read or made."""


def one_each(patients: Mapping[str, str], where: object) -> tuple[str, ...]:
    """Sort the subjects of a mapping from subject to patient; InputError if there are none or one patient twice."""
    if not patients:
        raise InputError(f"{where}: no labelled case")
    cases = defaultdict(list)
    for name, patient in sorted(patients.items()):
        cases[patient].append(name)
    for patient, names in cases.items():
        if len(names) > 1:
            raise InputError(
                f"{where}: the same patient twice, {patient}: {', '.join(names)}; allowed is one case each"
            )
    return tuple(sorted(patients))
