"""No epsilon reaches a table without its meaning."""

import csv
import dataclasses
import os

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.reporting.tables import needs_statement, safe, write_numbers, write_table
from pate_accountant.statement import PrivacyStatement

FIXED = settings(derandomize=True, deadline=None, max_examples=80)
STATEMENT = PrivacyStatement(
    epsilon=1.9712345678,
    delta=1e-5,
    accountant="rdp",
    conversion="classic",
    neighbouring="replace_one",
    data_dependent=True,
    sanitized=False,
    one_sided=True,
    proved_bound=False,
)
words = st.sampled_from(["sanitized", "joint", "charge", "all", "two", "sided", "dependent", "mean", "labels", "x2"])


def read(path) -> list[dict]:
    with open(path, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def write(folder, rows, key=("dataset",)):
    write_table(folder / "table.csv", folder / "privacy.csv", rows, key)
    return read(folder / "table.csv"), read(folder / "privacy.csv")


# ---------------------------------------------------------------- bare numbers


@given(st.lists(words, max_size=3), st.lists(words, max_size=3), st.sampled_from([0.0, 1.97, 3, "1.97", True, [1]]))
@FIXED
def test_a_bare_epsilon_is_refused_in_any_column_of_that_word(tmp_path_factory, before, after, cell):
    column = "_".join([*before, "epsilon", *after])
    folder = tmp_path_factory.mktemp("table")
    assert needs_statement(column)
    with pytest.raises(TypeError, match=f"column {column}: a bare epsilon"):
        write(folder, [{"dataset": "a", column: STATEMENT}, {"dataset": "b", column: cell}])
    assert os.listdir(folder) == []


@given(
    st.lists(words, max_size=3), st.lists(words, max_size=3), st.sampled_from(["spread", "std", "seeds", "protocol"])
)
@FIXED
def test_quotations_and_what_is_said_of_an_epsilon_are_plain(tmp_path_factory, before, after, said):
    name = "_".join([*before, "epsilon", *after])
    columns = [f"paper_{name}", f"{name}_{said}", f"paper_{name}_{said}"]
    for column in columns:
        assert not needs_statement(column)
    row = {"dataset": "a"} | dict.fromkeys(columns, 1.25)
    table, privacy = write(tmp_path_factory.mktemp("table"), [row])
    assert {table[0][column] for column in columns} == {"1.25"} and privacy == []


@pytest.mark.parametrize("column", ["epsilons", "nepsilon", "order_epsilony", "delta", "eps", "student_accuracy"])
def test_other_words_are_plain(column):
    assert not needs_statement(column)


@pytest.mark.parametrize(
    "column", ["epsilon", "epsilon_paper", "newspaper_epsilon", "epsilon_spread_of", "std_epsilon"]
)
def test_near_exceptions_are_none(column):
    assert needs_statement(column)


# ---------------------------------------------------------------- what is written


def test_one_line_of_meaning_a_statement(tmp_path):
    other = dataclasses.replace(STATEMENT, epsilon=4.5, proved_bound=True)
    rows = [
        {"dataset": "a", "run": 1, "epsilon": STATEMENT, "epsilon_joint": other, "accuracy": 98.7654321},
        {"dataset": "b", "run": 2, "epsilon": other, "epsilon_joint": None, "accuracy": None},
    ]
    table, privacy = write(tmp_path, rows, key=("dataset", "run"))
    assert table == [
        {"dataset": "a", "run": "1", "epsilon": "1.97124", "epsilon_joint": "4.5", "accuracy": "98.7654"},
        {"dataset": "b", "run": "2", "epsilon": "4.5", "epsilon_joint": "", "accuracy": ""},
    ]
    assert [(line["dataset"], line["run"], line["column"]) for line in privacy] == [
        ("a", "1", "epsilon"),
        ("a", "1", "epsilon_joint"),
        ("b", "2", "epsilon"),
    ]
    assert list(privacy[0]) == ["dataset", "run", "column", *STATEMENT.as_dict()]
    assert [line["proved_bound"] for line in privacy] == ["False", "True", "True"]
    assert [line["guarantee"] for line in privacy] == ["False"] * 3  # one-sided, and of these data alone
    assert privacy[0]["neighbouring"] == "replace_one" and float(privacy[0]["delta"]) == 1e-5


@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=6))
@settings(FIXED, max_examples=25)
def test_the_lines_of_meaning_are_as_many_as_the_epsilons(tmp_path_factory, present):
    columns = ("epsilon", "epsilon_tight", "sanitized_epsilon_mean")
    rows = [
        {"dataset": str(i)} | {name: STATEMENT if there else None for name, there in zip(columns, cells, strict=True)}
        for i, cells in enumerate(present)
    ]
    table, privacy = write(tmp_path_factory.mktemp("table"), rows)
    filled = {(line["dataset"], name) for line in table for name in columns if line[name]}
    assert {(line["dataset"], line["column"]) for line in privacy} == filled
    assert len(privacy) == len(filled) == sum(map(sum, present))


def test_a_statement_in_any_column_has_its_line(tmp_path):
    _, privacy = write(tmp_path, [{"dataset": "a", "cost": STATEMENT}])
    assert [line["column"] for line in privacy] == ["cost"]


def test_without_statements_there_are_the_names_of_the_columns(tmp_path):
    _, privacy = write(tmp_path, [{"dataset": "a", "epsilon": None}])
    assert privacy == []
    header = (tmp_path / "privacy.csv").read_text().strip().split(",")
    assert header == ["dataset", "column", *STATEMENT.as_dict()]


def test_equal_rows_are_equal_bytes(tmp_path):
    rows = [{"dataset": "a, b", "epsilon": STATEMENT, "share": 1 / 3, "n": 10, "none": None}]
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        write(tmp_path / name, [dict(row) for row in rows])
    for file in ("table.csv", "privacy.csv"):
        assert (tmp_path / "first" / file).read_bytes() == (tmp_path / "second" / file).read_bytes()
    assert read(tmp_path / "first" / "table.csv")[0]["dataset"] == "a, b"


def test_rows_that_were_given_are_left_alone(tmp_path):
    row = {"dataset": "a", "epsilon": STATEMENT}
    write(tmp_path, [row])
    assert row == {"dataset": "a", "epsilon": STATEMENT}


def test_bounds_are_rounded_to_their_safe_side(tmp_path):
    assert safe(0.816455, "bits", 3) == 0.817 and safe(0.816455, "error", 3) == 0.816455
    rows = [{"dataset": "a", "lower_bound": 0.12345678, "epsilon": STATEMENT, "error": 0.12345678}]
    (row,), _ = write(tmp_path, rows)
    assert (row["lower_bound"], row["epsilon"], row["error"]) == ("0.123456", "1.97124", "0.123457")
    frame = pd.DataFrame([{"epsilon": 1.9712311, "lower_bound": 0.12345678, "error": 0.12345678}])
    write_numbers(tmp_path / "numbers.csv", frame)
    assert read(tmp_path / "numbers.csv") == [{"epsilon": "1.97124", "lower_bound": "0.123456", "error": "0.123457"}]
