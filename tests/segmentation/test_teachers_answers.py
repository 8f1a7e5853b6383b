"""Teachers' answers are kept as whole numbers, made volume by volume: all at once would take gigabytes."""

import numpy as np

from lib.segmentation.job import LEVELS
from scripts import train_mask_teachers


def test_answers_are_those_of_all_volumes_and_no_mask_is_held(monkeypatch):
    masks = np.random.default_rng(0).random((5, 2, 3, 3, 3), np.float32)
    asked = []

    def seen(job, weights, rows):
        asked.append(list(rows))
        mask = np.empty_like(masks[0])  # one for all: who keeps it has the last one five times
        for row in rows:
            mask[:] = masks[row]
            yield mask

    monkeypatch.setattr(train_mask_teachers, "each_seen_by", seen)
    found = train_mask_teachers.answers_of(None, {}, np.arange(5))
    assert found.dtype == np.uint8 and np.array_equal(found, np.rint(masks * LEVELS))
    assert asked == [[0, 1, 2, 3, 4]]
