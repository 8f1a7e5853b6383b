"""Meanings of the numbers of a label volume: each source's, and the ones used everywhere after reading."""

from collections.abc import Mapping

import numpy as np

from lib.core.errors import InputError

BACKGROUND, OEDEMA, CORE, ENHANCING = range(4)  # the core is non-enhancing or necrotic
FIRST, SECOND = 1, 2  # of two classes that are no tumour's

# Each source's numbers to these. They are no permutation of one another: what is 1 here is 2 there.
PHANTOM = {number: number for number in range(4)}
MSD = {0: BACKGROUND, 1: OEDEMA, 2: CORE, 3: ENHANCING}  # Medical Segmentation Decathlon, Task01
BRATS_2019 = {0: BACKGROUND, 1: CORE, 2: OEDEMA, 4: ENHANCING}  # 1: necrotic and non-enhancing together
BRATS_2013 = {0: BACKGROUND, 1: CORE, 2: OEDEMA, 3: CORE, 4: ENHANCING}  # 1: necrosis, 3: non-enhancing
# One class alone: the abnormality on FLAIR, for which whole tumour is all that may be asked.
LGG = {0: BACKGROUND, 1: OEDEMA}


def classes_of(values: Mapping[int, int]) -> int:
    """How many tumour classes a source tells apart."""
    return len(set(values.values()) - {BACKGROUND})


def canonical(label: np.ndarray, values: Mapping[int, int], where: object) -> np.ndarray:
    """Return the label volume in canonical numbers, uint8, of one of any shape in a source's own numbers.

    Raises InputError, naming `where` and the numbers, if one is not in `values`.
    """
    whole = np.rint(label)
    if not np.array_equal(whole, label) or whole.min() < 0 or whole.max() > 255:
        outside = np.unique(label[(whole != label) | (whole < 0) | (whole > 255)])
    else:
        whole = whole.astype(np.uint8)
        present = np.flatnonzero(np.bincount(whole.ravel(), minlength=256))
        outside = np.setdiff1d(present, list(values))
    if len(outside):
        listed = ", ".join(str(value).removesuffix(".0") for value in outside[:5])
        raise InputError(f"{where}: labels {listed} outside the map, allowed: {', '.join(map(str, sorted(values)))}")
    table = np.zeros(256, np.uint8)
    table[list(values)] = list(values.values())
    return table[whole]
