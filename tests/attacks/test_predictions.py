"""What networks predict about the data of an attack: by hand, part by part, and through a file."""

import numpy as np
import pytest

from lib.attacks.predictions import (
    SIDES,
    Predictions,
    asked,
    ensembles_of,
    read_predictions,
    write_predictions,
)
from lib.attacks.task import PARTS, Task
from lib.core.errors import InputError
from lib.core.files import load_arrays, save_arrays

# two networks and the ensemble of both, about two samples of the target's part, one of each other, and two of the test
PART = np.array([4, 0, 1, 2, 0, 3, 4], np.int8)
LABELS = np.array([0, 1, 1, 0, 2, 2, 1])
FIRST = np.array(
    [
        [0.6, 0.3, 0.1],
        [0.1, 0.7, 0.2],
        [0.5, 0.4, 0.1],
        [0.4, 0.3, 0.3],
        [0.2, 0.3, 0.5],
        [0.1, 0.1, 0.8],
        [0.2, 0.3, 0.5],
    ]
)
PREDICTIONS = Predictions(
    np.stack([FIRST, FIRST[:, [1, 2, 0]], np.full((7, 3), 1 / 3)]), PART, LABELS, np.array([1, 1, 2])
)


def others(scale):
    """Predictions of both sides that are unlike any others."""
    return {
        side: Predictions(scale * (k + 1) * FIRST[None, :n], PART[:n], LABELS[:n] + k, np.array([1]))
        for k, (side, n) in enumerate((("target", 7), ("shadow", 4)))
    }


def test_parts_come_in_the_order_asked_for():
    np.testing.assert_array_equal(PREDICTIONS.of(0, "test"), FIRST[[0, 6]])
    np.testing.assert_array_equal(PREDICTIONS.of(1, "shadow_out", "target_train"), FIRST[[5, 1, 4]][:, [1, 2, 0]])
    assert PREDICTIONS.of(2, *PARTS).shape == (7, 3)


@pytest.mark.parametrize(("side", "rows", "inside"), [("target", [1, 4, 2], [1, 1, 0]), ("shadow", [3, 5], [1, 0])])
def test_halves_say_who_is_in_the_half_that_is_trained_on(side, rows, inside):
    probabilities, member = PREDICTIONS.halves(0, side)
    np.testing.assert_array_equal(probabilities, FIRST[rows])
    assert member.dtype == bool and member.tolist() == list(map(bool, inside))


def test_accuracy_is_the_share_of_labels_that_are_most_probable():
    # the first network says 0, 1, 0, 0, 2, 2, 2; the second, its classes turned, 2, 0, 2, 2, 1, 1, 1
    found = [{name: PREDICTIONS.accuracy(network, name) for name in PARTS} for network in (0, 1)]
    assert found[0] == {"target_train": 1, "target_out": 0, "shadow_train": 1, "shadow_out": 1, "test": 0.5}
    assert found[1] == {"target_train": 0, "target_out": 0, "shadow_train": 0, "shadow_out": 0, "test": 0.5}


def test_the_majority_is_the_share_of_the_most_frequent_label():
    """Whatever a network says of it: two labels of the test set, and of one part all or one half."""
    assert {name: PREDICTIONS.majority(name) for name in PARTS} == {
        **{"target_train": 0.5, "target_out": 1, "shadow_train": 1, "shadow_out": 1, "test": 0.5}
    }
    part, labels = np.array([4, 4, 4, 0, 0, 4], np.int8), np.array([2, 0, 2, 1, 1, 2])
    assert Predictions(FIRST[None, :6], part, labels, np.array([1])).majority("test") == 0.75


def test_ensembles_are_every_network_alone_and_the_first_so_many():
    assert ensembles_of(1, [1]) == [[0]]
    assert ensembles_of(3, [1]) == [[0], [1], [2]]
    assert ensembles_of(5, [1, 2, 5]) == [[0], [1], [2], [3], [4], [0, 1], [0, 1, 2, 3, 4]]
    assert ensembles_of(2, [2]) == [[0], [1], [0, 1]]


@pytest.mark.parametrize(("members", "sizes"), [(1, [1, 2]), (4, [5]), (2, [0, 1]), (2, [-1]), (2, [])])
def test_ensembles_of_more_than_there_are_are_refused(members, sizes):
    with pytest.raises(InputError, match=f"allowed are ensembles of 1 to {members}"):
        ensembles_of(members, sizes)


def test_the_target_is_asked_about_everything_and_the_shadow_about_its_own_halves():
    """In each repetition, the rows in the order of the parts."""
    part, repetition = np.tile(PART, 2), np.repeat([2, 1], 7)
    task = Task(np.zeros((14, 2, 2, 1), np.uint8), np.tile(LABELS, 2), part, repetition, "ab" * 32)
    assert asked(task, 2, "target").tolist() == [1, 4, 2, 3, 5, 0, 6]
    assert asked(task, 1, "target").tolist() == [8, 11, 9, 10, 12, 7, 13]
    assert asked(task, 2, "shadow").tolist() == [3, 5]
    assert asked(task, 1, "shadow").tolist() == [10, 12]


def test_a_file_gives_every_repetition_and_side_back(tmp_path):
    written = {number: others(number) for number in (2, 10, 1)}
    write_predictions(tmp_path / "p.npz", written)
    found = read_predictions(tmp_path / "p.npz")
    assert list(found) == [1, 2, 10]
    for number, sides in written.items():
        assert tuple(found[number]) == SIDES
        for side in SIDES:
            for name, array in vars(sides[side]).items():
                again = getattr(found[number][side], name)
                np.testing.assert_array_equal(again, array)
                assert again.dtype == array.dtype


def test_a_file_of_targets_alone_gives_them_back(tmp_path):
    write_predictions(tmp_path / "p.npz", {1: {"target": PREDICTIONS}})
    found = read_predictions(tmp_path / "p.npz")
    assert list(found[1]) == ["target"]
    np.testing.assert_array_equal(found[1]["target"].probabilities, PREDICTIONS.probabilities)


@pytest.mark.parametrize("lost", ["1.shadow", "1.target", "2.shadow", "2.target.labels"])
def test_a_file_that_lacks_a_side_is_refused(tmp_path, lost):
    write_predictions(tmp_path / "p.npz", {1: others(1), 2: others(2)})
    left = {name: array for name, array in load_arrays(tmp_path / "p.npz").items() if not name.startswith(lost)}
    assert len(left) in (15, 12)
    save_arrays(tmp_path / "p.npz", **left)
    with pytest.raises(InputError, match=rf"p\.npz: not predictions of both sides \('{lost}"):
        read_predictions(tmp_path / "p.npz")


def test_a_file_of_something_else_is_refused(tmp_path):
    save_arrays(tmp_path / "p.npz", probabilities=FIRST, labels=LABELS)
    with pytest.raises(InputError, match=r"p\.npz: not predictions of both sides"):
        read_predictions(tmp_path / "p.npz")
