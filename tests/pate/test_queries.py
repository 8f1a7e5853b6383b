"""The queries of a run: which rows of the pool, from which file, and what is refused."""

import hashlib

import numpy as np
import pytest

from lib.core.errors import InputError
from lib.core.files import save_arrays
from lib.data.sources.pate_votes import _MNIST_FILES
from lib.pate.authors_queries import authors_queries
from lib.pate.queries import published_labels, read_queries

VOTES = np.array([[9, 1, 0], [4, 3, 3], [0, 10, 0], [2, 2, 6], [5, 5, 0]])


@pytest.fixture
def path(tmp_path):
    target = tmp_path / "votes.npz"
    save_arrays(target, votes=VOTES, fingerprint=np.array("ab"), published_indices=np.array([3, 0]))
    return target


def refusal(*arguments) -> str:
    with pytest.raises(InputError) as caught:
        read_queries(*arguments)
    message = str(caught.value)
    assert message.startswith(f"{arguments[0]}: ") and "\n" not in message
    return message


@pytest.mark.parametrize(
    ("run", "rows"),
    [
        ({"queries": 2}, [0, 1]),
        ({"queries": 5}, [0, 1, 2, 3, 4]),
        ({"queries": 2, "first": 0}, [0, 1]),
        ({"queries": 2, "first": 3}, [3, 4]),
        ({"queries": "published"}, [3, 0]),
    ],
)
def test_rows_of_the_pool_are_taken_in_order(path, run, rows):
    votes, found, fingerprint = read_queries(path, 10, run)
    assert found.tolist() == rows
    np.testing.assert_array_equal(votes, VOTES[rows])
    assert votes.dtype == np.int64 and fingerprint == "ab"


def test_the_authors_1000_queries_begin_with_their_published_100():
    rows, published = authors_queries(100), authors_queries(10)
    assert len(rows) == len(set(rows.tolist())) == 1000
    np.testing.assert_array_equal(rows.reshape(10, 100)[:, :10].ravel(), published)
    header = b"{'descr': '<i8', 'fortran_order': False, 'shape': (100,), }".ljust(69) + b"\n"  # of the published file
    content = b"\x93NUMPY\x01\x00F\x00" + header + published.astype("<i8").tobytes()
    known = {name: sha256 for _, name, sha256 in _MNIST_FILES}
    assert hashlib.sha256(content).hexdigest() == known["mnist_250_teachers_100_indices_used_by_student.npy"]


def test_a_run_makes_the_authors_1000_queries(tmp_path):
    path = tmp_path / "votes.npz"
    votes = np.eye(10, dtype=int)[np.arange(9000) % 7] * 250
    save_arrays(path, votes=votes, fingerprint=np.array("ab"))
    found, rows, _ = read_queries(path, 250, {"queries": "authors_1000"})
    np.testing.assert_array_equal(rows, authors_queries(100))
    np.testing.assert_array_equal(found, votes[rows])


def test_the_authors_queries_need_their_votes(path):
    message = refusal(path, 10, {"queries": "authors_1000"})
    assert "holds 5 queries, and 'authors_1000' are among the first 8000" in message


@pytest.mark.parametrize(("run", "needed"), [({"queries": 6}, "6"), ({"queries": 2, "first": 4}, "6")])
def test_more_queries_than_there_are_are_refused(path, run, needed):
    message = refusal(path, 10, run)
    assert "holds 5 queries" in message and needed in message


def test_votes_of_other_teachers_are_refused(path):
    assert "row 0 sums to 10, expected 250" in refusal(path, 250, {"queries": 2})


def test_bad_votes_are_refused_even_where_they_are_not_asked(tmp_path):
    path = tmp_path / "votes.npz"
    votes = VOTES.copy()
    votes[4] = [11, -1, 0]
    save_arrays(path, votes=votes, fingerprint=np.array("ab"))
    assert "row 4" in refusal(path, 10, {"queries": 2})


@pytest.mark.parametrize(("lacking", "queries"), [("votes", 2), ("fingerprint", 2), ("published_indices", "published")])
def test_a_file_that_lacks_something_is_refused(tmp_path, lacking, queries):
    path = tmp_path / "votes.npz"
    arrays = {"votes": VOTES, "fingerprint": np.array("ab"), "published_indices": np.array([3, 0])}
    save_arrays(path, **{name: array for name, array in arrays.items() if name != lacking})
    assert lacking in refusal(path, 10, {"queries": queries})


def test_a_missing_file_is_refused(tmp_path):
    refusal(tmp_path / "none.npz", 10, {"queries": 2})


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.array([0, 1, 2]), "shape (3,), expected (5)"),
        (np.array([0.0, 1, 2, 0, 1]), "dtype float64, expected "),
        (np.array([0, 1, 2, 0, 3]), "values 0 to 3, expected 0 to 2"),
        (np.array([0, -1, 2, 0, 1]), "values -1 to 2, expected 0 to 2"),
    ],
)
def test_labels_that_are_not_of_these_votes_are_refused(tmp_path, labels, message):
    save_arrays(tmp_path / "votes.npz", published_labels=labels, votes=VOTES)
    with pytest.raises(InputError) as caught:
        published_labels(tmp_path / "votes.npz", np.array([3, 0]), 3)
    assert str(caught.value).startswith(f"{tmp_path / 'votes.npz'}: published_labels: ")
    assert message in str(caught.value)
