"""Histograms are checked once, at the door."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pate_accountant.errors import InputError
from pate_accountant.votes import check_votes

FIXED = settings(derandomize=True, deadline=None, max_examples=100)
GOOD = np.array([[7, 2, 1], [4, 3, 3], [10, 0, 0]])


def refusal(*arguments, **named) -> str:
    with pytest.raises(InputError) as caught:
        check_votes(*arguments, **named)
    message = str(caught.value)
    assert "\n" not in message
    return message


@st.composite
def histograms(draw):
    teachers, classes = draw(st.integers(1, 40)), draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    return rng.multinomial(teachers, np.full(classes, 1 / classes), draw(st.integers(1, 8)))


@given(histograms(), st.sampled_from(["int64", "int32", "uint8", "uint64", "float64", "float32"]))
@FIXED
def test_histograms_pass_unchanged_whatever_their_number_type(votes, dtype):
    given_votes = votes.astype(dtype)
    for teachers in (None, int(votes[0].sum())):
        checked = check_votes(given_votes, teachers)
        assert checked.dtype == np.int64
        np.testing.assert_array_equal(checked, votes)


def test_lists_are_taken():
    np.testing.assert_array_equal(check_votes(GOOD.tolist(), 10), GOOD)


@pytest.mark.parametrize("row", [0, 1, 2])
@pytest.mark.parametrize(
    ("cells", "fault"),
    [
        ([np.nan, 5, 5], "not finite"),
        ([np.inf, 0, 0], "not finite"),
        ([-np.inf, 0, 0], "not finite"),
        ([-1, 6, 5], "negative"),
        ([-0.5, 5.5, 5], "negative"),
        ([5.5, 4.5, 0], "whole"),
        ([9.999999, 0.000001, 0], "whole"),
    ],
)
@pytest.mark.parametrize("teachers", [None, 10])
def test_bad_counts_are_refused_by_name_and_row(row, cells, fault, teachers):
    votes = GOOD.astype(float)
    votes[row] = cells
    message = refusal(votes, teachers, "pool.npz")
    assert message.startswith("pool.npz: ") and f"row {row}" in message and fault in message


@pytest.mark.parametrize("row", [0, 1, 2])
@pytest.mark.parametrize("cells", [[7, 2, 2], [7, 2, 0], [0, 0, 0]])
def test_a_row_of_another_sum_is_refused_by_name_and_row(row, cells):
    votes = GOOD.copy()
    votes[row] = cells
    message = refusal(votes, 10, "pool.npz")
    assert message.startswith("pool.npz: ") and f"row {row} " in message and "10" in message
    if row and sum(cells):
        assert f"row {row} " in refusal(votes, None, "pool.npz")


@given(histograms(), st.data())
@FIXED
def test_one_vote_too_many_or_too_few_is_found(votes, data):
    row, column = data.draw(st.integers(0, len(votes) - 1)), data.draw(st.integers(0, votes.shape[1] - 1))
    wrong = votes.copy()
    wrong[row, column] += data.draw(st.sampled_from([-1, 1]))
    message = refusal(wrong, int(votes[0].sum()))
    assert f"row {row}" in message


def test_all_rows_agree_but_not_with_the_number_of_teachers():
    assert "row 0" in refusal(GOOD, 11)
    assert "one vote a teacher" in refusal(GOOD, 250)


@pytest.mark.parametrize(
    "votes",
    [
        np.array([7, 2, 1]),
        np.array(10),
        np.zeros((0, 3), int),
        np.zeros((3, 0), int),
        np.full((3, 1), 10),
        np.ones((2, 2, 2), int),
        [],
        [[]],
        None,
    ],
    ids=lambda votes: str(np.shape(votes)),
)
def test_other_shapes_are_refused_by_name(votes):
    message = refusal(votes, None, "pool.npz")
    assert message.startswith("pool.npz: ") and "shape" in message and "expected" in message


@pytest.mark.parametrize(
    "votes",
    [
        GOOD.astype(str),
        GOOD.astype(object),
        GOOD.astype(complex),
        np.array([[True, False], [True, False]]),
        [["7", "3"], ["5", "5"]],
        np.array([["2020-01-01", "2020-01-02"]], "datetime64[D]"),
    ],
    ids=lambda votes: str(np.asarray(votes).dtype),
)
def test_what_is_no_number_is_refused_by_name(votes):
    message = refusal(votes, None, "pool.npz")
    assert message.startswith("pool.npz: ") and "dtype" in message and "expected" in message


def test_no_vote_at_all_is_refused():
    assert "no vote" in refusal(np.zeros((2, 3), int))


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
@pytest.mark.parametrize(
    "votes", [np.array([[2**64 - 5, 15]], dtype=np.uint64), np.array([[1e300, 1e300, 10.0]])], ids=["uint64", "float64"]
)
def test_counts_that_no_integer_holds_are_refused(votes):
    assert "row 0" in refusal(votes, 10)
