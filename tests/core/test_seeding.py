"""A stream of its own for each job, which no other job can move."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.core.errors import InputError
from lib.core.seeding import Draws, generator, integer_seed, seed_sequence

FIXED = settings(derandomize=True, deadline=None, max_examples=100)
names = st.lists(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8), min_size=1, max_size=4
).map(tuple)


def first(seed: int, *job: str, count: int = 4) -> list[int]:
    return generator(seed, *job).integers(0, 2**63, count).tolist()


@given(st.integers(0, 2**64), names)
@FIXED
def test_the_same_name_is_the_same_stream(seed, job):
    np.random.seed(1)
    here = first(seed, *job)
    np.random.seed(2)
    np.random.random(10)
    assert first(seed, *job) == here
    assert integer_seed(seed, *job) == integer_seed(seed, *job)


@given(st.integers(0, 2**32), names, st.integers(0, 2**32), names)
@FIXED
def test_another_seed_or_name_is_another_stream(seed, job, other_seed, other_job):
    if (seed, job) != (other_seed, other_job):
        assert first(seed, *job) != first(other_seed, *other_job)


@pytest.mark.parametrize(
    ("job", "other"),
    [
        (("a", "b"), ("ab",)),
        (("a", "b"), ("a b",)),
        (("a", "b"), ("b", "a")),
        (("a", ""), ("a",)),
        (("", "a"), ("a",)),
        (("1", "12"), ("11", "2")),
        (("a", "b", "c"), ("a", "bc")),
        (("teacher 1",), ("teacher", "1")),
    ],
)
def test_names_are_kept_apart_however_they_are_cut(job, other):
    assert first(7, *job) != first(7, *other)
    assert integer_seed(7, *job) != integer_seed(7, *other)


def test_streams_are_known():
    """Results of earlier runs stay reproducible: these numbers may never change."""
    assert integer_seed(2018, "train_teachers", "digits", "1", "teacher 0") == 2413789672
    assert generator(2018, "aggregate", "digits_gnmax", "1").integers(0, 10**6, 3).tolist() == [284174, 334241, 152758]


@given(st.lists(names, min_size=2, max_size=8, unique=True), st.randoms(use_true_random=False))
@settings(FIXED, max_examples=40)
def test_adding_jobs_changes_no_other_jobs_numbers(jobs, shuffler):
    alone = {job: first(3, *job) for job in jobs[:1]}
    shuffler.shuffle(jobs)
    together = {job: first(3, *job) for job in jobs}
    for job, numbers in alone.items():
        assert together[job] == numbers
    assert len({tuple(numbers) for numbers in together.values()}) == len(jobs)


def test_a_thousand_jobs_have_a_thousand_streams():
    seeds = {tuple(first(2018, "train", str(i), count=2)) for i in range(1000)}
    assert len(seeds) == 1000
    assert len({tuple(seed_sequence(2018, "train", str(i)).spawn_key) for i in range(1000)}) == 1000


def test_streams_are_uncorrelated():
    draws = np.array([generator(2018, "job", str(i)).normal(size=20_000) for i in range(12)])
    correlation = np.corrcoef(draws) - np.eye(12)
    assert np.abs(correlation).max() < 5 / np.sqrt(20_000)
    assert np.abs(draws.mean(axis=1)).max() < 5 / np.sqrt(20_000)


@given(st.integers(0, 2**64), names)
@FIXED
def test_integer_seeds_fit_in_32_bits(seed, job):
    value = integer_seed(seed, *job)
    assert type(value) is int and 0 <= value < 2**32


def test_integer_seeds_use_all_32_bits():
    values = [integer_seed(1, str(i)) for i in range(400)]
    assert max(values) > 2**32 - 2**26 and min(values) < 2**26
    assert len(set(values)) == 400


def test_a_generator_is_that_of_its_seed_sequence():
    expected = np.random.default_rng(seed_sequence(5, "a", "b")).random(3)
    np.testing.assert_array_equal(generator(5, "a", "b").random(3), expected)


def test_a_negative_seed_is_refused():
    with pytest.raises(InputError, match="seed = -1: allowed is a whole number of at least 0"):
        generator(-1, "job")


def test_draws_of_a_part_are_those_of_its_longer_name():
    part = Draws(3, ("job",)).of("part", "1")
    assert part == Draws(3, ("job", "part", "1"))
    assert part.integer_seed("noise") == integer_seed(3, "job", "part", "1", "noise")
    assert part.generator("noise").random() == generator(3, "job", "part", "1", "noise").random()
