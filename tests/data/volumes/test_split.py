"""Splits of patients: disjoint, whole, the same whatever the order, and refused where there are too few."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.core.errors import InputError
from lib.data.volumes.split import split_subjects, teacher_shards

FIXED = settings(derandomize=True, deadline=None, max_examples=25)
NAMES = [f"p{number}" for number in range(20)]
SIZES = {"teachers": 12, "student": 5, "test": 3}


@FIXED
@given(sizes=st.lists(st.integers(0, 6), min_size=1, max_size=4), over=st.integers(0, 3), seed=st.integers(0, 9))
def test_parts_are_disjoint_and_of_their_size(sizes, over, seed):
    names = [f"q{number}" for number in range(sum(sizes) + over)]
    parts = split_subjects(names, {str(n): size for n, size in enumerate(sizes)}, seed, "split")
    assert [len(rows) for rows in parts.values()] == sizes
    together = np.concatenate(list(parts.values()))
    assert len(set(together.tolist())) == sum(sizes)
    assert all(0 <= row < len(names) for row in together)


@FIXED
@given(order=st.permutations(range(20)))
def test_who_is_where_does_not_depend_on_the_order_of_names(order):
    parts = split_subjects(NAMES, SIZES, 1, "split")
    shuffled = [NAMES[row] for row in order]
    for part, rows in split_subjects(shuffled, SIZES, 1, "split").items():
        assert [shuffled[row] for row in rows] == [NAMES[row] for row in parts[part]]


def test_other_seeds_and_jobs_give_other_parts():
    drawn = [split_subjects(NAMES, SIZES, *key)["teachers"] for key in ((1, "a"), (2, "a"), (1, "b"), (1, "a"))]
    assert len({rows.tobytes() for rows in drawn}) == 3
    assert drawn[0].tobytes() == drawn[3].tobytes()


def test_everybody_is_drawn_about_equally_often():
    counts = np.zeros(20)
    for seed in range(400):
        counts[split_subjects(NAMES, {"test": 5}, seed, "split")["test"]] += 1
    assert abs(counts / 400 - 0.25).max() < 4 * np.sqrt(0.25 * 0.75 / 400)


def test_too_many_and_twice_are_refused():
    with pytest.raises(InputError, match="teachers 18, test 3, 21 in all; there are 20 patients"):
        split_subjects(NAMES, {"teachers": 18, "test": 3}, 1, "split")
    with pytest.raises(InputError, match="there are 20 patients"):
        split_subjects(NAMES, {"teachers": -1}, 1, "split")
    with pytest.raises(InputError, match="the same patient twice: p3"):
        split_subjects([*NAMES, "p3"], SIZES, 1, "split")


@FIXED
@given(patients=st.integers(1, 40), teachers=st.integers(1, 40))
def test_shards_hold_everybody_once_in_near_equal_numbers(patients, teachers):
    rows = np.random.default_rng(0).permutation(100)[:patients]
    if teachers > patients:
        with pytest.raises(InputError, match=f"{teachers} teachers for {patients} patients"):
            teacher_shards(rows, teachers)
        return
    shards = teacher_shards(rows, teachers)
    assert np.concatenate(shards).tolist() == rows.tolist()
    lengths = [len(shard) for shard in shards]
    assert len(lengths) == teachers and min(lengths) >= 1 and max(lengths) - min(lengths) <= 1


def test_no_teacher_is_refused():
    with pytest.raises(InputError, match="0 teachers"):
        teacher_shards(np.arange(3), 0)
