"""A person's own votes: read as they say they are, and one helpful line for what they may have mistaken."""

import numpy as np
import pandas as pd
import pytest

from lib.core.files import save_arrays
from pate_accountant.errors import InputError
from pate_accountant.votes_file import count_votes, read_votes

LABELS = np.array([[0, 1, 2, 2], [0, 1, 1, 2], [0, 0, 2, 2]])  # 3 teachers, 4 queries
COUNTS = [[3, 0, 0], [1, 2, 0], [0, 1, 2], [0, 0, 3]]


def saved(folder, array, name="votes.npy"):
    np.save(folder / name, array)
    return folder / name


def line(path, *arguments, **options):
    """The one line with which a file is refused; the file stays as it is."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(InputError) as caught:
        read_votes(path, *arguments, **options)
    assert (path.read_bytes() if path.is_file() else None) == before
    text = str(caught.value)
    assert "\n" not in text and str(path) in text
    return text


@pytest.mark.parametrize(
    ("array", "layout"),
    [(LABELS, "teachers,queries"), (LABELS.T, "queries,teachers"), (COUNTS, "histograms")],
)
@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float32])
def test_every_layout_gives_the_same_histograms(tmp_path, array, layout, dtype):
    found = read_votes(saved(tmp_path, np.asarray(array, dtype)), layout, classes=3)
    assert found.histograms.tolist() == COUNTS and found.teachers == 3


def test_csv_and_npz_are_read_as_npy_is(tmp_path):
    np.savetxt(tmp_path / "plain.csv", LABELS, fmt="%d", delimiter=",")
    (tmp_path / "named.csv").write_text("a,b,c,d\n" + (tmp_path / "plain.csv").read_text())
    np.savez(tmp_path / "one.npz", LABELS)
    np.savez(tmp_path / "two.npz", labels=LABELS, other=LABELS)
    save_arrays(tmp_path / "sealed.npz", labels=LABELS)
    for name, key in (("plain.csv", None), ("named.csv", None), ("one.npz", None), ("two.npz", "labels")):
        found = read_votes(tmp_path / name, "teachers,queries", 3, key=key)
        assert found.histograms.tolist() == COUNTS
    assert read_votes(tmp_path / "sealed.npz", "teachers,queries", 3, key="labels").teachers == 3


def test_csv_with_a_byte_order_mark_is_read_as_without(tmp_path):
    """As spreadsheets save it."""
    for name, first in (("plain.csv", ""), ("named.csv", "a,b,c,d\n")):
        np.savetxt(tmp_path / name, LABELS, fmt="%d", delimiter=",")
        text = first + (tmp_path / name).read_text()
        (tmp_path / name).write_text(text, encoding="utf-8-sig")
        assert read_votes(tmp_path / name, "teachers,queries", 3).histograms.tolist() == COUNTS


def test_which_array_of_several_is_asked_for(tmp_path):
    np.savez(tmp_path / "two.npz", labels=LABELS, other=LABELS)
    assert "--key: labels, other" in line(tmp_path / "two.npz", "teachers,queries")
    assert "no array 'x'" in line(tmp_path / "two.npz", "teachers,queries", key="x")


def test_a_layout_is_asked_for_with_the_shape_and_what_each_would_mean(tmp_path):
    for layout in (None, "queries"):
        text = line(saved(tmp_path, LABELS), layout)
        for part in ("(3, 4)", "3 teachers on 4 queries", "4 teachers", "histograms", "4 classes"):
            assert part in text


def test_a_wrong_axis_is_pointed_out():
    wide = np.tile(LABELS, (2, 1))  # 6 teachers, 4 queries
    (found,) = [text for text in count_votes(wide, "teachers,queries", 3).warnings if "other way round" in text]
    assert "6 teachers and only 4 queries" in found
    assert not count_votes(LABELS, "teachers,queries", 3).warnings
    with pytest.raises(InputError, match="--teachers says 3"):
        count_votes(LABELS, "queries,teachers", 3, teachers=3)


def test_counts_given_as_labels_and_labels_given_as_counts_are_pointed_out(tmp_path):
    assert "say --layout teachers,queries" in line(saved(tmp_path, LABELS), "histograms")
    assert "transposed" in line(saved(tmp_path, np.transpose(COUNTS)), "histograms")
    assert any("say --layout histograms" in text for text in count_votes(COUNTS, "queries,teachers").warnings)


@pytest.mark.parametrize(
    ("value", "said"),
    [(3, "subtract 1"), (4, "0 to 2"), (-1, "leave out"), (0.5, "not probabilities"), (np.nan, "leave out")],
)
def test_a_label_that_is_none_is_named(tmp_path, value, said):
    labels = LABELS.astype(float)
    labels[1, 2] = value
    text = line(saved(tmp_path, labels), "teachers,queries", 3)
    assert "teacher 1 on query 2" in text and said in text


def test_float_votes_count_only_if_they_are_whole(tmp_path):
    assert read_votes(saved(tmp_path, np.array(COUNTS, float)), "histograms").teachers == 3
    assert "row 1, class 0 is not a whole number" in line(saved(tmp_path, np.array(COUNTS) / 3), "histograms")


def test_classes_that_are_inferred_or_missing_are_said():
    inferred = count_votes(LABELS, "teachers,queries").warnings
    assert "3 classes" in inferred[0] and "too small: give --classes" in inferred[0]
    (missing,) = count_votes(LABELS, "teachers,queries", 5).warnings
    assert "classes 3, 4" in missing
    with pytest.raises(InputError, match="3 columns, and --classes says 4"):
        count_votes(COUNTS, "histograms", 4)


def test_fewer_queries_are_the_first_ones():
    assert count_votes(LABELS, "teachers,queries", 3, queries=2).histograms.tolist() == COUNTS[:2]
    for queries in (0, 5):
        with pytest.raises(InputError, match="allowed is 1 to the 4"):
            count_votes(LABELS, "teachers,queries", 3, queries=queries)


@pytest.mark.parametrize("name", ["votes.npy", "votes.npz", "votes.csv"])
def test_a_damaged_or_missing_file_is_named_and_left_alone(tmp_path, name):
    path = tmp_path / name
    assert "no such file" in line(path, "histograms")
    path.write_bytes(b"\x93NUMPY\x01\x00 no array, 'and', no table")
    assert "delete" not in line(path, "histograms")
    path.write_bytes(b"")
    line(path, "histograms")


def test_other_files_are_refused_with_what_to_write_instead(tmp_path):
    (tmp_path / "votes.txt").write_text("1")
    assert ".npy, .npz, .csv" in line(tmp_path / "votes.txt", "histograms")
    (tmp_path / "votes.parquet").write_text("PAR1")
    assert "pandas.read_parquet" in line(tmp_path / "votes.parquet", "histograms")
    (tmp_path / "votes.csv").write_text("a,1,b\n0,1,2\n")
    assert "mixes" in line(tmp_path / "votes.csv", "histograms")


@pytest.mark.parametrize("index", [None, "index", "id", "image"])
@pytest.mark.parametrize("layout", ["teachers,queries", "queries,teachers", "histograms"])
@pytest.mark.parametrize("words", [False, True])
def test_a_table_as_pandas_writes_it_is_read_without_header_and_index(tmp_path, layout, words, index):
    table = pd.DataFrame(TABLES[layout])
    if words or index == "image":
        table.columns = [f"column {number}" for number in table.columns]
    if words:
        table.index = [f"row_{number}.png" for number in table.index]
    table.index.name = index
    table.to_csv(tmp_path / "votes.csv")
    found = read_votes(tmp_path / "votes.csv", layout, classes=4)
    assert found.histograms.tolist() == MANY_COUNTS.tolist()
    assert any("its first column" in text and "not read as votes" in text for text in found.warnings)


def test_an_index_that_no_header_names_is_not_guessed(tmp_path):
    pd.DataFrame([[0, 1, 2], [0, 1, 1]], index=["a", "b"]).to_csv(tmp_path / "votes.csv", header=False)
    assert "mixes" in line(tmp_path / "votes.csv", "teachers,queries", classes=3)


def test_words_in_place_of_labels_are_refused_with_the_way_to_number_them(tmp_path):
    pd.DataFrame([["cat", "dog"], ["dog", "dog"]]).to_csv(tmp_path / "votes.csv")
    assert "'cat'" in line(tmp_path / "votes.csv", "teachers,queries") and "pandas.factorize" in line(
        tmp_path / "votes.csv", "teachers,queries"
    )


@pytest.mark.parametrize("layout", ["teachers,queries", "queries,teachers"])
def test_votes_as_one_hot_vectors_are_labels(tmp_path, layout):
    labels = TABLES[layout]
    vectors = np.eye(4, dtype=np.float32)[labels]
    found = read_votes(saved(tmp_path, vectors), layout)
    assert found.histograms.tolist() == MANY_COUNTS.tolist()
    assert not found.warnings  # the classes are known
    assert "4 classes" in line(saved(tmp_path, vectors), layout, classes=5)
    for wrong in (vectors * 0.5, vectors * 2, 1 - vectors):
        assert "one-hot" in line(saved(tmp_path, wrong), layout)
    assert "two axes" in line(saved(tmp_path, vectors), "histograms")


def test_what_is_no_table_of_numbers_is_refused(tmp_path):
    for array in (np.arange(3), np.zeros((0, 3)), np.array([["a", "b"]])):
        assert "needed are" in line(saved(tmp_path, array), "histograms")
    np.save(tmp_path / "objects.npy", np.array([[{}]], object), allow_pickle=True)
    line(tmp_path / "objects.npy", "histograms")


# ---------------------------------------------------------------- headers and indices of numbers

RNG = np.random.default_rng(0)
MANY_LABELS = RNG.integers(0, 4, (9, 30))  # 9 teachers, 30 queries, 4 classes
MANY_COUNTS = np.array([np.bincount(query, minlength=4) for query in MANY_LABELS.T])
TABLES = {"teachers,queries": MANY_LABELS, "queries,teachers": MANY_LABELS.T, "histograms": MANY_COUNTS}


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("layout", TABLES)
def test_a_header_of_numbers_is_no_query(tmp_path, layout, first):
    table = pd.DataFrame(TABLES[layout])
    table.columns += first
    table.to_csv(tmp_path / "votes.csv", index=False)
    found = read_votes(tmp_path / "votes.csv", layout, classes=4)
    assert found.histograms.tolist() == MANY_COUNTS.tolist()
    assert any("its first line" in text and "not read as votes" in text for text in found.warnings)


@pytest.mark.parametrize("layout", TABLES)
def test_an_index_of_numbers_is_no_vote(tmp_path, layout):
    pd.DataFrame(TABLES[layout]).to_csv(tmp_path / "votes.csv", header=False)
    found = read_votes(tmp_path / "votes.csv", layout, classes=4)
    assert found.histograms.tolist() == MANY_COUNTS.tolist()
    assert any("its first column" in text and "not read as votes" in text for text in found.warnings)


@pytest.mark.parametrize("layout", ["teachers,queries", "queries,teachers"])
def test_a_header_that_may_be_labels_is_refused_until_the_classes_say_that_it_is_none(tmp_path, layout):
    pd.DataFrame(TABLES[layout]).to_csv(tmp_path / "votes.csv", index=False)
    assert "may be a header or votes" in line(tmp_path / "votes.csv", layout)
    assert read_votes(tmp_path / "votes.csv", layout, classes=4).teachers == 9
    pd.DataFrame(TABLES[layout]).to_csv(tmp_path / "votes.csv", header=False)
    assert "may be numbers of rows or votes" in line(tmp_path / "votes.csv", layout)


def test_the_number_of_teachers_tells_a_header_from_a_teacher(tmp_path):
    pd.DataFrame(MANY_LABELS).to_csv(tmp_path / "votes.csv", index=False)
    assert (
        read_votes(tmp_path / "votes.csv", "teachers,queries", teachers=9).histograms.tolist() == MANY_COUNTS.tolist()
    )
    read = read_votes(tmp_path / "votes.csv", "teachers,queries", teachers=10)  # then it is a teacher's votes
    assert read.histograms.sum(axis=1).tolist() == [10] * 30


@pytest.mark.parametrize("first", [[0, 1, 2], [1, 2, 3]])
def test_counts_that_count_up_are_asked_about_where_their_sum_is_that_of_all_queries(tmp_path, first):
    rows = [first, [sum(first), 0, 0], [0, sum(first), 0]]
    np.savetxt(tmp_path / "votes.csv", rows, fmt="%d", delimiter=",")
    assert "may be a header or votes" in line(tmp_path / "votes.csv", "histograms")
    assert read_votes(saved(tmp_path, rows), "histograms").histograms.tolist() == rows  # as an array they are votes
    np.savetxt(tmp_path / "votes.csv", [first, [2, 2, 1], [5, 0, 0]], fmt="%d", delimiter=",")
    assert read_votes(tmp_path / "votes.csv", "histograms").histograms.tolist() == [[2, 2, 1], [5, 0, 0]]
    np.savetxt(tmp_path / "votes.csv", [first, [5, 0, 0]], fmt="%d", delimiter=",")
    assert read_votes(tmp_path / "votes.csv", "histograms").histograms.tolist() == [[5, 0, 0]]
    np.savetxt(tmp_path / "votes.csv", [first], fmt="%d", delimiter=",")  # one query, and nothing else
    assert read_votes(tmp_path / "votes.csv", "histograms").histograms.tolist() == [first]


def test_columns_of_counts_that_count_up_are_votes_where_only_that_gives_equal_sums(tmp_path):
    rows = [[0, 4, 1], [1, 3, 1], [2, 3, 0]]
    np.savetxt(tmp_path / "votes.csv", rows, fmt="%d", delimiter=",")
    found = read_votes(tmp_path / "votes.csv", "histograms")
    assert found.histograms.tolist() == rows and not found.warnings


# ---------------------------------------------------------------- votes that may be transposed


def test_without_a_layout_what_may_be_transposed_is_refused(tmp_path):
    for array in (MANY_LABELS, MANY_COUNTS, [[2, 1, 0], [0, 2, 1], [1, 0, 2]]):
        assert "say what its axes are" in line(saved(tmp_path, np.asarray(array)))


def test_counts_that_are_as_well_those_of_the_transposed_table_are_pointed_out():
    (found,) = count_votes(np.array([[2, 1, 0], [0, 2, 1], [1, 0, 2]]), "histograms").warnings
    assert "columns have equal sums, too" in found
    assert not count_votes(MANY_COUNTS, "histograms").warnings
