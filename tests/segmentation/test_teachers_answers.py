"""Teachers' answers are kept as whole numbers, made of two volumes at a time: all at once would take gigabytes."""

import numpy as np

from lib.segmentation.job import LEVELS
from lib.segmentation.prediction import PAIR
from scripts import train_mask_teachers


def test_answers_are_those_of_all_volumes_at_once_and_hold_two_at_a_time(monkeypatch):
    masks = np.random.default_rng(0).random((5, 2, 3, 3, 3), np.float32)
    asked = []

    def seen(job, weights, rows):
        asked.append(list(rows))
        return masks[rows]

    monkeypatch.setattr(train_mask_teachers, "seen_by", seen)
    found = train_mask_teachers.answers_of(None, {}, np.arange(5))
    assert found.dtype == np.uint8 and np.array_equal(found, np.rint(masks * LEVELS))
    assert asked == [[0, 1], [2, 3], [4]] and PAIR == 2
