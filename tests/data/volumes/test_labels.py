"""Label maps: each source's numbers mean what its makers say, and nothing else passes."""

import numpy as np
import pytest

from lib.core.errors import InputError
from lib.data.volumes import labels

OEDEMA, CORE, ENHANCING = 1, 2, 3


@pytest.mark.parametrize(
    ("values", "meaning"),
    [
        (labels.PHANTOM, {0: 0, 1: OEDEMA, 2: CORE, 3: ENHANCING}),
        (labels.MSD, {0: 0, 1: OEDEMA, 2: CORE, 3: ENHANCING}),
        (labels.BRATS_2019, {0: 0, 1: CORE, 2: OEDEMA, 4: ENHANCING}),
        (labels.BRATS_2013, {0: 0, 1: CORE, 2: OEDEMA, 3: CORE, 4: ENHANCING}),
        (labels.LGG, {0: 0, 1: OEDEMA}),
    ],
)
def test_every_number_becomes_its_class(values, meaning):
    volume = np.array(list(meaning), float).reshape(1, 1, -1)
    found = labels.canonical(volume, values, "made")
    assert found.dtype == np.uint8
    assert found.ravel().tolist() == list(meaning.values())


def test_how_many_classes_are_told_apart():
    assert [labels.classes_of(v) for v in (labels.PHANTOM, labels.MSD, labels.BRATS_2013, labels.LGG)] == [3, 3, 3, 1]


@pytest.mark.parametrize(
    ("values", "wrong", "named"),
    [
        (labels.MSD, 4, "4"),
        (labels.BRATS_2019, 3, "3"),
        (labels.LGG, 255, "255"),
        (labels.MSD, -1, "-1"),
        (labels.MSD, 257, "257"),
        (labels.MSD, 1.5, "1.5"),
        (labels.LGG, np.float32(1.0000002), r"1\.0000002"),
        (labels.LGG, 0.9999999999, r"0\.9999999999"),
    ],
)
def test_a_number_outside_the_map_is_named(values, wrong, named):
    volume = np.zeros((2, 2, 2), np.asarray(wrong).dtype)
    volume[1, 0, 1] = wrong
    with pytest.raises(InputError, match=rf"seg\.nii: labels {named} outside the map, allowed: 0, 1"):
        labels.canonical(volume, values, "seg.nii")
