"""Brain phantoms: generated volumes like multi-modal MRI of glioma, nobody's (docs/brain_phantom.md).

Subject i depends on the seed and i alone; the shape says how finely its box of 240 x 240 x 155 mm is shown.
"""

from collections.abc import Sequence

import numpy as np

from lib.core.errors import InputError
from lib.core.seeding import generator
from lib.data.volumes import contrast
from lib.data.volumes.anatomy import Anatomy, draw_anatomy
from lib.data.volumes.labels import PHANTOM, classes_of
from lib.data.volumes.source import Volume
from lib.data.volumes.tumour import Tumour, draw_tumour

SMALLEST, LARGEST = (16, 16, 16), (240, 240, 155)


class BrainPhantom:
    """Subjects without end, each a Volume of four channels and three tumour classes."""

    def __init__(self, shape: Sequence[int], seed: int, skull_stripped: bool = True) -> None:
        """shape: voxels (X, Y, Z); raises InputError outside 16 x 16 x 16 to 240 x 240 x 155."""
        if len(shape) != 3 or not all(
            low <= side <= high for low, side, high in zip(SMALLEST, shape, LARGEST, strict=True)
        ):
            raise InputError(f"brain phantom: shape {tuple(shape)}, allowed: {SMALLEST} to {LARGEST}")
        x, y, z = shape
        self.shape, self.seed, self.skull_stripped = (x, y, z), seed, skull_stripped

    def subject(self, number: int) -> Volume:
        """image (4, X, Y, Z) float32, label (X, Y, Z) uint8; InputError for a negative number."""
        head, tumour = self._head_and_tumour(number)
        image = contrast.render(
            self._generator(number, "contrast"), self._generator(number, "noise"), head, tumour, self.skull_stripped
        )
        return Volume(subject_name(number), image, tumour.label())

    def label(self, number: int) -> np.ndarray:
        """Return the label of `subject(number)` alone, at a fraction of its time."""
        return self._head_and_tumour(number)[1].label()

    def _head_and_tumour(self, number: int) -> tuple[Anatomy, Tumour]:
        if number < 0:
            raise InputError(f"brain phantom: subject {number}, allowed: 0 and above")
        head = draw_anatomy(self._generator(number, "anatomy"), self.shape)
        return head, draw_tumour(self._generator(number, "tumour"), head)

    def _generator(self, number: int, role: str) -> np.random.Generator:
        return generator(self.seed, "brain phantom", str(number), role)


class PhantomSource:
    """The first subjects of a BrainPhantom as a VolumeSource; each is a patient."""

    channels = contrast.CHANNELS
    classes = classes_of(PHANTOM)

    def __init__(self, phantom: BrainPhantom, subjects: int) -> None:
        """Raise InputError unless there is at least one subject."""
        if subjects < 1:
            raise InputError(f"brain phantom: {subjects} subjects, allowed: at least 1")
        self._phantom = phantom
        self._numbers = {subject_name(number): number for number in range(subjects)}

    def subjects(self) -> tuple[str, ...]:
        """All names, sorted."""
        return tuple(sorted(self._numbers))

    def patient(self, name: str) -> str:
        """Return the name itself."""
        return name

    def read(self, name: str) -> Volume:
        """Image and label."""
        return self._phantom.subject(self._numbers[name])

    def label(self, name: str) -> np.ndarray:
        """Return the label (X, Y, Z) uint8."""
        return self._phantom.label(self._numbers[name])


def subject_name(number: int) -> str:
    """Return a subject's name."""
    return f"phantom_{number:05d}"
