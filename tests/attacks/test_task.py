"""The data of an attack: quarters and test sets by hand and by draw, no patient on both sides, and nothing mixed up."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.attacks.draw import check_classes, draw_task, whole_pixels
from lib.attacks.split import QUARTERS
from lib.attacks.task import PARTS, Task, joined, read_task
from lib.core.errors import InputError
from lib.core.files import save_arrays
from lib.core.seeding import Draws
from lib.data.samples import Samples

FINGERPRINT = "ab" * 32
RNG = np.random.default_rng(2)
TASK = Task(
    RNG.integers(0, 256, (8, 2, 2, 1), np.uint8),
    np.arange(8),
    np.array([4, 0, 3, 0, 1, 0, 4, 2], np.int8),
    np.array([1, 1, 1, 2, 1, 1, 2, 1]),
    FINGERPRINT,
)


def samples(labels, official=None, groups=None):
    """Images of 2x2 that say which they are, in base 16: at most 256."""
    places = np.arange(len(labels))
    x = np.zeros((len(labels), 2, 2), np.uint8)
    x[:, 0, 0], x[:, 0, 1] = places // 16, places % 16
    return Samples(x, np.asarray(labels), FINGERPRINT, official, groups)


def draw(data, quarter, test, seed=1, job=("job",), repetition=1, patients=None):
    return draw_task("data.npz", data, quarter, test, 16, Draws(seed, job), repetition, patients)


def places(task):
    """Which of the samples those of a task are."""
    return task.x[:, 0, 0, 0].astype(int) * 16 + task.x[:, 0, 1, 0]


def by_part(task):
    """The same, part by part."""
    return {name: places(task)[task.rows(task.repetition[0], name)] for name in PARTS}


# ---------------------------------------------------------------- what a task holds


def test_rows_are_those_of_the_parts_in_the_order_asked_for():
    assert TASK.rows(1, "target_train").tolist() == [1, 5]
    assert TASK.rows(1, "shadow_out", "target_train", "test").tolist() == [2, 1, 5, 0]
    assert TASK.rows(2, *PARTS).tolist() == [3, 6]
    assert TASK.rows(2, "shadow_train").tolist() == []
    assert TASK.repetitions == [1, 2]


def test_selected_rows_stay_together():
    chosen = TASK.select(np.array([6, 1]))
    assert chosen.y.tolist() == [6, 1] and chosen.part.tolist() == [4, 0] and chosen.repetition.tolist() == [2, 1]
    np.testing.assert_array_equal(chosen.x, TASK.x[[6, 1]])
    assert chosen.fingerprint == FINGERPRINT


def test_the_first_draws_are_taken_as_far_as_there_are_any():
    assert TASK.first(1).y.tolist() == [0, 1, 2, 4, 5, 7]
    assert TASK.first(2).y.tolist() == TASK.y.tolist()
    for repetitions in (0, 3):
        with pytest.raises(InputError, match=f"repetitions {repetitions}: allowed are 1 to 2"):
            TASK.first(repetitions)


def parts_of(repetition, sizes, first):
    """A task with so many samples in each part, whose labels count up from `first`."""
    part = RNG.permutation(np.repeat(np.arange(5, dtype=np.int8), sizes))
    y = np.arange(first, first + len(part))
    return Task(np.full((len(part), 2, 2, 1), y[:, None, None, None], np.uint8), y, part, 0 * y + repetition, "ab" * 32)


def test_draws_are_joined_with_quarters_of_the_size_of_the_smallest_and_whole_test_sets():
    """The first so many of a part are kept, with what belongs to them."""
    one, two = parts_of(1, [3, 3, 3, 3, 4], 0), parts_of(2, [2, 2, 2, 2, 1], 100)
    whole = joined([one, two])
    assert whole.repetitions == [1, 2] and whole.fingerprint == FINGERPRINT
    for task in (one, two):
        (number,) = task.repetitions
        for name in PARTS:
            expected = task.y[task.rows(number, name)]
            kept = whole.rows(number, name)
            assert whole.y[kept].tolist() == expected[: None if name == "test" else 2].tolist()
            np.testing.assert_array_equal(whole.x[kept, 0, 0, 0], whole.y[kept])
    assert len(whole.y) == (4 * 2 + 4) + (4 * 2 + 1)
    alone = joined([one])
    assert [len(alone.rows(1, name)) for name in PARTS] == [3, 3, 3, 3, 4]


def test_a_file_gives_the_task_back(tmp_path):
    TASK.write(tmp_path / "task.npz")
    found = read_task(tmp_path / "task.npz")
    for name in ("x", "y", "part", "repetition"):
        array = getattr(found, name)
        np.testing.assert_array_equal(array, getattr(TASK, name))
        assert array.dtype == getattr(TASK, name).dtype
    assert found.fingerprint == FINGERPRINT and isinstance(found.fingerprint, str)


def test_other_files_are_refused_by_name(tmp_path):
    save_arrays(tmp_path / "other.npz", x=TASK.x, y=TASK.y, fingerprint=np.array(FINGERPRINT))
    with pytest.raises(InputError, match=r"other\.npz: lacks the arrays \['part', 'repetition'\]"):
        read_task(tmp_path / "other.npz")


# ---------------------------------------------------------------- draws without groups


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    count=st.integers(60, 256),
    quarter=st.integers(3, 8),
    test=st.integers(5, 20),
    official=st.booleans(),
    seed=st.integers(0, 9),
)
def test_parts_are_disjoint_quarters_of_one_size_and_images_keep_their_labels(count, quarter, test, official, seed):
    labels = np.random.default_rng(seed).permutation(np.arange(count) % 3)
    data = samples(labels, count - 25 if official else None)
    task, groups = draw(data, quarter, test, seed)
    parts = by_part(task)
    assert groups is None and len(task.y) == 4 * quarter + test
    assert {name: len(rows) for name, rows in parts.items()} == dict.fromkeys(QUARTERS, quarter) | {"test": test}
    for one, two in combinations(PARTS, 2):
        assert not set(parts[one]) & set(parts[two])
    np.testing.assert_array_equal(task.y, labels[places(task)])
    np.testing.assert_array_equal(task.x[..., 0], data.x[places(task)])
    assert task.x.dtype == np.uint8 and task.y.dtype == np.int64 and (task.repetition == 1).all()
    if official:
        assert parts["test"].min() >= count - 25 > max(parts[name].max() for name in QUARTERS)


def test_of_an_official_test_set_and_a_training_set_all_are_taken_unless_fewer_are_asked_for():
    data = samples(np.arange(100) % 2, official=82)
    parts = by_part(draw(data, None, None)[0])
    assert parts["test"].tolist() == list(range(82, 100))
    assert [len(parts[name]) for name in QUARTERS] == [20] * 4  # two of 82 are left over
    everything = by_part(draw(samples(np.arange(100) % 2, official=80), None, 18)[0])
    assert sorted(np.concatenate([everything[name] for name in QUARTERS])) == list(range(80))
    assert len(everything["test"]) == 18


def test_samples_are_drawn_in_the_proportions_of_the_classes():
    """Of 60, 40 and 20 samples a test set of 30 has 15, 10 and 5, and 60 that are trained on have 30, 20 and 10."""
    labels = RNG.permutation(np.repeat([0, 1, 2], [60, 40, 20]))
    for seed in range(5):
        task, _ = draw(samples(labels), 15, 30, seed)
        assert np.bincount(task.y[task.rows(1, "test")]).tolist() == [15, 10, 5]
        assert np.bincount(task.y[task.rows(1, *QUARTERS)]).tolist() == [30, 20, 10]
    official, _ = draw(samples(labels, official=60), None, 30)
    shares = 30 * np.bincount(labels[60:]) / 60
    assert (np.abs(np.bincount(official.y[official.rows(1, "test")]) - shares) < 1).all()


def test_every_sample_may_get_into_every_part():
    """Also that which lies first, and without an official split into the test set too."""
    data, seen = samples(np.arange(40) % 2), {name: set() for name in PARTS}
    for seed in range(60):
        for name, rows in by_part(draw(data, 6, 8, seed)[0]).items():
            seen[name] |= set(rows.tolist())
    assert all(found == set(range(40)) for found in seen.values())


@pytest.mark.parametrize("official", [None, 60])
def test_the_same_key_draws_the_same_and_any_other_something_else(official):
    data = samples(np.arange(100) % 2, official)

    def drawn(**key):
        return places(draw(data, 10, 20, **key)[0]).tolist()

    assert drawn() == drawn()
    others = [drawn(repetition=2), drawn(repetition=3), drawn(seed=2), drawn(job=("other",))]
    assert all(one != two for one, two in combinations([drawn(), *others], 2))
    again = draw(data, 10, 20, repetition=3)[0]
    assert again.repetitions == [3]
    # and each kind of part by itself
    one, three = by_part(draw(data, 10, 20)[0]), by_part(again)
    assert all(set(one[name]) != set(three[name]) for name in PARTS)


@pytest.mark.parametrize(
    ("quarter", "test", "official", "match"),
    [
        (None, None, None, "test None; it has no test set of its own, allowed is 1 to 59"),
        (None, 0, None, "test 0; "),
        (None, 60, None, "test 60; "),
        (12, 20, None, "has 60 samples; quarter = 12 and test = 20 need 68, 4 quarters and the test set"),
        (500, 1000, None, "has 60 samples; quarter = 500 and test = 1000 need 3000, "),
        (0, 20, None, "0 train samples; allowed is 1 to 40"),
        (11, 5, 40, "has 40 training samples; quarter = 11 needs 44, 4 quarters"),
        (5, 21, 40, "21 test samples; allowed is 1 to 20"),
        (5, 0, 40, "0 test samples; allowed is 1 to 20"),
    ],
)
def test_more_than_there_is_is_refused(quarter, test, official, match):
    with pytest.raises(InputError, match=f"data.npz: {match}"):
        draw(samples(np.arange(60) % 3, official), quarter, test)


def test_a_class_of_one_sample_is_refused_in_the_words_of_the_project():
    labels = np.array([0, 1] * 20 + [2])
    with pytest.raises(
        InputError, match="smallest of whose 3 classes has 1; allowed is to draw and to leave at least 3"
    ):
        draw(samples(labels), 5, 10)


def test_labels_are_all_of_the_classes_that_the_task_states():
    check_classes("data.npz", np.array([2, 0, 1, 0]), 3, "classes")
    for labels, classes in (([0, 1, 2], 2), ([0, 1], 10), ([0, 2], 3), ([1, 2], 2)):
        with pytest.raises(
            InputError, match=f"^data.npz: {len(labels)} classes, labels from .* and the.key = {classes};"
        ):
            check_classes("data.npz", np.array(labels), classes, "the.key")


def test_too_few_for_four_quarters_are_refused():
    with pytest.raises(InputError, match="3 samples: at least 4"):
        draw(samples(np.arange(9) % 2, official=3), None, None)


@pytest.mark.parametrize(
    ("quarter", "test", "official"),
    [
        (None, 1, None),  # fewer in the test set than there are classes
        (None, 2, 40),
        (12, 12, None),  # all but two of the samples
        (None, 19, 40),  # all but one of the test set
        (9, 10, 38),
    ],
)
def test_counts_that_leave_less_than_one_of_each_class_are_drawn_or_refused_by_name(quarter, test, official):
    data = samples(np.arange(62 if official is None else 60) % 3, official)
    try:
        task, _ = draw(data, quarter, test)
    except InputError as refusal:
        assert "data.npz" in str(refusal) and "test_size" not in str(refusal)  # nobody sets what scikit-learn names
    else:
        assert len(task.rows(1, "test")) == test
        assert quarter is None or len(task.rows(1, *QUARTERS)) == 4 * quarter


# ---------------------------------------------------------------- draws of patients' samples

GROUPS = np.repeat([f"p{number}" for number in range(40)], np.tile([4, 5, 6, 7], 10))
LABELS = (RNG.random(len(GROUPS)) < 0.3).astype(np.int64)
# of class 0 a quarter to train on and an eighth to test, of class 1 a half and a quarter
PATIENTS = {"train": [20, 10], "test": [10, 5], "of": [80, 20]}


def test_no_patient_is_on_both_sides():
    data = samples(LABELS, groups=GROUPS)
    for repetition in (1, 2, 3):
        task, split = draw(data, None, None, repetition=repetition, patients=PATIENTS)
        parts = by_part(task)
        of = {name: set(GROUPS[rows]) for name, rows in parts.items()}
        assert not of["test"] & set.union(*(of[name] for name in QUARTERS))
        assert {split.parts[group] for group in of["test"]} == {"test"}
        assert {split.parts[group] for name in QUARTERS for group in of[name]} == {"train"}
        for one, two in combinations(PARTS, 2):
            assert not set(parts[one]) & set(parts[two])
        np.testing.assert_array_equal(task.y, LABELS[places(task)])


def test_patients_are_divided_in_the_numbers_asked_for_in_proportion():
    data, whole = samples(LABELS, groups=GROUPS), np.bincount(LABELS)
    task, split = draw(data, None, None, patients=PATIENTS)
    assert split.targets == {
        "train": (whole[0] // 4, whole[1] // 2),
        "test": (whole[0] // 8, whole[1] // 4),
    }
    assert np.bincount(task.y[task.rows(1, "test")]).tolist() == list(split.counts["test"])
    assert len(task.rows(1, *QUARTERS)) == sum(split.counts["train"]) // 4 * 4
    assert len(GROUPS) == sum(map(sum, split.counts.values()))


def test_of_patients_samples_so_many_are_drawn():
    task, split = draw(samples(LABELS, groups=GROUPS), 8, 10, patients=PATIENTS)
    parts = by_part(task)
    assert [len(parts[name]) for name in PARTS] == [8] * 4 + [10]
    assert {split.parts[group] for group in GROUPS[parts["test"]]} == {"test"}
    assert {split.parts[group] for name in QUARTERS for group in GROUPS[parts[name]]} == {"train"}


def test_patients_change_sides_between_repetitions_but_not_for_the_same_key():
    data = samples(LABELS, groups=GROUPS)

    def lists(**key):
        return draw(data, None, None, patients=PATIENTS, **key)[1].parts

    assert lists() == lists()
    assert all(lists() != lists(**key) for key in ({"repetition": 2}, {"seed": 2}, {"job": ("other",)}))


def test_patients_without_their_setting_and_the_setting_without_patients_are_refused():
    for data, patients in ((samples(LABELS, groups=GROUPS), None), (samples(LABELS), PATIENTS)):
        with pytest.raises(
            InputError, match=r"data\.npz: samples of groups need the setting patients, and others must"
        ):
            draw(data, 2, 10, patients=patients)


def test_more_than_the_patients_of_a_side_have_is_refused():
    with pytest.raises(InputError, match=r"data.npz: \d+ test samples; allowed is 1 to \d+"):
        draw(samples(LABELS, groups=GROUPS), None, 200, patients=PATIENTS)


# ---------------------------------------------------------------- pixels


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32, np.float64])
def test_whole_pixels_are_bytes_with_channels_last(dtype):
    x = np.array([[[0, 16], [3, 7]]], dtype)
    for images in (x, x[..., None]):
        found = whole_pixels("data.npz", images, 16)
        assert found.dtype == np.uint8 and found.shape == (1, 2, 2, 1)
        np.testing.assert_array_equal(found[..., 0], x)
    colours = np.repeat(x[..., None], 3, axis=3)
    np.testing.assert_array_equal(whole_pixels("data.npz", colours, 16.0), colours)


@pytest.mark.parametrize(
    ("pixel", "dtype", "said"),
    [
        (0.5, float, "pixels from 0 to 0.5"),
        (15.999, np.float32, "pixels from 0 to 15.999"),
        (17, np.uint8, "pixels from 0 to 17"),
        (-1, np.int8, "pixels from -1 to 0"),
        (-1, np.float64, "pixels from -1 to 0"),
        (256, np.int64, "pixels from 0 to 256"),  # a byte later, 0
        (260, np.float64, "pixels from 0 to 260"),
        (-252, np.int64, "pixels from -252 to 0"),
    ],
)
def test_other_pixels_are_refused(pixel, dtype, said):
    x = np.zeros((3, 2, 2), dtype)
    x[1, 0, 1] = pixel
    with pytest.raises(InputError, match=rf"data\.npz: {said}; allowed are whole numbers, 0 to 16"):
        whole_pixels("data.npz", x, 16)


def test_a_draw_refuses_other_pixels():
    data = samples(np.arange(60) % 3)
    with pytest.raises(InputError, match="pixels from 0 to 15; allowed are whole numbers, 0 to 14"):
        draw_task("data.npz", data, None, 20, 14, Draws(1, ("job",)), 1)
